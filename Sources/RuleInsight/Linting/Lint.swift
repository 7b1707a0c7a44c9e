package import Expressions
internal import RuleEngine

/// A common mistake in configs: its detection, and its documentation.
///
/// Lints are independent of each other, and have no effects: they never prevent a rule from
/// compiling.
package protocol Lint: Sendable {
  static var page: CodePage { get }
  static func findings(in subject: LintSubject) -> [Diagnostic]
}

package enum Lints {
  /// All lints. Their order is that of findings at one place.
  package static let all: [any Lint.Type] = [
    DuplicateKeys.self, DuplicateIDs.self, DuplicateTriggers.self, NoVariants.self,
    ZeroWeights.self, OccurrenceLimits.self, UngrantedEntitlements.self, UnknownProducts.self,
    FunctionNames.self, Escapes.self, ReservedNames.self, TextOrder.self,
    UnrequestedQuestions.self, RedundantAudiences.self, UnknownAttributes.self, TypeErrors.self,
    EnumValues.self, NeverBools.self, MissingAttributes.self, FailingLiterals.self,
    NestedHostCalls.self, ConstantParts.self, MissingMatches.self, RightOperands.self,
    PathGuards.self, MixedTypes.self, ImpossibleNumbers.self, DateStrings.self, Units.self,
    ValueSpellings.self, OuterSpaces.self, HistoryDifferences.self, DollarSigns.self,
  ]

  package static func findings(in subject: LintSubject) -> [Diagnostic] {
    all.flatMap { $0.findings(in: subject) }
  }
}

extension Lint {
  /// A finding with the code and the severity of the lint.
  static func finding(
    _ message: String, at path: String, range: SourceRange? = nil,
    related: [Diagnostic.Related] = [], notes: [String] = [], suggestion: String? = nil,
    fix: Diagnostic.Fix? = nil, subject: String? = nil
  ) -> Diagnostic {
    Diagnostic(
      page.code, message, severity: page.severity, range: range, path: path, related: related,
      notes: notes, suggestion: suggestion, fix: fix, subject: subject)
  }

  /// A finding about a part of a condition, in all audiences that have it.
  ///
  /// - Parameter subject: the attribute that it is about. Findings about one attribute in many
  ///   places of a condition are reported once.
  static func findings(
    _ message: String, in condition: LintSubject.Condition, range: SourceRange,
    notes: [String] = [], suggestion: String? = nil, fix: Diagnostic.Fix? = nil,
    subject: String? = nil
  ) -> [Diagnostic] {
    condition.paths.map {
      finding(
        message, at: $0, range: range, notes: notes, suggestion: suggestion, fix: fix,
        subject: subject)
    }
  }
}

package import Expressions
internal import RuleEngine

/// A common mistake in configs: its detection, and its documentation.
///
/// Lints are independent of each other, and never prevent a rule from compiling.
package protocol Lint: Sendable {
  static var page: CodePage { get }
  static func findings(in subject: LintSubject) -> [Diagnostic]
}

package struct Lints: Sendable {
  package let page: CodePage
  private let findings: @Sendable (LintSubject) -> [Diagnostic]

  private init<Each: Lint>(_: Each.Type) {
    page = Each.page
    findings = { Each.findings(in: $0) }
  }

  /// All lints. Findings at one place are reported in this order.
  package static let all: [Lints] = [
    Lints(DuplicateKeys.self), Lints(DuplicateIDs.self), Lints(DuplicateTriggers.self),
    Lints(NoVariants.self),
    Lints(ZeroWeights.self), Lints(OccurrenceLimits.self), Lints(UngrantedEntitlements.self),
    Lints(UnknownProducts.self),
    Lints(FunctionNames.self), Lints(Escapes.self), Lints(ReservedNames.self),
    Lints(TextOrder.self),
    Lints(UnrequestedQuestions.self), Lints(RedundantAudiences.self), Lints(UnknownAttributes.self),
    Lints(TypeErrors.self),
    Lints(EnumValues.self), Lints(NeverBools.self), Lints(MissingAttributes.self),
    Lints(FailingLiterals.self),
    Lints(NestedHostCalls.self), Lints(ConstantParts.self), Lints(MissingMatches.self),
    Lints(RightOperands.self),
    Lints(PathGuards.self), Lints(MixedTypes.self), Lints(ImpossibleNumbers.self),
    Lints(DateStrings.self), Lints(Units.self),
    Lints(ValueSpellings.self), Lints(OuterSpaces.self), Lints(HistoryDifferences.self),
    Lints(DollarSigns.self),
  ]

  package static func findings(in subject: LintSubject) -> [Diagnostic] {
    all.flatMap { $0.findings(subject) }
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

  /// A finding about a part of a condition, in all audiences with this condition.
  ///
  /// - Parameter subject: the attribute that the finding is about. Findings about one attribute in
  ///   many places of a condition are reported once.
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

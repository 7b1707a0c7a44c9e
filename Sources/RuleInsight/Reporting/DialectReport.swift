package import Expressions
internal import Pricing
package import RuleEngine

/// Finds where the rules of a config have different results in another language: CEL as specified,
/// or the dialect of Superwall's SDK for another platform.
///
/// Differences are found by evaluation. Every clause runs in all the languages on the values that
/// the analysis of one of them distinguishes. A clause without a finding had the same result for
/// all these values.
package struct DialectReport: Sendable {
  /// The result of a clause in a language.
  package enum Outcome: Hashable, Sendable {
    case `true`, `false`
    /// The result is not a bool.
    case value(Value)
    /// The evaluation fails. Superscript may report this as null.
    case error(EvaluationError.Kind)
    /// The clause does not compile.
    case broken(String)

    /// Whether an audience matches if its condition has this result.
    package var matches: Bool { self == .true }

    /// The outcome, with all values except bools and null replaced by the same value.
    var kind: Outcome {
      if case .value(let value) = self, value != .null { .value("") } else { self }
    }

    /// Whether the result is null or an error. Such results decide nothing.
    fileprivate var isFailure: Bool {
      switch self {
      case .error, .broken, .value(.null): true
      default: false
      }
    }
  }

  /// A clause with different results.
  package struct Finding: Sendable {
    /// The compared languages.
    package enum Difference: String, Hashable, Sendable {
      /// CEL and superscript on iOS.
      case dialects
      /// superscript on iOS, Android and the Web.
      case platforms

      /// Whether a language is one of the compared languages.
      func isAbout(_ language: RuleLanguage) -> Bool {
        switch language {
        case .cel: self == .dialects
        case .superscript(let profile): self == .platforms || profile.platform == .ios
        }
      }
    }

    package var difference: Difference
    /// The paths of the audiences that have the expression.
    package var paths: [String]
    package var range: SourceRange
    /// The clause as written.
    package var clause: String
    /// The outcome in each language, in the order of ``RuleLanguage/compared``.
    package var outcomes: [(language: RuleLanguage, outcome: Outcome)]
    /// Attributes that show the difference, as a map of roots, and events by name, with their age
    /// in minutes.
    package var attributes: Value
    package var events: [(name: String, minutesAgo: [Int])]
    /// Whether there are values with which this clause makes the whole expression match in one
    /// language and not in the other.
    package var isDecisive: Bool
  }

  package var findings: [Finding] = []
  /// The number of distinct expressions, and the number of expressions that were not compared because the limit of work
  /// was reached.
  package private(set) var expressions = 0
  package private(set) var notCompared = 0
  /// The amount of work that the comparison has done.
  package private(set) var work = 0

  /// The remaining work of a comparison, in bytes of expressions that are evaluated in all the languages.
  final class Work {
    private(set) var remaining: Int

    init(_ remaining: Int) { self.remaining = remaining }

    func take(_ bytes: Int) { remaining -= bytes }
  }

  /// Compares the languages over all expressions of a config. Each distinct expression is compared
  /// once.
  ///
  /// The time is proportional to the length of an expression: parts of more than 256 bytes are
  /// tested with fewer combinations, and the search for decisive differences in an expression of
  /// many clauses is limited. The work for a config is limited too: ``notCompared`` has the number
  /// of expressions beyond the limit.
  ///
  /// - Parameters:
  ///   - samples: the maximum number of combinations of values for a clause.
  ///   - work: the limit of the work, in bytes of expressions to evaluate.
  ///   - tell: called with the number of compared expressions and their total.
  package init(
    _ config: Config, samples: Int = 400, work limit: Int = 40_000_000, limits: Limits = Limits(),
    tell: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    var places: [[UInt8]: Int] = [:]
    var expressions: [(text: String, paths: [String])] = []
    for audience in config.placements.flatMap({ $0.audiences }) {
      guard let expression = audience.expression else { continue }
      if let known = places[Array(expression.utf8)] {
        expressions[known].paths.append(audience.path)
      } else {
        places[Array(expression.utf8)] = expressions.count
        expressions.append((expression, [audience.path]))
      }
    }
    // Many expressions share clauses, so their runners are cached.
    var runners: [[UInt8]: PartRunner] = [:]
    let work = Work(limit)
    self.expressions = expressions.count
    for (number, (text, paths)) in expressions.enumerated() {
      tell(number, expressions.count)
      guard work.remaining > 0 else {
        notCompared = expressions.count - number
        break
      }
      var comparison = ExpressionComparison(
        text, samples: samples, work: work, limits: limits
      ) { part in
        let key = Array(part.utf8)
        if let known = runners[key] { return known }
        let runner = PartRunner(part, limits: limits)
        work.take(PartRunner.compilingWork + 16 * part.utf8.count)
        runners[key] = runner
        return runner
      }
      for var finding in comparison.findings() {
        finding.paths = paths
        findings.append(finding)
      }
    }
    self.work = limit - work.remaining
  }
}

extension RuleLanguage {
  /// The languages that reports compare.
  package static let compared: [RuleLanguage] =
    [.cel] + Platform.allCases.map { .superscript(SDKProfile($0)) }
}

extension [DialectReport.Outcome] {
  /// The outcomes to compare for a difference.
  private func compared(_ difference: DialectReport.Finding.Difference) -> ArraySlice<Element> {
    difference == .dialects ? self[0...1] : self[1...]
  }

  /// Whether the outcomes differ. All kinds of failures count as equal.
  func differ(_ difference: DialectReport.Finding.Difference) -> Bool {
    let compared = compared(difference)
    guard let first = compared.first else { return false }
    return !compared.allSatisfy { $0 == first || $0.isFailure && first.isFailure }
  }

  /// Whether an audience matches with one outcome and not with another.
  func decide(_ difference: DialectReport.Finding.Difference) -> Bool {
    let compared = compared(difference)
    return compared.contains { $0.matches } && compared.contains { !$0.matches }
  }
}

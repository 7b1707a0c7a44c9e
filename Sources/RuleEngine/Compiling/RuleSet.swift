public import Expressions

/// A compiled config: immutable, `Sendable`, shared by any number of threads.
///
/// All audiences of all placements are one ``Expressions/Program``; audiences with the same
/// condition share it.
public struct RuleSet: Sendable {
  /// A compiled audience.
  package struct Rule: Sendable {
    package var audience: Audience
    /// Number of the condition, or -1 when the audience is everybody.
    package var condition: Int32
    /// The audience's own expression in the program, which explanations read.
    package var entry: Program.Entry?
    /// True when the expression does not compile: the rule never matches.
    package var isBroken: Bool
    package var weights: WeightTable
  }

  /// A placement and its rules, as a range of ``RuleSet/rules``.
  package struct CompiledPlacement: Sendable {
    package var name: String
    package var rules: Range<Int>
  }

  /// The program of the conditions. Make a frame for it to decide.
  public let program: Program
  /// What the expressions are written in.
  public let language: RuleLanguage
  /// Device attributes that come from the history of events, with their slots.
  let computed: [(slot: Int, property: ComputedProperty)]
  package let rules: [Rule]
  package let placements: [CompiledPlacement]
  /// The distinct conditions; rules with the same meaning have the same.
  package let conditions: [Program.Entry]
  /// By rule, for loops over many users: the condition, and the limit's number or -1.
  package let conditionOf: [Int32]
  package let limitOf: [Int32]
  package let limits: [OccurrenceLimit]
  /// Names by their bytes: strings compare normalised.
  private let placementNumbers: [[UInt8]: Int]

  /// Names of the placements, in the order of the config.
  public var placementNames: [String] { placements.map(\.name) }

  /// The attributes that the rules read.
  public var requirements: [AttributePath] { program.requirements }

  /// What the rules ask about the history of events.
  public var questions: [HostQuestion] { program.questions }

  package init(
    program: Program, language: RuleLanguage, rules: [Rule], placements: [CompiledPlacement],
    conditions: [Program.Entry], computedProperties: [ComputedProperty]
  ) {
    self.program = program
    self.language = language
    computed = computedProperties.compactMap { property in
      program.slot(of: AttributePath(["device", property.attributeName])).map { ($0, property) }
    }
    self.rules = rules
    self.placements = placements
    self.conditions = conditions
    conditionOf = rules.map(\.condition)
    var limits: [OccurrenceLimit] = []
    limitOf = rules.map { rule in
      guard let limit = rule.audience.occurrenceLimit else { return -1 }
      limits.append(limit)
      return Int32(limits.count - 1)
    }
    self.limits = limits
    placementNumbers = Dictionary(
      placements.enumerated().map { (Array($1.name.utf8), $0) }, uniquingKeysWith: { _, last in last })
  }

  /// The number of a placement, or nil when the config does not have it.
  package func placement(named name: String) -> Int? { placementNumbers[Array(name.utf8)] }
}

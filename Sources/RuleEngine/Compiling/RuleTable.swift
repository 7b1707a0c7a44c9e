internal import Expressions

/// A rule set's rules, laid out for deciding: trivial values in flat arrays, so that a decision
/// reads no name and changes no reference count.
package struct RuleTable: Sendable {
  /// The part of a rule that deciding needs.
  package struct Row: Sendable {
    /// The first instruction of the condition; `.max` for a rule without a condition.
    package var start: UInt32
    /// The instruction from which the program tries this rule's condition and the conditions of later rules of the
    /// placement.
    package var choiceStart: UInt32
    /// Number of the occurrence limit, or -1.
    package var limit: Int32
    /// Number of the entitlement whose owners skip the rule, or -1.
    package var entitlement: Int32
    /// The index of the rule's first variant in ``RuleTable/cumulative``. There are no variants
    /// when the experiment does not run.
    package var firstVariant: Int32
    package var variantCount: Int32
    /// The start of the experiment's ID in ``RuleTable/text``.
    package var experimentStart: Int32
    package var experimentCount: Int32
    /// The upper bound of a draw for the rule's variants.
    package var drawRange: Double
  }

  /// The start of a rule without a condition.
  package static let everybody = UInt32.max

  package private(set) var rows: [Row] = []
  package private(set) var limits: [OccurrenceLimit] = []
  package private(set) var entitlements: [String] = []
  /// Sums of weights up to and including each variant, starting with the first of its rule.
  package private(set) var cumulative: [Double] = []
  package private(set) var text: [UInt8] = []

  /// - Parameter starts: by rule, the instruction at which the placement's choice resumes after the rule.
  package init(_ rules: [RuleSet.Rule], starts: [UInt32]) {
    for (rule, start) in zip(rules, starts) { add(rule, start) }
  }

  private mutating func add(_ rule: RuleSet.Rule, _ choiceStart: UInt32) {
    let audience = rule.audience
    let experiment = Array(audience.experimentID.utf8)
    var row = Row(
      start: rule.entry?.start ?? RuleTable.everybody, choiceStart: choiceStart, limit: -1,
      entitlement: -1,
      firstVariant: Int32(cumulative.count), variantCount: 0,
      experimentStart: Int32(text.count), experimentCount: Int32(experiment.count),
      drawRange: rule.weights.drawRange)
    text += experiment
    // If a user reaches JavaScript, only the device can decide.
    if rule.isUndecidable {
      rows.append(row)
      return
    }
    if audience.experimentStatus == .running {
      cumulative += rule.weights.cumulative
      row.variantCount = Int32(rule.weights.count)
    }
    if let limit = audience.occurrenceLimit {
      row.limit = Int32(limits.count)
      limits.append(limit)
    }
    if let entitlement = audience.entitlementGuard {
      row.entitlement = Int32(entitlements.count)
      entitlements.append(entitlement)
    }
    rows.append(row)
  }
}

extension RuleTable {
  /// The variant of a rule whose range contains a draw, if any.
  @inline(__always)
  package func variant(of row: Row, draw: Double) -> Int? {
    // SAFETY: The range was recorded when the weights were appended. The view stays in the closure.
    // Tests: WeightTableTests, DistributionTests.
    cumulative.withUnsafeBufferPointer { all in
      let first = Int(row.firstVariant)
      return WeightTable.variant(
        draw: draw,
        cumulative: UnsafeBufferPointer(rebasing: all[first..<first + Int(row.variantCount)]))
    }
  }

  /// Calls the body with the bytes of a rule's experiment ID.
  @inline(__always)
  package func withExperiment<Result>(
    of row: Row, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    // SAFETY: The range was recorded when the ID was appended. The view stays in the closure.
    // Tests: WeightTableTests, DistributionTests.
    text.withUnsafeBufferPointer { all in
      let start = Int(row.experimentStart)
      return body(
        UnsafeBufferPointer(rebasing: all[start..<start + Int(row.experimentCount)]))
    }
  }
}

internal import Expressions
package import RuleBatch
package import RuleEngine

/// Two rule sets side by side, with the outcome of each choice in both. All workers share it.
package final class RuleComparison: Sendable {
  /// A kind of move: a choice of the old plan, a choice of the new plan, and the reason.
  package struct Kind: Hashable, Sendable {
    var from: Int32
    var to: Int32
    package var reason: MoveReason
  }

  /// The outcomes of one config's choices.
  struct Side: Sendable {
    let plan: BatchPlan
    /// The outcome of each choice; nil for choices of placements that are not compared.
    fileprivate(set) var outcomes: [ComparedOutcome?]
    /// The number of each choice's visible outcome. Both sides use the same numbers for outcomes.
    fileprivate(set) var shown: [Int32]
    /// For each choice, the first choice of its placement with the same outcome.
    fileprivate(set) var first: [Int32]
    /// The rule of each choice, or -1.
    fileprivate(set) var rules: [Int32]
    /// The placement of each choice.
    fileprivate(set) var placements: [Int32]

    fileprivate init(_ plan: BatchPlan) {
      self.plan = plan
      let count = plan.table.choices.count
      outcomes = Array(repeating: nil, count: count)
      shown = Array(repeating: -1, count: count)
      first = shown
      rules = shown
      placements = shown
    }
  }

  let old: Side
  let new: Side
  let placements: [ComparedPlacement]
  /// The format in which moved users are written; nil if they are not written.
  package let form: OutcomeForm?

  package var oldPlan: BatchPlan { old.plan }
  package var newPlan: BatchPlan { new.plan }
  package var placementNames: [String] { placements.map { $0.name } }
  /// The maximum length of a line in bytes.
  package var lineLimit: Int { old.plan.lineLimit }
  /// The beginning of a file of moved users.
  package var header: [UInt8] { form.map { MoveLines.header($0) } ?? [] }
  package var weight: Int { old.plan.weight + new.plan.weight }

  /// - Parameters:
  ///   - old: a rule set.
  ///   - new: the rule set to compare with `old`.
  ///   - placements: names, without duplicates; nil for all placements of both.
  ///   - clock: the time of the decisions.
  ///   - assigners: how users without an assignment get one, by the old and by the new rules.
  ///   - form: the format in which moved users are written; nil if they are not written.
  ///   - fleets: the SDKs that decide for users whose records name theirs.
  package init(
    _ old: RuleSet, _ new: RuleSet, placements names: [String]?, clock: HistoryClock,
    assigners: (old: Assigner, new: Assigner), form: OutcomeForm? = nil,
    fleets: (old: SDKFleet?, new: SDKFleet?) = (nil, nil)
  ) {
    let names = names ?? RuleComparison.placements(old, new)
    func plan(_ ruleSet: RuleSet, _ assigner: Assigner, _ fleet: SDKFleet?) -> BatchPlan {
      BatchPlan(
        ruleSet, placements: names, now: clock.now, assigner: assigner, form: .rows, clock: clock,
        texts: nil, collectsChoices: true,
        fleet: fleet.map { ($0.selection, $0.config, nil) })
    }
    var numbers: [ComparedOutcome: Int32] = [:]
    self.form = form
    placements = names.map { ComparedPlacement($0, old, new) }
    self.old = RuleComparison.side(
      plan(old, assigners.old, fleets.old), placements, &numbers
    ) { $0.oldRules }
    self.new = RuleComparison.side(
      plan(new, assigners.new, fleets.new), placements, &numbers
    ) { $0.newRules }
  }

  /// The placements of both configs, the old config's first.
  package static func placements(_ old: RuleSet, _ new: RuleSet) -> [String] {
    old.placementNames + new.placementNames.filter { old.placement(named: $0) == nil }
  }

  private static func side(
    _ plan: BatchPlan, _ placements: [ComparedPlacement],
    _ numbers: inout [ComparedOutcome: Int32],
    _ rules: (ComparedPlacement) -> Range<Int>?
  ) -> Side {
    var side = Side(plan)
    for (number, placement) in placements.enumerated() {
      var known: [ComparedOutcome: Int32] = [:]
      func add(_ choice: Int32, _ outcome: Decision.Outcome, _ rule: Int?) {
        let i = Int(choice)
        let audience = rule.map { plan.ruleSet.rules[$0].audience.index }
        let shown = ComparedOutcome(outcome, audience: nil)
        let outcome = ComparedOutcome(outcome, audience: audience)
        let next = Int32(numbers.count)
        side.outcomes[i] = outcome
        side.shown[i] = numbers[shown, default: next]
        numbers[shown] = side.shown[i]
        side.first[i] = known[outcome] ?? choice
        known[outcome] = side.first[i]
        side.rules[i] = rule.map { Int32($0) } ?? -1
        side.placements[i] = Int32(number)
      }
      let own = rules(placement)
      add(plan.table.unmatched[number], own == nil ? .placementNotFound : .noAudienceMatch, nil)
      if number < plan.table.rejected.count {
        let reason = plan.ruleSet.storage.rejection?.kind.reason ?? ""
        add(plan.table.rejected[number], .error(.configRejected(reason: reason)), nil)
      }
      for rule in own ?? 0..<0 {
        let row = plan.table.rules[rule]
        for (variant, choice) in row.variants.enumerated() {
          add(choice, plan.ruleSet.rules[rule].outcome(variant), rule)
        }
        add(row.withoutVariants, plan.ruleSet.rules[rule].outcome(nil), rule)
        if row.aborted >= 0 { add(row.aborted, .error(.abortsApp), rule) }
        if row.undecidable >= 0 { add(row.undecidable, RuleSet.Rule.undecidable, rule) }
      }
    }
    return side
  }

  // MARK: Kinds

  /// The number of a kind's placement.
  package func placement(of kind: Kind) -> Int { Int(old.placements[Int(kind.from)]) }

  package func from(_ kind: Kind) -> ComparedOutcome { old.outcomes[Int(kind.from)] ?? .nothing }

  package func to(_ kind: Kind) -> ComparedOutcome { new.outcomes[Int(kind.to)] ?? .nothing }

  /// The reason in words.
  package func text(_ kind: Kind) -> String {
    let placement = placements[self.placement(of: kind)]
    return placement.text(kind.reason, cause(kind.from, kind.to), from(kind), to(kind))
  }

  func cause(_ from: Int32, _ to: Int32) -> MoveCause {
    func rule(_ side: Side, _ choice: Int32) -> Int? {
      let rule = side.rules[Int(choice)]
      return rule >= 0 ? Int(rule) : nil
    }
    return placements[Int(old.placements[Int(from)])]
      .cause(from: rule(old, from), to: rule(new, to))
  }
}

extension ComparedOutcome {
  /// The outcome of users without a choice.
  fileprivate static var nothing: ComparedOutcome {
    ComparedOutcome(.noAudienceMatch, audience: nil)
  }
}

/// The config, and the SDKs that decide for users whose records name an SDK.
package struct SDKFleet: Sendable {
  package var selection: SDKSelection
  package var config: Config

  package init(_ selection: SDKSelection, _ config: Config) {
    self.selection = selection
    self.config = config
  }
}

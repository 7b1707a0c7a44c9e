internal import CivilTime
package import Expressions
package import RuleEngine

/// Initial tests: a user for each audience and variant of a config, with its outcome.
package enum TestProposals {
  /// The maximum number of user IDs to try for each variant.
  private static let mostIDs = 2_000

  /// - Returns: the lines of a file of tests, and the points for which no user was found.
  package static func lines(_ ruleSet: RuleSet, assigner: Assigner, clock: HistoryClock)
    -> (lines: [Value], missing: [String])
  {
    let analysis = RuleAnalysis(ruleSet, now: clock.now, keepsUsers: true, at: clock)
    let decider = WitnessDecider(ruleSet, at: clock)
    var lines: [Value] = []
    var missing: [String] = []
    for (placement, explored) in zip(ruleSet.placements, analysis.explored) {
      var seen: Set<Int> = []
      let records = [TestLine.nobody] + explored.users.map { $0.record }
      for record in records {
        guard let decision = decider.decide(record, at: placement.name, assigner) else { continue }
        let audience = decision.audience ?? -1
        guard seen.insert(audience).inserted else { continue }
        guard let variants = decision.rule?.audience.variants, variants.count > 1 else {
          lines.append(line(record, decision, clock.now, seed: ""))
          continue
        }
        lines += spread(record, over: variants, at: placement.name, decider, assigner, clock.now)
      }
      for rule in placement.rules where !seen.contains(ruleSet.rules[rule].audience.index) {
        missing.append("\(placement.name), audience \(ruleSet.rules[rule].audience.label)")
      }
    }
    return (lines, missing)
  }

  /// The same user under several IDs, one for each variant that is drawn.
  private static func spread(
    _ record: Value, over variants: [Variant], at placement: String, _ decider: WitnessDecider,
    _ assigner: Assigner, _ now: Instant
  ) -> [Value] {
    var found: [Int32: Value] = [:]
    let wanted = variants.count { $0.weight > 0 }
    for number in 0..<mostIDs where found.count < max(wanted, 1) {
      let named = record.named(TestLine.id(number))
      guard let decision = decider.decide(named, at: placement, assigner),
        found[decision.verdict.variant] == nil
      else { continue }
      found[decision.verdict.variant] = line(named, decision, now, seed: assigner.seed)
    }
    return found.sorted { $0.key < $1.key }.map { $0.value }
  }

  /// - Parameter seed: the seed of the draw; empty for the default seed, or if no variant is drawn.
  private static func line(_ record: Value, _ decision: Decision, _ now: Instant, seed: String)
    -> Value
  {
    var name = decision.placement
    name += decision.decidingAudience.map { ": audience \($0.label)" } ?? ": no audience"
    switch decision.outcome {
    case .paywall(let experiment), .holdout(let experiment): name += ", \(experiment.variant.id)"
    case .noAudienceMatch, .placementNotFound, .error, .undecidable: break
    }
    return TestLine.value(record, decision, now, seed: seed, name: name)
  }
}

extension WitnessDecider {
  fileprivate func decide(_ record: Value, at placement: String, _ assigner: Assigner) -> Decision?
  {
    guard let state = read(record) else { return nil }
    return ruleSet.decide(placement, frame: &frame, state: state, assigner: assigner)
  }
}

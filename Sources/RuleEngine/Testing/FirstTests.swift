internal import CivilTime
package import Expressions

/// Tests to begin with: a user for each audience and variant of a config, with what they get.
package enum FirstTests {
  /// User IDs that are tried for each variant.
  private static let mostIDs = 2_000

  /// - Returns: the lines of a file of tests, and what no user was found for.
  package static func lines(_ ruleSet: RuleSet, assigner: Assigner, clock: HistoryClock)
    -> (lines: [Value], missing: [String])
  {
    let analysis = RuleAnalysis(ruleSet, now: clock.now, keepsUsers: true)
    let decider = WitnessDecider(ruleSet, at: clock)
    var lines: [Value] = []
    var missing: [String] = []
    for (placement, explored) in zip(ruleSet.placements, analysis.explored) {
      var seen: Set<Int> = []
      let records = [nobody] + explored.users.map(\.record)
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

  private static let nobody = Value.object(["userId": .string(WitnessRecord.userID)])

  /// The same user under other IDs, one for each variant that is drawn.
  private static func spread(
    _ record: Value, over variants: [Variant], at placement: String, _ decider: WitnessDecider,
    _ assigner: Assigner, _ now: Instant
  ) -> [Value] {
    var found: [Int32: Value] = [:]
    let wanted = variants.count { $0.weight > 0 }
    for number in 0..<mostIDs where found.count < max(wanted, 1) {
      let named = record.named(
        number == 0 ? WitnessRecord.userID : "\(WitnessRecord.userID)-\(number)")
      guard let decision = decider.decide(named, at: placement, assigner),
        found[decision.verdict.variant] == nil
      else { continue }
      found[decision.verdict.variant] = line(named, decision, now, seed: assigner.seed)
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  /// - Parameter seed: by which a variant was drawn; empty where that is the usual one, or nothing was.
  private static func line(_ record: Value, _ decision: Decision, _ now: Instant, seed: String)
    -> Value
  {
    var expect: [Value.Entry] = [
      .init(key: "result", value: TriggerResult(decision.outcome).value["result"] ?? .null)
    ]
    var name = decision.placement
    if let audience = decision.decidingAudience {
      let id = audience.id ?? audience.experimentID
      expect.append(
        .init(key: "audience", value: id.isEmpty ? .int(Int64(audience.index)) : .string(id)))
      name += ": audience \(audience.label)"
    } else {
      name += ": nobody"
    }
    switch decision.outcome {
    case .paywall(let experiment), .holdout(let experiment):
      expect.append(.init(key: "variant", value: .string(experiment.variant.id)))
      name += ", \(experiment.variant.id)"
      if let paywall = experiment.variant.paywallID, experiment.variant.kind != .holdout {
        expect.append(.init(key: "paywall", value: .string(paywall)))
      }
    case .noAudienceMatch, .placementNotFound, .error: break
    }
    var members: [Value.Entry] = [
      .init(key: "name", value: .string(name)),
      .init(key: "placement", value: .string(decision.placement)),
      .init(key: "now", value: now.text.map { .string($0) } ?? .null),
    ]
    if !seed.isEmpty { members.append(.init(key: "seed", value: .string(seed))) }
    if case .map(let record) = record { members += record }
    return .map(members + [.init(key: "expect", value: .map(expect))])
  }
}

extension WitnessDecider {
  fileprivate func decide(_ record: Value, at placement: String, _ assigner: Assigner) -> Decision?
  {
    guard let state = read(record) else { return nil }
    return ruleSet.decide(placement, frame: &frame, state: state, assigner: assigner)
  }
}

extension Value {
  /// A user record with another ID.
  fileprivate func named(_ id: String) -> Value {
    guard case .map(let members) = self else { return self }
    return .map(
      members.map { $0.key == "userId" ? Entry(key: "userId", value: .string(id)) : $0 })
  }
}

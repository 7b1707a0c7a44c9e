internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Writes a line of a test file: a user, and the expected outcome.
enum TestLine {
  /// - Parameters:
  ///   - record: the user's record.
  ///   - now: the time of the decision.
  ///   - seed: the seed of the draw; empty for the default seed, or if no variant is drawn.
  static func value(
    _ record: Value, _ decision: Decision, _ now: Instant, seed: String, name: String
  ) -> Value {
    var expect: [Value.Entry] = [
      .init(key: "result", value: TriggerResult(decision.outcome).value["result"] ?? .null)
    ]
    if let audience = decision.decidingAudience {
      let id = audience.id ?? audience.experimentID
      expect.append(
        .init(key: "audience", value: id.isEmpty ? .int(Int64(audience.index)) : .string(id)))
    }
    switch decision.outcome {
    case .paywall(let experiment), .holdout(let experiment):
      expect.append(.init(key: "variant", value: .string(experiment.variant.id)))
      if let paywall = experiment.variant.paywallID, experiment.variant.kind != .holdout {
        expect.append(.init(key: "paywall", value: .string(paywall)))
      }
    case .noAudienceMatch, .placementNotFound, .error, .undecidable: break
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

  /// The initial user, without any attributes.
  static let nobody = Value.object(["userId": .string(WitnessRecord.userID)])

  /// A user ID with a number. Users with different numbers differ only in their ID.
  static func id(_ number: Int) -> String {
    number == 0 ? WitnessRecord.userID : "\(WitnessRecord.userID)-\(number)"
  }

  static func bytes(_ record: Value) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONWriter.append(record, to: &bytes)
    return bytes
  }
}

extension Value {
  /// A user record with another ID.
  func named(_ id: String) -> Value { setting(["userId"], to: .string(id)) }
}

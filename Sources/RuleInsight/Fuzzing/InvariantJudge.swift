internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleEngine

/// Says whether invariants hold for users and what they get.
struct InvariantJudge: ~Copyable {
  enum Verdict: Equatable {
    case holds
    /// `when` is not true.
    case notMeant
    /// `when` fails, which means the same.
    case whenFails
    /// `holds` is not true; it has failed where there is an error.
    case violated(error: String?)

    var isViolated: Bool {
      if case .violated = self { return true }
      return false
    }
  }

  let invariants: [RuleInvariant]
  private let program: Program
  /// By invariant, where its expressions are among the program's.
  private var entries: [(when: Program.Entry?, holds: Program.Entry)] = []
  private var frame: Frame

  /// - Parameter invariants: such without ``RuleInvariant/diagnostics()``.
  init(_ invariants: [RuleInvariant]) {
    self.invariants = invariants
    var builder = ProgramBuilder(RuleInvariant.environment)
    var places: [(when: Int?, holds: Int)] = []
    var count = 0
    for invariant in invariants {
      var when: Int?
      if let text = invariant.when {
        builder.add(text)
        when = count
        count += 1
      }
      builder.add(invariant.holds)
      places.append((when, count))
      count += 1
    }
    let program = builder.build()
    self.program = program
    frame = Frame(for: program)
    entries = places.map { place in
      (place.when.map { program.entries[$0] }, program.entries[place.holds])
    }
  }

  /// - Parameter context: what ``context(_:now:)`` makes, with an outcome or with what was shown.
  mutating func judge(_ number: Int, _ context: Value) -> Verdict {
    do throws(EvaluationError) {
      try frame.fill(context)
    } catch {
      // What is too large for a frame is not meant.
      return .whenFails
    }
    return judgeAgain(number)
  }

  /// The same for the context of the last time.
  mutating func judgeAgain(_ number: Int) -> Verdict {
    if let when = entries[number].when {
      do throws(EvaluationError) {
        guard try program.evaluate(when, in: &frame) == .bool(true) else { return .notMeant }
      } catch {
        return .whenFails
      }
    }
    do throws(EvaluationError) {
      let value = try program.evaluate(entries[number].holds, in: &frame)
      if value == .bool(true) { return .holds }
      return .violated(error: value == .bool(false) ? nil : "it gives no true or false")
    } catch {
      return .violated(error: error.description)
    }
  }

  // MARK: Contexts

  /// What expressions read of a user: attributes as rules read them, `entitlements` and `now`.
  static func context(
    _ record: Value, _ clock: HistoryClock, _ format: Config.Format, on platform: Platform?
  ) -> [Value.Entry] {
    var record = record
    if format == .superwall {
      // Invariants read what rules could read.
      record = DeviceDerivation.complete(
        record, DeviceDerivation.attributes, on: platform, at: clock)
    }
    for (member, root, name) in UserMember.attributes(hasUserID: format == .agentWallie) {
      let path = [root.key, name]
      guard record.value(at: path) ?? .null == .null, let value = record[member.key], value != .null
      else { continue }
      record = record.setting(path[...], to: value)
    }
    let empty = Value.map([])
    var entries = ["user", "device", "params"].map { root -> Value.Entry in
      let value = record[root] ?? empty
      return Value.Entry(key: .string(root), value: value == .null ? empty : value)
    }
    entries.append(
      Value.Entry(key: "entitlements", value: .list(FuzzRecord.entitlements(of: record))))
    entries.append(Value.Entry(key: "now", value: .string(clock.now.text ?? "")))
    return entries
  }

  /// An outcome as expressions have it.
  static func outcome(_ outcome: Decision.Outcome, placement: String, audience: Int?) -> Value {
    var experiment: Decision.Experiment?
    var paywall: Value = .null
    switch outcome {
    case .paywall(let found):
      experiment = found
      paywall = found.variant.paywallID.map { .string($0) } ?? .null
    case .holdout(let found): experiment = found
    case .noAudienceMatch, .placementNotFound, .error, .undecidable: break
    }
    return .object([
      "placement": .string(placement),
      "result": TriggerResult(outcome).value["result"] ?? .null,
      "audience": audience.map { .int(Int64($0)) } ?? .null,
      "variant": experiment.map { .string($0.variant.id) } ?? .null, "paywall": paywall,
    ])
  }
}

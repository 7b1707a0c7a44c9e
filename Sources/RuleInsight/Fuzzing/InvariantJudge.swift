internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleEngine

/// Checks whether users and their outcomes satisfy invariants.
struct InvariantJudge: ~Copyable {
  enum Verdict: Equatable {
    case holds
    /// `when` is not true, so the invariant does not apply.
    case notMeant
    /// `when` failed, so the invariant does not apply.
    case whenFails
    /// `holds` is not true. The error is the reason if `holds` failed.
    case violated(error: String?)

    var isViolated: Bool {
      if case .violated = self { return true }
      return false
    }
  }

  let invariants: [RuleInvariant]
  private let program: Program
  /// The entries of each invariant's expressions in the program.
  private var entries: [(when: Program.Entry?, holds: Program.Entry)] = []
  private var frame: Frame

  /// - Parameter invariants: invariants whose ``RuleInvariant/diagnostics()`` are empty.
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

  /// - Parameter context: the result of ``context(_:_:_:on:)``, with an outcome or a history added.
  mutating func judge(_ number: Int, _ context: Value) -> Verdict {
    do throws(EvaluationError) {
      try frame.fill(context)
    } catch {
      // The invariant does not apply to a user that is too large for a frame.
      return .whenFails
    }
    return judgeAgain(number)
  }

  /// Judges an invariant for the context of the previous call.
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
      return .violated(error: value == .bool(false) ? nil : "its result is neither true nor false")
    } catch {
      return .violated(error: error.description)
    }
  }

  // MARK: Contexts

  /// The values of a user that expressions read: attributes as rules read them, `entitlements` and
  /// `now`.
  static func context(
    _ record: Value, _ clock: HistoryClock, _ format: Config.Format, on platform: Platform?
  ) -> [Value.Entry] {
    var record = record
    if format == .superwall {
      // Invariants read the same derived attributes as rules.
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

  /// An outcome in the form that expressions read.
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

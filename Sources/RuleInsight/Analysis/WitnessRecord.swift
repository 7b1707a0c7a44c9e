internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleEngine

/// A user record for a result of an analysis, in the format of a users file.
struct WitnessRecord {
  /// The record.
  let value: Value

  static let userID = "somebody"

  /// The time of the occurrences that use up limits.
  enum History: CaseIterable {
    case recent
    /// The earliest time at which an occurrence still counts, so that limits with a shorter span are not used up.
    case early
  }

  /// - Parameters:
  ///   - heldBack: limits that are used up.
  ///   - owned: entitlements that the user has.
  init(
    _ witness: AnalysisWitness, heldBack: [OccurrenceLimit], owned: [String],
    platform: Platform?, now: Instant, history: History = .recent
  ) {
    var members = [Value.Entry(key: "userId", value: .string(Self.userID))]
    if case .map(let roots) = witness.attributes { members += roots }
    let events = WitnessRecord.events(witness.answers, platform, now)
    if !events.isEmpty { members.append(Value.Entry(key: "events", value: .map(events))) }
    var occurrences: [Value.Entry] = []
    var places: [Value: Int] = [:]
    for limit in heldBack {
      let times = Array(
        repeating: WitnessRecord.time(now - WitnessRecord.age(limit.interval, history)),
        count: min(max(limit.maxCount, 1), 1_000))
      let key = Value.string(limit.key)
      if let known = places[key] {
        guard case .list(let before) = occurrences[known].value, before.count < times.count
        else { continue }
        occurrences[known].value = .list(times)
      } else {
        places[key] = occurrences.count
        occurrences.append(Value.Entry(key: key, value: .list(times)))
      }
    }
    if !occurrences.isEmpty {
      members.append(Value.Entry(key: "occurrences", value: .map(occurrences)))
    }
    if heldBack.contains(where: { $0.interval == .session }) {
      members.append(
        Value.Entry(key: "sessionStart", value: WitnessRecord.time(now - Int64(60_000))))
    }
    if !owned.isEmpty {
      members.append(Value.Entry(key: "entitlements", value: .list(owned.map { .string($0) })))
    }
    value = .map(members)
  }

  private static func time(_ instant: Instant) -> Value {
    .string(instant.text ?? "1970-01-01T00:00:00Z")
  }

  /// The age, in milliseconds, of an occurrence that counts within a span.
  private static func age(_ interval: OccurrenceLimit.Interval, _ history: History) -> Int64 {
    if history == .recent { return 1_000 }
    return switch interval {
    case .infinity: 157_680_000_000
    case .session: 59_000
    // Five years at most, as above.
    case .minutes(let minutes): max(1_000, Int64(min(minutes, 2_628_000)) * 60_000 - 1_000)
    }
  }

  /// Events that give questions these answers, as far as possible.
  private static func events(
    _ answers: [(question: HostQuestion, value: Value)], _ platform: Platform?, _ now: Instant
  ) -> [Value.Entry] {
    var times: [(name: String, ages: [Int64])] = []
    var places: [String: Int] = [:]
    for (question, value) in answers {
      guard case .text(var name) = question.argument, case .int(let number) = value,
        number >= 0
      else { continue }
      guard let kind = ComputedProperty.Kind(functionName: question.function) else { continue }
      if platform == .web { name = "trigger_fire" }
      let ages: [Int64] =
        kind.isTime
        ? [min(number, 1_000_000) * unit(of: kind) + 30]
        : Array(repeating: 30, count: Int(min(number, 1_000)))
      if let known = places[name] {
        if ages.count > times[known].ages.count { times[known].ages = ages }
      } else {
        places[name] = times.count
        times.append((name, ages))
      }
    }
    return times.filter { !$0.ages.isEmpty }.map { name, ages in
      Value.Entry(
        key: .string(name), value: .list(ages.map { time(now - $0 * 1_000) }))
    }
  }

  /// The number of seconds that is slightly more than one unit of a question about time.
  private static func unit(of kind: ComputedProperty.Kind) -> Int64 {
    switch kind {
    case .minutesSince: 60
    case .hoursSince: 3_600
    case .monthsSince: 2_635_200
    case .yearsSince: 31_622_400
    default: 86_400
    }
  }
}

/// Decides witnesses as ordinary users.
final class WitnessDecider {
  let ruleSet: RuleSet
  let clock: HistoryClock
  var frame: Frame
  private(set) var reader: UserRecordReader

  init(_ ruleSet: RuleSet, at clock: HistoryClock) {
    self.ruleSet = ruleSet
    self.clock = clock
    frame = Frame(for: ruleSet.program)
    reader = UserRecordReader(ruleSet, at: clock)
  }

  convenience init(_ ruleSet: RuleSet, now: Instant) {
    self.init(ruleSet, at: HistoryClock(now: now))
  }

  /// Reads a user record into the frame; nil if the record is rejected.
  func read(_ record: Value) -> DecisionState? {
    var bytes: [UInt8] = []
    JSONWriter.append(record, to: &bytes)
    return read(json: bytes)
  }

  /// Reads a user record from a string, which is copied; nil when the record is rejected.
  func read(json record: some Sequence<UInt8>) -> DecisionState? {
    do {
      try reader.read(json: record, into: &frame)
    } catch {
      return nil
    }
    return reader.state(now: clock.now)
  }

  /// The result of every rule of a placement for a user record; nil if the record is rejected.
  func reasons(for record: Value, at placement: String) -> [Decision.Reason]? {
    guard let state = read(record) else { return nil }
    guard let number = ruleSet.placement(named: placement) else { return [] }
    return ruleSet.reasons(ofPlacement: number, frame: &frame, state: state)
  }

  /// The rule whose condition is the first to match a user record at a placement.
  ///
  /// - Returns: the rule, or nil for none; or nil when the record is rejected.
  func firstMatch(for record: Value, at placement: Int) -> Int?? {
    guard let state = read(record) else { return nil }
    return .some(ruleSet.firstMatch(ofPlacement: placement, frame: &frame, state: state))
  }
}

extension RuleSet {
  /// The possible answers of a platform's SDK to a question.
  func answers(to question: HostQuestion) -> HostAnswers {
    guard case .text = question.argument else { return HostAnswers() }
    guard let kind = ComputedProperty.Kind(functionName: question.function) else {
      return HostAnswers()
    }
    switch language.platform {
    case .android: return HostAnswers(canBeNull: false, canBeBool: false)
    case .web:
      return HostAnswers(canBeNull: kind.isTime, canBeNumber: !kind.isTime, canBeBool: false)
    default: return HostAnswers(canBeNull: kind.isTime, canBeBool: false)
    }
  }
}

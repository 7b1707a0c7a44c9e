internal import Expressions
internal import RuleEngine

/// Operations of suite `superwall-rules` about the SDK code around the evaluator: passing values, answering questions,
/// and padding versions.
enum PlatformCases {
  /// The result of an operation, or nil if its input is unknown.
  static func run(_ operation: String, _ testCase: Case) -> Value? {
    switch operation {
    case "timeSince": timeSince(testCase)
    case "webComputed": webComputed(testCase)
    case "toPassable": toPassable(testCase)
    default: paddedVersion(testCase)
    }
  }

  private static func platform(_ testCase: Case) -> Platform? {
    guard let name = testCase.input("platform")?.text else { return nil }
    return Platform(rawValue: name.lowercased())
  }

  /// The time of a case. If it names none, ages are counted back from an arbitrary fixed time.
  private static func now(_ testCase: Case) -> Instant {
    if let text = testCase.input("now")?.text, let time = try? WireTime.instant(text) {
      return time
    }
    return 1_700_000_000_000
  }

  private static func time(_ minutesAgo: Value, before now: Instant) -> Instant? {
    switch minutesAgo {
    case .int(let minutes): now - minutes * 60_000
    case .double(let minutes): now - Int64((minutes * 60_000).rounded())
    default: nil
    }
  }

  private static func timeSince(_ testCase: Case) -> Value? {
    let now = now(testCase)
    guard let platform = platform(testCase), let type = testCase.input("type")?.text,
      let kind = ComputedProperty.Kind(rawValue: type)
    else { return nil }
    var zone = "UTC"
    if let name = testCase.input("timeZone")?.text { zone = name }
    guard let clock = HistoryClock(now: now, timeZone: zone) else { return nil }
    var events = EventHistory()
    if let age = testCase.input("minutesAgo"), let time = time(age, before: now) {
      events.record("event", at: time)
    }
    let property = ComputedProperty(kind: kind, eventName: "event")
    return ["value": events.value(of: property, at: clock, on: platform) ?? .null]
  }

  private static func webComputed(_ testCase: Case) -> Value? {
    let now = now(testCase)
    guard let function = testCase.input("type")?.text,
      let history = testCase.input("history")?.elements
    else { return nil }
    var events = EventHistory()
    for case .list(let event) in history where event.count == 2 {
      guard let name = event[0].text, let time = time(event[1], before: now) else {
        return nil
      }
      events.record(name, at: time)
    }
    let question = HostQuestion(function: function, argument: .text(""))
    return ["value": events.answer(to: question, at: HistoryClock(now: now), on: .web)]
  }

  private static func paddedVersion(_ testCase: Case) -> Value? {
    guard let version = testCase.input("version")?.text else { return nil }
    let width = platform(testCase) == .web ? 4 : 3
    return ["value": .string(PaddedVersion.text(version, width: width))]
  }

  // MARK: Values

  private static func toPassable(_ testCase: Case) -> Value? {
    guard let platform = platform(testCase), let value = testCase.input("value") else { return nil }
    guard let passed = platform.passed(decode(value, platform)) else {
      return ["passable": "dropped"]
    }
    return ["passable": encode(passed)]
  }

  /// Decodes a value. `{"$long":n}` is a Kotlin `Long`, which the evaluator always treats as unsigned. A plain integer
  /// of 32 bits is an `Int`.
  private static func decode(_ value: Value, _ platform: Platform) -> Value {
    switch value {
    case .list(let values): return .list(values.map { decode($0, platform) })
    case .map(let entries):
      if entries.count == 1, case .int(let number)? = value["$long"] {
        return platform == .android ? .uint(UInt64(bitPattern: number)) : .int(number)
      }
      if let wrapped = SuperscriptValues.wrapped(value) { return wrapped }
      return .map(
        entries.map { Value.Entry(key: $0.key, value: decode($0.value, platform)) })
    default: return value
    }
  }

  private static func encode(_ value: Value) -> Value {
    switch value {
    case .null: .null
    case .bool: ["bool": value]
    case .int: ["int": value]
    case .uint: ["uint": value]
    case .double: ["float": value]
    case .string: ["string": value]
    case .list: ["list": value]
    case .map: ["map": value]
    default: ["other": value]
    }
  }
}

import Expressions
import RuleBatch
import RuleEngine
import TestSupport

/// Random tables of users for the rules of ``RandomUsers``: every column in any form that it may have, and the
/// lines of JSON that say the same.
struct RandomTable {
  var random: SplitMix
  /// Whether rules look into `params.v`.
  let isAgentWallie: Bool
  /// Whether texts are numbers as often as not.
  private let hasDigits: Bool
  private var columns: [(name: String, shape: ArrowShape)] = []
  private(set) var rows: [Value] = []

  var shape: ArrowShape { .structure(columns) }

  init(seed: UInt64, rows count: Int) {
    random = SplitMix(seed: seed ^ 0xA770)
    isAgentWallie = (100..<200).contains(seed)
    hasDigits = seed >= 200
    columns = shapes()
    for number in 0..<count { rows.append(row(number)) }
  }

  private mutating func chance(_ one: Int, in all: Int) -> Bool {
    Int.random(in: 0..<all, using: &random) < one
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  // MARK: Shapes

  private mutating func text() -> ArrowShape {
    let plain = ArrowShape.text(pick(["u", "U", "vu"]))
    return chance(1, in: 3) ? .dictionary(pick(ArrowShape.integers), plain) : plain
  }

  private mutating func number() -> ArrowShape {
    .number(pick(ArrowShape.integers + ["e", "f", "g"]))
  }

  private mutating func list(_ element: ArrowShape) -> ArrowShape {
    .list(pick(["+l", "+L"]), element)
  }

  private mutating func time() -> ArrowShape {
    chance(1, in: 3) ? text() : .timestamp("ts" + pick(["s", "m", "u", "n"]) + ":Europe/Berlin")
  }

  private mutating func times(_ names: [String]) -> ArrowShape {
    let times = list(time())
    return chance(1, in: 2) ? .map(times) : .structure(names.map { ($0, times) })
  }

  private static let keys = ["k1", "k2", "c0/a0", "c1/a1"]

  private mutating func shapes() -> [(name: String, shape: ArrowShape)] {
    var user: [(name: String, shape: ArrowShape)] = [
      ("n", number()), ("s", text()), ("l", list(.number(pick(ArrowShape.integers)))),
      ("empty", pick([.null, text(), list(.bool)])),
      ("deep", deep()),
      ("big", .number(pick(["l", "g"]))), ("price", text()), ("whole", number()),
      ("list", list(pick([text(), .number("s"), list(.number("g"))]))), ("b", .bool),
      ("id", text()),
    ]
    if !isAgentWallie { user.removeAll { $0.name == "id" } }
    let device: [(name: String, shape: ArrowShape)] = [
      ("os", text()), ("other", number()), ("appVersion", text()), ("subscriptionStatus", text()),
    ]
    let v: ArrowShape =
      isAgentWallie ? .structure([("x", text())]) : pick([text(), .number("i")])
    let assignment: [(name: String, shape: ArrowShape)] = [
      ("experimentId", text()), ("variantId", text()), ("isSentToServer", .bool),
    ]
    // No two users are alike, so that codes of one byte would not do.
    let id: ArrowShape = pick([
      .number(pick(["i", "L"])), .text(pick(["u", "U", "vu"])), .dictionary("S", .text("u")),
    ])
    var all: [(name: String, shape: ArrowShape)] = [
      ("userId", id),
      ("user", root(user.filter { _ in chance(9, in: 10) })),
      ("device", root(device.filter { _ in chance(9, in: 10) })),
      ("params", chance(1, in: 8) ? .null : root([("v", v)])),
      ("subscriptionStatus", text()), ("entitlements", list(text())),
      ("events", times(["app_open", "app_launch"])),
      ("assignments", list(.structure(assignment))),
      ("occurrences", times(Self.keys)), ("sessionStart", time()), ("plan", text()),
    ]
    all.removeAll { $0.name != "userId" && chance(1, in: 8) }
    all.shuffle(using: &random)
    return all
  }

  /// A root: a struct, and sometimes a map or JSON.
  private mutating func root(_ members: [(name: String, shape: ArrowShape)]) -> ArrowShape {
    if chance(1, in: 8) { return .json(.structure(members)) }
    return chance(1, in: 8) ? .map(pick([text(), .json(text())])) : .structure(members)
  }

  private mutating func deep() -> ArrowShape {
    let est: [(name: String, shape: ArrowShape)] = [("est", number())]
    let deep: ArrowShape = .structure([("er", .structure(est))])
    return pick([
      .null, deep, .map(.structure(est)), .map(.map(number())), .json(deep),
      .structure([("er", .json(.structure(est)))]), .map(text()), .map(.json(.structure(est))),
    ])
  }

  // MARK: Rows

  private mutating func row(_ number: Int) -> Value {
    .map(
      columns.map { column in
        let value: Value =
          switch column.name {
          case "userId": identity(number, column.shape)
          case "plan": "unknown column"
          default: value(column.name, column.shape)
          }
        let isNull = chance(1, in: column.name == "userId" ? 30 : 3)
        return Value.Entry(key: .string(column.name), value: isNull ? .null : value)
      })
  }

  private mutating func identity(_ number: Int, _ shape: ArrowShape) -> Value {
    if case .number = shape { return .int(Int64(number) + 7) }
    return .string(
      pick(["user-\(number)", "é\(number)", "a long user identifier \(number)", "u\(number)"])
        + (chance(1, in: 40) ? String(repeating: "x", count: 70) : ""))
  }

  private static func times(_ texts: Bool) -> [Value] {
    let all = [
      "2026-03-01T11:59:00Z", "2026-02-28T00:00:00+01:00", "2026-03-01T12:30:00Z",
      "2025-11-05T08:00:00Z", "2026-03-01T11:00:00Z",
    ]
    // What is no time refuses a record.
    if texts { return all.map { .string($0) } + [.string("2026-03-01T11:00:00")] }
    return all.map { text in
      let instant = try! WireTime.instant(text)
      return .timestamp(seconds: instant.milliseconds / 1_000, nanoseconds: 0)
    }
  }

  private mutating func value(_ name: String, _ shape: ArrowShape) -> Value {
    if name != "list", name != "l", chance(1, in: 8) { return .null }
    switch shape {
    case .null, .other: return .null
    case .bool: return pick([true, false])
    case .number(let format):
      if format == "l", name == "big" { return pick([7, 5_000_000_000, -5_000_000_000]) }
      if "efg".contains(format) { return .double(pick([0, 1, 2, 2.5, 3, 4])) }
      return .int(Int64.random(in: 0...4, using: &random))
    case .timestamp: return pick(Self.times(false))
    case .dictionary(_, let values): return value(name, values)
    case .text: return text(name)
    case .list(_, let element):
      let count = Int.random(in: 0...3, using: &random)
      return .list((0..<count).map { _ in value(name, element) })
    case .structure(let members):
      return .map(
        members.map { Value.Entry(key: .string($0.name), value: value($0.name, $0.shape)) })
    case .json(let content): return value(name, content).withoutNullMembers ?? .null
    case .extended(_, let storage): return value(name, storage)
    case .map(let values):
      let names =
        switch name {
        case "events": ["app_open", "app_launch"]
        case "user": ["s", "price", "id", "n", "b"]
        case "device": ["os", "appVersion", "subscriptionStatus"]
        case "params": ["v", "x"]
        case "deep": ["er", "other"]
        case "er": ["est", "other"]
        default: Self.keys
        }
      return .map(
        names.filter { _ in chance(1, in: 2) }.map {
          Value.Entry(key: .string($0), value: value($0, values))
        })
    }
  }

  private mutating func text(_ name: String) -> Value {
    switch name {
    case "s" where hasDigits, "list" where hasDigits:
      pick(["x", "3", "2.0", "true", "$3", "007"])
    case "s", "list": pick(["x", "xyz", "other", "true", "$x", "a text of many characters"])
    case "os": pick(["iOS", "Android"])
    case "appVersion": pick(["2.9", "2.10"])
    case "subscriptionStatus": pick(["ACTIVE", "INACTIVE", "true", "active"])
    case "price": pick(["$9", "9", "true", "a price in $ and more"])
    case "v", "x": pick(["a", "z", "x"])
    case "entitlements": pick(["pro", "max", "gold"])
    case "experimentId": .string(pick(["e0", "e1", "e2", "e3"]))
    case "variantId": .string(pick(["a", "b", "c", "gone"]))
    case "empty": pick(["", "x"])
    case "id": pick(["x", "iOS"])
    default: chance(1, in: 12) ? pick(Self.times(true)) : pick(Self.times(true).dropLast())
    }
  }

  private mutating func pick(_ elements: ArraySlice<Value>) -> Value { pick(Array(elements)) }

  // MARK: The same as JSON

  /// The rows as lines of a users file.
  func lines(_ null: ArrowNull) -> [String] {
    rows.map { row in
      var entries: [Value.Entry] = []
      for (key, value) in row.members ?? [] {
        let isMember = !["user", "device", "params"].contains(key)
        var json = isMember ? value.withoutNull : null == .null ? value : value.withoutNullMembers
        if key == "userId", case .int(let number)? = json { json = .string(String(number)) }
        if let json { entries.append(Value.Entry(key: .string(key), value: json)) }
      }
      return Value.map(entries).json
    }
  }
}

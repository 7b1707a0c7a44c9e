internal import Expressions
internal import RuleEngine

/// Random configs and random users for them, with everything that a record may hold, and some that
/// it may not.
package struct RandomUsers {
  package var random: SplitMix
  /// Whether rules may use what only superscript has.
  package var isSuperscript = false

  package init(random: SplitMix, isSuperscript: Bool = false) {
    self.random = random
    self.isSuperscript = isSuperscript
  }

  private mutating func chance(_ one: Int, in all: Int) -> Bool {
    Int.random(in: 0..<all, using: &random) < one
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  private static let keys = ["k1", "k2", "k3"]
  private static let experiments = ["e0", "e1", "e2", "e3"]
  private static let variants = ["a", "b", "c", "d"]

  // MARK: Configs

  package mutating func config() -> [UInt8] {
    let placements = (0..<4).map { number -> Value in
      let rules = (0..<Int.random(in: 0...4, using: &random)).map { _ in rule() }
      return [
        "event_name": .string(pick(["p\(number)", "é\(number)", "a \"quoted\" \(number)"])),
        "rules": .list(rules),
      ]
    }
    let config: Value = ["build_id": "b", "trigger_options": .list(placements)]
    return Array(config.json.utf8)
  }

  /// A config of AgentWallie's campaigns over the same users.
  package mutating func agentWallieConfig() -> [UInt8] {
    var experiment = 0
    let campaigns = (0..<3).map { number -> Value in
      let placements = (0..<Int.random(in: 1...3, using: &random)).map { _ -> Value in
        let name = pick(["p1", "p2", "é3"])
        return [
          "id": "p", "name": .string(name), "type": "custom",
          "status": pick(["active", "active", "paused"]),
        ]
      }
      let audiences = (0..<Int.random(in: 0...4, using: &random)).map { index -> Value in
        experiment += 1
        return audience("a\(index)", experiment % 4)
      }
      return [
        "id": .string("c\(number)"), "name": "C",
        "status": pick(["active", "active", "active", "archived"]),
        "placements": .list(placements), "audiences": .list(audiences),
      ]
    }
    let config: Value = ["campaigns": .list(campaigns), "paywalls": .map([])]
    return Array(config.json.utf8)
  }

  private mutating func audience(_ id: String, _ experiment: Int) -> Value {
    var entries: [Value.Entry] = []
    func add(_ key: String, _ value: Value) {
      entries.append(Value.Entry(key: .string(key), value: value))
    }
    add("id", .string(id))
    add("name", "A")
    add("priority_order", .int(Int64.random(in: 0...3, using: &random)))
    add("filters", .list((0..<Int.random(in: 0...4, using: &random)).map { _ in filter() }))
    if chance(1, in: 3) { add("entitlement_check", pick(["pro", "gold"])) }
    if chance(1, in: 3) {
      add(
        "frequency_cap",
        pick([
          ["type": "once_per_day"], ["type": "once_per_session"], "unlimited",
          ["type": "n_times_total", "limit": 2],
        ]))
    }
    if chance(5, in: 6) {
      let variants = (0..<Int.random(in: 0...3, using: &random)).map { number -> Value in
        [
          "id": .string(Self.variants[number]), "paywall_id": pick(["one", "two", ""]),
          "traffic_percentage": pick([0, 10, 33, 60, 100, .double(12.5)]),
        ]
      }
      add(
        "experiment",
        [
          "id": .string("e\(experiment)"), "status": pick(["running", "running", "paused"]),
          "holdout_percentage": 0, "variants": .list(variants),
        ])
    }
    return .map(entries)
  }

  /// Every operator with values that it takes, and with some that it does not.
  private mutating func filter() -> Value {
    [
      "field": pick([
        "user.n", "user.s", "device.os", "user.l", "user.missing", "params.v.x", "user.id",
      ]),
      "operator": pick([
        "is", "is_not", "contains", "gt", "gte", "lt", "lte", "in", "not_in", "exists",
        "not_exists", "nonsense",
      ]),
      "value": pick([
        2, .double(2.0), .double(2.5), "x", "", true, ["x", "iOS"], [], .null, "iOS", [1],
      ]),
      "conjunction": pick(["and", "and", "or"]),
    ]
  }
  /// Rules whose outcome depends on the dialect, on the platform or on events.
  private static let superscript: [Value] = [
    "user.n", "user.s", "user.missing != 1", "user.s == 'true'", "user.s == true",
    "has(user.s) && user.s", "user.n > '2'", "user.n == '3' || user.s == 'x'",
    "size(user.empty) == 0", "user.empty == null", "user.deep.er.est == null",
    "user.big > 0 && user.n < 3", "user.big == 7u", "user.price == '9'", "user.whole == 2",
    "user.whole * 2 == 4", "device.daysSince('app_open') > 1", "device.daysSince(user.s) == null",
    "computed.placementsInDay('app_open') > 1 || user.n == 2",
    "device.minutesSince('app_open') < device.hoursSince('app_launch')",
    "device.daysSinceInstall > 3 && user.n > 1", "device.subscriptionStatus",
    "device.activeEntitlements == []", "device.appVersion >= '2.10' || params.v == 5",
    "device.daysSince_app_open > 1", "device.placementsInMonth_app_launch == 2",
    "user.n + user.missing == 3", "maybe(user.n / 0, user.n) == 3", "nowhere.at.all == null",
    "has(user.s) ? (user.s.endsWith('x') || user.s.contains('a')) : false",
    "user.n > 1 ? user.s.contains('x') : user.s", "user.s.contains('x') || user.s.endsWith('e')",
    "(has(user.s) ? user.s : 'x') == 'x'", "user.n >= 2 && user.n <= 5 && user.s != 'x'",
    "user.s >= 'tr' || user.n < user.whole", "user.b || user.n == 1 || has(user.s)",
    "user.s.startsWith('x') && user.n.contains('x')", "user.list[1] == 2 || has(user.list[7])",
  ]

  private mutating func rule() -> Value {
    let expressions: [Value] =
      isSuperscript && chance(2, in: 3)
      ? Self.superscript
      : [
        .null, "user.n > 2", "user.n > 2 && device.os == 'iOS'", "has(user.s)", "user.missing == 1",
        "user.s == 'x' || user.n == 1", "user.n", "user.n / 0 == 1",
        "user.l.exists(x, x == user.n)",
        "user.n ==", "user.s.startsWith('x') ? user.n > 1 : user.n > 3",
        "params.v in ['a', 'b', 'c']",
        "device.subscriptionStatus == 'ACTIVE'", "size(device.activeEntitlements) == 0",
        "user.n > 2", "!(user.n <= 2)", "user == device",
      ]
    let occurrence: Value =
      chance(1, in: 2)
      ? .null
      : [
        "key": .string(pick(Self.keys)), "max_count": .int(Int64.random(in: 0...3, using: &random)),
        "interval": chance(1, in: 2)
          ? ["type": "INFINITY"]
          : ["type": "MINUTES", "minutes": .int(pick([0, 10, 60, 10_000]))],
      ]
    let count = Int.random(in: 0...4, using: &random)
    let variants = (0..<count).map { number -> Value in
      [
        "variant_id": .string(Self.variants[number]),
        "variant_type": pick(["TREATMENT", "TREATMENT", "HOLDOUT"]),
        "percentage": pick([0, 10, 50, 100, .double(33.3)]),
        "paywall_identifier": pick(["one", "two", .null, "with \"quotes\"\n"]),
      ]
    }
    return [
      "experiment_id": .string(pick(Self.experiments)), "experiment_group_id": "g",
      "expression_cel": pick(expressions), "occurrence": occurrence, "variants": .list(variants),
      "computed_properties": pick([
        [], [["type": "DAYS_SINCE", "event_name": "app_open"]],
        [["type": "PLACEMENTS_IN_MONTH", "event_name": "app_launch"]],
      ]),
    ]
  }

  // MARK: Records

  package mutating func record(_ number: Int) -> String {
    if chance(1, in: 12) {
      return pick([
        "", "   ", "{}", "[]", "{\"userId\":7}", "{\"userId\":\"\"}", "nonsense",
        "{\"userId\":\"x\"", "{\"userId\":null}", "{\"userId\":\"x\",\"userId\":null}",
        "{\"userId\":\"x\",\"user\":{\"n\":01}}", "\u{FEFF}{}",
        "{\"userId\":\"x\",\"user\":nul}",
      ])
    }
    let text = validRecord(number)
    return chance(1, in: 6) ? damaged(text) : text
  }

  /// A record with a member of another kind, or with one twice.
  private mutating func damaged(_ record: String) -> String {
    guard case .map(var entries)? = try? Value.parse(json: record.utf8) else { return record }
    let member = pick([
      "userId", "user", "device", "params", "subscriptionStatus", "entitlements", "assignments",
      "occurrences", "events", "sessionStart",
    ])
    let wrong: [Value] = [
      .null, "x", 5, true, [], .map([]), [5], ["pro"], .list([.null]), ["a": 1], ["k1": [5]],
      ["k1": ["2026-03-01T11:00:00"]], ["k1": .null], "2026-03-01T11:00:00",
      [["experimentId": "e"]], [["experimentId": 5, "variantId": "v"]],
      [["experimentId": "e", "variantId": "v", "isSentToServer": "no"]],
    ]
    let entry = Value.Entry(key: .string(member), value: pick(wrong))
    if let place = entries.firstIndex(where: { $0.key == entry.key }), chance(4, in: 5) {
      entries[place] = entry
    } else {
      // Repeated, where it is there already.
      entries.insert(entry, at: Int.random(in: 0...entries.count, using: &random))
    }
    return Value.map(entries).json
  }

  private mutating func validRecord(_ number: Int) -> String {
    var entries: [Value.Entry] = []
    func add(_ key: String, _ value: Value) {
      entries.append(Value.Entry(key: .string(key), value: value))
    }
    add(
      "userId", .string(pick(["user-\(number)", "é\(number)", "a long user identifier \(number)"])))
    if chance(5, in: 6) {
      add(
        "user",
        chance(1, in: 20)
          ? .null
          : [
            "n": .int(Int64.random(in: 0...4, using: &random)),
            "s": pick(["x", "xyz", "other", .null]), "l": [1, 2, "x"],
            "unused": ["deep": [1, 2, 3]],
            "empty": pick([.null, [], .map([]), ""]), "deep": pick([["er": 5], .null, 1]),
            "big": pick([7, 5_000_000_000, -5_000_000_000]), "price": pick(["$9", "9", "true"]),
            "whole": pick([2, .double(2), .double(2.5), "false"]),
            "list": pick([[.null, 2, "$x"], [1, .null], []]),
          ])
    }
    if chance(4, in: 5) { add("device", device()) }
    if chance(1, in: 2) { add("params", ["v": pick(["a", "z", 5])]) }
    if chance(1, in: 2) {
      add("subscriptionStatus", pick(["ACTIVE", "INACTIVE", .null, "true", "active"]))
    }
    if chance(1, in: 2) { add("entitlements", pick([[], ["pro"], ["pro", "max"], .null])) }
    if chance(1, in: 3) { add("events", events()) }
    if chance(1, in: 2) {
      add(
        "assignments",
        .list(
          (0..<3).map { _ in
            [
              "experimentId": .string(pick(Self.experiments)),
              "variantId": .string(pick(Self.variants + ["gone"])),
            ]
          }))
    }
    if chance(1, in: 2) {
      let times: [Value] = [
        "2026-03-01T11:59:00Z", "2026-03-01T12:30:00Z", "2026-02-28T00:00:00+01:00",
      ]
      add(
        "occurrences",
        .map(
          (Self.keys.prefix(2) + ["c0/a0", "c1/a1"]).map {
            Value.Entry(
              key: .string($0),
              value: .list(Array(times.prefix(Int.random(in: 0...3, using: &random)))))
          }))
    }
    if chance(1, in: 3) {
      add("sessionStart", pick(["2026-03-01T11:55:00Z", "2026-03-01T11:00:00Z"]))
    }
    if chance(1, in: 8) { add("plan", "unknown key") }
    entries.shuffle(using: &random)
    return Value.map(entries).json
  }

  private mutating func device() -> Value {
    [
      "os": pick(["iOS", "Android"]), "other": 1, "appVersion": pick(["2.9", "2.10", .null]),
      "subscriptionStatus": pick(["ACTIVE", .null]),
      "daysSince_app_open": pick([2, "a text"]),
    ]
  }

  private mutating func events() -> Value {
    let times: [Value] = [
      "2026-03-01T11:59:00Z", "2026-02-28T00:00:00+01:00", "2025-11-05T08:00:00Z",
    ]
    return pick([
      .map([]), .null, ["app_open": []], ["app_open": .list(times)],
      ["app_open": .list(Array(times.prefix(1))), "app_launch": .list(times)],
      ["app_launch": ["2026-03-01T12:00:01Z", "2027-01-01T00:00:00Z"]],
    ])
  }
}

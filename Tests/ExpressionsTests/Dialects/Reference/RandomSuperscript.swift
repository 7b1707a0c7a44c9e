import Expressions
import TestSupport

/// Random superscript expressions and random contexts for them.
struct RandomSuperscript {
  var random: SplitMix

  static let functions = HostFunctions(
    device: ["daysSince", "placementsInDay"], computed: ["daysSince", "requestReview"])

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  // MARK: Contexts

  static let paths = [
    "user.plan", "user.age", "user.flag", "user.roles", "user.profile", "user.profile.city",
    "user.profile.depth.x", "user.when", "user.nothing", "user.size", "user.price",
    "device.os", "device.daysSince", "device.version", "params.source", "params.list", "user",
    "device", "params", "computed", "free", "user.nope", "device.nope", "undeclared", "user.count",
  ]

  private mutating func scalar() -> Value {
    pick([
      .null, true, false, 0, 1, 5, -7, .int(.max), .int(.min), .uint(7), .uint(.max), .double(0),
      .double(1.5), .double(-0.5), .double(1e21), .double(5), "", "pro", "free", "5", "007", "-0.5",
      "4.0", "1e19", "nan",
      "true", "false", "é", "1h", "x", "abc", "2026-01-01T00:00:00Z",
    ])
  }

  private mutating func value(_ depth: Int) -> Value {
    guard depth > 0, chance(35) else { return scalar() }
    if chance(50) { return .list((0..<pick([0, 1, 2, 3])).map { _ in value(depth - 1) }) }
    return record(["a", "city", "depth", "x", "nope"], depth - 1, 40)
  }

  private mutating func record(_ keys: [String], _ depth: Int, _ percent: Int) -> Value {
    .map(
      keys.filter { _ in chance(percent) }
        .map { Value.Entry(key: .string($0), value: value(depth)) })
  }

  /// A map of roots, of which each may be missing or be no map.
  mutating func context() -> Value {
    var entries: [Value.Entry] = []
    for (root, keys) in [
      (
        "user",
        ["plan", "age", "flag", "roles", "profile", "when", "nothing", "size", "price", "count"]
      ),
      ("device", ["os", "daysSince", "version"]), ("params", ["source", "list"]), ("free", []),
    ] {
      if root == "free", chance(30) { continue }
      let value = root == "free" || chance(3) ? value(2) : record(keys, 2, 70)
      entries.append(Value.Entry(key: .string(root), value: value))
    }
    return .map(entries)
  }

  // MARK: Expressions

  mutating func expression(depth: Int) -> SuperscriptTree { tree(depth, []) }

  private mutating func literal() -> SuperscriptTree {
    .literal(
      pick([
        0, 1, 5, -1, -7, 42, .int(.max), .int(.min), .double(0), .double(1.5), .double(-0.5),
        .double(1000), .double(.infinity), true, false, .null, "", "x", "pro", "true", "false",
        "5", "007", "1.0", "-1", "inf", "NaN", "abc", "é", "+5", "1e3", .bytes([0x61, 0x62]),
        .bytes([]), "a\"b\\c",
      ]))
  }

  private mutating func time() -> SuperscriptTree {
    pick([
      .call("duration", receiver: nil, [.literal(pick(["1h", "90m", "2s", "nonsense"]))]),
      .call(
        "timestamp", receiver: nil,
        [.literal(pick(["2026-01-01T00:00:00Z", "1960-01-01T00:00:00Z"]))]),
    ])
  }

  private mutating func path(_ variables: [String]) -> SuperscriptTree {
    let names =
      !variables.isEmpty && chance(30)
      ? [pick(variables)] : pick(Self.paths).split(separator: ".").map(String.init)
    var tree = SuperscriptTree.name(names[0])
    for name in names.dropFirst() { tree = .member(tree, name) }
    while chance(25) { tree = step(tree) }
    return tree
  }

  private mutating func step(_ tree: SuperscriptTree) -> SuperscriptTree {
    if chance(60) {
      return .member(tree, pick(["nope", "x", "size", "daysSince", "map", "a", "city", "string"]))
    }
    let keys: [SuperscriptTree] = [
      .literal(0), .literal(1), .literal(-1), .literal("plan"), .literal("a"), .literal("true"),
      .literal(.double(1)), .literal(true), .member(.name("user"), "age"),
      .member(.name("user"), "nope"), .member(.name("user"), "plan"),
    ]
    return .index(tree, pick(keys))
  }

  private mutating func tree(_ depth: Int, _ variables: [String]) -> SuperscriptTree {
    guard depth > 0 else { return chance(35) ? leaf() : path(variables) }
    let a = tree(depth - 1, variables)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<6: return leaf()
    case 6..<18: return path(variables)
    case 18..<42:
      let left = chance(60) ? path(variables) : a
      let right = chance(60) ? leaf() : tree(depth - 1, variables)
      return .relation(left, pick(["==", "!=", "<", "<=", ">", ">=", "in"]), right)
    case 42..<50: return .and(a, tree(depth - 1, variables))
    case 50..<57: return .or(a, tree(depth - 1, variables))
    case 57..<62:
      return .arithmetic(a, pick(["+", "-", "*", "/", "%"]), tree(depth - 1, variables))
    case 62..<66:
      return .choice(a, tree(depth - 1, variables), tree(depth - 1, variables))
    case 66..<70: return .unary(pick(["!", "!!", "-", "--"]), a)
    case 70..<76:
      return .call("has", receiver: nil, [chance(70) ? path(variables) : a])
    case 76..<80: return hostCall(depth, variables)
    case 80..<90: return call(depth, variables)
    case 90..<93: return .list((0..<pick([1, 2, 3])).map { _ in tree(depth - 1, variables) })
    case 93..<95:
      let key = pick([.literal("k"), .literal("true"), .literal(1), .literal(true), a])
      return .map([(key, tree(depth - 1, variables)), (.literal("k"), a)])
    default: return loop(depth, variables)
    }
  }

  private mutating func leaf() -> SuperscriptTree { chance(92) ? literal() : time() }

  private mutating func receiver(_ depth: Int, _ variables: [String]) -> SuperscriptTree? {
    chance(25) ? nil : chance(60) ? path(variables) : tree(depth - 1, variables)
  }

  private mutating func hostCall(_ depth: Int, _ variables: [String]) -> SuperscriptTree {
    let name = pick(["daysSince", "placementsInDay", "requestReview", "nope"])
    let argument = pick([.literal("app_open"), .literal(""), .literal(5), path(variables)])
    let receivers: [SuperscriptTree?] = [.name("device"), .name("computed"), .name("user"), nil]
    let receiver = pick(receivers)
    return .call(
      name, receiver: receiver,
      pick([[], [argument], [argument, tree(depth - 1, variables)]]))
  }

  private mutating func call(_ depth: Int, _ variables: [String]) -> SuperscriptTree {
    let name = pick([
      "contains", "startsWith", "endsWith", "matches", "string", "double", "int", "uint",
      "intToString", "floatToString", "boolToString", "uintToString", "size", "bytes", "max",
      "hasFn", "unknownFunction", "maybe", "maybe", "lowerAscii",
    ])
    let count = pick([0, 1, 1, 1, 2, 2])
    // Patterns that every engine reads alike.
    if name == "matches" {
      return .call(
        name, receiver: receiver(depth, variables),
        [.literal(pick(["pro", "^a", "é$", "b.", "", "[0-9]+"]))])
    }
    if name == "hasFn", chance(70) {
      let names = ["maybe", "toString", "size", "nope", "daysSince", "intToString"]
      return .call(
        name, receiver: nil, [.literal(.string(pick(["", "device.", "computed."]) + pick(names)))])
    }
    return .call(
      name, receiver: receiver(depth, variables),
      (0..<count).map { _ in tree(depth - 1, variables) })
  }

  private mutating func loop(_ depth: Int, _ variables: [String]) -> SuperscriptTree {
    let variable = pick(["x", "y", "user", "device"])
    let range = pick([
      .list([.literal(1), .literal("pro"), .literal(.null)]), path(variables),
      .member(.name("user"), "roles"), tree(depth - 1, variables),
    ])
    let name = pick(["all", "exists", "exists_one", "map", "filter"])
    let body = tree(depth - 1, variables + [variable])
    return chance(15)
      ? .call(name, receiver: nil, [range, .name(variable), body])
      : .call(name, receiver: range, [.name(variable), body])
  }
}

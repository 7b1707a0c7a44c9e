import Expressions

/// Makes expressions and contexts that often go together, and often enough do not.
struct RandomExpressions<Generator: RandomNumberGenerator> {
  enum Kind: CaseIterable {
    case bool, int, double, string, list, map, any
  }

  var random: Generator
  /// Variables of the macros around the place where an expression is made.
  private var locals: [String] = []

  init(random: Generator) { self.random = random }

  private mutating func chance(_ one: Int, in all: Int) -> Bool {
    Int.random(in: 0..<all, using: &random) < one
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  // MARK: Values

  private static var texts: [String] {
    [
      "", "a", "b", "free", "pro", "DE", "abc", "14 bytes long.", "15 bytes long..",
      "16 bytes long...", "a text that is much longer than any cell", "Müller", "日本語", "\u{1F92A}",
      "cafe\u{301}", "caf\u{E9}", "a\"b'c\\d", "tab\tnewline\n", "\u{0}", "z", "002.010",
    ]
  }

  private static var ints: [Int64] {
    [
      0, 1, -1, 2, 3, 5, 7, 29, -7, 255, 256, 1 << 53, (1 << 53) + 1, .max, .max - 1, .min,
      .min + 1,
    ]
  }

  private static var doubles: [Double] {
    [
      0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 4.5, 29.0, 1e300, -1e300, .leastNonzeroMagnitude,
      9_007_199_254_740_992.0,
      9.223372036854775807e18, -9.223372036854775808e18, 1.8446744073709552e19, 0.1,
    ]
  }

  private static var uints: [UInt64] { [0, 1, 2, 3, 29, 1 << 63, .max, (1 << 53) + 1] }

  mutating func scalar(_ kind: Kind) -> Value {
    switch kind {
    case .bool: .bool(Bool.random(using: &random))
    case .int: .int(pick(Self.ints))
    case .double: .double(pick(Self.doubles))
    case .string: .string(pick(Self.texts))
    default:
      switch Int.random(in: 0..<6, using: &random) {
      case 0: .null
      case 1: .uint(pick(Self.uints))
      case 2: scalar(.int)
      case 3: scalar(.double)
      case 4: scalar(.bool)
      default: scalar(.string)
      }
    }
  }

  /// A value as JSON can hold it: a uint only where an int does not reach, keys that are strings.
  mutating func data(_ kind: Kind, depth: Int) -> Value {
    switch kind {
    case .list where depth > 0:
      let count = Int.random(in: 0...4, using: &random)
      return .list((0..<count).map { _ in data(.any, depth: depth - 1) })
    case .map where depth > 0:
      var entries: [Value.Entry] = []
      for name in ["a", "b", "m", "14 bytes long.", "16 bytes long...", ""] where chance(1, in: 2) {
        let value = data(name == "m" ? .map : .any, depth: depth - 1)
        entries.append(Value.Entry(key: .string(name), value: value))
      }
      return .map(entries)
    case .any where depth > 0 && chance(1, in: 3): return data(pick([.list, .map]), depth: depth)
    default:
      let value = scalar(kind)
      if case .uint(let number) = value, number <= UInt64(Int64.max) { return .int(Int64(number)) }
      return value
    }
  }

  /// Attributes with the kind of value that they mostly have.
  static var attributes: [(name: String, kind: Kind)] {
    [
      ("b1", .bool), ("b2", .bool), ("i1", .int), ("i2", .int), ("d1", .double), ("s1", .string),
      ("s2", .string), ("l1", .list), ("m1", .map), ("x1", .any), ("content-type", .string),
    ]
  }

  mutating func context() -> Value {
    var roots: [Value.Entry] = []
    for name in ["user", "device", "params"] where !chance(1, in: 12) {
      let value = chance(1, in: 16) ? data(.any, depth: 2) : attributes()
      roots.append(Value.Entry(key: .string(name), value: value))
    }
    return .map(roots)
  }

  private mutating func attributes() -> Value {
    var entries: [Value.Entry] = []
    for (name, kind) in Self.attributes where !chance(1, in: 6) {
      let value = data(chance(1, in: 10) ? .any : kind, depth: 3)
      entries.append(Value.Entry(key: .string(name), value: value))
    }
    return .map(entries)
  }

  // MARK: Expressions

  mutating func expression(_ kind: Kind, depth: Int) -> ReferenceExpression {
    if chance(1, in: 14) { return anything(depth: depth) }
    if depth == 0 { return leaf(kind) }
    if chance(1, in: 10) {
      return .conditional(
        expression(.bool, depth: depth - 1), expression(kind, depth: depth - 1),
        expression(kind, depth: depth - 1))
    }
    if chance(1, in: 20) { return binding(kind, depth: depth) }
    if chance(1, in: 20) {
      let map = chance(1, in: 2) ? path(.map) : expression(.map, depth: depth - 1)
      return .orValue(map, pick(["a", "b", "s1", "zz"]), expression(kind, depth: depth - 1))
    }
    switch kind {
    case .bool: return condition(depth: depth)
    case .int: return number(.int, depth: depth)
    case .double: return number(.double, depth: depth)
    case .string:
      return chance(1, in: 2)
        ? leaf(.string)
        : .binary(
          .add, expression(.string, depth: depth - 1), expression(.string, depth: depth - 1))
    case .list: return list(depth: depth)
    case .map: return map(depth: depth)
    case .any: return anything(depth: depth)
    }
  }

  private mutating func anything(depth: Int) -> ReferenceExpression {
    let kind = pick([Kind.bool, .int, .double, .string, .list, .map])
    guard depth > 0, chance(1, in: 4) else { return expressionOf(kind, depth: depth) }
    let collection = expression(pick([.list, .map]), depth: depth - 1)
    return .index(collection, expression(pick([.int, .string, .any]), depth: depth - 1))
  }

  private mutating func expressionOf(_ kind: Kind, depth: Int) -> ReferenceExpression {
    depth == 0 ? leaf(kind) : expression(kind, depth: depth - 1)
  }

  private mutating func leaf(_ kind: Kind) -> ReferenceExpression {
    if chance(2, in: 5) {
      switch kind {
      case .list:
        return .list(chance(1, in: 3) ? [] : [.literal(scalar(.any)), .literal(scalar(.any))])
      case .map: return .map([(.literal(.string("a")), .literal(scalar(.any)))])
      default: return .literal(scalar(kind))
      }
    }
    return path(kind)
  }

  private mutating func path(_ kind: Kind) -> ReferenceExpression {
    if !locals.isEmpty, chance(3, in: 5) {
      let local = ReferenceExpression.name(pick(locals))
      return chance(1, in: 6) ? .select(local, pick(["a", "m"])) : local
    }
    let root = ReferenceExpression.name(pick(["user", "user", "device", "params"]))
    if chance(1, in: 24) { return root }
    let fitting = Self.attributes.filter { $0.kind == kind || kind == .any }
    let name = (fitting.isEmpty ? pick(Self.attributes) : pick(fitting)).name
    let path = ReferenceExpression.select(root, name)
    guard kind == .map || kind == .any, chance(1, in: 3) else { return path }
    let deeper = ReferenceExpression.select(.select(root, "m1"), pick(["a", "b", "m"]))
    return chance(1, in: 2) ? deeper : .select(deeper, pick(["a", "m", "14 bytes long."]))
  }

  private mutating func condition(depth: Int) -> ReferenceExpression {
    func side(_ kind: Kind, _ self: inout Self) -> ReferenceExpression {
      self.expression(kind, depth: depth - 1)
    }
    switch Int.random(in: 0..<23, using: &random) {
    case 20...: return macro(pick([.all, .exists, .existsOne]), depth: depth)
    case 0..<4: return .binary(.and, side(.bool, &self), side(.bool, &self))
    case 4..<8: return .binary(.or, side(.bool, &self), side(.bool, &self))
    case 8, 9: return .not(side(.bool, &self))
    case 10:
      return .has(chance(1, in: 3) ? side(.map, &self) : path(.map), pick(["a", "b", "s1", "zz"]))
    case 11: return .has(.name(pick(["user", "device"])), pick(["s1", "b1", "x1", "zz"]))
    case 12, 13:
      return .binary(.isIn, side(.any, &self), side(chance(1, in: 4) ? .map : .list, &self))
    case 14:
      return .text(pick(ReferenceTextTest.allCases), side(.string, &self), side(.string, &self))
    default:
      let operation = pick([
        ReferenceOperator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
      ])
      let kind = pick([Kind.int, .int, .double, .string, .string, .bool, .any])
      let other = chance(1, in: 6) ? .any : kind
      return .binary(operation, side(kind, &self), side(other, &self))
    }
  }

  private mutating func number(_ kind: Kind, depth: Int) -> ReferenceExpression {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3: return leaf(kind)
    case 3: return .negate(expression(kind, depth: depth - 1))
    case 4 where kind == .int:
      return .size(
        expression(pick([.string, .list, .map]), depth: depth - 1),
        asMethod: Bool.random(using: &random))
    default:
      let operation = pick([ReferenceOperator.add, .subtract, .multiply, .divide, .modulo])
      return .binary(
        operation, expression(kind, depth: depth - 1), expression(kind, depth: depth - 1))
    }
  }

  private mutating func list(depth: Int) -> ReferenceExpression {
    switch Int.random(in: 0..<5, using: &random) {
    case 4: return macro(pick([.map, .filter]), depth: depth)
    case 0: return leaf(.list)
    case 1:
      return .binary(.add, expression(.list, depth: depth - 1), expression(.list, depth: depth - 1))
    case 2:
      // Long enough for a set of constants.
      let count = Int.random(in: 6..<24, using: &random)
      return .list((0..<count).map { _ in .literal(scalar(.any)) })
    default:
      let count = Int.random(in: 0...4, using: &random)
      return .list((0..<count).map { _ in expression(.any, depth: depth - 1) })
    }
  }

  private mutating func macro(_ macro: ReferenceMacro, depth: Int) -> ReferenceExpression {
    let range = expression(chance(1, in: 4) ? .map : .list, depth: depth - 1)
    // A variable may hide another, or a root.
    let variable = chance(1, in: 12) ? pick(["user", "device"]) : pick(["x", "y", "tag"])
    let outer = locals
    locals = outer.filter { $0 != variable } + [variable]
    defer { locals = outer }
    var bodies = [expression(macro == .map ? .any : .bool, depth: depth - 1)]
    if macro == .map, chance(1, in: 3) {
      bodies.insert(expression(.bool, depth: depth - 1), at: 0)
    }
    return .macro(macro, range, variable, bodies)
  }

  private mutating func binding(_ kind: Kind, depth: Int) -> ReferenceExpression {
    let value = expression(chance(1, in: 2) ? kind : .any, depth: depth - 1)
    let variable = chance(1, in: 12) ? pick(["user", "device"]) : pick(["x", "y", "tag"])
    let outer = locals
    locals = outer.filter { $0 != variable } + [variable]
    defer { locals = outer }
    return .bind(variable, value, expression(kind, depth: depth - 1))
  }

  private mutating func map(depth: Int) -> ReferenceExpression {
    if chance(1, in: 3) { return leaf(.map) }
    let count = Int.random(in: 0...3, using: &random)
    return .map(
      (0..<count).map { i in
        let key =
          chance(1, in: 5)
          ? expression(.any, depth: depth - 1)
          : .literal(
            pick([.string("a"), .string("b\(i)"), .int(Int64(i)), .uint(UInt64(i)), .bool(true)]))
        return (key, expression(.any, depth: depth - 1))
      })
  }
}

import Expressions
import TestSupport

/// Conditions and contexts that are likely to meet. They know nothing of classes.
struct RandomCondition {
  let text: String

  /// - Parameter path: the only attribute to ask about; nil for several.
  init(_ random: inout SplitMix, about path: String? = nil) {
    text = Self.condition(&random, path, depth: 2)
  }

  private static let paths = [
    "user.a", "user.b", "user.o", "user.o.x", "user.o.x.y", "params.p", "user['a']", "user.o['x']",
  ]
  private static let numbers = [
    "0", "1", "-1", "3", "2.5", "7", "9007199254740993", "9007199254740992.0", "2147483648",
    "-3000000000", "1e19", "-0.0", "9223372036854775807", "9223372036854775808.0",
    "-9223372036854775807", "0.1", "4294967296",
  ]
  private static let texts = [
    "", "a", "ab", "b", "ba", "aba", "true", "3", "$a", "é", "A", "2.5", "null",
  ]
  private static let patterns = [
    "^a", "b$", "^[ab]+$", "a.b", "^(ab|ba)*$", "(?i)^A", "^.?$", "[^a]", "a{2}", "(?m)^b$", "",
    "^é|3$",
  ]

  private static func condition(_ random: inout SplitMix, _ path: String?, depth: Int) -> String {
    guard depth > 0 else { return atom(&random, about: path) }
    let a = condition(&random, path, depth: depth - 1)
    let b = condition(&random, path, depth: depth - 1)
    switch Int.random(in: 0..<8, using: &random) {
    case 0...2: return "(\(a) && \(b))"
    case 3, 4: return "(\(a) || \(b))"
    case 5: return "!(\(a))"
    case 6: return "(\(a) ? \(b) : \(atom(&random, about: path)))"
    default: return atom(&random, about: path)
    }
  }

  static func atom(_ random: inout SplitMix, about path: String? = nil) -> String {
    let path = path ?? paths.randomElement(using: &random) ?? ""
    let number = numbers.randomElement(using: &random) ?? ""
    let text = "'\(texts.randomElement(using: &random) ?? "")'"
    let other = "'\(texts.randomElement(using: &random) ?? "")'"
    let constant = Bool.random(using: &random) ? number : text
    let comparison = ["==", "!=", "<", "<=", ">", ">="].randomElement(using: &random) ?? ""
    let size = Int.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<26, using: &random) {
    case 0...4: return "\(path) \(comparison) \(constant)"
    case 5: return "\(constant) \(comparison) \(path)"
    case 6: return path.hasSuffix("]") ? "\(path) == null" : "has(\(path))"
    case 7: return "\(path) in [\(text), \(number), \(other)]"
    case 8: return "\(text) in \(path)"
    case 9: return "\(path).startsWith(\(text))"
    case 10: return "\(path).endsWith(\(text))"
    case 11, 12: return "\(path).contains(\(text))"
    case 13: return "size(\(path)) \(comparison) \(size)"
    case 14: return path
    case 15:
      return
        "\(path) \(comparison) \(["true", "null", "false"].randomElement(using: &random) ?? "")"
    case 16: return opaque(&random, path, number)
    case 17: return "\(path) \(comparison) \(paths.randomElement(using: &random) ?? "")"
    case 18...20: return "\(path).matches('\(patterns.randomElement(using: &random) ?? "")')"
    case 21: return "\(path) in [\(text), null, true, \(number), 2.5, 3]"
    case 22: return "\(number) in \(path)"
    case 23: return "\(path) in '\(["abab", "3", "", "trueé"].randomElement(using: &random) ?? "")'"
    case 24: return "!\(path)"
    default: return "(\(path) \(comparison) \(constant)) == \(Bool.random(using: &random))"
    }
  }

  /// What no class says anything of.
  private static func opaque(_ random: inout SplitMix, _ path: String, _ number: String)
    -> String
  {
    let text = texts.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return "\(path) % 3 == 1"
    case 1: return "\(path) + 1 > \(number)"
    case 2: return "-\(path) < 1"
    case 3: return "\(path).exists(x, x == 'a')"
    case 4: return "\(path) == ['a']"
    case 5: return "user[params.p] == 1"
    case 6: return "\(path) in user.b"
    case 7: return "(has(user.a) ? user.a : user.b) == \(number)"
    case 8: return "(\(path) || '\(text)') == '\(text)'"
    case 9: return "(\(path) && '\(text)') != '\(text)'"
    case 10: return "(\(path) ? '\(text)' : \(number)) == \(number)"
    case 11: return "int(\(path)) > 2"
    case 12: return "string(\(path)) == '\(text)'"
    case 13: return "\(path) + 'a' == '\(text)'"
    case 14: return "double(\(path)) <= 2.5"
    case 15: return "{'a': 1, '3': 2}[\(path)] == 1"
    case 16: return "has(user.b.x) && user.b.x == '\(text)'"
    case 17: return "\(path) == {'x': 1, 'a': 1}"
    case 18: return "(\(path) == null || \(path)) == true"
    default: return "\(path)[0] == 'a'"
    }
  }

  // MARK: Contexts

  private static func value(_ random: inout SplitMix, depth: Int = 1) -> Value? {
    switch Int.random(in: 0..<24, using: &random) {
    case 0, 1: return nil
    case 2: return .null
    case 3: return .bool(Bool.random(using: &random))
    case 4...7:
      let near: [Int64] = [
        0, 1, 3, 7, 2_147_483_647, -2_147_483_649, 9_007_199_254_740_992, .max, .min,
        -3_000_000_000, -8_446_744_073_709_551_616, 4_294_967_296,
      ]
      let base = near.randomElement(using: &random) ?? 0
      return .int(base &+ Int64.random(in: -2...2, using: &random))
    case 8:
      let base = [UInt64.max, 1 << 63, 10_000_000_000_000_000_000].randomElement(using: &random)
      return .uint((base ?? 0) &- UInt64.random(in: 0...2, using: &random))
    case 9...12:
      let near = [
        0, -0.0, 1, 2.5, 3, 0.1, 9_007_199_254_740_992, 9_223_372_036_854_775_808, 1e19, -1e300,
        2_147_483_648,
      ]
      let base = near.randomElement(using: &random) ?? 0
      return .double([base, base.nextUp, base.nextDown].randomElement(using: &random) ?? base)
    case 13...18: return .string(text(&random))
    case 19...21:
      let count = Int.random(in: 0...3, using: &random)
      let isDeep = depth > 0
      return .list(
        (0..<count).compactMap { _ in
          isDeep && Int.random(in: 0..<6, using: &random) == 0
            ? ["x": 1, "a": "a"] : value(&random, depth: 0)
        })
    default:
      guard depth > 0 else { return .map([]) }
      return ["x": value(&random, depth: depth - 1) ?? 1, "a": 1]
    }
  }

  private static func text(_ random: inout SplitMix) -> String {
    if Int.random(in: 0..<5, using: &random) == 0 {
      return (texts + ["false", "\n", "b\n", "1", "-0"]).randomElement(using: &random) ?? ""
    }
    let letters = ["a", "b", "é", "$", "3", "\n", "A"]
    let weights = [0, 0, 0, 1, 1, 1, 2, 3, 4, 5, 6]
    return (0..<Int.random(in: 0...4, using: &random)).map { _ in
      letters[weights.randomElement(using: &random) ?? 0]
    }.joined()
  }

  static func context(_ random: inout SplitMix) -> Value {
    switch Int.random(in: 0..<40, using: &random) {
    case 0: return .map([])
    // A record has an object there or nothing: its reader takes null for the latter.
    case 1: return ["params": .map([])]
    case 2: return ["user": .map([])]
    default: break
    }
    var user: [Value.Entry] = []
    for name in ["a", "b", "o"] {
      var found = value(&random)
      if name == "o", Int.random(in: 0..<3, using: &random) > 0 {
        var below = value(&random, depth: 0)
        if Int.random(in: 0..<3, using: &random) == 0 {
          below = .map(value(&random, depth: 0).map { [Value.Entry(key: "y", value: $0)] } ?? [])
        }
        found = .map(below.map { [Value.Entry(key: "x", value: $0)] } ?? [])
      }
      if let found { user.append(Value.Entry(key: .string(name), value: found)) }
    }
    let params = value(&random).map { [Value.Entry(key: "p", value: $0)] } ?? []
    return ["user": .map(user), "params": .map(params)]
  }

  // MARK: Filters

  static func filters(_ random: inout SplitMix) -> [Filter] {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in
      let fields = ["user.a", "user.b", "user.o.x", "user.o", "params.p", "other", "user"]
      let texts = ["a", "ab", "", "3", "b"]
      let list = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Value.string(texts.randomElement(using: &random) ?? "")
      }
      let constants: [Value?] = [
        nil, .null, true, .list(list), .list(list),
        .string(texts.randomElement(using: &random) ?? ""),
        .string("a"), 1, 2.5, .int(.max), .double(-0.0), .map([]), 3, .list([1, "a"]),
      ]
      return Filter(
        field: fields.randomElement(using: &random) ?? "",
        operator: Filter.Operator.allCases.randomElement(using: &random),
        value: constants.randomElement(using: &random) ?? nil,
        conjunction: Filter.Conjunction.allCases.randomElement(using: &random))
    }
  }
}

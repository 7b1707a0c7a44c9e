import Expressions

/// Writes a value as JSON in one of the many ways that mean the same: white space, escapes, forms of
/// numbers, and earlier members that a later one of the same name replaces.
struct RandomJSON<Generator: RandomNumberGenerator> {
  var random: Generator
  /// Whether objects may repeat a key, the last one being meant.
  var repeatsKeys = false

  init(random: Generator, repeatsKeys: Bool = false) {
    self.random = random
    self.repeatsKeys = repeatsKeys
  }

  private mutating func chance(_ one: Int, in all: Int) -> Bool {
    Int.random(in: 0..<all, using: &random) < one
  }

  private mutating func space() -> String {
    guard chance(1, in: 5) else { return "" }
    return [" ", "\n", "\t", "\r\n", "  \n "][Int.random(in: 0..<5, using: &random)]
  }

  mutating func write(_ value: Value) -> String {
    space() + content(value) + space()
  }

  private mutating func content(_ value: Value) -> String {
    switch value {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .int(let value): return "\(value)"
    case .uint(let value): return "\(value)"
    case .double(let value):
      guard chance(1, in: 4), value == value.rounded(), value.magnitude < 1e9 else {
        return value.description
      }
      let whole = (value.sign == .minus ? "-" : "") + "\(Int64(value.magnitude))"
      return whole
        + ["e0", "E+0", ".0", ".000", ".0e00", "e-0"][Int.random(in: 0..<6, using: &random)]
    case .string(let text): return quoted(text)
    case .list(let values):
      return "[" + values.map { write($0) }.joined(separator: ",") + (values.isEmpty ? space() : "")
        + "]"
    case .map(let entries):
      var members: [String] = []
      for entry in entries {
        guard case .string(let key) = entry.key else { fatalError("JSON keys are strings") }
        if repeatsKeys, chance(1, in: 6) {
          members.insert(
            member(key, replaced()), at: Int.random(in: 0...members.count, using: &random))
        }
        members.append(member(key, entry.value))
      }
      return "{" + members.joined(separator: ",") + (members.isEmpty ? space() : "") + "}"
    default: fatalError("\(value.typeName) is not written here")
    }
  }

  private mutating func member(_ key: String, _ value: Value) -> String {
    space() + quoted(key) + space() + ":" + write(value)
  }

  /// What an earlier member of the same name may have held.
  private mutating func replaced() -> Value {
    let values: [Value] = [
      .null, true, 1, "other", ["a": 5, "m": ["a": 6]], [1, 2], .map([]), "another and longer text",
    ]
    return values[Int.random(in: 0..<values.count, using: &random)]
  }

  mutating func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.map { escaped($0) }.joined() + "\""
  }

  private mutating func escaped(_ scalar: Unicode.Scalar) -> String {
    let short: [Unicode.Scalar: String] = [
      "\"": "\\\"", "\\": "\\\\", "/": "\\/", "\u{08}": "\\b", "\u{0C}": "\\f", "\n": "\\n",
      "\r": "\\r",
      "\t": "\\t",
    ]
    let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
    guard mustEscape || chance(1, in: 8) else { return String(Character(scalar)) }
    if let short = short[scalar], chance(1, in: 2) { return short }
    return UTF16.encode(scalar)!.map { unit in
      let digits = String(unit, radix: 16, uppercase: chance(1, in: 2))
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}

/// Random data as JSON can hold it.
struct RandomData<Generator: RandomNumberGenerator> {
  var random: Generator

  mutating func text() -> String {
    let scalars: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0x20...0x7E, 0x20...0x7E, 0x00...0x1F, 0x80...0x7FF, 0x800...0xD7FF,
      0xE000...0xFEFE, 0x1_0000...0x10_FFFF,
    ]
    let count = [0, 1, 3, 7, 8, 9, 14, 15, 16, 17, 40][Int.random(in: 0..<11, using: &random)]
    var text = String.UnicodeScalarView()
    let isPlain = Bool.random(using: &random)
    for _ in 0..<count {
      let range = isPlain ? scalars[0] : scalars[Int.random(in: 0..<scalars.count, using: &random)]
      text.append(Unicode.Scalar(UInt32.random(in: range, using: &random))!)
    }
    return String(text)
  }

  mutating func number() -> Value {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .int(Int64.random(in: .min ... .max, using: &random))
    case 1: return .int(Int64.random(in: -100...100, using: &random))
    case 2: return .uint(UInt64.random(in: (1 << 63) ... .max, using: &random))
    case 3: return .double(Double(Int64.random(in: -1_000...1_000, using: &random)) / 8)
    default:
      let number = Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
      return .double(number.isFinite ? number : 0.5)
    }
  }

  mutating func value(depth: Int) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2, 3: return number()
    case 4, 5: return .string(text())
    case 6:
      let count = Int.random(in: 0...5, using: &random)
      return .list((0..<count).map { _ in value(depth: depth - 1) })
    default:
      var entries: [Value.Entry] = []
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let key = text()
        let isNew = entries.allSatisfy { !ReferenceEquality.areEqual($0.key, .string(key)) }
        if isNew { entries.append(Value.Entry(key: .string(key), value: value(depth: depth - 1))) }
      }
      return .map(entries)
    }
  }
}

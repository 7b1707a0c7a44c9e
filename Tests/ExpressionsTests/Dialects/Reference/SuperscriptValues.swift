import Expressions

/// Operators and functions on values as cel-interpreter has them.
enum SuperscriptOperations {
  typealias Failure = SuperscriptInterpreter.Failure

  static func isTrue(_ value: Value) -> Bool {
    switch value {
    case .bool(let value): value
    case .int(let number): number != 0
    case .uint(let number): number != 0
    case .double(let number): number != 0
    case .string(let text): !text.isEmpty
    case .bytes(let bytes): !bytes.isEmpty
    case .list(let values): !values.isEmpty
    case .map(let entries): !entries.isEmpty
    case .duration(let nanoseconds): nanoseconds != 0
    case .timestamp(let seconds, let rest): seconds > 0 || seconds == 0 && rest > 0
    default: false
    }
  }

  static func isKey(_ value: Value) -> Bool {
    switch value {
    case .bool, .int, .uint, .string: true
    default: false
    }
  }

  static func put(_ entry: Value.Entry, into entries: inout [Value.Entry]) {
    if let known = entries.firstIndex(where: { $0.key == entry.key }) {
      entries[known].value = entry.value
    } else {
      entries.append(entry)
    }
  }

  // MARK: Relations

  private static func real(_ value: Value) -> Double? {
    switch value {
    case .int(let number): Double(number)
    case .uint(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  private static func whole(_ value: Value) -> Int128? {
    switch value {
    case .int(let number): Int128(number)
    case .uint(let number): Int128(number)
    default: nil
    }
  }

  static func areEqual(_ a: Value, _ b: Value) -> Bool {
    if let a = whole(a), let b = whole(b) { return a == b }
    if let a = real(a), let b = real(b) { return a == b }
    switch (a, b) {
    case (.list(let a), .list(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
    case (.map(let a), .map(let b)):
      return a.count == b.count
        && a.allSatisfy { entry in
          b.contains { $0.key == entry.key && areEqual($0.value, entry.value) }
        }
    case (.optional(let a?), .optional(let b?)): return areEqual(a, b)
    case (.string(let a), .string(let b)): return Array(a.utf8) == Array(b.utf8)
    default: return a == b
    }
  }

  /// Negative, zero or positive; nil without an order.
  private static func order(_ a: Value, _ b: Value) -> Int? {
    func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }
    if let a = whole(a), let b = whole(b) { return sign(a, b) }
    if let a = real(a), let b = real(b) { return a.isNaN || b.isNaN ? nil : sign(a, b) }
    switch (a, b) {
    case (.null, .null): return 0
    case (.bool(let a), .bool(let b)): return sign(a ? 1 : 0, b ? 1 : 0)
    case (.string(let a), .string(let b)):
      return ReferenceEquality.order(Array(a.utf8), Array(b.utf8))
    case (.duration(let a), .duration(let b)): return sign(a, b)
    case (.timestamp(let a, let c), .timestamp(let b, let d)):
      return a == b ? sign(c, d) : sign(a, b)
    default: return nil
    }
  }

  private static func unordered(_ a: Value) -> Failure { a == .null ? .nullComparison : .other }

  static func relation(_ a: Value, _ sign: String, _ b: Value) throws(Failure) -> Value {
    switch sign {
    case "==": return .bool(areEqual(a, b))
    case "!=": return .bool(!areEqual(a, b))
    case "in":
      switch (a, b) {
      case (.string(let part), .string(let text)): return .bool(holds(text, part))
      case (_, .list(let values)): return .bool(values.contains { areEqual($0, a) })
      case (_, .map(let entries)): return .bool(isKey(a) && entries.contains { $0.key == a })
      default: throw unordered(a)
      }
    default:
      guard let order = order(a, b) else { throw unordered(a) }
      switch sign {
      case "<": return .bool(order < 0)
      case "<=": return .bool(order <= 0)
      case ">": return .bool(order > 0)
      default: return .bool(order >= 0)
      }
    }
  }

  static func greatest(_ values: [Value]) throws(Failure) -> Value {
    var values = values
    if values.count == 1 {
      guard case .list(let elements) = values[0] else { return values[0] }
      values = elements
    }
    guard var greatest = values.first else { return .null }
    for value in values.dropFirst() {
      guard let order = order(greatest, value) else { throw unordered(greatest) }
      if order <= 0 { greatest = value }
    }
    return greatest
  }

  // MARK: Arithmetic

  static func unary(_ sign: String, _ value: Value) throws(Failure) -> Value {
    switch (sign, value) {
    case ("!", _): .bool(!isTrue(value))
    case ("!!", _): .bool(isTrue(value))
    case ("-", .int(let number)): .int(0 &- number)
    case ("-", .double(let number)): .double(-number)
    case ("--", .int), ("--", .uint), ("--", .double): value
    default: throw .other
    }
  }

  static func arithmetic(_ a: Value, _ sign: String, _ b: Value) throws(Failure) -> Value {
    switch (a, b) {
    case (.int(let a), .int(let b)): return .int(try wrapping(a, sign, b))
    case (.uint(let a), .uint(let b)): return .uint(try wrapping(a, sign, b))
    case (.int, .uint), (.uint, .int): throw .other
    default: break
    }
    if let a = real(a), let b = real(b) {
      switch sign {
      case "+": return .double(a + b)
      case "-": return .double(a - b)
      case "*": return .double(a * b)
      case "/": return .double(a / b)
      default: return .double(a.truncatingRemainder(dividingBy: b))
      }
    }
    switch (a, sign, b) {
    case (.string(let a), "+", .string(let b)): return .string(a + b)
    case (.list(let a), "+", .list(let b)): return .list(a + b)
    case (.map(var all), "+", .map(let b)):
      for entry in b { put(entry, into: &all) }
      return .map(all)
    default: return try times(a, sign, b)
    }
  }

  private static func wrapping<Number: FixedWidthInteger>(
    _ a: Number, _ sign: String, _ b: Number
  ) throws(Failure) -> Number {
    switch sign {
    case "+": return a &+ b
    case "-": return a &- b
    case "*": return a &* b
    default:
      if b == 0 || Number.isSigned && a == .min && b == 0 &- 1 { throw .fatal }
      return sign == "/" ? a / b : a % b
    }
  }

  /// Instants of the sample have no fractions beyond what durations bring.
  private static func times(_ a: Value, _ sign: String, _ b: Value) throws(Failure) -> Value {
    switch (nanoseconds(a), sign, nanoseconds(b)) {
    case (.span(let a), "+", .span(let b)): return try span(a + b)
    case (.span(let a), "-", .span(let b)), (.instant(let a), "-", .instant(let b)):
      return try span(a - b)
    case (.instant(let a), "+", .span(let b)), (.span(let a), "+", .instant(let b)):
      return instant(a + b)
    case (.instant(let a), "-", .span(let b)): return instant(a - b)
    default: throw .other
    }
  }

  private enum Time {
    case span(Int128)
    case instant(Int128)
    case neither
  }

  private static func nanoseconds(_ value: Value) -> Time {
    switch value {
    case .duration(let nanoseconds): .span(Int128(nanoseconds))
    case .timestamp(let seconds, let rest):
      .instant(Int128(seconds) * 1_000_000_000 + Int128(rest))
    default: .neither
    }
  }

  private static func span(_ nanoseconds: Int128) throws(Failure) -> Value {
    guard let nanoseconds = Int64(exactly: nanoseconds) else { throw .fatal }
    return .duration(nanoseconds: nanoseconds)
  }

  private static func instant(_ nanoseconds: Int128) -> Value {
    let rest = ((nanoseconds % 1_000_000_000) + 1_000_000_000) % 1_000_000_000
    return .timestamp(
      seconds: Int64((nanoseconds - rest) / 1_000_000_000), nanoseconds: Int32(rest))
  }

  // MARK: Texts

  private static func holds(_ text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.utf8), Array(part.utf8))
    return part.isEmpty || holds(text, part)
  }

  private static func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.count >= part.count
      && (0...bytes.count - part.count).contains { Array(bytes[$0..<$0 + part.count]) == part }
  }

  static func text(_ value: Value) throws(Failure) -> String {
    guard case .string(let text) = value else { throw .other }
    return text
  }

  static func size(_ value: Value) throws(Failure) -> Value {
    switch value {
    case .string(let text): .int(Int64(text.utf8.count))
    case .bytes(let bytes): .int(Int64(bytes.count))
    case .list(let values): .int(Int64(values.count))
    case .map(let entries): .int(Int64(entries.count))
    default: throw .other
    }
  }

  static func contains(_ value: Value, _ part: Value) throws(Failure) -> Value {
    switch (value, part) {
    case (.list(let values), _): return .bool(values.contains { areEqual($0, part) })
    case (.map(let entries), _):
      guard isKey(part) else { throw .other }
      return .bool(entries.contains { $0.key == part })
    case (.string(let text), .string(let part)): return .bool(holds(text, part))
    case (.bytes(let bytes), .bytes(let part)):
      guard !part.isEmpty else { throw .fatal }
      return .bool(holds(bytes, part))
    default: return false
    }
  }

  static func test(_ text: String, _ name: String, _ part: String) throws(Failure) -> Value {
    let (bytes, partBytes) = (Array(text.utf8), Array(part.utf8))
    switch name {
    case "startsWith": return .bool(bytes.starts(with: partBytes))
    case "endsWith": return .bool(bytes.reversed().starts(with: partBytes.reversed()))
    default:
      guard let pattern = try? Regex(part) else { throw .other }
      return .bool(text.contains(pattern.matchingSemantics(.unicodeScalar)))
    }
  }

  // MARK: Conversions

  static func convert(_ name: String, _ value: Value) throws(Failure) -> Value {
    switch (name, value) {
    case ("bytes", .string(let text)): return .bytes(Array(text.utf8))
    case ("duration", .string(let text)):
      let known: [String: Int64] = ["1h": 3_600, "90m": 5_400, "2s": 2]
      guard let seconds = known[text] else { throw .other }
      return .duration(nanoseconds: seconds * 1_000_000_000)
    case ("timestamp", .string(let text)):
      let known: [String: Int64] = [
        "2026-01-01T00:00:00Z": 1_767_225_600, "1960-01-01T00:00:00Z": -315_619_200,
      ]
      guard let seconds = known[text] else { throw .other }
      return .timestamp(seconds: seconds, nanoseconds: 0)
    case ("double", .string(let text)):
      guard let number = SuperscriptNumbers.double(text) else { throw .other }
      return .double(number)
    case ("double", _):
      guard let number = real(value) else { throw .other }
      return .double(number)
    case ("int", .string(let text)):
      guard let number = SuperscriptNumbers.int(text) else { throw .other }
      return .int(number)
    case ("uint", .string(let text)):
      guard let number = SuperscriptNumbers.uint(text) else { throw .other }
      return .uint(number)
    case ("int", _): return .int(try whole(value, limit: 0x1p63))
    case ("uint", _): return .uint(try whole(value, limit: 0x1p64))
    case ("string", .string), ("string", .int), ("string", .uint), ("string", .double),
      ("string", .bytes), ("string", .duration), ("string", .timestamp),
      ("intToString", .int), ("uintToString", .uint), ("floatToString", .double),
      ("boolToString", .bool):
      return .string(plain(value))
    default: throw .other
    }
  }

  private static func whole<Number: FixedWidthInteger>(_ value: Value, limit: Double)
    throws(Failure) -> Number
  {
    if case .double(let number) = value {
      if number > limit || number < (Number.isSigned ? -limit : 0) { throw .other }
      if number.isNaN { return 0 }
      return number >= limit ? .max : Number(number)
    }
    guard let whole = whole(value), let number = Number(exactly: whole) else { throw .other }
    return number
  }

  private static func plain(_ value: Value) -> String {
    switch value {
    case .string(let text): text
    case .bool(let value): "\(value)"
    case .int(let number): "\(number)"
    case .uint(let number): "\(number)"
    case .double(let number): SuperscriptNumbers.text(number)
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .duration(let nanoseconds): SuperscriptNumbers.text(duration: nanoseconds)
    case .timestamp(let seconds, _): SuperscriptNumbers.text(seconds: seconds)
    default: "?"
    }
  }
}

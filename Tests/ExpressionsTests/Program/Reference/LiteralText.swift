import Expressions

/// Literals as a person may write them: several quotes, escapes, bases and suffixes.
enum LiteralText {
  static func isNegative(_ value: Value) -> Bool {
    switch value {
    case .int(let number): number < 0
    case .double(let number): number.sign == .minus
    default: false
    }
  }

  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || $0 == 0x5F
    }
  }

  static func write(
    _ value: Value, isPlayful: Bool, using random: inout some RandomNumberGenerator
  ) -> String {
    switch value {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .int(let value):
      guard isPlayful, Int.random(in: 0..<6, using: &random) == 0 else { return "\(value)" }
      return (value < 0 ? "-0x" : "0X".lowercased()) + String(value.magnitude, radix: 16)
    case .uint(let value): return "\(value)" + (Bool.random(using: &random) ? "u" : "U")
    case .double(let value): return value.description
    case .string(let text): return string(text, isPlayful: isPlayful, using: &random)
    default: fatalError("\(value.typeName) has no literal")
    }
  }

  private static func string(
    _ text: String, isPlayful: Bool, using random: inout some RandomNumberGenerator
  ) -> String {
    let quote = isPlayful && Bool.random(using: &random) ? "'" : "\""
    let isPlain = text.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && !"\"'\\".contains(Character($0))
    }
    if isPlayful, isPlain, !text.isEmpty {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return "r" + quote + text + quote
      case 1: return quote + quote + quote + text + quote + quote + quote
      default: break
      }
    }
    var result = quote
    for scalar in text.unicodeScalars {
      result += escaped(scalar, isPlayful: isPlayful, using: &random)
    }
    return result + quote
  }

  private static func escaped(
    _ scalar: Unicode.Scalar, isPlayful: Bool, using random: inout some RandomNumberGenerator
  ) -> String {
    let value = scalar.value
    func hex(_ digits: Int) -> String {
      let text = String(value, radix: 16, uppercase: Bool.random(using: &random))
      return String(repeating: "0", count: digits - text.count) + text
    }
    let mustEscape = value < 0x20 || value == 0x22 || value == 0x27 || value == 0x5C
    guard mustEscape || isPlayful && Int.random(in: 0..<10, using: &random) == 0 else {
      return String(Character(scalar))
    }
    if value < 0x100, Bool.random(using: &random) {
      let octal = String(value, radix: 8)
      return Bool.random(using: &random)
        ? "\\x" + hex(2) : "\\" + String(repeating: "0", count: 3 - octal.count) + octal
    }
    return value < 0x1_0000 ? "\\u" + hex(4) : "\\U" + hex(8)
  }
}

internal import Expressions

/// Literals that make superscript's parser panic. The parser rejects all other invalid expressions.
enum PanickingSyntax {
  /// Whether an error is about a literal that makes the parser panic: a hexadecimal number, a number with the suffix
  /// `u`, a number that does not fit into 64 bits, or an unknown escape.
  static func holds(_ diagnostic: Diagnostic, in expression: String) -> Bool {
    guard diagnostic.code == .syntaxError, diagnostic.severity == .error,
      let start = diagnostic.range?.from
    else { return false }
    let rest = Array(expression.utf8.dropFirst(start))
    guard let first = rest.first else { return false }
    if first == UInt8(ascii: "\\") { return true }
    var digits = rest.prefix { $0 &- 0x30 < 10 }
    if first == UInt8(ascii: "-") { digits = rest.dropFirst().prefix { $0 &- 0x30 < 10 } }
    guard !digits.isEmpty else { return false }
    let after = rest[digits.endIndex...].drop { $0 == UInt8(ascii: " ") }.first
    switch after {
    case UInt8(ascii: "x"), UInt8(ascii: "X"): return digits.elementsEqual([UInt8(ascii: "0")])
    case UInt8(ascii: "u"), UInt8(ascii: "U"): return true
    default: return Int64(String(decoding: digits, as: UTF8.self)) == nil
    }
  }
}

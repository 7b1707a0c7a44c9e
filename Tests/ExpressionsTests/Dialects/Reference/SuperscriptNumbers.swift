import Expressions
import Foundation

/// Numbers and their texts as Rust's standard library has them, written the slow way.
enum SuperscriptNumbers {
  /// What a text is as a signed, an unsigned or a floating-point number.
  static func parse(_ text: String) -> Value? {
    if let number = int(text) { return .int(number) }
    if let number = uint(text) { return .uint(number) }
    return double(text).map { .double($0) }
  }

  /// What a text becomes where superscript reads texts as numbers: whole numbers are ints or else
  /// uints, also where only a saturated one is the same as a double.
  static func normalized(_ text: String) -> Value? {
    guard let value = parse(text) else { return nil }
    guard case .double(let number) = value, number.isFinite, number == number.rounded() else {
      return value
    }
    let int = number >= 0x1p63 ? Int64.max : number <= -0x1p63 ? Int64.min : Int64(number)
    if Double(int) == number { return .int(int) }
    let uint = number >= 0x1p64 ? UInt64.max : number <= 0 ? 0 : UInt64(number)
    return Double(uint) == number ? .uint(uint) : value
  }

  private static func isDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func unsigned(_ text: String) -> Substring {
    text.hasPrefix("+") || text.hasPrefix("-") ? text.dropFirst() : text[...]
  }

  static func int(_ text: String) -> Int64? { isDigits(unsigned(text)) ? Int64(text) : nil }

  static func uint(_ text: String) -> UInt64? {
    isDigits(text.hasPrefix("+") ? text.dropFirst() : text[...]) ? UInt64(text) : nil
  }

  static func double(_ text: String) -> Double? {
    let body = unsigned(text)
    let word = body.lowercased()
    if word == "inf" || word == "infinity" { return text.hasPrefix("-") ? -.infinity : .infinity }
    if word == "nan" { return .nan }
    let parts = body.split(separator: /[eE]/, omittingEmptySubsequences: false)
    guard parts.count <= 2, !body.isEmpty else { return nil }
    if parts.count == 2, !isDigits(unsigned(String(parts[1]))) { return nil }
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard mantissa.count <= 2, mantissa.contains(where: { !$0.isEmpty }),
      mantissa.allSatisfy({ $0.isEmpty || isDigits($0) })
    else { return nil }
    return strtod(text, nil)
  }

  /// All digits and no exponent.
  static func text(_ number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-inf" : "inf" }
    let parts = number.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    var digits = String(mantissa.joined())
    var point = mantissa[0].count + (parts.count == 2 ? Int(parts[1])! : 0)
    while point <= 0 {
      digits = "0" + digits
      point += 1
    }
    while digits.count < point { digits += "0" }
    let whole = String(digits.prefix(point))
    var fraction = String(digits.dropFirst(point))
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return (number.sign == .minus ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// Hours, minutes and seconds as Go writes them.
  static func text(duration nanoseconds: Int64) -> String {
    if nanoseconds == 0 { return "0s" }
    let sign = nanoseconds < 0 ? "-" : ""
    let size = nanoseconds.magnitude
    let (minutes, rest) = size.quotientAndRemainder(dividingBy: 60_000_000_000)
    precondition(size >= 1_000_000_000, "the sample has no short durations")
    let seconds = text(Double(rest) / 1e9) + "s"
    if minutes == 0 { return sign + seconds }
    return sign + (minutes >= 60 ? "\(minutes / 60)h" : "") + "\(minutes % 60)m" + seconds
  }

  /// An instant in UTC.
  static func text(seconds: Int64) -> String {
    let formatter = ISO8601DateFormatter()
    let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
    return text.replacingOccurrences(of: "Z", with: "+00:00")
  }
}

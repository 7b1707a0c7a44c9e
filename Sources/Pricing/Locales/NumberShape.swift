/// Digits, separators and groups of numbers.
struct NumberShape: Hashable, Sendable {
  /// UTF-8 of the digit 0; the last byte of the others is so much higher.
  var zero: [UInt8]
  var decimal: [UInt8]
  /// Empty where nothing is grouped.
  var group: [UInt8]
  /// How many digits the last group has, and the others.
  var lastGroup: Int
  var otherGroups: Int
  /// How many digits must stand before the last group for there to be groups.
  var leastBefore: Int

  init(_ fields: [Substring]) {
    zero = Array(fields[0].utf8)
    decimal = Array(fields[1].utf8)
    group = Array(fields[2].utf8)
    lastGroup = Int(fields[3]) ?? 0
    otherGroups = Int(fields[4]) ?? 0
    leastBefore = Int(fields[5]) ?? 0
  }

  var hasArabicDigits: Bool { zero == Array("\u{660}".utf8) || zero == Array("\u{6F0}".utf8) }

  mutating func takeSeparators(of other: NumberShape) {
    decimal = other.decimal
    group = other.group
  }
}

/// Digits, separators and groups of numbers.
struct NumberShape: Hashable, Sendable {
  /// UTF-8 of the digit 0. For another digit, the digit's value is added to the last byte.
  var zero: [UInt8]
  var decimal: [UInt8]
  /// The separator of groups, or empty if digits are not grouped.
  var group: [UInt8]
  /// The number of digits in the last group, and in the other groups.
  var lastGroup: Int
  var otherGroups: Int
  /// The minimum number of digits before the last group for grouping.
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

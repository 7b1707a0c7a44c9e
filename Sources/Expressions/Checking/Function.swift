/// The functions of the language by number. `Functions/` has their bodies, ``row`` everything else.
package enum Function: UInt16, CaseIterable {
  // Tests with instructions of their own.
  case size, contains, startsWith, endsWith, matches

  // Conversions.
  case toInt, toUint, toDouble, toText, toBytes, toBool, dyn, typeOf, toDuration, toTimestamp

  // Time.
  case getFullYear, getMonth, getDayOfMonth, getDate, getDayOfWeek, getDayOfYear
  case getHours, getMinutes, getSeconds, getMilliseconds

  // Optional values.
  case optionalOf, optionalOfNonZeroValue, optionalNone, hasValue, value, or, orValue
  case optionalSelect, optionalIndex, optionalUnwrap, first, last

  // Strings extension.
  case charAt, indexOf, lastIndexOf, lowerAscii, upperAscii, replace, split, substring, trim
  case join, quote, reverse, format

  // Math extension.
  case greatest, least, ceil, floor, round, trunc, abs, sign, isNaN, isInf, isFinite, sqrt
  case bitAnd, bitOr, bitXor, bitNot, bitShiftLeft, bitShiftRight

  // Lists extension.
  case range, slice, flatten, sort, distinct, sortByKeys

  // Sets extension.
  case setContains, setEquivalent, setIntersects

  // Encoders extension.
  case base64Encode, base64Decode

  // Regex extension.
  case regexReplace, regexExtract, regexExtractAll

  // Network extension.
  case ip, cidr, isIP, isCIDR, isCanonicalIP, ipFamily, isUnspecified, isLoopback
  case isGlobalUnicast, isLinkLocalMulticast, isLinkLocalUnicast, containsIP, containsCIDR
  case ipOfCIDR, masked, prefixLength

  // Ours.
  case version
  case date, days, startOfDay, addDays, addMonths, daysUntil

  // superscript: tests, what operands must be, conversions, members, answers of the host.
  case isWithin, containsAnything
  case requireText, requireList, requireKey, sameNumber, negateWrapping
  case byteSize, toIntTruncating, toUintTruncating, toDoubleParsing, toPlainText, textToBytes
  case textToDuration, textToTimestamp, intToText, uintToText, doubleToText, boolToText
  case greatestOf, indexOrNull, overlay, answerFor, superscriptTruth

  // The app's: the first operand is its number.
  case custom
}

/// The operands of a call, where they lie.
struct Operands {
  // SAFETY: There are `count` cells at the pointers, in the frame or in a local array. No function
  // stores them. Tests: AnyOperandsTests, asan.

  private let base: UnsafePointer<Cell>
  private let second: UnsafePointer<Cell>
  let count: Int

  /// Up to two operands anywhere.
  init(_ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>, count: Int) {
    base = a
    second = b
    self.count = count
  }

  /// Operands that lie one after the other.
  init(_ base: UnsafePointer<Cell>, count: Int) {
    self.init(base, base + 1, count: count)
  }

  subscript(i: Int) -> UnsafePointer<Cell> { i == 1 ? second : base + i }

  /// The fault of operands that the function does not take.
  var noOverload: Cell {
    count > 1
      ? Arithmetic.noOverload(self[0].pointee, self[1].pointee)
      : Arithmetic.noOverload(self[0].pointee)
  }
}

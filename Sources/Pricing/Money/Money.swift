/// An amount of money: micros (millionths) of a currency's unit.
///
/// Micros can represent every store price, up to 9.2 trillion units. Addition and comparison are exact.
public struct Money: Hashable, Sendable {
  /// Millionths of the unit: 9.99 dollars are 9,990,000.
  public var micros: Int64
  public var currency: Currency

  public init(micros: Int64, _ currency: Currency) {
    self.micros = micros
    self.currency = currency
  }

  /// Creates an amount from minor units: 999 is 9.99 dollars, or 999 yen.
  public init(minorUnits: Int64, _ currency: Currency) throws(PricingError) {
    self.init(
      micros: try ExactPrice.product(minorUnits, powerOfTen(6 - currency.minorDigits)), currency)
  }

  /// Creates an amount from a floating-point price, rounded to the nearest micro (half to even). The rounding removes
  /// conversion errors: 19.989999999999998 becomes 19.99.
  public init(snapping price: Double, _ currency: Currency) throws(PricingError) {
    guard price.isFinite else { throw .notAPrice }
    let micros = (price * 1e6).rounded(.toNearestOrEven)
    guard let whole = Int64(exactly: micros) else { throw .overflow }
    self.init(micros: whole, currency)
  }

  /// Parses a price in plain decimal notation, as ``PriceText`` does.
  public init(_ text: String, _ currency: Currency) throws(PricingError) {
    self.init(micros: try PriceText.micros(text), currency)
  }
}

/// Prices as plain strings, without symbol or separators.
package enum PriceText {
  // SAFETY: Every index into the caller's view is compared with its count. Buffers have 32 bytes,
  // and a number takes at most 28. Tests: PriceTextTests, RandomPriceTests.

  /// The micros of a decimal number: `9.99`, `-4`, `1e3`. Digits below a micro are rounded half to even. Only ASCII digits, one
  /// sign, one point and an exponent are valid: `9,99` and `$9.99` are not prices.
  package static func micros(_ text: String) throws(PricingError) -> Int64 {
    var text = text
    let result = text.withUTF8 { bytes -> Result<Int64, PricingError> in
      do throws(PricingError) {
        return .success(try micros(bytes))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The micros of a decimal number in UTF-8.
  package static func micros(_ text: UnsafeBufferPointer<UInt8>) throws(PricingError) -> Int64 {
    var at = 0
    let isNegative = at < text.count && text[at] == UInt8(ascii: "-")
    if at < text.count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") { at += 1 }
    let start = at
    var point: Int?
    var digits = 0
    while at < text.count {
      if text[at] &- 0x30 < 10 {
        digits += 1
      } else if text[at] == UInt8(ascii: "."), point == nil {
        point = at
      } else {
        break
      }
      at += 1
    }
    guard digits > 0 else { throw .notAPrice }
    let mantissa = start..<at
    let exponent = try self.exponent(text, from: at)
    // The digits down to a micro are those before the point, moved by the exponent, and six more.
    let whole = (point ?? mantissa.upperBound) - start
    let kept = whole + exponent + 6
    return try collect(text, mantissa, digits: kept, isNegative: isNegative)
  }

  /// The exponent after the mantissa, or 0. Nothing may follow the exponent.
  private static func exponent(_ text: UnsafeBufferPointer<UInt8>, from start: Int)
    throws(PricingError) -> Int
  {
    guard start < text.count else { return 0 }
    var at = start + 1
    guard text[start] | 0x20 == UInt8(ascii: "e"), at < text.count else { throw .notAPrice }
    let isNegative = text[at] == UInt8(ascii: "-")
    if isNegative || text[at] == UInt8(ascii: "+") { at += 1 }
    guard at < text.count else { throw .notAPrice }
    var exponent = 0
    while at < text.count {
      guard text[at] &- 0x30 < 10 else { throw .notAPrice }
      // The limit is far above any exponent that fits, so more digits change nothing.
      exponent = min(exponent * 10 + Int(text[at] &- 0x30), 100_000)
      at += 1
    }
    return isNegative ? -exponent : exponent
  }

  /// The number that the first `digits` digits form, rounded half to even by the remaining digits.
  private static func collect(
    _ text: UnsafeBufferPointer<UInt8>, _ mantissa: Range<Int>, digits: Int, isNegative: Bool
  ) throws(PricingError) -> Int64 {
    var value: Int64 = 0
    var taken = 0
    /// The first digit that is left out, and whether any later digit is not 0.
    var first: UInt8?
    var hasMore = false
    if digits < 0 { first = 0 }
    for at in mantissa where text[at] != UInt8(ascii: ".") {
      let digit = text[at] &- 0x30
      if taken < digits {
        value = try append(digit, to: value)
      } else if first == nil {
        first = digit
      } else if digit != 0 {
        hasMore = true
      }
      taken += 1
    }
    if value != 0 {
      while taken < digits {
        value = try append(0, to: value)
        taken += 1
      }
    }
    if let first, first > 5 || first == 5 && (hasMore || !value.isMultiple(of: 2)) {
      guard value < .max else { throw .overflow }
      value += 1
    }
    return isNegative ? -value : value
  }

  private static func append(_ digit: UInt8, to value: Int64) throws(PricingError) -> Int64 {
    let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
    let (sum, overflowToo) = shifted.addingReportingOverflow(Int64(digit))
    guard !overflow, !overflowToo else { throw .overflow }
    return sum
  }

  /// A plain decimal string, with a number of decimal digits or with as many digits as needed. Digits that are not
  /// shown are truncated.
  package static func plain(_ micros: Int64, digits: Int? = nil) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { scratch in
      let start = writePlain(micros, digits: digits, before: 32, scratch)
      return String(decoding: UnsafeBufferPointer(rebasing: scratch[start..<32]), as: UTF8.self)
    }
  }

  /// Writes a plain decimal string that ends before a place, and returns its beginning. The string has at most 28
  /// bytes.
  package static func writePlain(
    _ micros: Int64, digits: Int?, before end: Int, _ buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var at = end
    var fraction = micros.magnitude % 1_000_000
    var whole = micros.magnitude / 1_000_000
    var shown = 6
    if let digits {
      while shown > digits {
        fraction /= 10
        shown -= 1
      }
    } else {
      while shown > 0, fraction % 10 == 0 {
        fraction /= 10
        shown -= 1
      }
    }
    let isZero = whole == 0 && fraction == 0
    if shown > 0 {
      for _ in 0..<shown {
        at &-= 1
        buffer[at] = UInt8(truncatingIfNeeded: fraction % 10) &+ 0x30
        fraction /= 10
      }
      at &-= 1
      buffer[at] = UInt8(ascii: ".")
    }
    repeat {
      at &-= 1
      buffer[at] = UInt8(truncatingIfNeeded: whole % 10) &+ 0x30
      whole /= 10
    } while whole > 0
    if micros < 0, !isZero {
      at &-= 1
      buffer[at] = UInt8(ascii: "-")
    }
    return at
  }
}

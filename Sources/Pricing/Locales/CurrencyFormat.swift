/// The format of prices in one currency and one locale. Formatting needs no lookups, and allocates only the resulting
/// string. Amounts are rounded half to even to the digits of the currency, as in Foundation.
public struct CurrencyFormat: Hashable, Sendable {
  /// The number of digits after the decimal separator.
  public let fractionDigits: Int

  /// All strings of the format, one after the other.
  private let texts: [UInt8]
  private let prefix: Range<Int>
  private let suffix: Range<Int>
  private let negativePrefix: Range<Int>
  private let negativeSuffix: Range<Int>
  private let decimal: Range<Int>
  private let group: Range<Int>
  private let zero: Range<Int>
  private let lastGroup: Int
  private let otherGroups: Int
  /// The least number of digits that are grouped.
  private let leastGrouped: Int
  /// The value of one step of the last shown digit, in micros.
  private let step: UInt64

  /// - Parameter affixes: the parts before and after an amount, and those for a negative amount.
  init(_ affixes: [String], _ shape: NumberShape, digits: Int) {
    var texts: [UInt8] = []
    func add(_ bytes: some Sequence<UInt8>) -> Range<Int> {
      let start = texts.count
      texts += bytes
      return start..<texts.count
    }
    prefix = add(affixes[0].utf8)
    suffix = add(affixes[1].utf8)
    negativePrefix = add(affixes[2].utf8)
    negativeSuffix = add(affixes[3].utf8)
    decimal = add(shape.decimal)
    group = add(shape.group)
    zero = add(shape.zero)
    self.texts = texts
    lastGroup = shape.group.isEmpty ? .max : shape.lastGroup
    otherGroups = shape.otherGroups
    leastGrouped = shape.group.isEmpty ? .max : shape.lastGroup + shape.leastBefore
    fractionDigits = min(max(digits, 0), 6)
    step = UInt64(powerOfTen(6 - fractionDigits))
  }

  /// The maximum length of a formatted price in bytes: 64 bits of micros have 19 digits, each of up to 4 bytes, with as many
  /// separators.
  package var longestText: Int { texts.count * 2 + 19 * 8 }

  /// The formatted price.
  public func text(micros: Int64) -> String {
    // SAFETY: `write` gets a buffer of `longestText` bytes, and its result is copied before the
    // buffer ends. Tests: CurrencyFormatTests, RandomPriceTests.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longestText) { scratch in
      let start = write(micros, before: longestText, scratch)
      return String(
        decoding: UnsafeBufferPointer(rebasing: scratch[start..<longestText]), as: UTF8.self)
    }
  }

  /// Whether the format writes the price as this string, ignoring spaces and direction marks.
  package func writes(_ micros: Int64, as text: String) -> Bool {
    func visible(_ text: String) -> [Unicode.Scalar] {
      text.unicodeScalars.filter {
        $0.properties.generalCategory != .spaceSeparator && $0.properties.generalCategory != .format
      }
    }
    return visible(text) == visible(self.text(micros: micros))
  }

  /// The formatted price.
  public func text(_ price: Money) -> String { text(micros: price.micros) }

  /// The amount that is shown for a price, rounded to the digits of the currency.
  package func shown(_ micros: Int64) throws(PricingError) -> Int64 {
    let steps = ExactPrice.quotient(micros, Int64(step), .halfEven)
    return try ExactPrice.product(steps, Int64(step))
  }

  /// Writes a price that ends before a place, with ``longestText`` bytes before it, and returns its beginning.
  package func write(
    _ micros: Int64, before end: Int, _ buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    // SAFETY: The caller has `longestText` bytes before `end`: 19 digits and as many separators, of
    // up to four bytes each, and the other parts of the format. Tests: CurrencyFormatTests,
    // PriceTextTests, RandomPriceTests.
    texts.withUnsafeBufferPointer { texts in
      guard let target = buffer.baseAddress, let source = texts.baseAddress else { return end }
      var writer = BackwardWriter(target: target, source: source, at: end, zero: zero)
      let isNegative = micros < 0
      var amount = micros.magnitude / step
      let rest = micros.magnitude &- amount &* step
      let half = step / 2
      if rest > half || rest == half && step > 1 && !amount.isMultiple(of: 2) { amount &+= 1 }
      writer.copy(isNegative ? negativeSuffix : suffix)
      if fractionDigits > 0 {
        for _ in 0..<fractionDigits { writer.digit(&amount) }
        writer.copy(decimal)
      }
      writeWhole(amount, &writer)
      writer.copy(isNegative ? negativePrefix : prefix)
      return writer.at
    }
  }

  @inline(__always)
  private func writeWhole(_ whole: UInt64, _ writer: inout BackwardWriter) {
    var rest = whole
    guard leastGrouped < 20, whole >= UInt64(powerOfTen(leastGrouped &- 1)) else {
      repeat { writer.digit(&rest) } while rest > 0
      return
    }
    var left = lastGroup
    while true {
      writer.digit(&rest)
      if rest == 0 { return }
      left &-= 1
      if left == 0 {
        writer.copy(group)
        left = otherGroups
      }
    }
  }
}

/// Writes from the end to the beginning.
private struct BackwardWriter {
  // SAFETY: `write` provides room for the longest text. Parts are ranges of the format's own bytes.
  // Tests: CurrencyFormatTests, RandomPriceTests.

  let target: UnsafeMutablePointer<UInt8>
  let source: UnsafePointer<UInt8>
  var at: Int
  let zero: Range<Int>

  /// Copies a part of the source.
  @inline(__always)
  mutating func copy(_ part: Range<Int>) {
    var i = part.upperBound
    while i > part.lowerBound {
      i &-= 1
      at &-= 1
      target[at] = source[i]
    }
  }

  /// Removes the last digit of a number and writes it.
  @inline(__always)
  mutating func digit(_ number: inout UInt64) {
    let quotient = number / 10
    let digit = UInt8(truncatingIfNeeded: number &- quotient &* 10)
    number = quotient
    at &-= 1
    target[at] = source[zero.upperBound &- 1] &+ digit
    var i = zero.upperBound &- 1
    while i > zero.lowerBound {
      i &-= 1
      at &-= 1
      target[at] = source[i]
    }
  }
}

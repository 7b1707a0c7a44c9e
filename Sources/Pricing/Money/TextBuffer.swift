/// A growing buffer of UTF-8. All parts of attributes are appended to such a buffer.
@usableFromInline package struct TextBuffer: ~Copyable {
  // SAFETY: The buffer owns its bytes, frees them in `deinit` and cannot be copied. Every append
  // reserves first: 20 bytes for a number, `longestText` for a price. Tests: PriceTextTests,
  // CurrencyFormatTests, RandomPriceTests.

  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  package private(set) var count = 0

  package init(capacity: Int) {
    self.capacity = max(capacity, 16)
    start = .allocate(capacity: self.capacity)
  }

  deinit { start.deallocate() }

  /// Reserves memory for a number of further bytes.
  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if count &+ more > capacity { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
  }

  /// The appended bytes.
  package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

  /// The appended bytes as a string.
  package var text: String {
    String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    start[count] = byte
    count &+= 1
  }

  @inline(__always)
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    (start + count).update(from: source, count: bytes.count)
    count &+= bytes.count
  }

  @inline(__always)
  package mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  @inline(__always)
  package mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Appends a whole number in ASCII.
  package mutating func append(_ number: Int) {
    reserve(20)
    var rest = number.magnitude
    if number < 0 { append(UInt8(ascii: "-")) }
    let digits = decimalDigits(rest)
    var at = count &+ digits
    for _ in 0..<digits {
      at &-= 1
      start[at] = UInt8(truncatingIfNeeded: rest % 10) &+ 0x30
      rest /= 10
    }
    count &+= digits
  }

  /// Appends a number with at least `digits` digits, in the digits of a locale.
  package mutating func append(_ number: Int, digits: Int, zero: [UInt8]) {
    if number < 0 { append(UInt8(ascii: "-")) }
    let value = number.magnitude
    let length = max(digits, decimalDigits(value))
    for place in (0..<length).reversed() {
      let digit = value / UInt(powerOfTen(place)) % 10
      append(zero)
      start[count &- 1] &+= UInt8(truncatingIfNeeded: digit)
    }
  }

  /// Appends a price in the format of a currency and locale.
  @inline(__always)
  package mutating func append(_ micros: Int64, _ format: CurrencyFormat) {
    let room = format.longestText
    reserve(room)
    let target = UnsafeMutableBufferPointer(start: start + count, count: room)
    let first = format.write(micros, before: room, target)
    (start + count).update(from: start + count + first, count: room &- first)
    count &+= room &- first
  }

  /// Appends a price in plain decimal notation, as ``PriceText/plain(_:digits:)`` writes it.
  package mutating func append(plain micros: Int64, digits: Int? = nil) {
    reserve(32)
    let target = UnsafeMutableBufferPointer(start: start + count, count: 32)
    let first = PriceText.writePlain(micros, digits: digits, before: 32, target)
    (start + count).update(from: start + count + first, count: 32 - first)
    count &+= 32 - first
  }

  @inline(__always)
  private func decimalDigits(_ number: UInt) -> Int {
    var digits = 1
    var rest = number / 10
    while rest > 0 {
      digits &+= 1
      rest /= 10
    }
    return digits
  }
}

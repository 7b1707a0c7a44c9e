/// Writes the attributes of a product in the order of their schema.
struct AttributeWriter: ~Copyable {
  private var buffer = TextBuffer(capacity: 1_024)
  private var slots: [ProductAttributes.Slot] = []
  private var caveats = SIMD8<UInt64>()

  init(_ schema: AttributeSchema) {
    // Most products have at most two phases.
    slots.reserveCapacity(schema.names.count + 2 * AttributeSchema.phaseNames.count)
  }

  /// Returns all written attributes.
  consuming func finish(_ profile: PricingProfile) -> ProductAttributes {
    ProductAttributes(
      profile: profile, slots: slots, bytes: buffer.bytes, caveats: caveats)
  }

  /// The place of the next attribute.
  var place: Int { slots.count }

  @inline(__always)
  private mutating func close(from start: Int) {
    slots.append(
      ProductAttributes.Slot(
        kind: .text, length: UInt32(truncatingIfNeeded: buffer.count &- start),
        content: Int64(start)))
  }

  // MARK: Values

  mutating func absent() { slots.append(.absent) }

  mutating func add(_ value: Bool) {
    slots.append(ProductAttributes.Slot(kind: .bool, length: 0, content: value ? 1 : 0))
  }

  mutating func add(int value: Int64) {
    slots.append(ProductAttributes.Slot(kind: .int, length: 0, content: value))
  }

  mutating func add(int value: Int?) {
    if let value { add(int: Int64(value)) } else { absent() }
  }

  mutating func add(double value: Double) {
    slots.append(
      ProductAttributes.Slot(
        kind: .double, length: 0, content: Int64(bitPattern: value.bitPattern)))
  }

  // MARK: Strings

  mutating func add(_ text: StaticString) {
    let start = buffer.count
    buffer.append(text)
    close(from: start)
  }

  mutating func add(_ text: String) {
    let start = buffer.count
    buffer.append(text)
    close(from: start)
  }

  /// Adds the part of the string before the first byte with this value.
  mutating func add(_ text: String, upTo divider: UInt8) {
    // SAFETY: The view of the string stays in the closure, and the buffer copies it.
    // Tests: ProductAttributesTests.
    let start = buffer.count
    var text = text
    text.withUTF8 { bytes in
      let end = bytes.firstIndex(of: divider) ?? bytes.count
      buffer.append(UnsafeBufferPointer(rebasing: bytes[..<end]))
    }
    close(from: start)
  }

  /// Adds a string, or an absent value if the string is empty.
  mutating func add(unlessEmpty text: String) {
    if text.isEmpty { absent() } else { add(text) }
  }

  /// Adds the number as a string.
  mutating func add(text number: Int) {
    let start = buffer.count
    buffer.append(number)
    close(from: start)
  }

  mutating func add(_ micros: Int64, _ format: CurrencyFormat) {
    let start = buffer.count
    buffer.append(micros, format)
    close(from: start)
  }

  mutating func add(plain micros: Int64, digits: Int? = nil) {
    let start = buffer.count
    buffer.append(plain: micros, digits: digits)
    close(from: start)
  }

  /// Adds a string that consists of parts.
  mutating func add(parts write: (inout TextBuffer) -> Void) {
    let start = buffer.count
    write(&buffer)
    close(from: start)
  }

  /// Adds the value of an attribute that was already written.
  mutating func add(sameAs place: Int) { slots.append(slots[place]) }

  /// Adds the phases, which are written after all other attributes. A slot contains their number and the place of the
  /// first phase.
  mutating func add(phases count: Int, from place: Int) {
    slots.append(
      ProductAttributes.Slot(
        kind: .phases, length: UInt32(truncatingIfNeeded: count), content: Int64(place)))
  }

  /// Marks a price that is shown higher than the exact price.
  mutating func markAboveExact(_ place: Int) { mark(.aboveExact, place) }

  /// Adds a caveat about the attribute at a place.
  mutating func mark(_ caveat: AttributeCaveat, _ place: Int) {
    caveats[caveat.rawValue] |= 1 << UInt64(place)
  }

  /// Adds a caveat about all attributes from a place on.
  mutating func mark(_ caveat: AttributeCaveat, from place: Int) {
    for place in place..<slots.count { mark(caveat, place) }
  }
}

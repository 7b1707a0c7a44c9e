public import Expressions

/// Everything that a paywall can say about a product, computed once: texts, numbers and facts by
/// name, in the order of a schema.
///
/// It depends on the product, the locales, the date and the eligibility only, so one value serves
/// all users. Reading an attribute by its place is an array access; texts lie one behind the other
/// in UTF-8.
public struct ProductAttributes: Hashable, Sendable {
  /// What one attribute is.
  public enum Kind: UInt8, Hashable, Sendable {
    /// It has no value.
    case absent
    case text
    case int
    case double
    case bool
  }

  /// An attribute: what it is, and where its text lies or what its number is.
  struct Slot: Hashable, Sendable {
    var kind: Kind
    /// Bytes of the text.
    var length: UInt32
    /// Where the text begins, the number, the bits of the double, or 0 and 1.
    var content: Int64

    static let absent = Slot(kind: .absent, length: 0, content: 0)
  }

  public let profile: PricingProfile
  let slots: [Slot]
  let bytes: [UInt8]
  /// A bit for each place whose price is shown higher than it is.
  let aboveExact: UInt64

  /// The names of the attributes.
  public var schema: AttributeSchema { profile.schema }

  /// The attribute at a place of the schema; null where it is absent.
  public subscript(place: Int) -> Value {
    let slot = slots[place]
    return switch slot.kind {
    case .absent: .null
    case .text: .string(String(decoding: text(of: slot), as: UTF8.self))
    case .int: .int(slot.content)
    case .double: .double(Double(bitPattern: UInt64(bitPattern: slot.content)))
    case .bool: .bool(slot.content != 0)
    }
  }

  /// The attribute with a name; nil where the schema has none, null where it is absent.
  public subscript(name: String) -> Value? {
    schema.place(of: name).map { self[$0] }
  }

  /// What the attribute at a place is.
  public func kind(at place: Int) -> Kind { slots[place].kind }

  private func text(of slot: Slot) -> ArraySlice<UInt8> {
    bytes[Int(slot.content)..<Int(slot.content) + Int(slot.length)]
  }

  /// Names of the prices that are shown higher than they are, because of how the system rounds.
  public var pricesAboveExact: [String] {
    schema.names.indices.filter { aboveExact >> UInt64($0) & 1 == 1 }.map { schema.names[$0] }
  }

  /// All attributes as a map, in the order of the schema. Absent ones are left out, so that reading
  /// them is reading what is not there.
  public var value: Value { value(withAbsent: false) }

  /// All attributes as a map, absent ones as null or not at all.
  public func value(withAbsent: Bool) -> Value {
    value(schema.names.indices, withAbsent: withAbsent)
  }

  /// The attributes at some places as a map.
  public func value(_ places: Range<Int>, withAbsent: Bool) -> Value {
    var entries: [Value.Entry] = []
    entries.reserveCapacity(places.count)
    for place in places where withAbsent || slots[place].kind != .absent {
      entries.append(Value.Entry(key: .string(schema.names[place]), value: self[place]))
    }
    return .map(entries)
  }

  /// Appends the attributes as a JSON object, absent ones as null.
  package func append(json output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    for (place, slot) in slots.enumerated() {
      if place > 0 { output.append(UInt8(ascii: ",")) }
      JSONWriter.append(quoted: schema.names[place], to: &output)
      output.append(UInt8(ascii: ":"))
      guard slot.kind == .text else {
        JSONWriter.append(self[place], to: &output)
        continue
      }
      bytes.withUnsafeBufferPointer { bytes in
        let start = Int(slot.content)
        JSONWriter.append(
          quoted: ByteView(rebasing: bytes[start..<start + Int(slot.length)]), to: &output)
      }
    }
    output.append(UInt8(ascii: "}"))
  }

  /// The attribute at a place as a cell; its text is copied into the arena. Nil when the arena is
  /// full.
  package func cell(at place: Int, in arena: inout Arena) -> Cell? {
    let slot = slots[place]
    switch slot.kind {
    case .absent: return .missing
    case .int: return Cell(slot.content)
    case .double: return Cell(Double(bitPattern: UInt64(bitPattern: slot.content)))
    case .bool: return Cell(slot.content != 0)
    case .text:
      return bytes.withUnsafeBufferPointer { bytes in
        let start = Int(slot.content)
        return arena.text(copying: ByteView(rebasing: bytes[start..<start + Int(slot.length)]))
      }
    }
  }
}

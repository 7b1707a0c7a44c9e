public import Expressions

/// All attributes of a product that a paywall can show, computed once: strings, numbers and bools by name, in the order of
/// a schema.
///
/// The attributes depend only on the product, the locales, the date and the eligibility, so they are valid for all
/// users for which these are the same.
public struct ProductAttributes: Hashable, Sendable {
  /// An attribute: its type, and its number or the place of its string.
  struct Slot: Hashable, Sendable {
    enum Kind: UInt8, Hashable, Sendable {
      case absent
      case text
      case int
      case double
      case bool
      /// The value is a list of phases, stored as their number and the place of the first phase's slots.
      case phases
    }

    var kind: Kind
    /// The length of the string in bytes, or the number of phases.
    var length: UInt32
    /// The offset of the string, the number, the bits of the double, 0 and 1, or a place in ``slots``.
    var content: Int64

    static let absent = Slot(kind: .absent, length: 0, content: 0)
  }

  public let profile: PricingProfile
  let slots: [Slot]
  let bytes: [UInt8]
  /// For each caveat, a bit for each attribute that the caveat applies to.
  let caveats: SIMD8<UInt64>

  /// The names of the attributes.
  package var schema: AttributeSchema { profile.schema }

  /// The attribute at a place in the schema, or null if it is absent.
  package subscript(place: Int) -> Value { value(of: slots[place]) }

  private func value(of slot: Slot) -> Value {
    switch slot.kind {
    case .absent: .null
    case .text: .string(text(of: slot))
    case .int: .int(slot.content)
    case .double: .double(Double(bitPattern: UInt64(bitPattern: slot.content)))
    case .bool: .bool(slot.content != 0)
    case .phases: phases(of: slot)
    }
  }

  /// Phases as maps, each with its members.
  private func phases(of slot: Slot) -> Value {
    let names = AttributeSchema.phaseNames
    return .list(
      (0..<Int(slot.length)).map { phase in
        let first = Int(slot.content) + phase * names.count
        return .map(
          names.indices.compactMap { place in
            let member = slots[first + place]
            if member.kind == .absent { return nil }
            return Value.Entry(key: .string(names[place]), value: value(of: member))
          })
      })
  }

  /// The attribute with a name. The value is nil if the schema does not have the name, and null if the attribute is
  /// absent.
  public subscript(name: String) -> Value? {
    schema.place(of: name).map { self[$0] }
  }

  private func text(of slot: Slot) -> String {
    let start = Int(slot.content)
    return String(decoding: bytes[start..<start + Int(slot.length)], as: UTF8.self)
  }

  /// The string attributes, by name.
  public var texts: [String: String] {
    var texts: [String: String] = [:]
    for (name, slot) in zip(schema.names, slots) where slot.kind == .text {
      texts[name] = text(of: slot)
    }
    return texts
  }

  /// The names of prices that the system's rounding makes higher than the exact price.
  public var pricesAboveExact: [String] { names(with: .aboveExact) }

  /// The names of the attributes that a caveat applies to, in the order of the schema.
  package func names(with caveat: AttributeCaveat) -> [String] {
    let bits = caveats[caveat.rawValue]
    return schema.names.indices.filter { bits >> UInt64($0) & 1 == 1 }.map { schema.names[$0] }
  }

  /// The caveats of an attribute.
  package func caveats(of name: String) -> [AttributeCaveat] {
    guard let place = schema.place(of: name) else { return [] }
    return AttributeCaveat.allCases.filter { caveats[$0.rawValue] >> UInt64(place) & 1 == 1 }
  }

  /// All attributes as a map, in the order of the schema. Absent attributes are omitted.
  public var value: Value { value(withAbsent: false) }

  /// All attributes as a map. Absent attributes are null or omitted.
  package func value(withAbsent: Bool) -> Value {
    value(schema.names.indices, withAbsent: withAbsent)
  }

  /// The attributes at some places as a map.
  package func value(_ places: Range<Int>, withAbsent: Bool) -> Value {
    var entries: [Value.Entry] = []
    entries.reserveCapacity(places.count)
    for place in places where withAbsent || slots[place].kind != .absent {
      entries.append(Value.Entry(key: .string(schema.names[place]), value: self[place]))
    }
    return .map(entries)
  }
}

/// Why an attribute may mislead a reader, although the system shows it like this.
package enum AttributeCaveat: Int, Hashable, Sendable, CaseIterable {
  /// The system's rounding makes the price higher than the exact price.
  case aboveExact
  /// The attribute describes one period of an offer with several periods.
  case onePeriod
  /// The name of a period's unit, without the count: two weeks are `week`.
  case withoutCount
  /// A price with the sign of another currency.
  case foreignSign
  /// The store's own string, in another style than the computed prices.
  case storeText
}

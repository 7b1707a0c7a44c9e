package import Expressions
internal import Regex

/// A candidate value for an attribute, and how typical it is of users.
package struct RankedValue {
  /// The candidate value; nil for a missing attribute.
  package var value: Value?
  /// The rank of the value: 0 is the most ordinary.
  package var rank: Int
  /// The distance of a number from the attribute's current value, or from the constants of
  /// conditions.
  package var distance = 0.0
}

/// Sorts the candidate values for an attribute. Values of the attribute's own type come first,
/// beginning with the constants of conditions and values next to them. Numbers are sorted by their
/// distance from the current value.
struct NearbyValues {
  private let demands: AttributeDemands
  private let own: Value?
  /// In ascending order.
  private let numbers: [Double]
  private var constants: [Value] = []
  private var neighbours: [Value] = []

  private static let nearest: Int64 = 12

  init(_ demands: AttributeDemands, _ mentioned: [Cell], own: Value?) {
    self.demands = demands
    self.own = own
    let cells = demands.numbers + mentioned
    numbers = cells.compactMap { Tag.int...Tag.double ~= $0.tag ? $0.nearestDouble : nil }.sorted()
    constants = cells.filter { $0.tag != Tag.double || $0.doubleValue.isFinite }.map { Value($0) }
    for text in demands.texts + demands.parts + demands.endings {
      constants.append(.string(String(decoding: text, as: UTF8.self)))
    }
    addNeighbours(hasOpaque: !mentioned.isEmpty)
  }

  private mutating func addNeighbours(hasOpaque: Bool) {
    for constant in constants {
      if case .int(let number) = constant {
        if number < .max { neighbours.append(.int(number + 1)) }
        if number > .min { neighbours.append(.int(number - 1)) }
      }
      if case .string(let text) = constant {
        neighbours += [1, -1].compactMap { NearbyValues.stepped(text, by: $0) }.map { .string($0) }
      }
    }
    neighbours.append(
      .string(String(decoding: TextCandidates.other(than: demands.texts), as: UTF8.self)))
    neighbours += demands.patterns.compactMap { $0.example }.map { .string($0) }
    // Lists with one more member are close to the current list.
    let members = demands.members.map { Value($0) } + (hasOpaque ? constants.prefix(4) : [])
    for member in members {
      guard let elements = own?.elements else {
        if own == nil || own == .null { neighbours.append(.list([member])) }
        continue
      }
      if !elements.contains(member) { neighbours.append(.list(elements + [member])) }
    }
    guard let start = own?.number.flatMap({ Int64(exactly: $0.rounded(.down)) }) else { return }
    for distance in 0...Self.nearest {
      for number in [start &+ distance, start &- distance] { neighbours.append(.int(number)) }
    }
  }

  /// A string whose last number is one larger or smaller, with the same number of digits: `3.9.1`
  /// after `3.9.0`.
  private static func stepped(_ text: String, by step: Int) -> String? {
    var bytes = Array(text.utf8)
    func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    guard let last = bytes.lastIndex(where: isDigit) else { return nil }
    let first = (bytes[...last].lastIndex { !isDigit($0) } ?? -1) + 1
    guard last - first < 9, let number = Int(String(decoding: bytes[first...last], as: UTF8.self)),
      number + step >= 0
    else { return nil }
    let digits = Array(String(number + step).utf8)
    let zeros = max(0, last + 1 - first - digits.count)
    bytes.replaceSubrange(
      first...last, with: Array(repeating: UInt8(ascii: "0"), count: zeros) + digits)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Values with their ranks, in order, and further values to try.
  func ranked(_ found: [Value?]) -> [RankedValue] {
    let isConstant = Set(constants)
    let isNear = Set(neighbours)
    var seen: Set<Value?> = []
    var ranked: [RankedValue] = []
    for value in constants.map(Optional.init) + neighbours.map(Optional.init) + found
    where seen.insert(value).inserted {
      let tier: Int
      if own?.number != nil, value?.number != nil {
        // A close value is better than a mentioned one.
        let isOdd = if case .double? = value { own?.wholeNumber != nil } else { false }
        let strangeness = NearbyValues.strangeness(value)
        tier = strangeness > 3 || isOdd ? strangeness : 0
      } else if let value, isConstant.contains(value), value != "" {
        tier = 0
      } else if let value, isNear.contains(value) {
        tier = 1
      } else {
        tier = NearbyValues.strangeness(value)
      }
      ranked.append(
        RankedValue(value: value, rank: 10 * otherness(value) + tier, distance: distance(value)))
    }
    return ranked
  }

  private func distance(_ value: Value?) -> Double {
    guard let number = value?.number else { return 0 }
    if let own = own?.number { return (number - own).magnitude }
    // One of the two neighbors is the nearest.
    let place = numbers.partitioningIndex { $0 >= number }
    return numbers[max(place - 1, 0)..<min(place + 1, numbers.count)]
      .map { (number - $0).magnitude }.min() ?? number.magnitude
  }

  /// A score for how untypical of users a value is.
  private static func strangeness(_ value: Value?) -> Int {
    switch value {
    case .bool: 0
    case .int(let number): number.magnitude <= 1_000_000 ? 2 : 4
    case .double(let number): number.description.utf8.count <= 5 ? 3 : 6
    case .string(let text):
      !text.isEmpty && text.utf8.count <= 24 && text.utf8.allSatisfy { 0x20..<0x7F ~= $0 } ? 2 : 5
    case .list(let elements): elements.isEmpty ? 3 : 2
    case .map: 3
    default: 5
    }
  }

  /// A score for how far the type of a value is from the attribute's own type.
  private func otherness(_ value: Value?) -> Int {
    guard let value else { return own == nil ? 0 : 6 }
    guard let own, own != .null else {
      switch value {
      case .null: return 4
      case .list: return demands.looksInside ? 0 : 2
      case .map: return 3
      case .string: return demands.looksInside && demands.texts.isEmpty ? 1 : 0
      default: return 0
      }
    }
    if NearbyValues.kind(own) == NearbyValues.kind(value) { return 0 }
    switch value {
    case .null: return 5
    case .list: return 3
    case .map: return 4
    default: return 2
    }
  }

  private static func kind(_ value: Value) -> Int {
    switch value {
    case .int, .uint, .double: 0
    case .string: 1
    case .bool: 2
    case .list: 3
    case .map: 4
    default: 5
    }
  }
}

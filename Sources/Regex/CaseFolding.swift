/// The code points that are equal under `(?i)`: those that Unicode's simple case mappings join.
///
/// The standard library only has the full mappings. A full mapping to one code point is the simple mapping. The dotted
/// and the dotless i only match themselves, as in Unicode's case folding.
enum CaseFolding {
  /// The other code points that match `scalar` under `(?i)`.
  static func others(of scalar: UInt32) -> [UInt32] {
    if let ascii = asciiOthers(of: scalar) { return ascii }
    let table = pairs
    var others: [UInt32] = []
    var index = firstPair(at: scalar)
    while index < table.count, table[index].scalar == scalar {
      others.append(table[index].other)
      index += 1
    }
    return others
  }

  /// Canonical ranges, extended by all code points that differ from a member only by case.
  static func closure(of ranges: [ScalarRange]) -> [ScalarRange] {
    var result = ranges
    for range in ranges where range.low <= lastCased {
      if range.high < 0x80 {
        for scalar in range.low...range.high {
          for other in asciiOthers(of: scalar) ?? [] {
            result.append(ScalarRange(low: other, high: other))
          }
        }
        continue
      }
      let table = pairs
      var index = firstPair(at: range.low)
      while index < table.count, table[index].scalar <= range.high {
        result.append(ScalarRange(low: table[index].other, high: table[index].other))
        index += 1
      }
    }
    return result.normalized()
  }

  /// The partners of an ASCII code point, or nil for other code points. The only non-ASCII partners are the Kelvin sign
  /// and the long s, so patterns in ASCII never need the table.
  private static func asciiOthers(of scalar: UInt32) -> [UInt32]? {
    guard scalar < 0x80 else { return nil }
    let lower = scalar | 0x20
    guard (0x61...0x7A).contains(lower) else { return [] }
    let swapped = scalar ^ 0x20
    switch lower {
    case 0x6B: return [swapped, 0x212A]
    case 0x73: return [swapped, 0x17F]
    default: return [swapped]
    }
  }

  /// The last code point that can have case. No script above it has case, and a future script with case is unlikely.
  private static let lastCased: UInt32 = 0x1_FFFF

  /// Every code point with each of its partners, sorted.
  private static let pairs: [(scalar: UInt32, other: UInt32)] = {
    var groups: [UInt32: [UInt32]] = [:]
    var leader: [UInt32: UInt32] = [:]
    func join(_ a: UInt32, _ b: UInt32) {
      let first = leader[a] ?? a
      let second = leader[b] ?? b
      guard first != second else { return }
      let members = (groups[first] ?? [first]) + (groups[second] ?? [second])
      groups[second] = nil
      groups[first] = members
      for member in members { leader[member] = first }
    }
    for value in 0...lastCased where value != 0x130 && value != 0x131 {
      guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenCaseMapped else {
        continue
      }
      for mapping in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
        let mapped = mapping.unicodeScalars
        if let only = mapped.first, mapped.count == 1, only != scalar { join(value, only.value) }
      }
    }
    var pairs: [(scalar: UInt32, other: UInt32)] = []
    for members in groups.values {
      for member in members {
        for other in members where other != member { pairs.append((member, other)) }
      }
    }
    return pairs.sorted { $0 < $1 }
  }()

  private static func firstPair(at scalar: UInt32) -> Int {
    let table = pairs
    var from = 0
    var to = table.count
    while from < to {
      let middle = (from + to) / 2
      if table[middle].scalar < scalar { from = middle + 1 } else { to = middle }
    }
    return from
  }
}

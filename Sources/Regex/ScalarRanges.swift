/// An inclusive range of code points.
struct ScalarRange: Hashable, Sendable {
  var low: UInt32
  var high: UInt32

  /// Every code point. The range includes surrogates, which never occur in text.
  static let all = ScalarRange(low: 0, high: 0x10_FFFF)
}

/// Arithmetic on sorted, disjoint lists of ranges that do not touch. Surrogates do not occur, so ranges may include them, but
/// never begin or end with one.
extension [ScalarRange] {
  /// The same code points in canonical form.
  func normalized() -> [ScalarRange] {
    var result: [ScalarRange] = []
    result.reserveCapacity(count)
    for range in sorted(by: { ($0.low, $0.high) < ($1.low, $1.high) }) {
      let low = (0xD800...0xDFFF).contains(range.low) ? 0xE000 : range.low
      let high = (0xD800...0xDFFF).contains(range.high) ? 0xD7FF : range.high
      guard low <= high else { continue }
      if let last = result.last, low <= Self.successor(of: last.high) {
        result[result.count - 1].high = Swift.max(last.high, high)
      } else {
        result.append(ScalarRange(low: low, high: high))
      }
    }
    return result
  }

  /// Every code point that is not in this canonical list.
  func complemented() -> [ScalarRange] {
    var result: [ScalarRange] = []
    var next: UInt32 = 0
    for range in self {
      if range.low > next {
        let high = range.low == 0xE000 ? 0xD7FF : range.low - 1
        result.append(ScalarRange(low: next, high: high))
      }
      next = Self.successor(of: range.high)
    }
    if next <= 0x10_FFFF { result.append(ScalarRange(low: next, high: 0x10_FFFF)) }
    return result
  }

  /// The code points in both canonical lists.
  func intersected(with other: [ScalarRange]) -> [ScalarRange] {
    var result: [ScalarRange] = []
    var i = 0
    var j = 0
    while i < count, j < other.count {
      let low = Swift.max(self[i].low, other[j].low)
      let high = Swift.min(self[i].high, other[j].high)
      if low <= high { result.append(ScalarRange(low: low, high: high)) }
      if self[i].high < other[j].high { i += 1 } else { j += 1 }
    }
    return result.normalized()
  }

  /// Whether the code point is in this canonical list.
  func containsScalar(_ scalar: UInt32) -> Bool {
    let index = firstIndex(endingAtOrAfter: scalar)
    return index < count && self[index].low <= scalar
  }

  /// Index of the first range of this canonical list that does not end before the code point.
  func firstIndex(endingAtOrAfter scalar: UInt32) -> Int {
    var from = 0
    var to = count
    while from < to {
      let middle = (from + to) / 2
      if self[middle].high < scalar { from = middle + 1 } else { to = middle }
    }
    return from
  }

  private static func successor(of scalar: UInt32) -> UInt32 {
    scalar == 0xD7FF ? 0xE000 : scalar + 1
  }
}

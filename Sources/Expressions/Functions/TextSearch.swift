internal import CShims

/// Searches for a part in strings. The work is proportional to their lengths, whatever their content.
///
/// Long parts use the two-way algorithm (Crochemore and Perrin, "Two-way string-matching", 1991), which
/// needs no memory. Short parts are compared byte by byte, because their length bounds the work.
struct TextSearch {
  // SAFETY: Lengths are compared first. The period and the split are below the part's length, so
  // every step stays inside both strings. The part outlives the search. Tests: TextSearchTests,
  // asan.

  /// The bytes in the direction of the search.
  private struct Walk {
    let origin: UnsafePointer<UInt8>
    let step: Int

    init(_ base: UnsafePointer<UInt8>, _ count: Int, backwards: Bool) {
      origin = backwards ? base + (count - 1) : base
      step = backwards ? -1 : 1
    }

    @inline(__always)
    subscript(i: Int) -> UInt8 { origin[i &* step] }
  }

  private let part: ByteView
  /// The place that divides the part in two. The bytes after this place are compared first.
  private var split = 0
  private var period = 1
  private var isPeriodic = false
  private static let shortest = 32

  /// A search for a part. An empty part matches everywhere.
  init(_ part: ByteView) { self.init(part, backwards: false) }

  private init(_ part: ByteView, backwards: Bool) {
    self.part = part
    guard part.count > TextSearch.shortest, let base = part.baseAddress else { return }
    let walk = Walk(base, part.count, backwards: backwards)
    let one = TextSearch.maximalSuffix(walk, part.count, ascending: true)
    let other = TextSearch.maximalSuffix(walk, part.count, ascending: false)
    (split, period) = one.start > other.start ? one : other
    isPeriodic = (0..<split).allSatisfy { walk[$0] == walk[$0 + period] }
  }

  /// The first place of the part in the string, at `start` or later.
  func first(in text: ByteView, from start: Int) -> Int? {
    guard text.count - start >= part.count else { return nil }
    guard let needle = part.baseAddress, let base = text.baseAddress, part.count > 0 else {
      return start
    }
    guard part.count > TextSearch.shortest else {
      return firstShort(base, text.count, needle, from: start)
    }
    let found = find(
      Walk(needle, part.count, backwards: false), in: Walk(base + start, 0, backwards: false),
      text.count - start)
    return found.map { start + $0 }
  }

  private func firstShort(
    _ base: UnsafePointer<UInt8>, _ count: Int, _ needle: UnsafePointer<UInt8>, from start: Int
  ) -> Int? {
    var at = start
    let last = count - part.count
    while at <= last {
      guard let found = memchr(base + at, Int32(needle[0]), last - at + 1) else { return nil }
      at = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      if memcmp(base + at, needle, part.count) == 0 { return at }
      at += 1
    }
    return nil
  }

  /// The last place of the part in the string.
  static func last(of part: ByteView, in text: ByteView) -> Int? {
    guard part.count <= text.count else { return nil }
    guard let needle = part.baseAddress, let base = text.baseAddress, part.count > 0 else {
      return text.count
    }
    if part.count <= shortest {
      var at = text.count - part.count
      while at >= 0 {
        if base[at] == needle[0], memcmp(base + at, needle, part.count) == 0 { return at }
        at -= 1
      }
      return nil
    }
    let search = TextSearch(part, backwards: true)
    let found = search.find(
      Walk(needle, part.count, backwards: true), in: Walk(base, text.count, backwards: true),
      text.count)
    return found.map { text.count - part.count - $0 }
  }

  private func find(_ needle: Walk, in text: Walk, _ count: Int) -> Int? {
    let length = part.count
    let shift = isPeriodic ? period : max(split, length - split) + 1
    // The length of the part's beginning that is known to match from the previous place.
    var known = 0
    var at = 0
    while at <= count - length {
      var i = max(split, known)
      while i < length, needle[i] == text[at + i] { i += 1 }
      if i < length {
        at += i - split + 1
        known = 0
        continue
      }
      i = split
      while i > known, needle[i - 1] == text[at + i - 1] { i -= 1 }
      if i <= known { return at }
      at += shift
      known = isPeriodic ? length - period : 0
    }
    return nil
  }

  /// The greatest suffix in one of the two orders of bytes, and its period.
  private static func maximalSuffix(_ part: Walk, _ count: Int, ascending: Bool)
    -> (start: Int, period: Int)
  {
    var start = 0
    var candidate = 1
    var matched = 0
    var period = 1
    while candidate + matched < count {
      let new = part[candidate + matched]
      let old = part[start + matched]
      if new == old {
        matched += 1
        if matched == period {
          candidate += period
          matched = 0
        }
      } else if (new < old) == ascending {
        candidate += matched + 1
        matched = 0
        period = candidate - start
      } else {
        start = candidate
        candidate += 1
        matched = 0
        period = 1
      }
    }
    return (start, period)
  }
}

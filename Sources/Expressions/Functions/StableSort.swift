/// Sorts by number, without moving the elements and without memory outside the arena.
enum StableSort {
  // SAFETY: The arena has room for `2 * count` numbers. A merge sort stays inside it whatever
  // `isBefore` returns. Tests: ListExtensionTests, HostileInputTests, asan.

  /// The numbers 0 to `count` - 1 in a stable order, or nil if the arena is full. This is a merge sort: its
  /// work does not depend on the previous order.
  static func order(
    of count: Int, _ arena: inout Arena, isBefore: (Int, Int) -> Bool
  ) -> UnsafeMutablePointer<Int>? {
    guard count >= 0, count <= Int.max / 32,
      let memory = arena.allocate(count * 2 * MemoryLayout<Int>.stride)
    else { return nil }
    var sorted = memory.bindMemory(to: Int.self, capacity: count * 2)
    var spare = sorted + count
    for i in 0..<count { sorted[i] = i }
    var width = 1
    while width < count {
      var start = 0
      while start < count {
        let middle = min(start + width, count)
        let end = min(middle + width, count)
        merge(sorted, spare, start, middle, end, isBefore)
        start = end
      }
      swap(&sorted, &spare)
      width *= 2
    }
    return sorted
  }

  private static func merge(
    _ source: UnsafeMutablePointer<Int>, _ target: UnsafeMutablePointer<Int>,
    _ start: Int, _ middle: Int, _ end: Int, _ isBefore: (Int, Int) -> Bool
  ) {
    var left = start
    var right = middle
    for place in start..<end {
      // Among equal elements, the left element comes first, so that the sort is stable.
      if left < middle, right >= end || !isBefore(source[right], source[left]) {
        target[place] = source[left]
        left += 1
      } else {
        target[place] = source[right]
        right += 1
      }
    }
  }
}

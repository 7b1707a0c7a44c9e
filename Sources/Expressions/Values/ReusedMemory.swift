#if DEBUG || TOLLGATE_POISON
  internal import CShims
#endif

/// Memory that is used again and again: arenas, buffers, columns.
///
/// The address sanitizer does not see a pointer into memory that has found another use. So whoever
/// gives memory back says so here. In debug builds, and with `-DTOLLGATE_POISON`, it is then filled with
/// 0xA5, and the sanitizer, where it is linked in, reports whoever reads it. In other builds nothing
/// happens.
package enum ReusedMemory {
  // SAFETY: The caller owns the range, which lies inside one allocation. The owner takes memory
  // back before it frees it, because the allocator may use it again. Tests: ConditionColumnsTests,
  // asan.

  /// Whether memory that was given back is made useless.
  package static var isPoisoned: Bool {
    #if DEBUG || TOLLGATE_POISON
      true
    #else
      false
    #endif
  }

  /// Nobody may read this memory until it is taken again.
  @inline(__always)
  package static func giveBack(_ start: UnsafeMutableRawPointer?, _ count: Int) {
    #if DEBUG || TOLLGATE_POISON
      if let start, count > 0 { poisonMemory(start, count) }
    #endif
  }

  /// Memory that was given back is in use again.
  @inline(__always)
  package static func take(_ start: UnsafeMutableRawPointer?, _ count: Int) {
    #if DEBUG || TOLLGATE_POISON
      if let start, count > 0 { unpoisonMemory(start, count) }
    #endif
  }
}

#if DEBUG || TOLLGATE_POISON
  internal import CShims
#endif

/// Memory that is reused: arenas, buffers, columns.
///
/// The address sanitizer does not detect a pointer into memory that has another use now. So code that releases memory
/// calls this type. In debug builds, and with `-DTOLLGATE_POISON`, the memory is then filled with 0xA5, and the
/// sanitizer, if it is linked, reports reads of this memory. In other builds, this type does nothing.
package enum ReusedMemory {
  // SAFETY: The caller owns the range, which is inside one allocation. The owner takes memory
  // back before it frees it, because the allocator may use it again. Tests: ConditionColumnsTests,
  // asan.

  /// Whether released memory is made unusable.
  package static var isPoisoned: Bool {
    #if DEBUG || TOLLGATE_POISON
      true
    #else
      false
    #endif
  }

  /// Marks memory as unused, so that it must not be read until it is taken again.
  @inline(__always)
  package static func giveBack(_ start: UnsafeMutableRawPointer?, _ count: Int) {
    #if DEBUG || TOLLGATE_POISON
      if let start, count > 0 { poisonMemory(start, count) }
    #endif
  }

  /// Marks unused memory as in use again.
  @inline(__always)
  package static func take(_ start: UnsafeMutableRawPointer?, _ count: Int) {
    #if DEBUG || TOLLGATE_POISON
      if let start, count > 0 { unpoisonMemory(start, count) }
    #endif
  }
}

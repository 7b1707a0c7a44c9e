/// Memory for compiling a template, which no program needs afterwards. The next compilation reuses it, because
/// compiling a short source takes less time than allocating these arrays.
///
/// Only one thread at a time uses a scratch, from taking it from the pool until returning it.
final class TemplateScratch: @unchecked Sendable {
  // SAFETY: One thread has a scratch, from `take()` to `give(_:)`. The pool is behind a `Locked`.
  // Tests: RenderingTests, tsan.

  var tree = TemplateTree()
  /// Numbers of nodes that are collected before they become lists, for the parser, the expression reader and the
  /// compiler.
  var parsed: [UInt32] = []
  var read: [UInt32] = []
  var compiled: [UInt32] = []
  var names: [SlotTable.NameRange] = []
  var tables = ConditionGraph.Tables()

  private static let pool = Locked<[TemplateScratch]>([])
  /// The number of threads that are likely to compile at the same time.
  private static let mostKept = 8
  /// The memory for sources longer than this is not reused.
  private static let mostBytes = 16_384

  /// Unused memory from the pool, or new memory.
  static func take() -> TemplateScratch {
    pool.withLock { $0.popLast() } ?? TemplateScratch()
  }

  /// Returns memory to the pool.
  static func give(_ scratch: TemplateScratch) {
    guard scratch.tree.sourceCount <= mostBytes else { return }
    pool.withLock { pool in
      if pool.count < mostKept { pool.append(scratch) }
    }
  }
}

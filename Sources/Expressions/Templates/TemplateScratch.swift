/// Memory that compiling a template needs and no program keeps. It is used again by the next one,
/// because a short text is compiled in less time than its arrays take to allocate.
///
/// One thread at a time has it: whoever took it from the pool, until it is given back.
final class TemplateScratch: @unchecked Sendable {
  // SAFETY: One thread has a scratch, from `take()` to `give(_:)`. The pool is behind a `Locked`.
  // Tests: RenderingTests, tsan.

  var tree = TemplateTree()
  /// Numbers of nodes that are gathered before they become lists: of the parser, of the reader of
  /// expressions, of the compiler.
  var parsed: [UInt32] = []
  var read: [UInt32] = []
  var compiled: [UInt32] = []
  var names: [SlotTable.NameRange] = []
  var tables = ConditionGraph.Tables()

  private static let pool = Locked<[TemplateScratch]>([])
  /// As many as threads are likely to compile at the same time.
  private static let mostKept = 8
  /// Sources longer than this leave nothing behind.
  private static let mostBytes = 16_384

  /// Memory that nobody uses, or new.
  static func take() -> TemplateScratch {
    pool.withLock { $0.popLast() } ?? TemplateScratch()
  }

  /// Keeps memory for the next one.
  static func give(_ scratch: TemplateScratch) {
    guard scratch.tree.sourceCount <= mostBytes else { return }
    pool.withLock { pool in
      if pool.count < mostKept { pool.append(scratch) }
    }
  }
}

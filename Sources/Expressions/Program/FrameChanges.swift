extension Frame {
  /// Whether a slot may change alone: the slot contains an attribute, and no slot contains the whole context.
  package func canChange(_ slot: Int) -> Bool {
    storage.allDataSlot == nil && !storage.graph.slots.slots[slot].isPresenceOnly
  }

  /// Runs the body with another value of a slot, and then restores the slot's value. The frame must have a value for
  /// the slot.
  package mutating func changing<Result>(
    _ slot: Int, to value: Value, _ run: (inout Frame) -> Result
  ) throws(EvaluationError) -> Result {
    // SAFETY: The slot points into the part of the arena behind the mark only until it has its own cell again, and
    // the result is a copy. Tests: FrameFillTests, asan.
    let (own, mark) = (slots[slot], arena.mark)
    defer {
      slots[slot] = own
      arena.release(to: mark)
    }
    guard let cell = arena.cell(value, nesting: storage.limits.dataNesting) else {
      throw EvaluationError(.limitExceeded)
    }
    put(cell, into: slot)
    return run(&self)
  }
}

/// Observes a run. The machine is generic over the trace, so that a run without a trace has no extra cost.
protocol Trace {
  /// An instruction is about to run.
  mutating func runs(_ instruction: Int)
}

/// Records nothing.
struct NoTrace: Trace {
  @inline(__always)
  mutating func runs(_ instruction: Int) {}
}

/// The instructions of one run.
struct PathTrace: Trace {
  private(set) var instructions: Set<UInt32> = []

  mutating func runs(_ instruction: Int) { instructions.insert(UInt32(instruction)) }
}

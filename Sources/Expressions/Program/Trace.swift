/// What is told of a run. The machine is generic over it, so that not asking costs nothing.
protocol Trace {
  mutating func tested(_ instruction: Int, _ outcome: TestTrace.Outcome)
}

/// Records nothing.
struct NoTrace: Trace {
  @inline(__always)
  mutating func tested(_ instruction: Int, _ outcome: TestTrace.Outcome) {}
}

/// The tests of one run, in the order in which they were made.
package struct TestTrace: Trace {
  package enum Outcome: UInt8 {
    case yes, no, fault
  }

  package private(set) var tests: [(instruction: UInt32, outcome: Outcome)] = []

  mutating func tested(_ instruction: Int, _ outcome: Outcome) {
    tests.append((UInt32(instruction), outcome))
  }
}

/// The state of a run. The type has methods instead of nested functions, because captured variables are stored in
/// memory and checked for exclusive access. The checks would double the cost of a small expression.
struct RunState<T: Trace> {
  // SAFETY: Pointers lead to cells of the frame that runs, by the operands of its program. See
  // `Machine`. Tests: ReferenceTests, SharingTests, fuzz evaluator.

  /// The instruction to run.
  var at: Int
  /// The last fault, with its instruction.
  var fault: UInt64 = 0
  var steps: Int
  /// Work that has not been subtracted from the steps yet.
  var work = 0
  var trace: T

  init(at: Int, steps: Int, trace: T) {
    self.at = at
    self.steps = steps
    self.trace = trace
  }

  @inline(__always)
  mutating func choose(_ outcome: Bool, _ targets: Targets) {
    if _slowPath(outcome) { at = Int(targets.yes) } else { at = Int(targets.no) }
  }

  @inline(__always)
  mutating func fail(_ cell: Cell, _ target: UInt32) {
    fault = placed(cell)
    at = Int(target)
    // The operation that reached a limit took long, and `||` skips its fault. No other operation may take long.
    if UInt8(truncatingIfNeeded: cell.low >> 8) == EvaluationError.Kind.limitExceeded.rawValue {
      steps = min(steps, 0)
    }
  }

  /// A fault with its instruction: the current one, or the original one if a variable stored the fault.
  @inline(__always)
  func placed(_ cell: Cell) -> UInt64 {
    cell.low >> 32 == 0 ? cell.low | UInt64(at) << 32 : cell.low
  }

  @inline(__always)
  mutating func failTest(_ cell: Cell, _ targets: Targets) {
    fail(cell, targets.fault)
  }

  /// Goes to the target of a bool. Any other value is an error.
  @inline(__always)
  mutating func decide(_ cell: Cell, _ targets: Targets) {
    if cell.tag == Tag.bool {
      choose(cell.boolValue, targets)
    } else {
      failTest(cell, targets)
    }
  }

  /// Writes a value and continues, or goes to the target of a fault.
  @inline(__always)
  mutating func store(
    in cells: UnsafeMutablePointer<Cell>, _ cell: Cell, _ to: UInt32, _ target: UInt32
  ) {
    if cell.isValue {
      cells[Int(to)] = cell
      at &-= 1
    } else {
      fail(cell, target)
    }
  }

  mutating func renew(_ steps: Int) {
    self.steps = steps
    work = 0
  }

  /// Appends a constant string, or ends the run if the output is full.
  @inline(__always)
  mutating func write(_ text: UnsafePointer<Cell>, _ rendering: inout RenderingState) {
    work &+= 1
    rendering.output.append(text.textBytes)
    if rendering.output.isFull || work > 1_024 && !isWithinBudget() {
      fail(Cell(fault: .limitExceeded), Lowering.finishFault)
    } else {
      at &-= 1
    }
  }

  /// Appends the printed form of a value.
  @inline(__always)
  mutating func write(
    _ value: UnsafePointer<Cell>, _ form: OutputForm, _ next: UInt32,
    _ rendering: inout RenderingState
  ) {
    work &+= 4
    spend(value.pointee)
    let isText = form == .raw ? rendering.printRaw(value) : rendering.print(value)
    if rendering.output.isFull || !isWithinBudget() {
      fail(Cell(fault: .limitExceeded), UInt32(at - 1))
    } else if isText {
      at = Int(next)
    } else {
      fail(Cell(fault: .conversion), UInt32(at - 1))
    }
  }

  /// Reports the last fault. A fault of a limit ends the run.
  @inline(never)
  mutating func report(_ next: UInt32, _ rendering: inout RenderingState) {
    let kind = UInt8(truncatingIfNeeded: fault >> 8)
    if kind == EvaluationError.Kind.limitExceeded.rawValue {
      at = Int(Lowering.finishFault)
    } else {
      work &+= 16
      rendering.report(fault)
      at = Int(next)
    }
  }

  /// Adds the cost of visiting a value once. Only collections and long strings count.
  @inline(__always)
  mutating func spend(_ cell: Cell) {
    switch cell.tag {
    case Tag.longText, Tag.bytes: work &+= cell.outsideCount >> 2
    case Tag.list, Tag.map: work &+= cell.outsideCount
    default: break
    }
  }

  /// Subtracts the work from the steps. The result is false if no steps are left.
  @inline(__always)
  mutating func isWithinBudget() -> Bool {
    if work < 64 { return true }
    steps &-= work >> 4
    work = 0
    return steps > 0
  }
}

/// Where a run stands. Methods and not nested functions: what these capture lives in memory and is
/// checked for exclusive access, which would be half the cost of a small expression.
struct RunState<T: Trace> {
  // SAFETY: Pointers lead to cells of the frame that runs, by the operands of its program. See
  // `Machine`. Tests: ReferenceTests, SharingTests, fuzz evaluator.

  /// The instruction to run.
  var at: Int
  /// The last fault, with its instruction.
  var fault: UInt64 = 0
  var steps: Int
  /// What was looked at and not yet taken from the steps.
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
    // What reached a limit took long, and `||` passes over its fault: nothing else may take long.
    if UInt8(truncatingIfNeeded: cell.low >> 8) == EvaluationError.Kind.limitExceeded.rawValue {
      steps = min(steps, 0)
    }
  }

  /// A fault with its instruction: this one, unless a variable kept it from where it arose.
  @inline(__always)
  func placed(_ cell: Cell) -> UInt64 {
    cell.low >> 32 == 0 ? cell.low | UInt64(at) << 32 : cell.low
  }

  @inline(__always)
  mutating func failTest(_ cell: Cell, _ targets: Targets) {
    fail(cell, targets.fault)
  }

  /// A bool decides; anything else is a fault.
  @inline(__always)
  mutating func decide(_ cell: Cell, _ targets: Targets) {
    if cell.tag == Tag.bool {
      choose(cell.boolValue, targets)
    } else {
      failTest(cell, targets)
    }
  }

  /// Writes a value and goes on, or goes to the target of a fault.
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

  /// Appends a constant text, or ends the run where the output is full.
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

  /// Appends what a value prints as.
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

  /// Tells the last fault; one that a limit caused ends the run.
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

  /// Adds what going through a value once costs; only collections and long texts count.
  @inline(__always)
  mutating func spend(_ cell: Cell) {
    switch cell.tag {
    case Tag.longText, Tag.bytes: work &+= cell.outsideCount >> 2
    case Tag.list, Tag.map: work &+= cell.outsideCount
    default: break
    }
  }

  /// Takes the work from the steps; false when they are used up.
  @inline(__always)
  mutating func isWithinBudget() -> Bool {
    if work < 64 { return true }
    steps &-= work >> 4
    work = 0
    return steps > 0
  }
}

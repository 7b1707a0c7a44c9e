/// The next instructions of a test, as indexes into the instructions.
struct Targets {
  var yes: UInt32
  var no: UInt32
  /// The target if an operand is missing or has a type that the test does not accept.
  var fault: UInt32

  /// The targets of the negated test.
  var negated: Targets { Targets(yes: no, no: yes, fault: fault) }
}

/// One step of a program. Operands are indexes into the frame: constants first, then attribute slots, then
/// temporaries.
///
/// Instructions are emitted from an expression's end to its beginning and run downwards, so that every target
/// is known when it is written. Jumps go forward in running order, that is, to lower indexes. This bounds
/// every run by the length of the program. Only loops jump back, and their rounds are counted.
enum Instruction {
  typealias Operand = UInt32

  // Tests: read operands, choose a target.
  case isTrue(Operand, Targets)
  /// Equality with a constant that only equals identical bits: short string, bool, null.
  case equalBits(Operand, constant: Operand, Targets)
  case equalInt(Operand, constant: Operand, Targets)
  case equal(Operand, Operand, Targets)
  case less(Operand, Operand, Targets)
  case lessOrEqual(Operand, Operand, Targets)
  /// Whether an attribute exists.
  case present(Operand, Targets)
  case hasField(Operand, name: Operand, Targets)
  /// Membership in a constant list of values that only equal identical bits.
  case inBits(Operand, list: Operand, Targets)
  /// Membership in a constant list with a hash index.
  case inSet(Operand, set: UInt32, Targets)
  case isIn(Operand, Operand, Targets)
  case contains(Operand, Operand, Targets)
  case startsWith(Operand, Operand, Targets)
  case endsWith(Operand, Operand, Targets)
  /// Matches a pattern of the program.
  case matches(Operand, pattern: UInt32, Targets)
  /// Matches a pattern that is only known at run time.
  case matchesText(Operand, Operand, Targets)

  /// Whether a value is truthy. A missing value is not truthy.
  case isTruthy(Operand, Targets)
  /// Compares the order of two values. Values without an order, such as NaN, are an error.
  case compare(Operand, Operand, Targets, Superscript.Comparison)
  /// Calls a function of two operands whose result is a bool.
  case testCall(Operand, Operand, Targets, Function)
  /// Continues at `next` if an attribute exists. If the attribute is missing, the instruction is a test that is false.
  case skipIfMissing(Operand, next: UInt32, missing: UInt32, fault: UInt32)
  /// Continues at the target of a test whose outcome is known, because its attribute is missing.
  case settle(Bool, UInt32)

  // Error absorption in `&&` and `||`: store a chain's fault and continue, and check it at the end.
  case pend(chain: UInt32, next: UInt32)
  case check(chain: UInt32, fault: UInt32)

  /// Writes the last fault like a value and continues. Instructions that read this value fail with the fault.
  case keep(to: Operand, next: UInt32)

  /// Where to continue after a fault: at `caught` for these kinds, and at `other` for all others.
  case rescue(FaultSet, caught: UInt32, other: UInt32)
  case raise(EvaluationError.Kind, fault: UInt32)

  // Values: write `to`, then fall through. On a fault, go to its target.
  case copy(Operand, to: Operand, fault: UInt32)
  /// An attribute, or another value if the attribute is missing.
  case orElse(Operand, Operand, to: Operand, fault: UInt32)
  /// An attribute, or null if a map does not contain it.
  case orNull(Operand, to: Operand, fault: UInt32)
  case add(Operand, Operand, to: Operand, fault: UInt32)
  case subtract(Operand, Operand, to: Operand, fault: UInt32)
  case multiply(Operand, Operand, to: Operand, fault: UInt32)
  case divide(Operand, Operand, to: Operand, fault: UInt32)
  case modulo(Operand, Operand, to: Operand, fault: UInt32)
  case negate(Operand, to: Operand, fault: UInt32)
  case size(Operand, to: Operand, fault: UInt32)
  case select(Operand, name: Operand, to: Operand, fault: UInt32)
  case index(Operand, Operand, to: Operand, fault: UInt32)
  /// Reads a member of a map. If the member is missing and a function has the name, the result is the function.
  case member(Operand, name: Operand, to: Operand, fault: UInt32, isFunction: Bool)
  case arithmetic(Operand, Operand, to: Operand, fault: UInt32, Superscript.Operator)
  /// Creates a list of `count` consecutive operands.
  case makeList(first: Operand, count: UInt32, to: Operand, fault: UInt32)
  /// Creates a map of `count` consecutive keys and values.
  case makeMap(first: Operand, count: UInt32, to: Operand, fault: UInt32)

  /// Creates a map. Among repeated keys, the last key counts.
  case makeMapKeepingLast(first: Operand, count: UInt32, to: Operand, fault: UInt32)

  /// Calls a function of up to two operands.
  case call(Function, count: UInt8, Operand, Operand, to: Operand, fault: UInt32)
  /// Calls a function of consecutive operands.
  case callMany(Function, count: UInt8, first: Operand, to: Operand, fault: UInt32)

  // Loops. An iterator is a position. The variables of the loop follow it.
  case beginLoop(Operand, iterator: Operand, fault: UInt32)
  /// Sets the variables to the next element and falls through, or goes to `done`.
  case next(Operand, iterator: Operand, two: Bool, done: UInt32, fault: UInt32)
  /// Clears the fault that a chain inside a loop stored in the previous round.
  case forget(chain: UInt32)
  case newList(Operand)
  case newMap(Operand)
  case append(Operand, to: Operand, fault: UInt32)
  /// Appends the value of an optional, if the optional has a value.
  case appendOptional(Operand, to: Operand, fault: UInt32)
  case insert(key: Operand, Operand, to: Operand, fault: UInt32)
  case insertOptional(key: Operand, Operand, to: Operand, fault: UInt32)
  /// Inserts the entries of a map.
  case insertAll(Operand, to: Operand, fault: UInt32)

  /// Resets the work and memory of the run to their state at its beginning.
  case renew

  // Templates.
  /// Whether a value is neither nil nor false.
  case affirms(Operand, Targets)
  case relation(Operand, Operand, Targets, LiquidRelation)
  case filter(LiquidFunction, count: UInt8, first: Operand, to: Operand, fault: UInt32)
  /// Appends a constant string to the output unchanged.
  case writeText(Operand)
  /// Appends the printed form of a value and continues at `next`. For a value without a printed form, falls through to
  /// the next instruction.
  case write(Operand, form: OutputForm, next: UInt32)
  /// Copies a value, even if the value is missing.
  case move(Operand, to: Operand)
  /// Stores the length of the output.
  case beginCapture(to: Operand)
  /// Removes the output since the capture began, and stores the output as a string.
  case endCapture(Operand, to: Operand, fault: UInt32)
  /// Reports the last fault and continues. If a limit was reached, ends the run.
  case report(next: UInt32)

  // Flow.
  case jump(UInt32)
  /// Jumps by a bool that the program set itself, and that is not a test of the expression.
  case branch(Operand, yes: UInt32, no: UInt32)
  case finish(Operand)
  case finishFault
}

extension Instruction {
  /// The operands that are read as values.
  var operands: [Operand] { shape.reads }

  /// The targets of a test, or nil.
  var targets: Targets? { shape.targets }

  /// The operands that an instruction reads, in order, and the targets of a test. All code except the machine uses this
  /// property.
  private var shape: (reads: [Operand], targets: Targets?) {
    func places<Count: BinaryInteger>(_ first: Operand, _ count: Count) -> [Operand] {
      (0..<UInt32(count)).map { first + $0 }
    }
    switch self {
    case .isTrue(let a, let targets), .equalBits(let a, _, let targets),
      .equalInt(let a, _, let targets), .present(let a, let targets),
      .hasField(let a, _, let targets), .inBits(let a, _, let targets),
      .inSet(let a, _, let targets), .matches(let a, _, let targets), .isTruthy(let a, let targets),
      .affirms(let a, let targets):
      return ([a], targets)
    case .equal(let a, let b, let targets), .less(let a, let b, let targets),
      .lessOrEqual(let a, let b, let targets), .isIn(let a, let b, let targets),
      .contains(let a, let b, let targets), .startsWith(let a, let b, let targets),
      .endsWith(let a, let b, let targets), .matchesText(let a, let b, let targets),
      .compare(let a, let b, let targets, _), .testCall(let a, let b, let targets, _),
      .relation(let a, let b, let targets, _):
      return ([a, b], targets)
    case .skipIfMissing(let a, _, _, _), .copy(let a, _, _), .orNull(let a, _, _),
      .negate(let a, _, _), .size(let a, _, _), .select(let a, _, _, _),
      .member(let a, _, _, _, _), .beginLoop(let a, _, _), .next(let a, _, _, _, _),
      .append(let a, _, _), .appendOptional(let a, _, _), .insertAll(let a, _, _),
      .writeText(let a), .write(let a, _, _), .move(let a, _), .endCapture(let a, _, _),
      .branch(let a, _, _), .finish(let a):
      return ([a], nil)
    case .add(let a, let b, _, _), .subtract(let a, let b, _, _), .multiply(let a, let b, _, _),
      .divide(let a, let b, _, _), .modulo(let a, let b, _, _), .index(let a, let b, _, _),
      .arithmetic(let a, let b, _, _, _), .orElse(let a, let b, _, _), .insert(let a, let b, _, _),
      .insertOptional(let a, let b, _, _):
      return ([a, b], nil)
    case .call(_, let count, let a, let b, _, _): return (Array([a, b].prefix(Int(count))), nil)
    case .callMany(_, let count, let first, _, _), .filter(_, let count, let first, _, _):
      return (places(first, count), nil)
    case .makeList(let first, let count, _, _): return (places(first, count), nil)
    case .makeMap(let first, let count, _, _), .makeMapKeepingLast(let first, let count, _, _):
      return (places(first, count * 2), nil)
    case .settle, .pend, .check, .keep, .rescue, .raise, .forget, .newList, .newMap, .renew,
      .beginCapture, .report, .jump, .finishFault:
      return ([], nil)
    }
  }

  /// Whether the instruction takes neither steps nor memory from the limits of a run, whatever its operands are.
  var isWithinAnyLimit: Bool {
    switch self {
    case .isTrue, .equalBits, .equalInt, .less, .lessOrEqual, .present, .inBits, .inSet, .pend,
      .check, .keep, .forget, .jump, .finish, .finishFault, .copy:
      true
    default: false
    }
  }
}

/// Where a test goes on. Indexes into the instructions.
struct Targets {
  var yes: UInt32
  var no: UInt32
  /// When an operand is missing or has a type that the test does not take.
  var fault: UInt32

  /// The same for the opposite of what is tested.
  var negated: Targets { Targets(yes: no, no: yes, fault: fault) }
}

/// One step of a program. Operands are indexes into the frame: constants first, then attribute
/// slots, then temporaries.
///
/// Instructions are emitted from an expression's end to its beginning and run downwards, so that
/// every target is known when it is written. Jumps go forward in running order, that is to lower
/// indexes, which bounds every run by the length of the program; only loops jump back, and their
/// rounds are counted.
enum Instruction {
  typealias Operand = UInt32

  // Tests: read operands, choose a target.
  case isTrue(Operand, Targets)
  /// Against a constant for which equality is identity of bits: short text, bool, null.
  case equalBits(Operand, constant: Operand, Targets)
  case equalInt(Operand, constant: Operand, Targets)
  case equal(Operand, Operand, Targets)
  case less(Operand, Operand, Targets)
  case lessOrEqual(Operand, Operand, Targets)
  /// Whether an attribute is there.
  case present(Operand, Targets)
  case hasField(Operand, name: Operand, Targets)
  /// In a constant list of values for which equality is identity of bits.
  case inBits(Operand, list: Operand, Targets)
  /// In a constant list that has a hash index.
  case inSet(Operand, set: UInt32, Targets)
  case isIn(Operand, Operand, Targets)
  case contains(Operand, Operand, Targets)
  case startsWith(Operand, Operand, Targets)
  case endsWith(Operand, Operand, Targets)
  /// Against a pattern of the program.
  case matches(Operand, pattern: UInt32, Targets)
  /// Against a pattern known only now.
  case matchesText(Operand, Operand, Targets)

  /// Whether a value counts as true. What is not there does not.
  case isTruthy(Operand, Targets)
  /// An ordering in which values without one, NaN among them, are a fault.
  case compare(Operand, Operand, Targets, Superscript.Comparison)
  /// A function of two operands that gives a bool.
  case testCall(Operand, Operand, Targets, Function)
  /// Goes on at `next` where an attribute is there; a test that is false where it is not.
  case skipIfMissing(Operand, next: UInt32, missing: UInt32, fault: UInt32)
  /// What the test of a missing attribute comes to is known: tells it, and goes on.
  case settle(Bool, UInt32)

  // Error absorption in `&&` and `||`: remember a chain's fault and go on; look for it at the end.
  case pend(chain: UInt32, next: UInt32)
  case check(chain: UInt32, fault: UInt32)

  /// Writes the last fault as if it were a value and goes on: what reads it fails by it.
  case keep(to: Operand, next: UInt32)

  /// Where to go on after a fault: `caught` for these kinds.
  case rescue(FaultSet, caught: UInt32, other: UInt32)
  case raise(EvaluationError.Kind, fault: UInt32)

  // Values: write `to`, then fall through; on a fault go to its target.
  case copy(Operand, to: Operand, fault: UInt32)
  /// An attribute, or another value where it is missing.
  case orElse(Operand, Operand, to: Operand, fault: UInt32)
  /// An attribute, or null where a map does not hold it.
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
  /// A member of a map; where there is none and the name is a function's, that function.
  case member(Operand, name: Operand, to: Operand, fault: UInt32, isFunction: Bool)
  case arithmetic(Operand, Operand, to: Operand, fault: UInt32, Superscript.Operator)
  /// A list of `count` operands that lie one after the other.
  case makeList(first: Operand, count: UInt32, to: Operand, fault: UInt32)
  /// A map of `count` keys and values that lie one after the other.
  case makeMap(first: Operand, count: UInt32, to: Operand, fault: UInt32)

  /// The same; of repeated keys the last one counts.
  case makeMapKeepingLast(first: Operand, count: UInt32, to: Operand, fault: UInt32)

  /// A function of up to two operands.
  case call(Function, count: UInt8, Operand, Operand, to: Operand, fault: UInt32)
  /// A function of operands that lie one after the other.
  case callMany(Function, count: UInt8, first: Operand, to: Operand, fault: UInt32)

  // Loops. An iterator is a position; the variables of the loop lie behind it.
  case beginLoop(Operand, iterator: Operand, fault: UInt32)
  /// Sets the variables to the next element and falls through, or goes to `done`.
  case next(Operand, iterator: Operand, two: Bool, done: UInt32, fault: UInt32)
  /// Forgets what a chain inside a loop kept in the round before.
  case forget(chain: UInt32)
  case newList(Operand)
  case newMap(Operand)
  case append(Operand, to: Operand, fault: UInt32)
  /// Appends what an optional holds, if it holds anything.
  case appendOptional(Operand, to: Operand, fault: UInt32)
  case insert(key: Operand, Operand, to: Operand, fault: UInt32)
  case insertOptional(key: Operand, Operand, to: Operand, fault: UInt32)
  /// Inserts the entries of a map.
  case insertAll(Operand, to: Operand, fault: UInt32)

  /// Sets work and memory of the run back to what they were at its beginning.
  case renew

  // Templates.
  /// Whether a value is neither nothing nor false.
  case affirms(Operand, Targets)
  case relation(Operand, Operand, Targets, LiquidRelation)
  case filter(LiquidFunction, count: UInt8, first: Operand, to: Operand, fault: UInt32)
  /// Appends a constant text to the output as it is.
  case writeText(Operand)
  /// Appends what a value prints as and goes on at `next`; what has no text goes to the instruction
  /// behind this one.
  case write(Operand, form: OutputForm, next: UInt32)
  /// Copies a value, also one that is not there.
  case move(Operand, to: Operand)
  /// Keeps how long the output is.
  case beginCapture(to: Operand)
  /// Takes what was written since then out of the output.
  case endCapture(Operand, to: Operand, fault: UInt32)
  /// Tells the last fault and goes on; where a limit was reached, ends.
  case report(next: UInt32)

  // Flow.
  case jump(UInt32)
  /// By a bool that a program set itself, which is not a test of its own.
  case branch(Operand, yes: UInt32, no: UInt32)
  case finish(Operand)
  case finishFault
}

extension Instruction {
  /// What is read as a value.
  var operands: [Operand] { shape.reads }

  /// The targets of a test, or nil.
  var targets: Targets? { shape.targets }

  /// What an instruction reads, in order, and where it goes on when it is a test. Everything but the
  /// machine, which runs it, asks here.
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

  /// Whether the instruction takes neither steps nor memory of what a run may use, whatever its
  /// operands are.
  var isWithinAnyLimit: Bool {
    switch self {
    case .isTrue, .equalBits, .equalInt, .less, .lessOrEqual, .present, .inBits, .inSet, .pend,
      .check, .keep, .forget, .jump, .finish, .finishFault, .copy:
      true
    default: false
    }
  }
}

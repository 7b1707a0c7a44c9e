/// How an expression is evaluated over columns: its instructions that can run, in running order.
///
/// Running goes to lower indexes only, so one pass over the instructions, each with the mask of the
/// rows that get to it, evaluates all rows. Where an instruction does not make a test of attributes
/// (it computes a value, or begins a loop), its rows go on one by one in the machine.
struct ColumnPlan: Sendable {
  enum Step: Sendable {
    /// Number of the test, and the steps to go on with.
    case test(Int, yes: Int, no: Int, fault: Int)
    case pend(chain: Int, next: Int)
    case check(chain: Int, fault: Int, next: Int)
    case jump(Int)
    /// After a test that failed: whether the attribute that it reads is missing.
    case missing(slot: Int, caught: Int, other: Int)
    case finish(Bool)
    /// The condition is what an attribute is: number of the test.
    case finishTest(Int)
    /// Go on row by row from this instruction.
    case rows(from: Int)
  }

  private(set) var steps: [Step] = []
  /// Whether every test is as cheap for all rows as for some.
  private(set) var isCheap = true

  init(_ entry: Program.Entry, _ storage: Program.Storage, _ tests: inout ColumnTestTable) {
    var maker = StepMaker(storage: storage)
    var made: [Int: Step] = [:]
    var open = [StepMaker.key(entry.start)]
    while let key = open.popLast(), maker.isPossible {
      guard made[key] == nil else { continue }
      let step = maker.step(key, &tests)
      made[key] = step
      open += ColumnPlan.successors(step)
    }
    guard maker.isPossible else {
      steps = [.rows(from: Int(entry.start))]
      isCheap = false
      return
    }
    let order = made.keys.sorted(by: >)
    let number = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    for key in order {
      guard let step = made[key] else { continue }
      steps.append(ColumnPlan.renumbered(step) { number[$0] ?? 0 })
      switch step {
      case .rows: isCheap = false
      case .test(let test, _, _, _), .finishTest(let test):
        isCheap = isCheap && tests.tests[test].isCheap
      default: break
      }
    }
  }

  private static func successors(_ step: Step) -> [Int] {
    switch step {
    case .test(_, let yes, let no, let fault): [yes, no, fault]
    case .pend(_, let next), .jump(let next): [next]
    case .check(_, let fault, let next): [fault, next]
    case .missing(_, let caught, let other): [caught, other]
    case .finish, .finishTest, .rows: []
    }
  }

  private static func renumbered(_ step: Step, _ number: (Int) -> Int) -> Step {
    switch step {
    case .test(let test, let yes, let no, let fault):
      .test(test, yes: number(yes), no: number(no), fault: number(fault))
    case .pend(let chain, let next): .pend(chain: chain, next: number(next))
    case .check(let chain, let fault, let next):
      .check(chain: chain, fault: number(fault), next: number(next))
    case .jump(let next): .jump(number(next))
    case .missing(let slot, let caught, let other):
      .missing(slot: slot, caught: number(caught), other: number(other))
    case .finish, .finishTest, .rows: step
    }
  }
}

/// Makes the steps of a plan. A step is known by a key: twice the index of its instruction and one,
/// or without the one for what follows when the instruction's test fails. Running goes to lower
/// keys.
private struct StepMaker {
  let storage: Program.Storage
  /// Set when the program goes on by what fault it was in a way that columns do not keep.
  private(set) var isPossible = true

  init(storage: Program.Storage) { self.storage = storage }

  static func key(_ instruction: some BinaryInteger) -> Int { Int(instruction) * 2 + 1 }

  /// The step with a key, whose targets are keys.
  mutating func step(_ key: Int, _ tests: inout ColumnTestTable) -> ColumnPlan.Step {
    let at = key / 2
    let instruction = storage.code[at]
    if key % 2 == 0 { return afterFault(instruction) }
    if case .skipIfMissing(let a, let next, let missing, _) = instruction, let slot = slot(a) {
      return .test(
        tests.number(of: .present(slot: slot)), yes: StepMaker.key(next),
        no: StepMaker.key(missing), fault: at * 2)
    }
    if let test = tests.number(of: instruction, storage), let targets = instruction.targets {
      return .test(
        test, yes: StepMaker.key(targets.yes), no: StepMaker.key(targets.no),
        fault: faultTarget(of: at, targets.fault))
    }
    switch instruction {
    case .pend(let chain, let next):
      return .pend(chain: Int(chain), next: StepMaker.key(next))
    case .check(let chain, let fault):
      return .check(chain: Int(chain), fault: plainTarget(fault), next: StepMaker.key(at - 1))
    case .jump(let target), .settle(_, let target): return .jump(StepMaker.key(target))
    case .raise(let kind, let fault): return .jump(target(of: kind, from: fault))
    case .finishFault: return .finish(false)
    case .finish(let place):
      let constants = storage.graph.constants.cells
      if Int(place) < constants.count { return .finish(constants[Int(place)] == .true) }
      guard let slot = slot(place) else { return .rows(from: at) }
      return .finishTest(tests.number(of: .bool(slot: slot)))
    default: return .rows(from: at)
    }
  }

  private func slot(_ place: UInt32) -> Int? {
    let slot = Int(place) - storage.graph.constants.cells.count
    return slot >= 0 && slot < storage.graph.slots.count ? slot : nil
  }

  // MARK: Faults

  /// Where rows go on whose test failed: past a rescue that tells missing attributes from other
  /// faults by a step of its own.
  private mutating func faultTarget(of at: Int, _ fault: UInt32) -> Int {
    guard case .rescue = storage.code[Int(fault)] else { return StepMaker.key(fault) }
    return isNeverTrue(fault) ? StepMaker.key(Lowering.finishFault) : at * 2
  }

  /// Where rows go on that failed in a way that nothing asks about.
  private mutating func plainTarget(_ fault: UInt32) -> Int {
    guard case .rescue = storage.code[Int(fault)] else { return StepMaker.key(fault) }
    if !isNeverTrue(fault) { isPossible = false }
    return StepMaker.key(Lowering.finishFault)
  }

  private mutating func afterFault(_ instruction: Instruction) -> ColumnPlan.Step {
    if case .skipIfMissing(let a, _, let missing, let fault) = instruction, let slot = slot(a) {
      return .missing(slot: slot, caught: StepMaker.key(missing), other: plainTarget(fault))
    }
    // One attribute beside constants: otherwise it is not known which of them is missing.
    let slots = instruction.operands.compactMap { slot($0) }
    guard let fault = instruction.targets?.fault, slots.count == 1,
      case .rescue(let kinds, let caught, let other) = storage.code[Int(fault)],
      kinds == .missing
    else {
      isPossible = false
      return .finish(false)
    }
    return .missing(slot: slots[0], caught: StepMaker.key(caught), other: plainTarget(other))
  }

  /// Where a known fault leads.
  private func target(of kind: EvaluationError.Kind, from fault: UInt32) -> Int {
    guard case .rescue(let kinds, let caught, let other) = storage.code[Int(fault)] else {
      return StepMaker.key(fault)
    }
    return kinds.contains(FaultSet(kind))
      ? StepMaker.key(caught) : target(of: kind, from: other)
  }

  /// Whether running on from here can only end with something else than true.
  private func isNeverTrue(_ at: UInt32) -> Bool {
    switch storage.code[Int(at)] {
    case .finishFault: return true
    case .finish(let place):
      let constants = storage.graph.constants.cells
      return Int(place) < constants.count && constants[Int(place)] != .true
    case .rescue(_, let caught, let other): return isNeverTrue(caught) && isNeverTrue(other)
    default: return false
    }
  }
}

/// The distinct tests of a program: expressions that make the same test share its result.
struct ColumnTestTable: Sendable {
  private(set) var tests: [ColumnTest] = []
  private var numbers: [[UInt64]: Int] = [:]

  mutating func number(of test: ColumnTest) -> Int {
    let key = test.key
    if let known = numbers[key] { return known }
    tests.append(test)
    numbers[key] = tests.count - 1
    return tests.count - 1
  }

  /// The number of an instruction's test, or nil when it is none or reads what is computed.
  mutating func number(of instruction: Instruction, _ storage: Program.Storage) -> Int? {
    test(instruction, storage).map { number(of: $0) }
  }

  private func test(_ instruction: Instruction, _ storage: Program.Storage) -> ColumnTest? {
    let constants = storage.graph.constants.cells
    func slot(_ place: UInt32) -> Int? {
      let slot = Int(place) - constants.count
      return slot >= 0 && slot < storage.graph.slots.count ? slot : nil
    }
    func operand(_ place: UInt32) -> ColumnTest.Operand? {
      if Int(place) < constants.count {
        return ColumnTest.Operand(number: Int(place), isConstant: true)
      }
      return slot(place).map { ColumnTest.Operand(number: $0, isConstant: false) }
    }
    /// Whether comparing with an operand takes time that grows with its length alone: the budget
    /// of an evaluation counts what is beyond that.
    func isScalar(_ operand: ColumnTest.Operand) -> Bool {
      guard operand.isConstant else { return false }
      let tag = constants[operand.number].tag
      return tag != Tag.list && tag != Tag.map && tag != Tag.optional
    }
    switch instruction {
    case .isTrue(let a, _): return slot(a).map { .bool(slot: $0) }
    case .equalBits(let a, let constant, _):
      return slot(a).map { .equalBits(slot: $0, constants[Int(constant)]) }
    case .equalInt(let a, let constant, _):
      return slot(a).map { .equalInt(slot: $0, constant: Int(constant)) }
    case .present(let a, _): return slot(a).map { .present(slot: $0) }
    case .inBits(let a, let list, _):
      return slot(a).map { .inBits(slot: $0, list: constants[Int(list)]) }
    case .inSet(let a, let set, _): return slot(a).map { .inSet(slot: $0, set: Int(set)) }
    case .matches(let a, let pattern, _):
      return slot(a).map { .matches(slot: $0, pattern: Int(pattern)) }
    case .less(let a, let b, _), .lessOrEqual(let a, let b, _):
      guard let left = operand(a), let right = operand(b) else { return nil }
      if case .less = instruction { return .order(left, right, orEqual: false) }
      return .order(left, right, orEqual: true)
    case .equal(let a, let b, _):
      guard let left = operand(a), let right = operand(b), isScalar(left) || isScalar(right)
      else { return nil }
      return .equal(left, right)
    case .isIn(let a, let b, _):
      guard let left = operand(a), let right = operand(b), isScalar(left) else { return nil }
      return .isIn(left, right)
    case .isTruthy(let a, _): return slot(a).map { .truthy(slot: $0) }
    case .compare(let a, let b, _, let comparison):
      guard let left = operand(a), let right = operand(b) else { return nil }
      return .compare(left, right, comparison)
    case .testCall(let a, let b, _, let function):
      guard let left = operand(a), let right = operand(b), isScalar(left) || isScalar(right)
      else { return nil }
      return .call(left, right, function)
    case .contains(let a, let b, _): return text(operand(a), operand(b), .contains)
    case .startsWith(let a, let b, _): return text(operand(a), operand(b), .startsWith)
    case .endsWith(let a, let b, _): return text(operand(a), operand(b), .endsWith)
    default: return nil
    }
  }

  private func text(
    _ a: ColumnTest.Operand?, _ b: ColumnTest.Operand?, _ test: ColumnTest.TextTest
  ) -> ColumnTest? {
    guard let a, let b else { return nil }
    return .text(a, b, test)
  }
}

extension Instruction {
  /// The targets of a test, or nil.
  fileprivate var targets: Targets? {
    switch self {
    case .isTrue(_, let targets), .equalBits(_, _, let targets), .equalInt(_, _, let targets),
      .equal(_, _, let targets), .less(_, _, let targets), .lessOrEqual(_, _, let targets),
      .present(_, let targets), .hasField(_, _, let targets), .inBits(_, _, let targets),
      .inSet(_, _, let targets), .isIn(_, _, let targets), .contains(_, _, let targets),
      .startsWith(_, _, let targets), .endsWith(_, _, let targets), .matches(_, _, let targets),
      .matchesText(_, _, let targets):
      targets
    default: nil
    }
  }
}

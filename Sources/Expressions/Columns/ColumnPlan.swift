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
    var reachable: Set<Int> = []
    var open = [Int(entry.start)]
    var made: [Int: Step] = [:]
    while let at = open.popLast() {
      guard reachable.insert(at).inserted else { continue }
      let step = ColumnPlan.step(at, storage, &tests)
      made[at] = step
      open += ColumnPlan.successors(step)
    }
    let order = reachable.sorted(by: >)
    let number = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    for at in order {
      guard let step = made[at] else { continue }
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
    case .finish, .finishTest, .rows: step
    }
  }

  /// The step for an instruction, with instructions as targets.
  private static func step(
    _ at: Int, _ storage: Program.Storage, _ tests: inout ColumnTestTable
  ) -> Step {
    let instruction = storage.code[at]
    if let test = tests.number(of: instruction, storage), let targets = instruction.targets {
      return .test(test, yes: Int(targets.yes), no: Int(targets.no), fault: Int(targets.fault))
    }
    switch instruction {
    case .pend(let chain, let next): return .pend(chain: Int(chain), next: Int(next))
    case .check(let chain, let fault):
      return .check(chain: Int(chain), fault: Int(fault), next: at - 1)
    case .jump(let target): return .jump(Int(target))
    case .finishFault: return .finish(false)
    case .finish(let place):
      let constants = storage.graph.constants.cells
      if Int(place) < constants.count { return .finish(constants[Int(place)] == .true) }
      let slot = Int(place) - constants.count
      guard slot < storage.graph.slots.count else { return .rows(from: at) }
      return .finishTest(tests.number(of: .bool(slot: slot)))
    default: return .rows(from: at)
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

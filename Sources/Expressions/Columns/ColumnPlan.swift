/// How an expression is evaluated over columns: the instructions that can run, in running order.
///
/// Jumps only lead to lower indexes, so one pass over the instructions evaluates all rows. Each instruction has the
/// mask of the rows that reach it. A temporary that only copies an attribute or a constant is another name for it. At
/// an instruction that computes a value or begins a loop, its rows continue one by one in the machine.
struct ColumnPlan: Sendable {
  enum Step: Sendable {
    /// The number of the test, and the next steps.
    case test(Int, yes: Int, no: Int, fault: Int)
    case pend(chain: Int, next: Int)
    case check(chain: Int, fault: Int, next: Int)
    case jump(Int)
    /// The step after a failed test. The step checks whether the attribute that the test reads is missing.
    case missing(slot: Int, caught: Int, other: Int)
    case finish(Bool)
    /// The condition fails, or its result is not a bool.
    case fail
    /// The condition's result is an attribute, which the test with this number reads.
    case finishTest(Int)
    /// Continue row by row from this instruction, with the meanings of temporaries.
    case rows(from: Int, StepKey.Names)
  }

  /// The maximum number of steps. An instruction counts once for each meaning that its temporaries may have.
  private static let mostSteps = 256

  private(set) var steps: [Step] = []
  /// Whether every test costs as much for some rows as for all.
  private(set) var isCheap = true

  init(_ entry: Program.Entry, _ storage: Program.Storage, _ tests: inout ColumnTestTable) {
    guard
      let made = ColumnPlan.steps(entry, storage, followsValues: true, &tests)
        ?? ColumnPlan.steps(entry, storage, followsValues: false, &tests)
    else {
      steps = [.rows(from: Int(entry.start), [:])]
      isCheap = false
      return
    }
    let order = made.keys.sorted { $0.place > $1.place }
    let number = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    for key in order {
      guard let step = made[key] else { continue }
      steps.append(step.map { number[$0] ?? 0 })
      switch step {
      case .rows: isCheap = false
      case .test(let test, _, _, _), .finishTest(let test):
        isCheap = isCheap && tests.tests[test].isCheap
      default: break
      }
    }
  }

  /// All reachable steps, by key. Nil if there are too many steps, or if columns do not store the values that the steps
  /// need.
  private static func steps(
    _ entry: Program.Entry, _ storage: Program.Storage, followsValues: Bool,
    _ tests: inout ColumnTestTable
  ) -> [StepKey: KeyedStep]? {
    var maker = StepMaker(storage: storage, followsValues: followsValues)
    var made: [StepKey: KeyedStep] = [:]
    var open = [StepKey(entry.start)]
    while let key = open.popLast() {
      guard made[key] == nil else { continue }
      let step = maker.step(key, &tests)
      made[key] = step
      guard maker.isPossible, made.count <= mostSteps else { return nil }
      open += step.successors
    }
    return made
  }
}

/// The identity of a step while a plan is built.
struct StepKey: Hashable {
  /// The constant or the slot that each temporary means.
  typealias Names = [UInt32: UInt32]

  /// `2 * i + 1` for the instruction with index `i`, and `2 * i` for the step after a failure of its test. Execution
  /// only moves to lower places.
  var place: Int
  var names: Names

  /// The step of an instruction.
  init(_ instruction: some BinaryInteger, _ names: Names = [:]) {
    place = Int(instruction) * 2 + 1
    self.names = names
  }

  /// The step of an instruction that follows another one, which gives a temporary the meaning of a constant or a slot.
  init(_ instruction: Int, _ names: Names, naming temporary: UInt32, _ place: UInt32) {
    self.init(instruction, names)
    self.names[temporary] = place
  }

  /// The step after a failure of the test of an instruction.
  init(afterFaultAt instruction: Int, _ names: Names) {
    place = instruction * 2
    self.names = names
  }
}

/// A step whose targets are keys.
private enum KeyedStep {
  case test(Int, yes: StepKey, no: StepKey, fault: StepKey)
  case pend(chain: Int, next: StepKey)
  case check(chain: Int, fault: StepKey, next: StepKey)
  case jump(StepKey)
  case missing(slot: Int, caught: StepKey, other: StepKey)
  case finish(Bool)
  case fail
  case finishTest(Int)
  case rows(from: Int, StepKey.Names)

  var successors: [StepKey] {
    switch self {
    case .test(_, let yes, let no, let fault): [yes, no, fault]
    case .pend(_, let next), .jump(let next): [next]
    case .check(_, let fault, let next): [fault, next]
    case .missing(_, let caught, let other): [caught, other]
    case .finish, .fail, .finishTest, .rows: []
    }
  }

  /// The step, with its keys replaced by numbers.
  func map(_ number: (StepKey) -> Int) -> ColumnPlan.Step {
    switch self {
    case .test(let test, let yes, let no, let fault):
      .test(test, yes: number(yes), no: number(no), fault: number(fault))
    case .pend(let chain, let next): .pend(chain: chain, next: number(next))
    case .check(let chain, let fault, let next):
      .check(chain: chain, fault: number(fault), next: number(next))
    case .jump(let next): .jump(number(next))
    case .missing(let slot, let caught, let other):
      .missing(slot: slot, caught: number(caught), other: number(other))
    case .finish(let isTrue): .finish(isTrue)
    case .fail: .fail
    case .finishTest(let test): .finishTest(test)
    case .rows(let instruction, let names): .rows(from: instruction, names)
    }
  }
}

/// Builds the steps of a plan.
private struct StepMaker {
  let storage: Program.Storage
  /// Whether temporaries may mean attributes and constants.
  let followsValues: Bool
  /// False if the next step depends on the kind of an error, which columns do not store.
  private(set) var isPossible = true

  init(storage: Program.Storage, followsValues: Bool) {
    self.storage = storage
    self.followsValues = followsValues
  }

  mutating func step(_ key: StepKey, _ tests: inout ColumnTestTable) -> KeyedStep {
    let at = key.place / 2
    let names = key.names
    let instruction = storage.code[at]
    if key.place % 2 == 0 { return afterFault(instruction, at, names) }
    // A variable needs the kind of this fault, and columns do not store kinds.
    if let fault = instruction.failing, keepsFault(fault) { return .rows(from: at, names) }
    if case .skipIfMissing(let a, let next, let missing, _) = instruction,
      let slot = slot(a, names)
    {
      return .test(
        tests.number(of: .present(slot: slot)), yes: StepKey(next, names),
        no: StepKey(missing, names), fault: StepKey(afterFaultAt: at, names))
    }
    if let test = tests.number(of: instruction, storage, names), let targets = instruction.targets {
      return .test(
        test, yes: StepKey(targets.yes, names), no: StepKey(targets.no, names),
        fault: faultTarget(of: at, targets.fault, names))
    }
    if followsValues, let step = naming(instruction, at, names, &tests) { return step }
    switch instruction {
    case .pend(let chain, let next):
      return .pend(chain: Int(chain), next: StepKey(next, names))
    case .keep:
      isPossible = false
      return .finish(false)
    case .check(let chain, let fault):
      return .check(
        chain: Int(chain), fault: plainTarget(fault, names), next: StepKey(at - 1, names))
    case .jump(let target), .settle(_, let target): return .jump(StepKey(target, names))
    case .raise(let kind, let fault): return .jump(target(of: kind, from: fault, names))
    case .finishFault: return .fail
    case .finish(let operand):
      let place = names[operand] ?? operand
      let constants = storage.graph.constants.cells
      if Int(place) < constants.count { return .finish(constants[Int(place)] == .true) }
      guard let slot = slot(place, [:]) else { return .rows(from: at, names) }
      return .finishTest(tests.number(of: .bool(slot: slot)))
    default: return .rows(from: at, names)
    }
  }

  /// The step of an instruction that only gives another name to an attribute or a constant.
  private mutating func naming(
    _ instruction: Instruction, _ at: Int, _ names: StepKey.Names, _ tests: inout ColumnTestTable
  ) -> KeyedStep? {
    switch instruction {
    case .copy(let a, let to, let fault):
      let place = names[a] ?? a
      let next = StepKey(at - 1, names, naming: to, place)
      if Int(place) < storage.graph.constants.cells.count { return .jump(next) }
      guard let slot = slot(place, [:]) else { return nil }
      let failed = faultTarget(of: at, fault, names)
      return .test(
        tests.number(of: .present(slot: slot)), yes: next, no: failed, fault: failed)
    case .orElse(let a, let b, let to, _):
      guard let slot = slot(a, names), Int(b) < storage.graph.constants.cells.count else {
        return nil
      }
      let next = StepKey(at - 1, names, naming: to, names[a] ?? a)
      let failed = StepKey(afterFaultAt: at, names)
      return .test(
        tests.number(of: .present(slot: slot)), yes: next, no: failed, fault: failed)
    default: return nil
    }
  }

  private func keepsFault(_ at: UInt32) -> Bool {
    if case .keep = storage.code[Int(at)] { true } else { false }
  }

  private func slot(_ operand: UInt32, _ names: StepKey.Names) -> Int? {
    let slot = Int(names[operand] ?? operand) - storage.graph.constants.cells.count
    return slot >= 0 && slot < storage.graph.slots.count ? slot : nil
  }

  // MARK: Faults

  /// The step for rows whose test failed. A rescue has a separate step, which distinguishes missing attributes from
  /// other errors.
  private mutating func faultTarget(of at: Int, _ fault: UInt32, _ names: StepKey.Names) -> StepKey
  {
    guard case .rescue = storage.code[Int(fault)] else { return StepKey(fault, names) }
    return isNeverTrue(fault)
      ? StepKey(Lowering.finishFault) : StepKey(afterFaultAt: at, names)
  }

  /// The step for rows with an error that no instruction examines.
  private mutating func plainTarget(_ fault: UInt32, _ names: StepKey.Names) -> StepKey {
    guard case .rescue = storage.code[Int(fault)] else { return StepKey(fault, names) }
    if !isNeverTrue(fault) { isPossible = false }
    return StepKey(Lowering.finishFault)
  }

  private mutating func afterFault(
    _ instruction: Instruction, _ at: Int, _ names: StepKey.Names
  ) -> KeyedStep {
    if case .skipIfMissing(let a, _, let missing, let fault) = instruction,
      let slot = slot(a, names)
    {
      return .missing(
        slot: slot, caught: StepKey(missing, names), other: plainTarget(fault, names))
    }
    if case .orElse(let a, let b, let to, let fault) = instruction, let slot = slot(a, names) {
      return .missing(
        slot: slot, caught: StepKey(at - 1, names, naming: to, b),
        other: plainTarget(fault, names))
    }
    // The missing attribute is only known if the instruction reads a single attribute.
    let slots = instruction.operands.compactMap { slot($0, names) }
    guard let fault = instruction.failing, slots.count == 1,
      case .rescue(let kinds, let caught, let other) = storage.code[Int(fault)],
      kinds == .missing
    else {
      isPossible = false
      return .finish(false)
    }
    return .missing(
      slot: slots[0], caught: StepKey(caught, names), other: plainTarget(other, names))
  }

  /// The step after an error of a known kind.
  private func target(
    of kind: EvaluationError.Kind, from fault: UInt32, _ names: StepKey.Names
  ) -> StepKey {
    guard case .rescue(let kinds, let caught, let other) = storage.code[Int(fault)] else {
      return StepKey(fault, names)
    }
    return kinds.contains(FaultSet(kind))
      ? StepKey(caught, names) : target(of: kind, from: other, names)
  }

  /// Whether execution from here can never end with true.
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

extension Instruction {
  /// The instruction that follows if a test or a copy fails.
  fileprivate var failing: UInt32? {
    if case .copy(_, _, let fault) = self { return fault }
    return targets?.fault
  }
}

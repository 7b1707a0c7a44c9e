/// The distinct tests of a program. Expressions with the same test share its result.
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

  /// The number of an instruction's test, or nil if it has no test or reads computed values.
  mutating func number(
    of instruction: Instruction, _ storage: Program.Storage, _ names: StepKey.Names
  ) -> Int? {
    test(instruction, storage, names).map { number(of: $0) }
  }

  private func test(
    _ instruction: Instruction, _ storage: Program.Storage, _ names: StepKey.Names
  ) -> ColumnTest? {
    let constants = storage.graph.constants.cells
    func slot(_ operand: UInt32) -> Int? {
      let slot = Int(names[operand] ?? operand) - constants.count
      return slot >= 0 && slot < storage.graph.slots.count ? slot : nil
    }
    func operand(_ operand: UInt32) -> ColumnTest.Operand? {
      let place = names[operand] ?? operand
      if Int(place) < constants.count {
        return ColumnTest.Operand(number: Int(place), isConstant: true)
      }
      return slot(place).map { ColumnTest.Operand(number: $0, isConstant: false) }
    }
    /// Whether comparing an operand takes time only for the operand's own bytes. Comparisons of lists, maps and
    /// optionals count towards the budget of an evaluation.
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

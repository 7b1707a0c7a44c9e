extension Program {
  /// Whether superscript may panic while it evaluates a condition, because the condition divides by zero, lacks a
  /// required argument, or searches in bytes. True when in doubt.
  package var mayPanic: Bool {
    Set(storage.rootNodes).contains { root in
      storage.graph.nodes(below: root).contains { storage.graph.mayPanic($0) }
    }
  }
}

extension ConditionGraph {
  fileprivate func mayPanic(_ id: ID) -> Bool {
    let node = self[id]
    switch node.kind {
    case .constant: return constant(id)?.tag == Tag.bytes
    case .raise:
      return [.divisionByZero, .moduloByZero, .fatalArgument]
        .contains { (kind: EvaluationError.Kind) in UInt32(kind.rawValue) == node.a }
    case .divide, .modulo: return !isDivisor(Int(node.b))
    case .arithmetic:
      let operation = Superscript.Operator(rawValue: UInt8(truncatingIfNeeded: node.c))
      return (operation == .divide || operation == .modulo) && !isDivisor(Int(node.b))
    default: return false
    }
  }

  /// Whether a node is a constant that is safe to divide by: an integer other than zero, or a double.
  private func isDivisor(_ id: ID) -> Bool {
    guard let cell = constant(id) else { return false }
    switch cell.tag {
    case Tag.int, Tag.uint: return cell.high != 0
    case Tag.double: return true
    default: return false
    }
  }
}

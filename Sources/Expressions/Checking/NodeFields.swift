extension ConditionGraph {
  /// The meaning of a number in a node.
  enum Field: UInt8 {
    case node
    /// The number of a list of nodes. Only the first field of a node can be a list.
    case nodes
    /// The place of a constant in the pool, and the number of a slot.
    case constant, slot
    /// The level of a variable that is read.
    case local
    /// The level of the first variable that has a value only in the operands.
    case bound
    /// A number that means the same in every graph, or no number.
    case number
  }
}

extension ConditionGraph.Kind {
  typealias Field = ConditionGraph.Field

  /// The meaning of the three numbers of a node. All code that walks, copies or rebuilds graphs uses it.
  var fields: (a: Field, b: Field, c: Field) {
    switch self {
    case .constant, .text: (.constant, .number, .number)
    case .slot, .present, .slotOrNull: (.slot, .number, .number)
    case .local: (.local, .number, .number)
    case .raise, .leave: (.number, .number, .number)
    case .not, .negate, .holds, .clause, .optionalElement, .isThere, .truthy, .whenThere, .affirms,
      .output, .assign, .capture, .cell, .template:
      (.node, .number, .number)
    case .select, .hasField, .member: (.node, .constant, .number)
    case .equalEither: (.node, .constant, .constant)
    case .equal, .less, .lessOrEqual, .in, .add, .subtract, .multiply, .divide, .modulo, .index,
      .rescue, .orElse, .compare, .arithmetic, .relation:
      (.node, .node, .number)
    case .bind: (.node, .node, .bound)
    case .conditional, .choose: (.node, .node, .node)
    case .and, .or, .list, .map, .call, .sequence, .both, .firstTruthy, .testCall, .mapKeepingLast,
      .filter, .statements, .items:
      (.nodes, .number, .number)
    case .loop: (.nodes, .number, .bound)
    }
  }

  /// Whether the node's value is already in the frame, so that no instruction has to compute it.
  var isInPlace: Bool { self == .constant || self == .slot || self == .local }

  /// Whether the result of a node is always a bool or an error, whatever its operands are.
  package var isTest: Bool {
    switch self {
    case .present, .not, .holds, .and, .or, .equal, .less, .lessOrEqual, .in, .hasField, .isThere,
      .truthy, .both, .compare, .equalEither, .testCall, .whenThere, .affirms, .relation:
      true
    case .constant, .slot, .negate, .clause, .conditional, .add, .subtract, .multiply, .divide,
      .modulo, .select, .index, .list, .map, .optionalElement, .call, .local, .bind, .loop, .raise,
      .rescue, .orElse, .slotOrNull, .sequence, .firstTruthy, .member, .arithmetic,
      .mapKeepingLast, .filter, .text, .output, .statements, .choose, .assign, .capture, .items,
      .cell, .template, .leave:
      false
    }
  }
}

/// The part of a context that is known in advance: for every user of a placement, or every user with a
/// certain kind of device.
///
/// ```swift
/// let known = KnownAttributes(
///   ["device": ["platform": "iOS"]], complete: [AttributePath(["device"])])
/// let program = try ExpressionEnvironment().compile("has(device.model) ? user.a : user.b").get()
/// let rest = program.specialize(known)
/// rest.residue(of: rest.entries[0])  // "user.b"
/// ```
package struct KnownAttributes: Sendable {
  /// A map of roots, like a context.
  package var values: Value
  /// Maps to which nothing will be added: a name that they do not contain is known to be missing. The missing
  /// names of other maps are unknown.
  package var complete: [AttributePath]

  package init(_ values: Value, complete: [AttributePath] = []) {
    self.values = values
    self.complete = complete
  }

  /// The known facts about the attribute at a path.
  enum Finding {
    case unknown
    case value(Value)
    /// The attribute is missing, for the reason in the cell.
    case absent(Cell)
  }

  /// - Parameters:
  ///   - isRoot: Whether the path begins with a root, which is a map even when it is empty.
  ///   - isLenient: Whether members of values that are not maps count as missing.
  func find(_ path: AttributePath, isRoot: Bool, isLenient: Bool = false) -> Finding {
    var value = values
    for (depth, name) in path.names.enumerated() {
      guard case .map = value else {
        let isNext = depth == path.names.count - 1
        return .absent(isLenient ? isNext ? .behindValue : .unreachable : .notAMap)
      }
      if let next = value[name] {
        value = next
        continue
      }
      guard isComplete(path, names: max(depth, 1)) else { return .unknown }
      if depth == 0, isRoot { return absentRoot(path) }
      return .absent(depth == path.names.count - 1 ? .missing : .unreachable)
    }
    if case .map = value, !isComplete(path, names: path.names.count) { return .unknown }
    return .value(value)
  }

  private func absentRoot(_ path: AttributePath) -> Finding {
    switch path.names.count {
    case 1: .value(.map([]))
    case 2: .absent(.missing)
    default: .absent(.unreachable)
    }
  }

  /// Whether the map at the first names of a path is complete, or is inside a complete map.
  private func isComplete(_ path: AttributePath, names: Int) -> Bool {
    complete.contains { known in
      known.names.count <= names
        && zip(known.names, path.names).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
  }
}

/// Expands macros, which are calls that bind variables, to loops and bindings of the graph.
extension Checker {
  /// The name of an argument that is a plain identifier.
  private func variable(_ id: SyntaxTree.ID) -> String? {
    let node = tree[id]
    if node.kind == .identifier, node.c == 0 { return tree.name(node.a, node.b) }
    return blockVariable(node)
  }

  /// In the block extension, `cel.iterVar(depth, number)` and `cel.accuVar(depth, number)` are names of
  /// variables.
  private func blockVariable(_ node: SyntaxTree.Node) -> String? {
    guard node.kind == .call else { return nil }
    let name = tree.name(node.a, node.b)
    guard name == "iterVar" || name == "accuVar" || name == "index" else { return nil }
    let parts = tree.list(node.c)
    guard let target = parts.first, target > 0, staticPath(Int(target) - 1) == ["cel"] else {
      return nil
    }
    let numbers = parts.dropFirst().map { tree[Int($0)] }
    guard numbers.allSatisfy({ $0.kind == .int }) else { return nil }
    return "@\(name)" + numbers.map { ":\($0.bits)" }.joined()
  }

  var nextLevel: Int { scopes.count + hiddenLevels }

  /// Checks something inside the scope of new variables.
  mutating func scoped(
    _ names: [String], _ body: (inout Checker) -> ConditionGraph.ID
  ) -> ConditionGraph.ID {
    for name in names { scopes.append((name, nextLevel)) }
    defer { scopes.removeLast(names.count) }
    return body(&self)
  }

  /// Expands the macro `target.name(arguments)`, or returns nil if the call is not a macro.
  mutating func macro(
    _ macro: Macro, _ target: SyntaxTree.ID, _ arguments: [SyntaxTree.ID],
    _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID? {
    guard let first = arguments.first, let variable = variable(first) else { return nil }
    switch (macro, arguments.count) {
    case (.all, 2): return loop(.all, target, [variable], [arguments[1]], node)
    case (.exists, 2): return loop(.exists, target, [variable], [arguments[1]], node)
    case (.existsOne, 2): return loop(.existsOne, target, [variable], [arguments[1]], node)
    case (.map, 2): return loop(.map, target, [variable], [nil, arguments[1]], node)
    case (.map, 3): return loop(.map, target, [variable], [arguments[1], arguments[2]], node)
    case (.filter, 2): return loop(.map, target, [variable], [arguments[1], first], node)
    case (.sortBy, 2): return sortBy(target, variable, first, arguments[1], node)
    case (.optMap, 2): return optionalMap(target, variable, arguments[1], isFlat: false, node)
    case (.optFlatMap, 2): return optionalMap(target, variable, arguments[1], isFlat: true, node)
    default: break
    }
    guard arguments.count > 2, let second = self.variable(arguments[1]) else { return nil }
    let names = [variable, second]
    let rest: [SyntaxTree.ID?] = arguments.dropFirst(2).map { $0 }
    switch (macro, rest.count) {
    case (.all, 1): return loop(.all, target, names, rest, node)
    case (.exists, 1): return loop(.exists, target, names, rest, node)
    case (.existsOne, 1): return loop(.existsOne, target, names, rest, node)
    case (.transformList, 1): return loop(.map, target, names, [nil, rest[0]], node)
    case (.transformList, 2): return loop(.map, target, names, rest, node)
    case (.transformMap, 1): return loop(.transformMap, target, names, [nil, rest[0]], node)
    case (.transformMap, 2): return loop(.transformMap, target, names, rest, node)
    case (.transformMapEntry, 1):
      return loop(.transformMapEntry, target, names, [nil, rest[0]], node)
    case (.transformMapEntry, 2): return loop(.transformMapEntry, target, names, rest, node)
    default: return nil
    }
  }

  /// A loop over `target`. A missing body counts as true, such as the filter of a `map` that has none.
  private mutating func loop(
    _ kind: ConditionGraph.LoopKind, _ target: SyntaxTree.ID, _ names: [String],
    _ bodies: [SyntaxTree.ID?], _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID {
    let range = check(target)
    return loop(kind, over: range, names, bodies, node)
  }

  private mutating func loop(
    _ kind: ConditionGraph.LoopKind, over range: ConditionGraph.ID, _ names: [String],
    _ bodies: [SyntaxTree.ID?], _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID {
    let level = nextLevel
    var parts = [range]
    _ = scoped(names) { checker in
      for body in bodies {
        parts.append(
          body.map { checker.check($0) }
            ?? checker.graph.addConstant(.true, at: checker.origin(node)))
      }
      return 0
    }
    let two = names.count == 2 ? ConditionGraph.LoopKind.twoVariables : 0
    return graph.add(.loop, list: parts, Int(kind.rawValue + two), level, at: origin(node))
  }

  /// Sorts the values of a list by their keys. The keys are a list of the same length. If the list of values has to be
  /// computed, it is computed once.
  private mutating func sortBy(
    _ target: SyntaxTree.ID, _ name: String, _ variable: SyntaxTree.ID, _ key: SyntaxTree.ID,
    _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID {
    let values = check(target)
    if graph[values].kind.isInPlace { return sorted(values, name, key, node) }
    return holding(values, origin(node)) { $0.sorted($1, name, key, node) }
  }

  private mutating func sorted(
    _ values: ConditionGraph.ID, _ name: String, _ key: SyntaxTree.ID, _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID {
    let keys = loop(.map, over: values, [name], [nil, key], node)
    return addCall(.sortByKeys, [values, keys], origin(node))
  }

  /// Binds a value to a variable that no expression can name, for the nodes that use the variable.
  private mutating func holding(
    _ value: ConditionGraph.ID, _ origin: ConditionGraph.Origin,
    _ body: (inout Checker, _ held: ConditionGraph.ID) -> ConditionGraph.ID
  ) -> ConditionGraph.ID {
    let level = nextLevel
    hiddenLevels += 1
    defer { hiddenLevels -= 1 }
    let held = graph.add(.local, level, at: origin)
    return graph.add(.bind, value, body(&self, held), level, at: origin)
  }

  /// `a.or(b)` and `a.orValue(b)`: where `a` is empty, the result is that of `b`, including its errors.
  mutating func alternative(
    _ function: Function, _ target: SyntaxTree.ID, _ other: SyntaxTree.ID,
    _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID {
    let origin = origin(node)
    let optional = check(target)
    // An alternative that cannot fail needs no choice.
    if tree[other].kind.isLiteral { return addCall(function, [optional, check(other)], origin) }
    return holding(optional, origin) { checker, held in
      let rest = checker.check(other)
      let isThere = checker.addCall(.hasValue, [held], origin)
      if function == .or {
        let either = checker.addCall(.or, [held, rest], origin)
        return checker.graph.add(.conditional, isThere, held, either, at: origin)
      }
      let value = checker.addCall(.value, [held], origin)
      return checker.graph.add(.conditional, isThere, value, rest, at: origin)
    }
  }

  /// `value.optMap(x, body)`: an optional of the body's value, or an empty optional if `value` is empty.
  private mutating func optionalMap(
    _ target: SyntaxTree.ID, _ name: String, _ body: SyntaxTree.ID, isFlat: Bool,
    _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID {
    let origin = origin(node)
    let optional = check(target)
    return holding(optional, origin) { checker, held in
      let level = checker.nextLevel
      var result = checker.scoped([name]) { $0.check(body) }
      let value = checker.addCall(.value, [held], origin)
      result = checker.graph.add(.bind, value, result, level, at: origin)
      if !isFlat { result = checker.addCall(.optionalOf, [result], origin) }
      let none = checker.addCall(.optionalNone, [], origin)
      let isThere = checker.addCall(.hasValue, [held], origin)
      return checker.graph.add(.conditional, isThere, result, none, at: origin)
    }
  }

  // MARK: Macros in a name space

  /// Expands `cel.bind(x, value, body)`, and `cel.block([...], body)` with `cel.index(n)` of the block extension.
  mutating func qualifiedMacro(
    _ name: String, _ arguments: [SyntaxTree.ID], _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID? {
    switch name {
    case "cel.bind" where arguments.count == 3:
      guard let variable = variable(arguments[0]) else { return nil }
      let value = check(arguments[1])
      let level = nextLevel
      let body = scoped([variable]) { $0.check(arguments[2]) }
      return graph.add(.bind, value, body, level, at: origin(node))
    case "cel.block" where arguments.count == 2 && tree[arguments[0]].kind == .list:
      return block(Array(tree.list(tree[arguments[0]].c)), arguments[1], node)
    case "cel.index", "cel.iterVar", "cel.accuVar":
      guard let variable = blockVariable(node),
        let level = scopes.last(where: { $0.name == variable })?.level
      else { return nil }
      return graph.add(.local, level, at: origin(node))
    default:
      return nil
    }
  }

  /// Binds the values one after the other. Each binding encloses all later bindings and the body.
  private mutating func block(
    _ values: [UInt32], _ body: SyntaxTree.ID, _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID {
    if let optional = values.first(where: { tree[Int($0)].kind == .optionalElement }) {
      return report(
        .syntaxError, "the values of cel.block() cannot be optional", tree[Int(optional)],
        "write it without the '?'")
    }
    let most = environment.limits.nesting
    guard nextLevel + values.count <= most else {
      return report(
        .limitExceeded, "variables are nested more than \(most) levels deep", node)
    }
    let first = nextLevel
    var bound: [ConditionGraph.ID] = []
    for (number, value) in values.enumerated() {
      bound.append(check(Int(value)))
      scopes.append(("@index:\(number)", first + number))
    }
    defer { scopes.removeLast(values.count) }
    var result = check(body)
    for (number, value) in bound.enumerated().reversed() {
      result = graph.add(.bind, value, result, first + number, at: origin(node))
    }
    return result
  }
}

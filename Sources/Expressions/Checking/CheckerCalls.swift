/// Calls: macros first, then functions with a name space, then methods and functions.
extension Checker {
  mutating func call(_ node: SyntaxTree.Node) -> ConditionGraph.ID {
    let number = tree.withText(node.a, node.b) { CallNames.all.number(of: $0) }
    let macro = number.flatMap { CallNames.all.macro($0) }
    let parts = tree.list(node.c)
    let target = parts.first.flatMap { $0 == 0 ? nil : Int($0) - 1 }
    let arguments = parts.dropFirst()
    if macro == .has, target == nil { return has(arguments, node) }
    if let target {
      if let macro,
        let expanded = self.macro(macro, target, arguments.map { Int($0) }, node)
      {
        return expanded
      }
      for space in nameSpaces(target) {
        let name = "\(space).\(tree.name(node.a, node.b))"
        if let call = qualifiedCall(name, arguments, node) { return call }
      }
    } else if !environment.container.isEmpty {
      for space in environment.spaces(isAbsolute: false) where !space.isEmpty {
        let name = space + tree.name(node.a, node.b)
        if let call = qualifiedCall(name, arguments, node) { return call }
      }
    }
    if let number { return function(number, arguments, target: target, node) }
    let name = tree.name(node.a, node.b)
    return custom(name, arguments, target: target, node) ?? unknown(name, node)
  }

  /// A call of a function or macro in a name space, such as `math.abs(x)`.
  private mutating func qualifiedCall(
    _ name: String, _ arguments: ArraySlice<UInt32>, _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID? {
    if let expanded = qualifiedMacro(name, arguments.map { Int($0) }, node) { return expanded }
    var name = name
    // SAFETY: The view of the name stays in the closure. Tests: SharingTests.
    if let number = name.withUTF8({ CallNames.all.number(of: $0) }) {
      return function(number, arguments, target: nil, node)
    }
    guard environment.functions.contains(where: { $0.isNamed(name) }) else { return nil }
    return custom(name, arguments, target: nil, node) ?? unknown(name, node)
  }

  /// A call of one of the app's functions, or nil if the app has no function that is called this way.
  private mutating func custom(
    _ name: String, _ arguments: ArraySlice<UInt32>, target: SyntaxTree.ID?,
    _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID? {
    let isMethod = target != nil
    let count = arguments.count + (isMethod ? 1 : 0)
    let called = environment.functions.firstIndex {
      $0.isMethod == isMethod && $0.arguments.contains(count) && $0.isNamed(name)
    }
    guard let called else { return nil }
    let origin = origin(node)
    let number = graph.addConstant(Cell(Int64(called)), at: origin)
    return list(
      .call, arguments, Int(Function.custom.rawValue), origin, target: target, first: number)
  }

  private mutating func function(
    _ number: Int, _ arguments: ArraySlice<UInt32>, target: SyntaxTree.ID?,
    _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID {
    let function = CallNames.all.function(
      number, operands: arguments.count + (target == nil ? 0 : 1), asMethod: target != nil)
    guard let function else {
      let name = CallNames.all.name(number)
      return custom(name, arguments, target: target, node) ?? unknown(name, node)
    }
    if function == .matches { hasPatterns = true }
    if function == .or || function == .orValue, let target, let other = arguments.first {
      return alternative(function, target, Int(other), node)
    }
    return list(.call, arguments, Int(function.rawValue), origin(node), target: target)
  }

  private mutating func unknown(_ name: String, _ node: SyntaxTree.Node) -> ConditionGraph.ID {
    let narrowed = named(node, node.a, node.b)
    let own = environment.functions.filter { $0.isNamed(name) }.map { $0.usage }
    let usages = [CallNames.all.usage(name)].compactMap { $0 } + own
    if !usages.isEmpty {
      return report(
        .unknownFunction, "'\(name)' cannot be called like this", narrowed,
        "write \(usages.joined(separator: " or "))")
    }
    if environment.unsupportedFunctions.contains(name) {
      return report(.notSupported, "'\(name)' is not supported yet", narrowed)
    }
    let known = CallNames.all.names + environment.functions.map { $0.name }
    return report(
      .unknownFunction, "the function '\(name)' does not exist", narrowed,
      FunctionHint.text(name, known: known))
  }
}

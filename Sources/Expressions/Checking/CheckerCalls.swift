/// Calls: macros first, then functions with a name space, then methods and functions.
extension Checker {
  mutating func call(_ node: SyntaxTree.Node) -> ConditionGraph.ID {
    let name = tree.name(node.a, node.b)
    let parts = tree.list(node.c)
    let target = parts.first.flatMap { $0 == 0 ? nil : Int($0) - 1 }
    let arguments = parts.dropFirst()
    if name == "has", target == nil { return has(arguments, node) }
    if let target {
      if let expanded = macro(name, target, Array(arguments.map(Int.init)), node) {
        return expanded
      }
      if let space = nameSpace(target) {
        let qualified = "\(space).\(name)"
        if let expanded = qualifiedMacro(qualified, Array(arguments.map(Int.init)), node) {
          return expanded
        }
        if FunctionTable.signatures[qualified] != nil {
          return function(qualified, arguments, target: nil, node)
        }
      }
    }
    return function(name, arguments, target: target, node)
  }

  /// The name space that the target of a call can be: a path that means nothing else.
  private func nameSpace(_ target: SyntaxTree.ID) -> String? {
    guard let path = staticPath(target), local(root(of: target)) == nil,
      environment.resolve(path, isAbsolute: false) == nil
    else { return nil }
    return path.joined(separator: ".")
  }

  private mutating func function(
    _ name: String, _ arguments: ArraySlice<UInt32>, target: SyntaxTree.ID?,
    _ node: SyntaxTree.Node
  ) -> ConditionGraph.ID {
    let operands = (target.map { [UInt32($0)] } ?? []) + arguments
    let signature = FunctionTable.find(
      name, operands: operands.count, asMethod: target != nil)
    guard let signature else { return unknown(name, node) }
    let nodes = checkAll(operands)
    return addCall(signature.function, nodes, origin(node))
  }

  private mutating func unknown(_ name: String, _ node: SyntaxTree.Node) -> ConditionGraph.ID {
    let narrowed = named(node, node.a, node.b)
    if FunctionTable.signatures[name] != nil {
      return report(
        .unknownFunction, "'\(name)' is not called like this", narrowed,
        "write \(FunctionTable.usage(name))")
    }
    if Checker.macroUsage[name] != nil || FunctionTable.history.contains(name) {
      if let usage = Checker.macroUsage[name] {
        return report(
          .unknownFunction, "'\(name)' is not called like this", narrowed, "write \(usage)")
      }
      return report(.notSupported, "'\(name)' is not supported yet", narrowed)
    }
    let known = FunctionTable.signatures.keys.sorted() + Checker.macroUsage.keys.sorted()
    let close = Suggestion.closest(to: name, among: known)
    return report(
      .unknownFunction, "there is no function '\(name)'", narrowed,
      close.map { "did you mean '\($0)'?" })
  }
}

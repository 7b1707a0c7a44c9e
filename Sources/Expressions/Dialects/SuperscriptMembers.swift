/// Checks variables, members and indexes of superscript expressions.
extension Checker {
  /// Checks a variable of a macro, a root, or an undeclared name.
  mutating func superscriptVariable(_ node: SyntaxTree.Node) -> ConditionGraph.ID {
    let name = tree.name(node.a, node.b)
    let origin = origin(node)
    if let level = local(node) { return graph.add(.local, level, at: origin) }
    if name == "computed" { return hostMembers(hostFunctions.computed, origin) }
    if name == "device" { return device(origin) }
    guard environment.isDeclared(name) else {
      reportUndeclared(name, node)
      return raise(.undeclaredName, origin)
    }
    let slot = graph.slots.slot([name], isPresenceOnly: false)
    return readNumbers(graph.add(.slot, slot, at: origin), of: [name], origin)
  }

  private mutating func reportUndeclared(_ name: String, _ node: SyntaxTree.Node) {
    let known = environment.roots + environment.variables + ["computed"] + scopes.map { $0.name }
    diagnostics.append(
      Diagnostic(
        .unknownAttribute,
        "'\(name)' is not declared: an expression that reads it \(unknownEffect)",
        severity: .warning, range: named(node, node.a, node.b).range,
        suggestion: SyntaxHint.name(name, behind: textBefore(node), known: known)))
  }

  /// The result of an expression that reads or calls an unknown name, for messages.
  var unknownEffect: String { environment.behavior == .raw ? "is an error" : "is null" }

  /// Whether a name is that of a function, so that a member with this name is never missing.
  func isSuperscriptFunction(_ name: String) -> Bool {
    Superscript.functions(in: environment.behavior).contains(name)
      || hostFunctions.contains(name)
  }

  /// A map of host functions by name, as values.
  private mutating func hostMembers(_ names: [String], _ origin: ConditionGraph.Origin)
    -> ConditionGraph.ID
  {
    var cells: [Cell] = []
    for name in names {
      // The SDKs register their functions with this string as the only argument.
      let arguments = constant(Tag.list, [constant("event_name")])
      let cell = constant(name)
      cells += [cell, constant(Tag.function, [cell, arguments])]
    }
    let place = graph.constants.intern(Tag.map, count: names.count, of: cells)
    return graph.add(.constant, place, at: origin)
  }

  private mutating func constant(_ text: String) -> Cell {
    var text = text
    // SAFETY: The pool copies the text inside the closure. Tests: SuperscriptProgramTests.
    let place = text.withUTF8 { graph.constants.intern(text: $0) }
    return graph.constants.cells[place]
  }

  private mutating func constant(_ tag: UInt8, _ elements: [Cell]) -> Cell {
    let place = graph.constants.intern(tag, count: elements.count, of: elements)
    return graph.constants.cells[place]
  }

  /// `device` as a value: the host's functions, overridden by the content of the context.
  private mutating func device(_ origin: ConditionGraph.Origin) -> ConditionGraph.ID {
    let functions = hostMembers(hostFunctions.device, origin)
    guard environment.isDeclared("device") else { return functions }
    let slot = graph.slots.slot(["device"], isPresenceOnly: false)
    let attributes = readNumbers(graph.add(.slot, slot, at: origin), of: ["device"], origin)
    return addCall(.overlay, [functions, attributes], origin)
  }

  // MARK: Members

  /// The path of the slot for `a.b.c`. The result is nil if the path does not begin with a root, or contains the name
  /// of a function.
  private func dotPath(_ id: SyntaxTree.ID) -> [String]? {
    let node = tree[id]
    switch node.kind {
    case .identifier:
      let name = tree.name(node.a, node.b)
      guard local(node) == nil, name != "computed", environment.isDeclared(name) else {
        return nil
      }
      return [name]
    case .select:
      let name = tree.name(node.b, node.c)
      guard !isSuperscriptFunction(name) else { return nil }
      return dotPath(Int(node.a)).map { $0 + [name] }
    default: return nil
    }
  }

  /// `value.name`: a missing member is null, except where nothing is rewritten.
  mutating func superscriptMember(
    _ id: SyntaxTree.ID, _ node: SyntaxTree.Node, _ rewriting: Rewriting
  ) -> ConditionGraph.ID {
    let origin = origin(node)
    let member: ConditionGraph.ID
    if let path = dotPath(id) {
      let slot = graph.slots.slot(path, isPresenceOnly: false)
      member = readNumbers(graph.add(.slot, slot, at: origin), of: path, origin)
    } else {
      let operand = superscript(Int(node.a), rewriting)
      let isFunction = isSuperscriptFunction(tree.name(node.b, node.c))
      let name = tree.withText(node.b, node.c) { graph.constants.intern(text: $0) }
      member = graph.add(.member, operand, name, isFunction ? 1 : 0, at: origin)
    }
    return rewriting == .everything ? orNull(member, origin) : member
  }

  /// `value[key]` is null if the member is missing. The key is never rewritten. If an attribute in the key is missing,
  /// the result is also null.
  mutating func superscriptIndex(_ node: SyntaxTree.Node, _ rewriting: Rewriting)
    -> ConditionGraph.ID
  {
    let origin = origin(node)
    let key = tree[Int(node.b)]
    if key.kind == .string, let path = dotPath(Int(node.a)) {
      return indexPath(path, tree.name(key.a, key.b), rewriting, origin)
    }
    let value = superscript(Int(node.a), rewriting)
    let index = superscript(Int(node.b), .nothing)
    let canMiss = rewriting == .everything && (graph.canFail(value) || graph.canFail(index))
    let found = addCall(.indexOrNull, [readFirst(value, before: index), index], origin)
    return canMiss ? rescue(found, graph.addConstant(.null, at: origin), .missing, origin) : found
  }

  /// `a.b["name"]` as a separate attribute.
  private mutating func indexPath(
    _ path: [String], _ name: String, _ rewriting: Rewriting, _ origin: ConditionGraph.Origin
  ) -> ConditionGraph.ID {
    let slot = graph.slots.slot(path + [name], isPresenceOnly: false)
    if path == ["device"] {
      // `device` is always a map, and its functions are members.
      let attribute = readNumbers(graph.add(.slot, slot, at: origin), of: path + [name], origin)
      guard hostFunctions.device.contains(name) else {
        return orNull(attribute, origin)
      }
      let function = hostMembers([name], origin)
      let cell = graph.constant(function)?.entries[1] ?? .null
      return graph.add(.orElse, attribute, graph.addConstant(cell, at: origin), at: origin)
    }
    let value = readNumbers(graph.add(.slotOrNull, slot, at: origin), of: path + [name], origin)
    // A missing attribute cannot be indexed. This error differs from that of a missing member.
    guard rewriting == .everything, path.count > 1 else { return value }
    return rescue(value, raise(.noSuchOverload, origin), .missing, origin)
  }
}

extension ConditionGraph {
  /// Whether evaluating a node of superscript can end in a fault. The result is true when in doubt.
  func canFail(_ id: ID) -> Bool {
    let node = self[id]
    let (a, b) = (Int(node.a), Int(node.b))
    switch node.kind {
    case .constant: return constant(id) == nil
    case .local: return false
    case .slot: return canBeMissing(a)
    case .orElse:
      if canFail(b) { return true }
      let a = strings(of: a)
      switch self[a].kind {
      case .slot: return isVariable(Int(self[a].a))
      case .member: return canFail(Int(self[a].a))
      default: return canFail(a)
      }
    case .isThere:
      let a = strings(of: a)
      return self[a].kind == .slot ? isVariable(Int(self[a].a)) : canFail(a)
    case .truthy, .not, .equalEither: return canFail(a)
    case .equal: return canFail(a) || canFail(b)
    case .in: return canFail(a) || canFail(b) || self[b].kind == .slot
    case .whenThere: return canFailWhenThere(a)
    case .conditional: return canFail(a) || canFail(b) || canFail(Int(node.c))
    case .both, .firstTruthy, .list, .sequence: return list(node.a).contains { canFail(Int($0)) }
    case .call where function(id) == .overlay: return false
    case .call where function(id) == .readNumbers: return canFail(strings(of: id))
    default: return true
    }
  }

  /// Whether a relation whose left side may be missing can fail.
  private func canFailWhenThere(_ relation: ID) -> Bool {
    let node = self[relation]
    switch node.kind {
    case .not: return canFailWhenThere(Int(node.a))
    case .equal, .in:
      let left = self[strings(of: Int(node.a))]
      let leftFails = left.kind == .slot ? isVariable(Int(left.a)) : canFail(Int(node.a))
      return leftFails || canFail(Int(node.b))
    default: return true
    }
  }

  /// Whether a slot may have no value. Roots and answers always have a value.
  private func canBeMissing(_ slot: Int) -> Bool {
    slots.isBelowRoot(slot) || isVariable(slot)
  }

  /// Whether a slot belongs to a variable that may be unbound.
  private func isVariable(_ slot: Int) -> Bool { slots.begins(slot, withOneOf: variables) }
}

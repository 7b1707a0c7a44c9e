/// Compiles `include` and `render`: the other templates become parts of the template that renders them.
extension TemplateCompiler {
  mutating func partial(_ id: TemplateTree.ID, _ node: TemplateTree.Node) -> ConditionGraph.ID {
    let partial = unit.tree.partial(id)
    let name = unit.tree[Int(partial.name)]
    let isRender = node.kind == .render
    if name.kind == .string {
      let text = unit.tree.string(TemplateTree.Bytes(from: name.a, count: name.b), of: unit.source)
      return taken(text, partial, isRender, node)
    }
    // The name is only known at run time: it selects one of all templates.
    let origin = origin(node)
    let wanted = value(partial.name)
    var result = call(.fail, [wanted], node)
    var otherwise = graph.add(.output, result, 0, Int(node.from), at: origin)
    for known in environment.templates.keys.sorted().reversed() {
      result = graph.add(
        .relation, wanted, text(Array(known.utf8), node), Int(LiquidRelation.equal.rawValue),
        at: origin)
      let body = taken(known, partial, isRender, node)
      otherwise = graph.add(.choose, result, body, otherwise, at: origin)
    }
    return otherwise
  }

  /// Replaces the tag by the template with this name.
  private mutating func taken(
    _ name: String, _ partial: TemplateTree.Partial, _ isRender: Bool, _ node: TemplateTree.Node
  ) -> ConditionGraph.ID {
    let origin = origin(node)
    guard let other = self.partial(name) else {
      reportUnknown(name, node)
      return graph.add(.output, call(.fail, [text([], node)], node), 0, Int(node.from), at: origin)
    }
    partialStatements += other.tree.nodes.count
    guard partialDepth < environment.limits.nesting / 4,
      partialStatements <= environment.limits.partialStatements
    else {
      // Templates that render each other without end fail where the recursion is reached.
      return graph.add(
        .output, call(.failLimit, [text([], node)], node), 0, Int(node.from), at: origin)
    }
    let arguments = partial.arguments.map { (name: bytes($0.name), value: value($0.value)) }
    let file = name.split(separator: "/").last.map(String.init) ?? name
    let bound = partial.alias.map { bytes($0) } ?? Array((style.isJavaScript ? name : file).utf8)
    var item: ConditionGraph.ID?
    if partial.value != TemplateTree.none {
      item = value(partial.value)
    } else if !isRender, !style.isJavaScript {
      item = boundVariable(Array(name.utf8), node)
    }
    let place = Place(
      unit: unit, isolation: isolation, variableBase: variableBase, counterBase: counterBase,
      loops: loopBase)
    partialDepth += 1
    defer { partialDepth -= 1 }
    let body: ConditionGraph.ID
    if isRender {
      body = rendered(other, partial, item, bound, arguments, node)
    } else {
      body = included(other, partial, item, bound, arguments, node)
    }
    (unit, isolation, loopBase) = (place.unit, place.isolation, place.loops)
    (variableBase, counterBase) = (place.variableBase, place.counterBase)
    return body
  }

  private struct Place {
    var unit: Unit
    var isolation: Int
    var variableBase: Int
    var counterBase: Int
    var loops: Int
  }

  private mutating func reportUnknown(_ name: String, _ node: TemplateTree.Node) {
    let close = Suggestion.closest(to: name, among: environment.templates.keys.sorted())
    report(
      Diagnostic(
        .unknownAttribute, "the template '\(name)' does not exist", severity: .warning,
        range: node.range,
        suggestion: close.map { "did you mean '\($0)'?" }))
  }

  /// The value of a variable with the template's own name.
  private mutating func boundVariable(_ name: [UInt8], _ node: TemplateTree.Node)
    -> ConditionGraph.ID
  {
    // SAFETY: Views of the array `name` stay in their closures. Tests: RenderingTests.
    switch name.withUnsafeBufferPointer({ binding($0) }) {
    case .local(let level)?: return graph.add(.local, level, at: origin(node))
    case .loop?, .nothing?: return constant(.null, node)
    case nil: break
    }
    if let level = name.withUnsafeBufferPointer({ variable($0) }) {
      return graph.add(.local, level, at: origin(node))
    }
    guard readsData else { return constant(.null, node) }
    let slot = name.withUnsafeBufferPointer {
      graph.slots.slot(
        [SlotTable.NameRange(from: 0, count: UInt32(name.count))], of: $0, isPresenceOnly: false)
    }
    return graph.add(.slot, slot, at: origin(node))
  }

  /// Binds arguments to variables that are only visible in the other template.
  private mutating func bind(
    _ arguments: [(name: [UInt8], value: ConditionGraph.ID)], _ node: TemplateTree.Node
  ) -> (statements: [ConditionGraph.ID], names: [(name: [UInt8], binding: Binding)]) {
    var statements: [ConditionGraph.ID] = []
    var names: [(name: [UInt8], binding: Binding)] = []
    for argument in arguments {
      let level = hiddenVariable()
      statements.append(keep(argument.value, in: level, node))
      names.append((argument.name, .local(level: level)))
    }
    return (statements, names)
  }

  // MARK: include

  /// An included template reads and writes the variables around it.
  private mutating func included(
    _ other: Unit, _ partial: TemplateTree.Partial, _ item: ConditionGraph.ID?, _ name: [UInt8],
    _ arguments: [(name: [UInt8], value: ConditionGraph.ID)], _ node: TemplateTree.Node
  ) -> ConditionGraph.ID {
    let origin = origin(node)
    var (list, names) = bind(arguments, node)
    collectVariables(other.tree, other.source)
    guard let item else {
      scopes += names
      unit = other
      list.append(statement(other.tree.root))
      scopes.removeLast(names.count)
      return graph.add(.statements, list: list, at: origin)
    }
    // A list is visited item by item. Any other value is bound unchanged.
    let level = loopLevel()
    names.append((name, .local(level: level)))
    scopes += names
    unit = other
    let body = statement(other.tree.root)
    scopes.removeLast(names.count)
    let each =
      style.isJavaScript ? call(.wrapped, [item], node) : call(.wrappedUnlessList, [item], node)
    let loop = graph.add(
      .items, list: [each, body, graph.add(.statements, list: [], at: origin)], 1, level, at: origin
    )
    return graph.add(.statements, list: list + [loop], at: origin)
  }

  // MARK: render

  /// A rendered template only sees its arguments, and breaks do not leave it. If the template is rendered for each item
  /// of a list, its variables are reset in every round, except in liquidjs.
  private mutating func rendered(
    _ other: Unit, _ partial: TemplateTree.Partial, _ item: ConditionGraph.ID?, _ name: [UInt8],
    _ arguments: [(name: [UInt8], value: ConditionGraph.ID)], _ node: TemplateTree.Node
  ) -> ConditionGraph.ID {
    let origin = origin(node)
    var (list, names) = bind(arguments, node)
    let outerPrologue = prologue
    prologue = []
    isolation = scopes.count
    // A template at the outermost level is isolated too.
    let isOutermost = isolation == 0
    if isOutermost {
      scopes.append(([], .nothing))
      isolation = 1
    }
    variableBase = variables.count
    counterBase = counterCount
    loopBase = loops.count
    collectVariables(other.tree, other.source)
    let level = loopLevel()
    if item != nil {
      let isNamed = !(partial.isLoop && style.isJavaScript && partial.alias == nil)
      if isNamed { names.append((name, .local(level: level))) }
      if partial.isLoop {
        let object = LoopObject(level: level, name: [], isTable: false, columns: nil, parent: nil)
        names.append((Array("forloop".utf8), .loop(object)))
      }
    }
    let perItem = moveWritten(from: &names, item: item == nil ? nil : level, node)
    scopes += names
    unit = other
    let content = statement(other.tree.root)
    scopes.removeLast(scopes.count - isolation)
    if isOutermost { scopes.removeLast() }
    var round = perItem + [graph.add(.cell, content, 0, 2, at: origin)]
    if partial.isLoop, style.isJavaScript { list += prologue } else { round = prologue + round }
    let body = graph.add(.statements, list: round, at: origin)
    variables.removeLast(variables.count - variableBase)
    dropCounters(to: counterBase)
    prologue = outerPrologue
    let nothing = graph.add(.statements, list: [], at: origin)
    guard let item else { return graph.add(.statements, list: list + [body], at: origin) }
    let each = call(partial.isLoop ? .loopable : .wrapped, [item], node)
    list.append(graph.add(.items, list: [each, body, nothing], 0, level, at: origin))
    return graph.add(.statements, list: list, at: origin)
  }

  /// Arguments that the rendered template itself writes become variables of that template. The argument is the initial
  /// value. These arguments are removed from the names, and set in the prologue.
  ///
  /// - Parameter item: the level of the item that the template is rendered for, which is set in every round.
  /// - Returns: the statements that set the variables whose initial value is the item.
  private mutating func moveWritten(
    from names: inout [(name: [UInt8], binding: Binding)], item: Int?, _ node: TemplateTree.Node
  ) -> [ConditionGraph.ID] {
    // SAFETY: The view of the name stays in the closure. Tests: RenderingTests.
    let origin = origin(node)
    var perItem: [ConditionGraph.ID] = []
    var kept: [(name: [UInt8], binding: Binding)] = []
    for entry in names {
      guard case .local(let level) = entry.binding,
        let own = entry.name.withUnsafeBufferPointer({ variable($0) })
      else {
        kept.append(entry)
        continue
      }
      let start = graph.add(.assign, graph.add(.local, level, at: origin), own, at: origin)
      if level == item { perItem.append(start) } else { prologue.append(start) }
    }
    names = kept
    return perItem
  }
}

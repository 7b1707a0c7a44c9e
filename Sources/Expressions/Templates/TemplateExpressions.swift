/// Turns expressions of templates into graph nodes.
extension TemplateCompiler {
  mutating func value(_ id: UInt32) -> ConditionGraph.ID {
    guard id != TemplateTree.none else {
      return graph.addConstant(
        .missing, at: ConditionGraph.Origin(source: unit.number, from: 0, to: 0))
    }
    let node = unit.tree[Int(id)]
    let origin = origin(node)
    switch node.kind {
    case .null: return constant(.null, node)
    case .empty, .blank:
      // Outside of comparisons, `empty` and `blank` are the empty string in Shopify's implementation.
      return style.isJavaScript ? word(node) : constant(.emptyText, node)
    case .bool: return constant(Cell(node.a == 1), node)
    case .int:
      return constant(Cell(Int64(bitPattern: UInt64(node.b) | UInt64(node.c) << 32)), node)
    case .double:
      return constant(Cell(Double(bitPattern: UInt64(node.b) | UInt64(node.c) << 32)), node)
    case .string:
      let place = constant(TemplateTree.Bytes(from: node.a, count: node.b))
      return graph.add(.constant, place, at: origin)
    case .path: return path(node)
    case .name: return root(node, node)
    case .variable: return namedVariable(node)
    case .range:
      let first = value(node.a)
      return call(.range, [first, value(node.b)], node)
    case .filter: return filter(node)
    case .keyword:
      // An unexpected option is passed as a list of its name and its value.
      let name = graph.add(
        .constant, constant(TemplateTree.Bytes(from: node.a, count: node.b)), at: origin)
      return graph.add(.list, list: [name, value(node.c)], at: origin)
    case .compare, .and, .or, .not: return test(id)
    case .text, .output, .assign, .capture, .ifs, .cases, .loop, .table, .cycle, .increment,
      .decrement, .ifChanged, .include, .render, .leave, .sequence, .verbatim:
      return constant(.null, node)
    }
  }

  private mutating func word(_ node: TemplateTree.Node) -> ConditionGraph.ID {
    constant(.word(node.kind == .empty ? .empty : .blank), node)
  }

  /// The value of one side of a comparison.
  mutating func compared(_ id: UInt32) -> ConditionGraph.ID {
    let node = unit.tree[Int(id)]
    return node.kind == .empty || node.kind == .blank ? word(node) : value(id)
  }

  // MARK: Conditions

  /// A condition as a node whose value is a bool.
  mutating func test(_ id: UInt32) -> ConditionGraph.ID {
    let node = unit.tree[Int(id)]
    let origin = origin(node)
    switch node.kind {
    case .compare:
      if isNeverEqual(node) { return graph.addConstant(.false, at: origin) }
      let left = compared(node.a)
      return graph.add(.relation, left, compared(node.b), Int(node.c), at: origin)
    case .and:
      let left = test(node.a)
      let right = test(node.b)
      return graph.add(.conditional, left, right, graph.addConstant(.false, at: origin), at: origin)
    case .or:
      let left = test(node.a)
      let right = test(node.b)
      return graph.add(.conditional, left, graph.addConstant(.true, at: origin), right, at: origin)
    case .not: return graph.add(.not, test(node.a), at: origin)
    case .bool: return graph.addConstant(Cell(node.a == 1), at: origin)
    default:
      let value = value(id)
      switch graph[value].kind {
      case .equal, .relation: return value
      default: return graph.add(.affirms, value, at: origin)
      }
    }
  }

  /// In liquidjs the word nil is not blank, although a missing value is.
  private func isNeverEqual(_ node: TemplateTree.Node) -> Bool {
    style.isJavaScript && node.c == UInt32(LiquidRelation.equal.rawValue)
      && unit.tree[Int(node.a)].kind == .null && unit.tree[Int(node.b)].kind == .blank
  }

  // MARK: Paths

  /// The bytes of a segment that is a name or a string.
  private func name(_ segment: TemplateTree.Node) -> TemplateTree.Bytes? {
    switch segment.kind {
    case .name, .string: TemplateTree.Bytes(from: segment.a, count: segment.b)
    default: nil
    }
  }

  /// Whether a segment may name a property that every list or string has.
  private func isCommand(_ segment: TemplateTree.Node) -> Bool {
    guard segment.kind == .name || style.isJavaScript, let name = name(segment) else {
      return false
    }
    return unit.tree.withBytes(name, of: unit.source) { name in
      switch name.count {
      case 4 where name.elementsEqual("size".utf8) || name.elementsEqual("last".utf8): return true
      case 5 where name.elementsEqual("first".utf8): return true
      case 6 where style.isJavaScript && name.elementsEqual("length".utf8): return true
      default:
        // A number is an index into a list.
        guard style.isJavaScript, let last = name.last, Markup.isDigit(last) else { return false }
        let digits = name.first == UInt8(ascii: "-") ? name.dropFirst() : name[...]
        return !digits.isEmpty && digits.allSatisfy(Markup.isDigit)
      }
    }
  }

  private mutating func path(_ node: TemplateTree.Node) -> ConditionGraph.ID {
    let segments = unit.tree.list(node.a)
    guard let first = segments.first else { return constant(.null, node) }
    let rootNode = unit.tree[Int(first)]
    let rootName: TemplateTree.Bytes? =
      rootNode.kind == .name
      ? TemplateTree.Bytes(from: rootNode.a, count: rootNode.b)
      : rootNode.kind == .variable ? name(unit.tree[Int(rootNode.a)]) : nil
    guard let rootName else {
      var current = value(first)
      for segment in segments.dropFirst() { current = member(current, segment, node) }
      return current
    }
    var used = 1
    var current: ConditionGraph.ID
    let binding =
      scopes.isEmpty ? nil : unit.tree.withBytes(rootName, of: unit.source) { self.binding($0) }
    switch binding {
    case .loop(let loop)?: return loopFact(loop, Array(segments.dropFirst()), node)
    case .local(let level)?: current = graph.add(.local, level, at: origin(node))
    case .nothing?: current = constant(.null, node)
    case nil:
      if let written = written(rootName, node) {
        current = written
      } else if readsData {
        while !pathNames.isEmpty { pathNames.removeLast() }
        pathNames.append(SlotTable.NameRange(from: rootName.from, count: rootName.count))
        while used < segments.count {
          let segment = unit.tree[Int(segments[segments.startIndex + used])]
          guard let next = name(segment), !isCommand(segment) else { break }
          pathNames.append(SlotTable.NameRange(from: next.from, count: next.count))
          used += 1
        }
        current = graph.add(.slot, slot(pathNames), at: origin(node))
      } else {
        current = constant(.null, node)
      }
    }
    for segment in segments.dropFirst(used) { current = member(current, segment, node) }
    return current
  }

  private mutating func member(
    _ value: ConditionGraph.ID, _ segment: UInt32, _ node: TemplateTree.Node
  ) -> ConditionGraph.ID {
    let key = unit.tree[Int(segment)]
    let isNamed = key.kind == .name
    let operand: ConditionGraph.ID
    if let name = name(key) {
      operand = graph.add(.constant, constant(name), at: origin(key))
    } else {
      operand = self.value(segment)
    }
    return call(isNamed ? .member : .element, [value, operand], node)
  }

  /// The value of a single name.
  private mutating func root(_ name: TemplateTree.Node, _ node: TemplateTree.Node)
    -> ConditionGraph.ID
  {
    let bytes = TemplateTree.Bytes(from: name.a, count: name.b)
    let (tree, source) = (unit.tree, unit.source)
    switch tree.withBytes(bytes, of: source, { binding($0) }) {
    case .local(let level)?: return graph.add(.local, level, at: origin(node))
    case .loop(let loop)?: return loopFact(loop, [], node)
    case .nothing?: return constant(.null, node)
    case nil: break
    }
    if let written = written(bytes, node) { return written }
    guard readsData else { return constant(.null, node) }
    return graph.add(
      .slot, slot([SlotTable.NameRange(from: bytes.from, count: bytes.count)]), at: origin(node))
  }

  /// `[name]`: the variable whose name is computed. All names that are visible are searched.
  private mutating func namedVariable(_ node: TemplateTree.Node) -> ConditionGraph.ID {
    let key = unit.tree[Int(node.a)]
    if key.kind == .string { return root(key, node) }
    let name = value(node.a)
    // The variables of the template itself come first, then the data.
    var result = constant(.null, node)
    if readsData {
      let all = graph.slots.slotOfEverything()
      result = call(.element, [graph.add(.slot, all, at: origin(node)), name], node)
    }
    guard hasRoomForNameTests(node) else { return result }
    for known in variables[variableBase...] where known.name.first != 0 {
      let isName = graph.add(
        .relation, name, text(known.name, node), Int(LiquidRelation.equal.rawValue),
        at: origin(node))
      let value = graph.add(.local, known.level, at: origin(node))
      result = graph.add(.conditional, isName, value, result, at: origin(node))
    }
    return result
  }

  /// Whether another name may be computed. Every computed name is compared with every variable, so both are limited.
  private mutating func hasRoomForNameTests(_ node: TemplateTree.Node) -> Bool {
    let count = variables.count - variableBase
    nameTests += count
    if count <= 100, nameTests <= environment.limits.partialStatements { return true }
    report(
      Diagnostic(
        .limitExceeded, "too many variables for computed names", range: node.range)
    )
    return false
  }

  // MARK: Loops

  /// The value of a property of a loop: `forloop.index`, `forloop.last`.
  private mutating func loopFact(
    _ loop: LoopObject, _ segments: [UInt32], _ node: TemplateTree.Node
  ) -> ConditionGraph.ID {
    guard let first = segments.first else { return loopObject(loop, node) }
    guard let name = name(unit.tree[Int(first)]) else {
      let key = value(first)
      return call(.element, [loopObject(loop, node), key], node)
    }
    let fact = unit.tree.string(name, of: unit.source)
    if fact == "parentloop", !style.isJavaScript, let parent = loop.parent {
      return loopFact(loops[parent], Array(segments.dropFirst()), node)
    }
    guard segments.count == 1 else { return constant(.null, node) }
    return loopFact(loop, fact, node) ?? constant(.null, node)
  }

  private mutating func loopFact(_ loop: LoopObject, _ fact: String, _ node: TemplateTree.Node)
    -> ConditionGraph.ID?
  {
    let origin = origin(node)
    let index = graph.add(.local, loop.level - 1, at: origin)
    let one = graph.addConstant(Cell(Int64(1)), at: origin)
    if loop.isTable, let columns = loop.columns {
      let column = call(.tableColumn, [index, columns], node)
      switch fact {
      case "col": return column
      case "col0": return call(.minus, [column, one], node)
      case "col_first":
        return graph.add(.relation, column, one, Int(LiquidRelation.equal.rawValue), at: origin)
      case "col_last":
        let count = style.isJavaScript ? columns : call(.asInteger, [columns], node)
        return graph.add(.relation, column, count, Int(LiquidRelation.equal.rawValue), at: origin)
      case "row": return call(.tableRow, [index, columns], node)
      default: break
      }
    }
    let items = graph.add(.local, loop.level + 1, at: origin)
    let length = call(.itemCount, [items], node)
    switch fact {
    case "index": return index
    case "index0": return graph.add(.subtract, index, one, at: origin)
    case "length": return length
    case "rindex0": return graph.add(.subtract, length, index, at: origin)
    case "rindex":
      return graph.add(.add, graph.add(.subtract, length, index, at: origin), one, at: origin)
    case "first": return graph.add(.equal, index, one, at: origin)
    case "last": return graph.add(.equal, index, length, at: origin)
    case "name" where !loop.isTable: return text(loop.name, node)
    default: return nil
    }
  }

  /// The whole object of a loop, as a map of its properties.
  private mutating func loopObject(_ loop: LoopObject, _ node: TemplateTree.Node)
    -> ConditionGraph.ID
  {
    var parts: [ConditionGraph.ID] = []
    let facts =
      ["index", "index0", "length", "rindex", "rindex0", "first", "last", "name"]
      + (loop.isTable ? ["col", "col0", "col_first", "col_last", "row"] : [])
    for fact in facts {
      guard let value = loopFact(loop, fact, node) else { continue }
      parts += [text(Array(fact.utf8), node), value]
    }
    return graph.add(.map, list: parts, at: origin(node))
  }

  // MARK: Filters

  private mutating func filter(_ node: TemplateTree.Node) -> ConditionGraph.ID {
    let input = value(node.a)
    if let known = plainFilter(node, input) { return known }
    let filter = LiquidFilters.all.filters[Int(node.c)]
    var plain: [ConditionGraph.ID] = []
    var options: [(name: String, value: ConditionGraph.ID)] = []
    var plainAfterOption = false
    for argument in unit.tree.list(node.b) {
      let content = unit.tree[Int(argument)]
      if content.kind == .keyword, !filter.keywords.isEmpty {
        let name = unit.tree.string(
          TemplateTree.Bytes(from: content.a, count: content.b), of: unit.source)
        options.append((name, value(content.c)))
      } else {
        if !options.isEmpty { plainAfterOption = true }
        plain.append(value(argument))
      }
    }
    if environment.dialect.countsArguments, !filter.arguments.contains(plain.count) {
      reportCount(filter, plain.count, node)
      return call(.fail, [input], node)
    }
    if style.isJavaScript, filter.function == .append || filter.function == .prepend,
      plain.count != 1
    {
      reportCount(filter, plain.count, node)
      return call(.fail, [input], node)
    }
    return call(
      filter.function, operands(filter, input, plain, options, plainAfterOption, node), node)
  }

  /// Adds a filter that passes all arguments unchanged. Returns nil for other filters.
  private mutating func plainFilter(_ node: TemplateTree.Node, _ input: ConditionGraph.ID)
    -> ConditionGraph.ID?
  {
    let place = Int(node.c)
    let arguments = unit.tree.list(node.b)
    guard LiquidFilters.all.takesArguments(place, count: arguments.count) else { return nil }
    let mark = open.count
    defer { close(mark) }
    open.append(UInt32(input))
    for argument in arguments {
      let value = value(argument)
      open.append(UInt32(value))
    }
    return graph.add(
      .filter, list: open[mark...], Int(LiquidFilters.all.filters[place].function.rawValue),
      Int(node.from), at: origin(node))
  }

  /// Reports a number of arguments that the filter does not accept. Such a call fails where it is reached.
  private mutating func reportCount(
    _ filter: LiquidFilters.Filter, _ count: Int, _ node: TemplateTree.Node
  ) {
    let (least, most) = (filter.arguments.lowerBound, filter.arguments.upperBound)
    let wanted = least == most ? "\(least)" : "\(least) to \(most)"
    report(
      Diagnostic(
        .typeError,
        "'\(filter.name)' takes \(wanted) argument\(most == 1 ? "" : "s"), not \(count)",
        severity: .warning, range: node.range))
  }

  private mutating func operands(
    _ filter: LiquidFilters.Filter, _ input: ConditionGraph.ID, _ plain: [ConditionGraph.ID],
    _ options: [(name: String, value: ConditionGraph.ID)], _ plainAfterOption: Bool,
    _ node: TemplateTree.Node
  ) -> [ConditionGraph.ID] {
    func option(_ name: String, or absent: ConditionGraph.ID) -> ConditionGraph.ID {
      options.last { $0.name == name }?.value ?? absent
    }
    let missing = graph.addConstant(.missing, at: origin(node))
    switch filter.function {
    case .defaultValue:
      // In liquidjs, an option in the first place is the replacement value.
      let isBroken = style.isJavaScript && plainAfterOption
      let other = plain.first ?? (style.isJavaScript ? missing : text([], node))
      return [
        input, other, option("allow_false", or: missing), constant(Cell(isBroken), node),
      ]
    case .money:
      return [
        input, plain.first ?? option("currency", or: missing),
        plain.count > 1 ? plain[1] : option("locale", or: missing),
      ]
    case .plural:
      let forms = ["zero", "one", "two", "few", "many", "other"].map { name -> ConditionGraph.ID in
        let place = name == "one" ? 0 : name == "other" ? plain.count - 1 : -1
        return option(name, or: plain.indices.contains(place) ? plain[place] : missing)
      }
      return [input] + forms + [option("locale", or: missing)]
    case .dateAdd where filter.unit != nil, .dateSubtract where filter.unit != nil:
      let unit = text(Array("\(filter.unit ?? .seconds)".utf8), node)
      return [input, plain.first ?? missing, unit]
    case .countdownUnit:
      let unit = constant(Cell(Int64(filter.unit?.rawValue ?? 0)), node)
      let isTotal = constant(Cell(filter.name.hasSuffix("_total")), node)
      return [input, plain.first ?? missing, unit, isTotal]
    default: return [input] + plain
    }
  }
}

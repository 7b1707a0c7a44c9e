/// Turns statements of templates into graph nodes.
extension TemplateCompiler {
  mutating func statement(_ id: TemplateTree.ID) -> ConditionGraph.ID {
    let node = unit.tree[id]
    let origin = origin(node)
    switch node.kind {
    case .sequence:
      let mark = open.count
      for child in unit.tree.list(node.a) {
        let part = statement(Int(child))
        open.append(UInt32(part))
      }
      defer { close(mark) }
      return graph.add(.statements, list: open[mark...], at: origin)
    case .text:
      return graph.add(.text, constant(TemplateTree.Bytes(from: node.a, count: node.b)), at: origin)
    case .output:
      let value = value(node.a)
      let form: OutputForm = isEscaped(Int(node.a)) ? .raw : .escaped
      return graph.add(.output, value, Int(form.rawValue), Int(node.from), at: origin)
    case .verbatim: return verbatim(node)
    case .assign:
      let value = value(node.c)
      guard let level = level(node) else { return nothing(node) }
      return graph.add(.assign, value, level, Int(node.from), at: origin)
    case .capture:
      let body = statement(Int(node.c))
      guard let level = level(node) else { return nothing(node) }
      return graph.add(.capture, body, level, at: origin)
    case .ifs: return conditional(unit.tree.list(node.a), node)
    case .cases: return cases(node)
    case .loop: return loop(id, node)
    case .table: return table(id, node)
    case .cycle: return cycle(node)
    case .increment, .decrement: return counter(node)
    case .ifChanged: return ifChanged(node)
    case .include, .render: return partial(id, node)
    case .leave: return graph.add(.leave, Int(node.a), 0, Int(node.from), at: origin)
    case .null, .empty, .blank, .bool, .int, .double, .string, .path, .name, .variable, .range,
      .filter, .keyword, .compare, .and, .or, .not:
      return nothing(node)
    }
  }

  mutating func nothing(_ node: TemplateTree.Node) -> ConditionGraph.ID {
    graph.add(.statements, list: [], at: origin(node))
  }

  private func level(_ node: TemplateTree.Node) -> Int? {
    // SAFETY: The view of the local array stays in the closure. Tests: RenderingTests.
    bytes(TemplateTree.Bytes(from: node.a, count: node.b)).withUnsafeBufferPointer { variable($0) }
  }

  /// Whether the last filter of a value generates HTML, which must not be escaped again.
  private func isEscaped(_ id: TemplateTree.ID) -> Bool {
    let node = unit.tree[id]
    guard node.kind == .filter else { return false }
    return LiquidFilters.all.filters[Int(node.c)].function.row.makesMarkup
  }

  /// A path, or its source as written if the path has no value.
  private mutating func verbatim(_ node: TemplateTree.Node) -> ConditionGraph.ID {
    let value = value(node.a)
    let origin = origin(node)
    let written = graph.add(.output, value, 0, Int(node.from), at: origin)
    let place = constant(TemplateTree.Bytes(from: node.b, count: node.c))
    let literal = graph.add(.text, place, at: origin)
    let isThere = call(.scalar, [value], node)
    let test = graph.add(
      .not,
      graph.add(
        .relation, isThere, graph.addConstant(.null, at: origin),
        Int(LiquidRelation.equal.rawValue),
        at: origin), at: origin)
    return graph.add(.choose, test, written, literal, at: origin)
  }

  // MARK: Conditions

  private mutating func conditional(
    _ parts: ArraySlice<UInt32>, _ node: TemplateTree.Node
  ) -> ConditionGraph.ID {
    // Begins at the last branch, without nested calls, because there may be many branches.
    var otherwise = nothing(node)
    var end = parts.endIndex
    if parts.count % 2 == 1 {
      otherwise = statement(Int(parts[end - 1]))
      end -= 1
    }
    for i in stride(from: end - 2, through: parts.startIndex, by: -2) {
      let test = test(parts[i])
      let body = statement(Int(parts[i + 1]))
      otherwise = graph.add(.choose, test, body, otherwise, at: origin(unit.tree[Int(parts[i])]))
    }
    return otherwise
  }

  private mutating func cases(_ node: TemplateTree.Node) -> ConditionGraph.ID {
    let parts = Array(unit.tree.list(node.a))
    let origin = origin(node)
    let target = hiddenVariable()
    let hit = hiddenVariable()
    var list = [
      keep(value(parts[0]), in: target, node),
      graph.add(.assign, graph.addConstant(.false, at: origin), hit, at: origin),
    ]
    let subject = graph.add(.local, target, at: origin)
    let isHit = graph.add(.affirms, graph.add(.local, hit, at: origin), at: origin)
    let setHit = graph.add(.assign, graph.addConstant(.true, at: origin), hit, at: origin)
    var at = 1
    while at < parts.count {
      let count = Int(parts[at])
      let values = Array(parts[at + 1..<at + 1 + count])
      let body = statement(Int(parts[at + 1 + count]))
      at += count + 2
      if values.isEmpty {
        list.append(graph.add(.choose, isHit, nothing(node), body, at: origin))
        continue
      }
      let marked = graph.add(.statements, list: [setHit, body], at: origin)
      var tests: [ConditionGraph.ID] = []
      for value in values {
        let other = compared(value)
        tests.append(
          graph.add(
            .relation, subject, other, Int(LiquidRelation.equal.rawValue),
            at: self.origin(unit.tree[Int(value)])))
      }
      list.append(branch(tests, marked, node))
    }
    return graph.add(.statements, list: list, at: origin)
  }

  /// A branch runs for every matching value in Shopify's implementation, and once in liquidjs.
  private mutating func branch(
    _ tests: [ConditionGraph.ID], _ body: ConditionGraph.ID, _ node: TemplateTree.Node
  ) -> ConditionGraph.ID {
    let origin = origin(node)
    if style.isJavaScript, tests.count > 8 { return branch(ofMany: tests, body, node) }
    if tests.count == 1 || style.isJavaScript {
      var test = tests[tests.count - 1]
      for earlier in tests.dropLast().reversed() {
        test = graph.add(
          .conditional, earlier, graph.addConstant(.true, at: origin), test, at: origin)
      }
      return graph.add(.choose, test, body, nothing(node), at: origin)
    }
    let counter = hiddenVariable()
    let count = graph.add(.local, counter, at: origin)
    let one = graph.addConstant(Cell(Int64(1)), at: origin)
    var list = [
      graph.add(.assign, graph.addConstant(Cell(Int64(0)), at: origin), counter, at: origin)
    ]
    for test in tests {
      let sum = graph.add(.add, count, one, at: origin)
      let increment = graph.add(.assign, sum, counter, at: origin)
      list.append(graph.add(.choose, test, increment, nothing(node), at: origin))
    }
    let rounds = call(.loopable, [call(.range, [one, count], node)], node)
    let level = loopLevel()
    // Breaks inside leave the loop around the case.
    list.append(
      graph.add(.items, list: [rounds, body, nothing(node)], 1, level, at: origin))
    return graph.add(.statements, list: list, at: origin)
  }

  /// A branch that runs once if any of many values matches. The tests are emitted one after the other, without nesting.
  private mutating func branch(
    ofMany tests: [ConditionGraph.ID], _ body: ConditionGraph.ID, _ node: TemplateTree.Node
  ) -> ConditionGraph.ID {
    let origin = origin(node)
    let found = hiddenVariable()
    let isFound = graph.add(.affirms, graph.add(.local, found, at: origin), at: origin)
    let set = graph.add(.assign, graph.addConstant(.true, at: origin), found, at: origin)
    var list = [graph.add(.assign, graph.addConstant(.false, at: origin), found, at: origin)]
    for test in tests {
      let look = graph.add(.choose, test, set, nothing(node), at: origin)
      list.append(graph.add(.choose, isFound, nothing(node), look, at: origin))
    }
    list.append(graph.add(.choose, isFound, body, nothing(node), at: origin))
    return graph.add(.statements, list: list, at: origin)
  }

  // MARK: Loops

  /// Compiles statements in the scope of a loop's variable.
  private mutating func scoped(
    _ names: [(name: [UInt8], binding: Binding)], _ body: UInt32
  ) -> ConditionGraph.ID {
    guard body != TemplateTree.none else {
      return graph.add(
        .statements, list: [], at: ConditionGraph.Origin(source: unit.number, from: 0, to: 0))
    }
    scopes += names
    defer { scopes.removeLast(names.count) }
    return statement(Int(body))
  }

  private mutating func loop(_ id: TemplateTree.ID, _ node: TemplateTree.Node) -> ConditionGraph.ID
  {
    let loop = unit.tree.loop(id)
    let origin = origin(node)
    let items = value(loop.items)
    let name = bytes(loop.variable) + Array("-".utf8) + bytes(loop.text)
    var offset =
      loop.offset == TemplateTree.continuing
      ? graph.addConstant(.missing, at: origin) : value(loop.offset)
    var list: [ConditionGraph.ID] = []
    let register = keepsPlaces ? self.register(Array("for ".utf8) + name) : nil
    if loop.offset == TemplateTree.continuing, let register {
      offset = graph.add(.local, register, at: origin)
    }
    let limit = value(loop.limit)
    let reversed = graph.addConstant(Cell(loop.isReversed), at: origin)
    let part = call(.loopItems, [items, offset, limit, reversed], node)
    let level = loopLevel()
    let taken = graph.add(.local, level + 1, at: origin)
    // The items are stored before the loop begins, because the place to continue from depends on them.
    list.append(keep(part, in: level + 1, node))
    if let register {
      let start = call(.asInteger, [offset], node)
      let count = call(.itemCount, [taken], node)
      let end = graph.add(.add, start, count, at: origin)
      list.append(graph.add(.assign, end, register, at: origin))
    }
    let object = LoopObject(
      level: level, name: name, isTable: false, columns: nil,
      parent: loops.indices.last.flatMap { $0 >= loopBase ? $0 : nil })
    loops.append(object)
    let body = scoped(
      [(Array("forloop".utf8), .loop(object)), (bytes(loop.variable), .local(level: level))],
      loop.body)
    loops.removeLast()
    let otherwise =
      loop.otherwise == TemplateTree.none ? nothing(node) : statement(Int(loop.otherwise))
    if style.isJavaScript, loop.otherwise != TemplateTree.none {
      // The `else` branch depends on all items, regardless of limit and offset.
      let none = graph.addConstant(.missing, at: origin)
      let all = call(.loopItems, [items, none, none, graph.addConstant(.false, at: origin)], node)
      let isEmpty = graph.add(
        .relation, call(.itemCount, [all], node), graph.addConstant(Cell(Int64(0)), at: origin),
        Int(LiquidRelation.equal.rawValue), at: origin)
      list.append(graph.add(.items, list: [taken, body, nothing(node)], 0, level, at: origin))
      let rounds = graph.add(.statements, list: list, at: origin)
      return graph.add(.choose, isEmpty, otherwise, rounds, at: origin)
    }
    list.append(graph.add(.items, list: [taken, body, otherwise], 0, level, at: origin))
    return graph.add(.statements, list: list, at: origin)
  }

  private mutating func table(_ id: TemplateTree.ID, _ node: TemplateTree.Node) -> ConditionGraph.ID
  {
    let loop = unit.tree.loop(id)
    let origin = origin(node)
    let items = value(loop.items)
    let offset = value(loop.offset)
    let limit = value(loop.limit)
    let level = loopLevel()
    let columnsVariable = hiddenVariable()
    let flag = hiddenVariable()
    let taken = graph.add(.local, level + 1, at: origin)
    var list = [keep(call(.tableItems, [items, offset, limit], node), in: level + 1, node)]
    let count = call(.itemCount, [taken], node)
    let columns =
      loop.columns == TemplateTree.none
      ? count
      : style.isJavaScript
        ? call(.orElse, [value(loop.columns), count], node) : value(loop.columns)
    list.append(keep(columns, in: columnsVariable, node))
    list.append(graph.add(.assign, graph.addConstant(.null, at: origin), flag, at: origin))
    let object = LoopObject(
      level: level, name: [], isTable: true,
      columns: graph.add(.local, columnsVariable, at: origin), parent: nil)
    let body = scoped(
      [(Array("tablerowloop".utf8), .loop(object)), (bytes(loop.variable), .local(level: level))],
      loop.body)
    let round = tableRound(object, body, flag, node)
    let rounds = graph.add(.items, list: [taken, round, nothing(node)], 0, level, at: origin)
    if style.isJavaScript {
      let isFilled = graph.add(
        .not,
        graph.add(
          .relation, count, graph.addConstant(Cell(Int64(0)), at: origin),
          Int(LiquidRelation.equal.rawValue), at: origin), at: origin)
      list += [
        rounds, graph.add(.choose, isFilled, write("</tr>", node), nothing(node), at: origin),
        waitingBreak(flag, node),
      ]
      return graph.add(.statements, list: list, at: origin)
    }
    list += [write("<tr class=\"row1\">\n", node), rounds, write("</tr>\n", node)]
    let isThere = graph.add(.affirms, items, at: origin)
    return graph.add(
      .choose, isThere, graph.add(.statements, list: list, at: origin), nothing(node), at: origin)
  }

  /// Compiles one cell of a table, with the markup around it.
  private mutating func tableRound(
    _ loop: LoopObject, _ body: ConditionGraph.ID, _ flag: Int, _ node: TemplateTree.Node
  ) -> ConditionGraph.ID {
    let origin = origin(node)
    let index = graph.add(.local, loop.level - 1, at: origin)
    let taken = graph.add(.local, loop.level + 1, at: origin)
    let columns = loop.columns ?? index
    let one = graph.addConstant(Cell(Int64(1)), at: origin)
    let column = call(.tableColumn, [index, columns], node)
    let row = call(.tableRow, [index, columns], node)
    func equal(_ a: ConditionGraph.ID, _ b: ConditionGraph.ID, _ graph: inout ConditionGraph)
      -> ConditionGraph.ID
    {
      graph.add(.relation, a, b, Int(LiquidRelation.equal.rawValue), at: origin)
    }
    let open = [
      write("<td class=\"col", node), graph.add(.output, column, 1, at: origin), write("\">", node),
    ]
    let cell = graph.add(.cell, body, flag, style.isJavaScript ? 1 : 0, at: origin)
    if style.isJavaScript {
      let isFirst = equal(column, one, &graph)
      let isTop = equal(row, one, &graph)
      let closing = graph.add(.choose, isTop, nothing(node), write("</tr>", node), at: origin)
      let opening = graph.add(
        .statements,
        list: [
          closing, write("<tr class=\"row", node), graph.add(.output, row, 1, at: origin),
          write("\">", node),
        ], at: origin)
      return graph.add(
        .statements,
        list: [graph.add(.choose, isFirst, opening, nothing(node), at: origin)] + open
          + [cell, write("</td>", node)], at: origin)
    }
    let flagValue = graph.add(.local, flag, at: origin)
    let reset = graph.add(.assign, graph.addConstant(.null, at: origin), flag, at: origin)
    let leaves = graph.add(
      .choose, equal(flagValue, graph.addConstant(.true, at: origin), &graph),
      graph.add(.leave, 0, 0, 1, at: origin), nothing(node), at: origin)
    let isLastColumn = equal(column, call(.asInteger, [columns], node), &graph)
    let isLast = equal(index, call(.itemCount, [taken], node), &graph)
    let next = graph.add(
      .statements,
      list: [
        write("</tr>\n<tr class=\"row", node),
        graph.add(.output, graph.add(.add, row, one, at: origin), 1, at: origin),
        write("\">", node),
      ], at: origin)
    let wraps = graph.add(
      .choose, isLastColumn,
      graph.add(.choose, isLast, nothing(node), next, at: origin), nothing(node), at: origin)
    return graph.add(
      .statements, list: [reset] + open + [cell, write("</td>", node), leaves, wraps], at: origin)
  }

  /// In liquidjs, a break in a table ends the loop around the table, after the table.
  private mutating func waitingBreak(_ flag: Int, _ node: TemplateTree.Node) -> ConditionGraph.ID {
    let origin = origin(node)
    let value = graph.add(.local, flag, at: origin)
    let isBreak = graph.add(
      .relation, value, graph.addConstant(.true, at: origin), Int(LiquidRelation.equal.rawValue),
      at: origin)
    let leave = graph.add(
      .choose, isBreak, graph.add(.leave, 0, 0, 2, at: origin),
      graph.add(.leave, 1, 0, 2, at: origin),
      at: origin)
    return graph.add(
      .choose, graph.add(.affirms, value, at: origin), leave, nothing(node), at: origin)
  }

  // MARK: Counters and cycles

  private mutating func counter(_ node: TemplateTree.Node) -> ConditionGraph.ID {
    // SAFETY: The view of the local array stays in the closure. Tests: RenderingTests.
    let name = bytes(TemplateTree.Bytes(from: node.a, count: node.b))
    guard let level = name.withUnsafeBufferPointer({ counter($0) }) else { return nothing(node) }
    let origin = origin(node)
    let value = graph.add(.local, level, at: origin)
    let number = call(.counter, [value], node)
    let one = graph.addConstant(Cell(Int64(1)), at: origin)
    let normal = graph.add(.assign, number, level, Int(node.from), at: origin)
    let step = graph.add(node.kind == .increment ? .add : .subtract, value, one, at: origin)
    let store = graph.add(.assign, step, level, Int(node.from) + 1, at: origin)
    let print = graph.add(.output, value, 1, Int(node.from), at: origin)
    let list = node.kind == .increment ? [normal, print, store] : [normal, store, print]
    return graph.add(.statements, list: list, at: origin)
  }

  private mutating func cycle(_ node: TemplateTree.Node) -> ConditionGraph.ID {
    let parts = Array(unit.tree.list(node.a))
    let origin = origin(node)
    let register = self.register(Array("cycle".utf8))
    let items = parts.dropFirst(3).map { value($0) }
    let count = graph.addConstant(Cell(Int64(items.count)), at: origin)
    var key: ConditionGraph.ID
    if parts[0] == TemplateTree.none {
      // The key of a cycle without a name is its items, or in liquidjs their number.
      key =
        style.isJavaScript
        ? text(Array(":\(items.count)".utf8), node)
        : text([1] + cycleKey(Array(parts.dropFirst(3)), node), node)
    } else {
      key = value(parts[0])
      if style.isJavaScript {
        key = call(.append, [key, text(Array(":\(items.count)".utf8), node)], node)
      }
    }
    let place = hiddenVariable()
    let held = graph.add(.local, register, at: origin)
    let list = graph.add(.list, list: items.map { call(.firstArgument, [$0], node) }, at: origin)
    let next = graph.add(.local, place, at: origin)
    return graph.add(
      .statements,
      list: [
        keep(call(.cyclePlace, [held, key], node), in: place, node),
        graph.add(.assign, call(.cycleStep, [held, key, count], node), register, at: origin),
        graph.add(.output, call(.listItem, [list, next], node), 0, Int(node.from), at: origin),
      ], at: origin)
  }

  /// The key of a cycle with literals. A cycle with other values differs from all other cycles.
  private func cycleKey(_ items: [UInt32], _ node: TemplateTree.Node) -> [UInt8] {
    var key: [UInt8] = []
    for item in items {
      let content = unit.tree[Int(item)]
      switch content.kind {
      case .string:
        key += [0x22] + bytes(TemplateTree.Bytes(from: content.a, count: content.b)) + [0x22]
      case .int, .double, .bool, .null, .empty, .blank:
        key += Array("\(content.kind.rawValue) \(content.a) \(content.b) \(content.c),".utf8)
      default: return Array("\(unit.number) \(node.from)".utf8)
      }
    }
    return key
  }

  /// Writes the content of a block, unless the previous block wrote the same content.
  private mutating func ifChanged(_ node: TemplateTree.Node) -> ConditionGraph.ID {
    let origin = origin(node)
    let register = self.register(Array("ifchanged".utf8))
    let current = hiddenVariable()
    let body = statement(Int(node.a))
    let value = graph.add(.local, current, at: origin)
    let before = graph.add(.local, register, at: origin)
    let isSame = graph.add(.relation, value, before, Int(LiquidRelation.equal.rawValue), at: origin)
    let written = graph.add(
      .statements,
      list: [
        graph.add(.assign, value, register, at: origin), graph.add(.output, value, 1, at: origin),
      ], at: origin)
    return graph.add(
      .statements,
      list: [
        graph.add(.assign, graph.addConstant(.null, at: origin), current, at: origin),
        graph.add(.capture, body, current, at: origin),
        graph.add(.choose, isSame, nothing(node), written, at: origin),
      ], at: origin)
  }
}

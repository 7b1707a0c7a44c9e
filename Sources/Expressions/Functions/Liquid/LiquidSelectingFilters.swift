/// `where`, `reject`, `find`, `find_index` and `has`: the items whose property is truthy, or equals a value.
enum SelectingFilters {
  // SAFETY: Elements are read below the list's count. Pointers to local cells stay in their
  // closures. Tests: AnyArgumentsTests, HostileTemplateTests, corpus.

  static func call(
    _ function: SelectingFilter, _ operands: Operands, _ state: inout RenderingState,
    _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    let list = ListFilters.items(operands[0], state.style, &arena)
    guard list.isValue else { return list }
    guard list.outsideCount > 0, let base = list.elements.baseAddress,
      let noName = arena.cells(1)
    else { return none(function) }
    // Without a name, liquidjs reads the property with the empty name.
    noName.pointee = .emptyText
    guard
      let property = operands.optional(1)
        ?? (state.style.isJavaScript ? UnsafePointer(noName) : nil)
    else { return none(function) }
    var target = operands.optional(2)
    // Without a third operand, and in Ruby also if that operand is nil, the property must be truthy.
    if let third = target, third.pointee.isNil,
      !state.style.isJavaScript || third.pointee.tag < Tag.null
    {
      target = nil
    }
    var result = none(function)
    for i in 0..<list.outsideCount {
      let read = LiquidProperties.read(
        base + i, property, &state, &arena, &work, hasDots: state.style.isJavaScript)
      let cell: Cell
      switch read {
      case .value(let value): cell = value
      case .wrongType: return Cell(fault: .noSuchOverload)
      case .noMembers: return .null
      }
      let isMatch: Bool
      if let target {
        isMatch = withUnsafePointer(to: cell) {
          state.style.isJavaScript
            ? LiquidComparing.areEqual($0, target, state.style, &work)
            : Comparing.areEqual($0, target, &work)
        }
      } else {
        isMatch = cell.holds
      }
      guard isMatch == (function != .reject) else { continue }
      switch function {
      case .find: return base[i]
      case .findIndex: return Cell(Int64(i))
      case .has: return .true
      case .where, .reject:
        result = Loops.append(base[i], to: result, &arena)
        guard result.isValue else { return result }
      }
    }
    return result
  }

  private static func none(_ function: SelectingFilter) -> Cell {
    switch function {
    case .has: .false
    case .find, .findIndex: .null
    case .where, .reject: .emptyList
    }
  }
}

/// The filters `sort` and `sort_natural`.
enum SortFilters {
  // SAFETY: There is a key for each element, and `StableSort` returns numbers below the count.
  // Tests: AnyArgumentsTests, HostileTemplateTests, corpus.

  static func call(
    _ operands: Operands, isNatural: Bool, _ state: inout RenderingState, _ arena: inout Arena,
    _ work: inout Int
  ) -> Cell {
    let list = ListFilters.items(operands[0], state.style, &arena)
    guard list.isValue, let items = list.elements.baseAddress, list.outsideCount > 0 else {
      return list.isValue ? .emptyList : list
    }
    var keys = list
    // A single item is always in order.
    if list.outsideCount == 1, items.pointee.isText || items.pointee.tag == Tag.int { return list }
    if let property = operands.optional(1), !property.pointee.isNil {
      if !state.style.isJavaScript, !LiquidProperties.canBeAsked(list) { return .null }
      keys = self.keys(list, property, isNatural, &state, &arena, &work)
      guard keys.tag == Tag.list else { return keys }
    }
    guard let base = keys.elements.baseAddress else { return .emptyList }
    let count = list.outsideCount
    work &+= count &* (64 - count.leadingZeroBitCount)
    var comparison = Comparison(isNatural: isNatural, style: state.style)
    if comparison.isNatural {
      keys = folded(keys, &state, &arena)
      guard keys.isValue else { return keys }
    }
    let sorted = keys.elements.baseAddress ?? base
    guard
      let order = StableSort.order(
        of: count, &arena,
        isBefore: {
          comparison.isBefore(sorted + $0, sorted + $1)
        })
    else { return Cell(fault: .limitExceeded) }
    if comparison.failed { return Cell(fault: .noSuchOverload) }
    return arena.list(of: count) { for i in 0..<count { $0[i] = items[order[i]] } }
  }

  private static func keys(
    _ list: Cell, _ property: UnsafePointer<Cell>, _ isNatural: Bool,
    _ state: inout RenderingState, _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    guard let base = list.elements.baseAddress, let memory = arena.cells(list.outsideCount) else {
      return Cell(fault: .limitExceeded)
    }
    for i in 0..<list.outsideCount {
      let read = LiquidProperties.read(
        base + i, property, &state, &arena, &work,
        hasDots: state.style.isJavaScript && !isNatural)
      switch read {
      case .value(let cell): memory[i] = cell.isValue ? cell : .null
      case .wrongType: return Cell(fault: .noSuchOverload)
      case .noMembers: return .null
      }
    }
    return Cell(tag: Tag.list, count: list.outsideCount, at: memory)
  }

  /// The keys as lower-case strings.
  private static func folded(
    _ keys: Cell, _ state: inout RenderingState, _ arena: inout Arena
  ) -> Cell {
    guard let base = keys.elements.baseAddress, let memory = arena.cells(keys.outsideCount) else {
      return Cell(fault: .limitExceeded)
    }
    for i in 0..<keys.outsideCount {
      if base[i].isNil {
        memory[i] = .null
        continue
      }
      let text =
        state.style.isJavaScript && base[i].tag == Tag.map
        ? LiquidComparing.literal("[object object]") : state.text(base + i, &arena)
      memory[i] = arena.text(ofBytes: text.count) { target in
        for (i, byte) in text.enumerated() {
          target[i] = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
        }
      }
      guard memory[i].isValue else { return memory[i] }
    }
    return Cell(tag: Tag.list, count: keys.outsideCount, at: memory)
  }

  /// Compares values for sorting; nil comes last. Values without an order are an error in Ruby, and equal in
  /// ECMAScript.
  private struct Comparison {
    var isNatural: Bool
    var style: LiquidStyle
    var failed = false

    mutating func isBefore(_ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>) -> Bool {
      if a.pointee.isNil || b.pointee.isNil {
        if style.isJavaScript, !isNatural { return false }
        return !a.pointee.isNil
      }
      let order = Comparing.order(a, b)
      if style.isJavaScript, order == .noOverload {
        return LiquidConversions.javaScriptNumber(a) < LiquidConversions.javaScriptNumber(b)
      }
      // In Ruby, bools, maps and values of different kinds have no order, but equal values are equal.
      if order == .noOverload || a.pointee.tag == Tag.bool {
        if !Comparing.areEqual(a, b) { failed = true }
        return false
      }
      return order == .less
    }
  }
}

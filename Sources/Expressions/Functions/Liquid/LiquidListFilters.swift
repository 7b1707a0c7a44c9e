/// Filters over lists.
enum ListFilters {
  // SAFETY: Ranges have no memory and are counted out. Positions in lists are compared with the
  // count; new lists have room for as many elements as are written. Tests: AnyArgumentsTests,
  // HostileTemplateTests, corpus, asan.

  static func call(
    _ function: EndFilter, _ operands: Operands, _ style: LiquidStyle, _ arena: inout Arena
  ) -> Cell {
    let value = operands[0]
    switch function {
    case .size:
      if style.isJavaScript, value.pointee.tag == Tag.map { return Cell(Int64(0)) }
      let size = LiquidMembers.size(value, style)
      return size.isValue && size != .null ? size : Cell(Int64(0))
    case .first, .last:
      if style.isJavaScript, value.pointee.isText {
        return LiquidTexts.end(value.textBytes, isFirst: function == .first)
      }
      if function == .first, value.pointee.tag == Tag.map, style.isJavaScript { return .null }
      return LiquidMembers.end(value, isFirst: function == .first, style, &arena)
    }
  }

  static func call(
    _ function: ListFilter, _ operands: Operands, _ state: inout RenderingState,
    _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    let list = items(operands[0], state.style, &arena)
    guard list.isValue else { return list }
    work &+= list.outsideCount
    switch function {
    case .reverse: return reversed(list, &arena)
    case .concat: return concatenated(list, operands, state.style, &arena)
    case .join: return joined(list, operands, &state, &arena)
    case .compact: return compacted(list, operands, &state, &arena, &work)
    case .uniq: return unique(list, operands, &state, &arena, &work)
    case .map: return mapped(list, operands, &state, &arena, &work)
    case .sum: return sum(list, operands, &state, &arena, &work)
    case .push, .unshift:
      guard let other = operands.optional(1) else { return list }
      let added = arena.list(of: 1) { $0[0] = other.pointee.isValue ? other.pointee : .null }
      return function == .push ? appended(list, added, &arena) : appended(added, list, &arena)
    case .pop: return slice(list, 0, max(list.outsideCount - 1, 0), &arena)
    case .shift: return slice(list, 1, max(list.outsideCount - 1, 0), &arena)
    }
  }

  // MARK: Items

  /// The items of a filter. In Ruby, lists are flattened, and any other value becomes a list of this value.
  static func items(_ value: UnsafePointer<Cell>, _ style: LiquidStyle, _ arena: inout Arena)
    -> Cell
  {
    let cell = value.pointee
    switch cell.tag {
    case ...Tag.null: return .emptyList
    case Tag.range, Tag.descending, Tag.emptyRange:
      return arena.list(of: cell.rangeCount) {
        for i in 0..<cell.rangeCount { $0[i] = cell.rangeElement(i) }
      }
    case Tag.list:
      guard !style.isJavaScript, cell.elements.contains(where: { $0.tag == Tag.list }) else {
        return cell
      }
      var list = Cell.emptyList
      flatten(cell, into: &list, &arena, depth: 0)
      return list
    default: return arena.list(of: 1) { $0[0] = cell }
    }
  }

  private static func flatten(
    _ cell: Cell, into list: inout Cell, _ arena: inout Arena, depth: Int
  ) {
    for element in cell.elements where list.isValue {
      if element.tag == Tag.list, depth < Nesting.deepest {
        flatten(element, into: &list, &arena, depth: depth + 1)
      } else {
        list = Loops.append(element, to: list, &arena)
      }
    }
  }

  static func count(_ cell: Cell) -> Int { cell.isRange ? cell.rangeCount : cell.outsideCount }

  static func slice(_ list: Cell, _ from: Int, _ count: Int, _ arena: inout Arena) -> Cell {
    guard count > 0 else { return .emptyList }
    if list.isRange {
      return arena.list(of: count) { for i in 0..<count { $0[i] = list.rangeElement(from + i) } }
    }
    guard let base = list.elements.baseAddress, from + count <= list.outsideCount else {
      return .emptyList
    }
    return Cell(tag: Tag.list, count: count, at: UnsafeRawPointer(base + from))
  }

  static func reversed(_ list: Cell, _ arena: inout Arena) -> Cell {
    let count = list.outsideCount
    return arena.list(of: count) { for i in 0..<count { $0[i] = list.elements[count - 1 - i] } }
  }

  static func appended(_ a: Cell, _ b: Cell, _ arena: inout Arena) -> Cell {
    guard a.isValue, b.isValue else { return Cell(fault: .limitExceeded) }
    return arena.list(of: a.outsideCount + b.outsideCount) {
      for (i, cell) in a.elements.enumerated() { $0[i] = cell }
      for (i, cell) in b.elements.enumerated() { $0[a.outsideCount + i] = cell }
    }
  }

  private static func concatenated(
    _ list: Cell, _ operands: Operands, _ style: LiquidStyle, _ arena: inout Arena
  ) -> Cell {
    guard let other = operands.optional(1) else {
      return style.isJavaScript ? list : Cell(fault: .noSuchOverload)
    }
    let isList = other.pointee.tag == Tag.list
    if !style.isJavaScript, !isList { return Cell(fault: .noSuchOverload, other.pointee.tag) }
    let cell =
      other.pointee.isRange || style.isJavaScript
      ? items(other, .javaScript, &arena) : other.pointee
    return appended(list, cell, &arena)
  }

  // MARK: Strings

  private static func joined(
    _ list: Cell, _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena
  ) -> Cell {
    var separator = LiquidComparing.literal(" ")
    if let second = operands.optional(1), !(state.style.isJavaScript && second.pointee.isNil) {
      separator = state.text(second, &arena)
    }
    let mark = state.scratch.count
    guard append(list, separator, &state.scratch, state.style, depth: 0) else {
      state.scratch.truncate(to: mark)
      return Cell(fault: .conversion)
    }
    return state.takeText(from: mark, &arena)
  }

  /// Appends the items of a list with a separator. Commas separate the items of nested lists.
  private static func append(
    _ list: Cell, _ separator: ByteView, _ buffer: inout OutputBuffer, _ style: LiquidStyle,
    depth: Int
  ) -> Bool {
    guard let base = list.elements.baseAddress else { return true }
    var isText = true
    for i in 0..<list.outsideCount where !buffer.isFull {
      if i > 0 { buffer.append(separator) }
      if style.isJavaScript, base[i].tag == Tag.list {
        guard depth < Nesting.deepest else { return false }
        isText =
          append(base[i], LiquidComparing.literal(","), &buffer, style, depth: depth + 1) && isText
      } else {
        isText = LiquidConversions.append(base + i, to: &buffer, style, depth: 0) && isText
      }
    }
    return isText
  }

  // MARK: Properties

  private static func compacted(
    _ list: Cell, _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena,
    _ work: inout Int
  ) -> Cell {
    let property =
      state.style.isJavaScript ? nil : operands.optional(1).flatMap { $0.pointee.isNil ? nil : $0 }
    return filtered(list, &arena) { item, arena in
      guard let property else { return item.pointee.isNil ? .no : .yes }
      return LiquidProperties.read(item, property, &state, &arena, &work).isNothing
    }
  }

  enum Choice {
    case yes, no, failed
    /// The result of the filter is nil.
    case nothing
  }

  static func filtered(
    _ list: Cell, _ arena: inout Arena,
    _ isKept: (UnsafePointer<Cell>, inout Arena) -> Choice
  ) -> Cell {
    guard let base = list.elements.baseAddress else { return .emptyList }
    var result = Cell.emptyList
    for i in 0..<list.outsideCount {
      switch isKept(base + i, &arena) {
      case .yes:
        result = Loops.append(base[i], to: result, &arena)
        if !result.isValue { return result }
      case .no: break
      case .failed: return Cell(fault: .noSuchOverload)
      case .nothing: return .null
      }
    }
    return result
  }

  private static func unique(
    _ list: Cell, _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena,
    _ work: inout Int
  ) -> Cell {
    guard let base = list.elements.baseAddress else { return .emptyList }
    var keys = list
    if !state.style.isJavaScript, list.outsideCount == 1 { return list }
    if !state.style.isJavaScript, let property = operands.optional(1), !property.pointee.isNil {
      if !LiquidProperties.canBeAsked(list) { return .null }
      keys = mapped(list, operands, &state, &arena, &work)
      guard keys.tag == Tag.list else { return keys }
    } else if state.style.isJavaScript {
      // Lists and maps are compared by identity, not by content.
      keys = arena.list(of: list.outsideCount) {
        for i in 0..<list.outsideCount {
          let isObject = base[i].tag == Tag.list || base[i].tag == Tag.map
          $0[i] = isObject ? Cell(base[i].high ^ base[i].low) : base[i]
        }
      }
    }
    guard keys.isValue, var index = CellIndex(for: keys.elements, &arena) else {
      return Cell(fault: .limitExceeded)
    }
    var number = 0
    return filtered(list, &arena) { _, _ in
      defer { number += 1 }
      return index.insert(number).map { $0 ? .yes : .no } ?? .failed
    }
  }

  static func mapped(
    _ list: Cell, _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena,
    _ work: inout Int
  ) -> Cell {
    guard let base = list.elements.baseAddress else { return .emptyList }
    guard let property = operands.optional(1) else { return Cell(fault: .noSuchOverload) }
    guard let memory = arena.cells(max(list.outsideCount, 1)) else {
      return Cell(fault: .limitExceeded)
    }
    for i in 0..<list.outsideCount {
      let read = LiquidProperties.read(base + i, property, &state, &arena, &work)
      switch read {
      case .value(let cell): memory[i] = cell.isValue ? cell : .null
      case .wrongType: return Cell(fault: .noSuchOverload)
      case .noMembers: memory[i] = .null
      }
    }
    return Cell(tag: Tag.list, count: list.outsideCount, at: memory)
  }

  private static func sum(
    _ list: Cell, _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena,
    _ work: inout Int
  ) -> Cell {
    let property = operands.optional(1).flatMap { $0.pointee.isNil ? nil : $0 }
    var values = list
    if property != nil {
      values = mapped(list, operands, &state, &arena, &work)
      guard values.isValue else { return values }
      if !state.style.isJavaScript {
        values = withUnsafePointer(to: values) { items($0, state.style, &arena) }
      }
    }
    guard let base = values.elements.baseAddress else { return Cell(Int64(0)) }
    guard let total = arena.cells(2) else { return Cell(fault: .limitExceeded) }
    total[0] = Cell(Int64(0))
    for i in 0..<values.outsideCount {
      total[1] = base[i]
      if state.style.isJavaScript {
        let number = LiquidConversions.javaScriptNumber(base + i)
        total[1] = Cell(number.isNaN || base[i].tag < Tag.null ? 0 : number)
      }
      total[0] =
        state.style.numbers == .binary
        ? BinaryNumberFilters.call(.plus, Operands(total, count: 2))
        : DecimalNumberFilters.call(.plus, Operands(total, count: 2))
      guard total[0].isValue else { return total[0] }
    }
    return total[0]
  }
}

/// Properties of the items of lists.
enum LiquidProperties {
  // SAFETY: Two cells in the arena hold the item and a view of the name. The name is in the operand or the arena,
  // and both outlive the call. Tests: AnyArgumentsTests, corpus.

  enum Reading {
    case value(Cell)
    /// The item cannot have a property of this kind.
    case wrongType
    /// The item has no properties.
    case noMembers

    var isNothing: ListFilters.Choice {
      switch self {
      case .value(let cell): cell.isNil ? .no : .yes
      case .wrongType: .failed
      case .noMembers: .nothing
      }
    }
  }

  /// Whether every item can have properties in Ruby.
  static func canBeAsked(_ list: Cell) -> Bool {
    list.elements.allSatisfy { $0.tag == Tag.map || $0.isText || $0.tag == Tag.int }
  }

  static func read(
    _ item: UnsafePointer<Cell>, _ property: UnsafePointer<Cell>, _ state: inout RenderingState,
    _ arena: inout Arena, _ work: inout Int, hasDots: Bool = false
  ) -> Reading {
    work &+= 1
    if state.style.isJavaScript {
      return .value(member(item, property, hasDots, &state, &arena, &work))
    }
    let cell = item.pointee
    switch cell.tag {
    case Tag.map: return .value(Comparing.lookUp(property, in: cell, &work)?.pointee ?? .null)
    case Tag.longText, Tag.shortText...:
      // In Ruby, a string's properties are its substrings.
      if property.pointee.isText {
        let isPart = TextFunctions.contains(item.textBytes, property.textBytes)
        return .value(isPart ? property.pointee : .null)
      }
      guard property.pointee.tag == Tag.int else { return .wrongType }
      return .value(
        Cell(
          textAt: LiquidTexts.slice(
            item.textBytes, from: Int(property.pointee.intValue), count: 1, isUTF16: false)))
    case Tag.int:
      guard property.pointee.tag == Tag.int else { return .wrongType }
      let place = property.pointee.intValue
      let bit =
        place < 0 ? 0 : place > 62 ? (cell.intValue < 0 ? 1 : 0) : cell.intValue >> place & 1
      return .value(Cell(bit))
    default: return .noMembers
    }
  }

  private static func member(
    _ item: UnsafePointer<Cell>, _ property: UnsafePointer<Cell>, _ hasDots: Bool,
    _ state: inout RenderingState, _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    var name = state.text(property, &arena)
    guard let place = arena.cells(2) else { return .null }
    place[0] = item.pointee
    while true {
      let dot = hasDots ? name.firstIndex(of: UInt8(ascii: ".")) : nil
      place[1] = Cell(textAt: ByteView(rebasing: name[..<(dot ?? name.count)]))
      place[0] = LiquidMembers.member(
        place, place + 1, isNamed: true, &state, &arena, &work)
      guard let dot else { return place[0] }
      name = ByteView(rebasing: name[(dot + 1)...])
    }
  }
}

/// The functions that tags need in addition to filters.
enum TagFunctions {
  // SAFETY: Both ends of a part are limited to the number of items. Tests: AnyArgumentsTests,
  // HostileTemplateTests, corpus.

  static func call(
    _ function: TagFunction, _ operands: Operands, _ state: inout RenderingState,
    _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    switch function {
    case .range: return range(operands, state.style, &arena)
    case .loopItems: return loopItems(operands, &state, &arena, &work)
    case .tableItems: return tableItems(operands, &state, &arena, &work)
    case .itemCount: return Cell(Int64(ListFilters.count(operands[0].pointee)))
    case .tableColumn, .tableRow: return table(function, operands, state.style)
    case .cyclePlace: return place(operands)
    case .cycleStep: return step(operands, state.style, &arena)
    case .listItem:
      let (list, place) = (operands[0].pointee, Int(operands[1].pointee.intValue))
      return place >= 0 && place < list.outsideCount ? list.elements[place] : .null
    case .asInteger: return integer(operands[0])
    case .counter:
      let cell = operands[0].pointee
      return cell.tag == Tag.int ? cell : Cell(Int64(0))
    case .orElse:
      return operands[0].pointee.isValue
        ? operands[0].pointee : operands[1].pointee.isValue ? operands[1].pointee : .null
    case .wrapped: return wrapped(operands[0], &arena)
    case .wrappedUnlessList:
      let isList = operands[0].pointee.tag == Tag.list
      return isList ? operands[0].pointee : wrapped(operands[0], &arena)
    case .loopable:
      let items = items(operands[0], &arena, &work)
      let isList =
        state.style.isJavaScript || operands[0].pointee.tag == Tag.list
        || operands[0].pointee.tag == Tag.map || operands[0].pointee.isRange
      return isList ? items : wrapped(operands[0], &arena)
    case .scalar:
      let cell = operands[0].pointee
      return cell.isText || (Tag.bool...Tag.double) ~= cell.tag ? cell : .null
    case .failLimit: return Cell(fault: .limitExceeded)
    case .firstArgument: return operands[0].pointee.isValue ? operands[0].pointee : .null
    case .fail: return Cell(fault: .noSuchOverload)
    }
  }

  private static func wrapped(_ value: UnsafePointer<Cell>, _ arena: inout Arena) -> Cell {
    arena.list(of: 1) { $0[0] = value.pointee.isValue ? value.pointee : .null }
  }

  // MARK: Ranges

  private static func range(_ operands: Operands, _ style: LiquidStyle, _ arena: inout Arena)
    -> Cell
  {
    if style.isJavaScript {
      let first = LiquidConversions.javaScriptNumber(operands[0])
      let last = LiquidConversions.javaScriptNumber(operands[1])
      guard first.isFinite, last.isFinite else { return .emptyList }
      if let low = Int64(exactly: first), abs(last) < 9e15 {
        return Cell(rangeFrom: low, to: Int64(last.rounded(.down))) ?? Cell(fault: .limitExceeded)
      }
      let count = max((last + 1 - first).rounded(.up), 0)
      guard count < 1e7 else { return Cell(fault: .limitExceeded) }
      return arena.list(of: Int(count)) {
        for i in 0..<Int(count) { $0[i] = Cell(first + Double(i)) }
      }
    }
    let (first, last) = (integer(operands[0]), integer(operands[1]))
    guard first.isValue, last.isValue else { return Cell(fault: .conversion) }
    return Cell(rangeFrom: first.intValue, to: last.intValue) ?? Cell(fault: .limitExceeded)
  }

  /// A whole number as Ruby's `to_i` reads it.
  private static func integer(_ value: UnsafePointer<Cell>) -> Cell {
    let number = LiquidConversions.rubyNumber(value)
    guard number.tag == Tag.double else { return number }
    guard abs(number.doubleValue) < 9e18 else { return Cell(fault: .overflow) }
    return Cell(Int64(number.doubleValue))
  }

  // MARK: Loops

  /// The items that a loop over a value visits, as a list or a range.
  private static func items(
    _ value: UnsafePointer<Cell>, _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.list, Tag.range, Tag.descending: return cell
    case Tag.map:
      guard let base = cell.entries.baseAddress else { return .emptyList }
      work &+= cell.outsideCount
      guard let pairs = arena.cells(2 * cell.outsideCount) else {
        return Cell(fault: .limitExceeded)
      }
      pairs.update(from: base, count: 2 * cell.outsideCount)
      return arena.list(of: cell.outsideCount) {
        for i in 0..<cell.outsideCount { $0[i] = Cell(tag: Tag.list, count: 2, at: pairs + 2 * i) }
      }
    case Tag.longText, Tag.shortText...:
      return value.textBytes.isEmpty ? .emptyList : arena.list(of: 1) { $0[0] = cell }
    default: return .emptyList
    }
  }

  private static func part(_ items: Cell, _ from: Int, _ to: Int) -> Cell {
    let count = ListFilters.count(items)
    let first = min(max(from, 0), count)
    let last = min(max(to, first), count)
    guard last > first else { return .emptyList }
    if items.isRange {
      let start = items.rangeElement(first)
      return Cell(low: UInt64(items.tag) | UInt64(last - first) << 8, high: start.high)
    }
    return Cell(
      tag: Tag.list, count: last - first,
      at: items.elements.baseAddress.map { UnsafeRawPointer($0 + first) })
  }

  /// The end of a part that begins at an offset and has `count` items.
  private static func end(_ from: Int, _ count: Int64) -> Int {
    let (end, overflow) = from.addingReportingOverflow(Int(count))
    return overflow ? (count > 0 ? .max : .min) : end
  }

  /// Operands: the value, offset and limit (or nothing), and whether the order is reversed.
  private static func loopItems(
    _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    let isRuby = !state.style.isJavaScript
    var (from, to) = (0, Int.max)
    if isRuby {
      if !operands[1].pointee.isNil {
        let offset = wholeNumber(operands[1])
        guard offset.isValue else { return offset }
        from = Int(clamping: offset.intValue)
      }
      if !operands[2].pointee.isNil {
        let limit = wholeNumber(operands[2])
        guard limit.isValue else { return limit }
        to = end(from, limit.intValue)
      }
    }
    var items = items(operands[0], &arena, &work)
    guard items.isValue else { return items }
    let isText = operands[0].pointee.isText
    if isRuby {
      if !isText { items = part(items, from, to) }
    } else {
      items = javaScriptPart(items, operands[1], operands[2])
    }
    guard operands[3].pointee.holds, ListFilters.count(items) > 1 else { return items }
    if items.isRange {
      // Count the items from the other end.
      let tag = items.tag == Tag.range ? Tag.descending : Tag.range
      return Cell(
        low: UInt64(tag) | UInt64(items.rangeCount) << 8, high: UInt64(bitPattern: items.rangeEnd))
    }
    work &+= items.outsideCount
    return ListFilters.reversed(items, &arena)
  }

  /// The part of the items that `slice(offset)` and then `slice(0, limit)` return.
  private static func javaScriptPart(
    _ items: Cell, _ offset: UnsafePointer<Cell>, _ limit: UnsafePointer<Cell>
  ) -> Cell {
    var items = items
    if offset.pointee.isValue {
      let count = ListFilters.count(items)
      let from = TextPartFilters.javaScriptIndex(LiquidConversions.javaScriptNumber(offset), count)
      items = part(items, from, count)
    }
    if limit.pointee.isValue {
      let count = ListFilters.count(items)
      items = part(
        items, 0, TextPartFilters.javaScriptIndex(LiquidConversions.javaScriptNumber(limit), count))
    }
    return items
  }

  /// A whole number as Ruby's `Integer()` reads it, or an error.
  private static func wholeNumber(_ value: UnsafePointer<Cell>) -> Cell {
    LiquidConversions.rubyInteger(value)
  }

  /// Operands: the value, and offset and limit (or nothing).
  private static func tableItems(
    _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    let items = items(operands[0], &arena, &work)
    guard items.isValue else { return items }
    if state.style.isJavaScript { return javaScriptPart(items, operands[1], operands[2]) }
    if operands[0].pointee.isText { return items }
    var (from, to) = (0, Int.max)
    if operands[1].pointee.isValue {
      let offset = integer(operands[1])
      guard offset.isValue else { return offset }
      from = Int(clamping: offset.intValue)
    }
    if operands[2].pointee.isValue {
      let limit = integer(operands[2])
      guard limit.isValue else { return limit }
      to = end(from, limit.intValue)
    }
    return part(items, from, to)
  }

  /// Operands: position from 1, number of columns. Columns and rows count from 1.
  private static func table(_ function: TagFunction, _ operands: Operands, _ style: LiquidStyle)
    -> Cell
  {
    let index = Double(operands[0].pointee.intValue - 1)
    let columns =
      style.isJavaScript
      ? LiquidConversions.javaScriptNumber(operands[1])
      : Double(
        LiquidConversions.rubyNumber(operands[1]).tag == Tag.int
          ? LiquidConversions.rubyNumber(operands[1]).intValue
          : Int64(max(min(LiquidConversions.rubyNumber(operands[1]).doubleValue, 1e15), -1e15)))
    guard columns > 0 else {
      return function == .tableRow ? Cell(Int64(1)) : LiquidConversions.number(index + 1)
    }
    return LiquidConversions.number(
      function == .tableColumn
        ? index.truncatingRemainder(dividingBy: columns) + 1 : (index / columns).rounded(.down) + 1)
  }

  // MARK: Cycles

  /// The position of a key in a register, which is a map of keys and positions. Operands: register, key.
  private static func place(_ operands: Operands) -> Cell {
    guard operands[0].pointee.tag == Tag.map else { return Cell(Int64(0)) }
    return withKey(operands[1]) { Comparing.lookUp($0, in: operands[0].pointee)?.pointee }
      ?? Cell(Int64(0))
  }

  private static func withKey<Result>(
    _ key: UnsafePointer<Cell>, _ body: (UnsafePointer<Cell>) -> Result
  ) -> Result {
    key.pointee.isNil ? withUnsafePointer(to: Cell.null, body) : body(key)
  }

  /// Advances a cycle. Operands: register, key, number of items.
  private static func step(_ operands: Operands, _ style: LiquidStyle, _ arena: inout Arena) -> Cell
  {
    let next = place(operands).intValue + 1
    let count = operands[2].pointee.intValue
    let value = Cell(next >= count ? 0 : next)
    let register =
      operands[0].pointee.tag == Tag.map
      ? operands[0].pointee : Cell(tag: Tag.map, count: 0, at: nil)
    return withKey(operands[1]) { key in
      if let known = Comparing.lookUp(key, in: register) {
        // SAFETY: Registers are in the arena, and templates cannot name them, so no other value
        // points to this cell. Tests: RenderingTests, corpus.
        UnsafeMutablePointer(mutating: known).pointee = value
        return register
      }
      guard let memory = arena.cells((register.outsideCount + 1) * 2) else {
        return Cell(fault: .limitExceeded)
      }
      if let base = register.entries.baseAddress {
        memory.update(from: base, count: register.outsideCount * 2)
      }
      memory[register.outsideCount * 2] = key.pointee
      memory[register.outsideCount * 2 + 1] = value
      return Cell(tag: Tag.map, count: register.outsideCount + 1, at: memory)
    }
  }
}

/// The filters `default` and `money`.
enum MoreFilters {
  // SAFETY: The view of the string stays in the closure, and the arena copies it.
  // Tests: AnyArgumentsTests, corpus.

  /// Operands: the value, the other value, whether false counts as a value, and in liquidjs whether the
  /// options are invalid.
  static func defaultValue(_ operands: Operands, _ style: LiquidStyle) -> Cell {
    let cell = operands[0].pointee
    let keepsFalse = operands.optional(2)?.pointee.holds ?? false
    let other = operands.optional(1)?.pointee
    let replacement =
      other.map { $0.isValue ? $0 : .null } ?? (style.isJavaScript ? .null : .emptyText)
    if style.isJavaScript, cell == .false, operands.optional(3)?.pointee.holds ?? false {
      return Cell(fault: .noSuchOverload)
    }
    if cell.isNil || cell == .false && !keepsFalse { return replacement }
    switch cell.tag {
    case Tag.longText, Tag.shortText...: return operands[0].textBytes.isEmpty ? replacement : cell
    case Tag.list: return cell.outsideCount == 0 ? replacement : cell
    case Tag.map where !style.isJavaScript: return cell.outsideCount == 0 ? replacement : cell
    case Tag.word: return style.isJavaScript ? replacement : cell
    default: return cell
    }
  }

  /// Operands: the amount, the currency, the locale.
  static func money(
    _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    // A locale given as an operand may have to be looked up in the tables.
    if !(operands.optional(2)?.pointee.isNil ?? true) { work &+= 3_200 }
    if operands[0].pointee.isNil { return .null }
    guard let formatter = state.money, let code = operands.optional(1), !code.pointee.isNil else {
      return Cell(fault: .noSuchOverload)
    }
    let amount = state.text(operands[0], &arena)
    let digits = LiquidConversions.trimmed(amount)
    guard LiquidDecimal(digits) != nil else { return Cell(fault: .conversion) }
    let locale = operands.optional(2).flatMap { $0.pointee.isNil ? nil : state.text($0, &arena) }
    let text = formatter.format(
      String(decoding: digits, as: UTF8.self),
      String(decoding: state.text(code, &arena), as: UTF8.self),
      locale.map { String(decoding: $0, as: UTF8.self) } ?? state.locale)
    guard var text else { return Cell(fault: .conversion) }
    return text.withUTF8 { arena.text(copying: $0) } ?? Cell(fault: .limitExceeded)
  }
}

/// The relations in conditions.
enum LiquidRelation: UInt8 {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, contains
}

// SAFETY: Tags are checked before elements are read; ranges have tags of their own and no memory.
// Pointers to local cells stay in their closures, and static strings live as long as the process.
// Tests: AnyArgumentsTests, HostileTemplateTests, corpus.
enum LiquidComparing {
  /// Tests a relation. The result is a bool, or an error: Ruby cannot order a string and a number.
  static func test(
    _ relation: LiquidRelation, _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>,
    _ state: inout RenderingState, _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    switch relation {
    case .equal: Cell(areEqual(a, b, state.style, &work))
    case .notEqual: Cell(!areEqual(a, b, state.style, &work))
    case .contains: contains(a, b, &state, &arena, &work)
    default:
      state.style.comparisons == .coercing
        ? Cell(coercedOrder(relation, a, b, &state, &arena, &work))
        : typedOrder(relation, a, b, &work)
    }
  }

  // MARK: Equality

  static func areEqual(
    _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>, _ style: LiquidStyle, _ work: inout Int
  ) -> Bool {
    let (left, right) = (a.pointee, b.pointee)
    if left.tag == Tag.word { return isMember(b, of: left, style) }
    if right.tag == Tag.word { return isMember(a, of: right, style) }
    if left.isNil || right.isNil { return left.isNil && right.isNil }
    if left.isRange || right.isRange { return areEqualRanges(left, right, style, &work) }
    // In ECMAScript an object only equals itself.
    if style.isJavaScript, left.tag == Tag.map || right.tag == Tag.map { return left == right }
    if style.isJavaScript, left.tag == Tag.list, right.tag == Tag.list {
      return areEqualLists(left, right, style, &work)
    }
    return Comparing.areEqual(a, b, &work)
  }

  private static func areEqualLists(
    _ a: Cell, _ b: Cell, _ style: LiquidStyle, _ work: inout Int, depth: Int = 0
  ) -> Bool {
    guard a.outsideCount == b.outsideCount, depth < Nesting.deepest else { return false }
    guard let left = a.elements.baseAddress, let right = b.elements.baseAddress else { return true }
    for i in 0..<a.outsideCount {
      work &+= 1
      if left[i].tag == Tag.list, right[i].tag == Tag.list {
        guard areEqualLists(left[i], right[i], style, &work, depth: depth + 1) else { return false }
      } else if !areEqual(left + i, right + i, style, &work) {
        return false
      }
    }
    return true
  }

  private static func areEqualRanges(
    _ a: Cell, _ b: Cell, _ style: LiquidStyle, _ work: inout Int
  ) -> Bool {
    if a == b { return true }
    guard style.isJavaScript else { return false }
    let (range, list) = a.isRange ? (a, b) : (b, a)
    guard list.tag == Tag.list, list.outsideCount == range.rangeCount else { return false }
    work &+= list.outsideCount
    for (i, element) in list.elements.enumerated() where element != range.rangeElement(i) {
      return false
    }
    return true
  }

  /// Whether a value is empty, or blank.
  private static func isMember(
    _ value: UnsafePointer<Cell>, of word: Cell, _ style: LiquidStyle
  ) -> Bool {
    let cell = value.pointee
    let isBlank = word.high == LiquidWord.blank.rawValue
    switch cell.tag {
    case ...Tag.null: return isBlank
    case Tag.bool: return isBlank && !cell.boolValue
    case Tag.longText, Tag.shortText...:
      let text = value.textBytes
      return isBlank ? text.allSatisfy(LiquidConversions.isSpace) : text.isEmpty
    case Tag.list, Tag.map: return cell.outsideCount == 0
    case Tag.range, Tag.descending, Tag.emptyRange:
      return style.isJavaScript && cell.rangeCount == 0
    default: return false
    }
  }

  // MARK: Order

  private static func holds(_ relation: LiquidRelation, _ order: Comparing.Order) -> Bool {
    switch relation {
    case .less: order == .less
    case .lessOrEqual: order == .less || order == .equal
    case .greater: order == .greater
    default: order == .greater || order == .equal
    }
  }

  /// Numbers and strings have an order. A string and a number have no order, which is an error. Any other pair is
  /// neither less nor greater.
  private static func typedOrder(
    _ relation: LiquidRelation, _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>,
    _ work: inout Int
  ) -> Cell {
    let (left, right) = (a.pointee, b.pointee)
    func isOrdered(_ cell: Cell) -> Bool { cell.isText || (Tag.int...Tag.double) ~= cell.tag }
    guard isOrdered(left), isOrdered(right) else { return .false }
    work &+= (left.isText ? a.textBytes.count : 0) >> 6
    let order = Comparing.order(a, b)
    if order == .noOverload { return Arithmetic.noOverload(left, right) }
    return Cell(holds(relation, order))
  }

  private static func coercedOrder(
    _ relation: LiquidRelation, _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>,
    _ state: inout RenderingState, _ arena: inout Arena, _ work: inout Int
  ) -> Bool {
    let (left, right) = (a.pointee, b.pointee)
    if left.tag == Tag.word || right.tag == Tag.word { return false }
    if left.tag == Tag.int, right.tag == Tag.int {
      return holds(relation, Comparing.order(a, b))
    }
    func isObject(_ cell: Cell) -> Bool {
      cell.tag == Tag.list || cell.tag == Tag.map || cell.isRange
    }
    if left.isText || isObject(left), right.isText || isObject(right) {
      let (x, y) = (state.text(a, &arena), state.text(b, &arena))
      work &+= x.count >> 6
      let (first, second) = (Cell(textAt: x), Cell(textAt: y))
      return withUnsafePointer(to: first) { first in
        withUnsafePointer(to: second) { holds(relation, Comparing.order(first, $0)) }
      }
    }
    let (x, y) = (number(a, &state, &arena), number(b, &state, &arena))
    if x.isNaN || y.isNaN { return false }
    return holds(relation, x < y ? .less : x > y ? .greater : .equal)
  }

  private static func number(
    _ value: UnsafePointer<Cell>, _ state: inout RenderingState, _ arena: inout Arena
  ) -> Double {
    value.pointee.tag < Tag.null ? .nan : LiquidConversions.javaScriptNumber(value)
  }

  // MARK: Membership

  /// In Ruby, `contains` first checks whether both sides are truthy, so that no value contains nil or false. In
  /// ECMAScript, a list contains any value that is an element, including null and false. A missing value is undefined,
  /// which no list from JSON contains.
  private static func contains(
    _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>,
    _ state: inout RenderingState, _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    let (left, right) = (a.pointee, b.pointee)
    let isJavaScript = state.style.isJavaScript
    if !isJavaScript, right.isNil || right == .false { return .false }
    if left.isText {
      let part =
        right.isNil
        ? literal(right.tag == Tag.null ? "null" : "undefined") : state.text(b, &arena)
      work &+= a.textBytes.count >> 2
      return Cell(TextFunctions.contains(a.textBytes, part))
    }
    if left.isRange {
      guard right.tag == Tag.int || right.tag == Tag.double, left.rangeCount > 0 else {
        return .false
      }
      let (low, high) = (min(left.intValue, left.rangeEnd), max(left.intValue, left.rangeEnd))
      return Cell(Double(low)...Double(high) ~= right.nearestDouble)
    }
    if left.tag == Tag.map, !isJavaScript {
      return Cell(Comparing.lookUp(b, in: left, &work) != nil)
    }
    guard left.tag == Tag.list, right.tag >= Tag.null, let base = left.elements.baseAddress
    else { return .false }
    for i in 0..<left.outsideCount {
      work &+= 1
      if areEqual(base + i, b, state.style, &work) { return .true }
    }
    return .false
  }

  static func literal(_ text: StaticString) -> ByteView {
    ByteView(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }
}

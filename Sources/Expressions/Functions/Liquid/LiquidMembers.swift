/// Reads members of values: `a.b`, `a[b]`, and the members that every list or string has.
enum LiquidMembers {
  // SAFETY: Tags are checked before views are read, and positions are compared with the count.
  // Tests: AnyArgumentsTests, HostileTemplateTests, corpus.

  /// The member of a value, or null.
  ///
  /// - Parameter isNamed: whether the key follows a dot, so that it may be `size`, `first` or `last`.
  static func member(
    _ value: UnsafePointer<Cell>, _ key: UnsafePointer<Cell>, isNamed: Bool,
    _ state: inout RenderingState, _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    let cell = value.pointee
    let javaScript = state.style.isJavaScript
    switch cell.tag {
    case Tag.map:
      work &+= cell.outsideCount
      if let found = lookUp(key, in: cell, &state, &arena) { return found }
    case Tag.list, Tag.range, Tag.descending:
      if let index = index(key, javaScript) { return element(cell, index) }
    case Tag.longText, Tag.shortText...:
      if javaScript, let index = index(key, true), index >= 0 {
        return character(value.textBytes, index, &arena)
      }
    default: break
    }
    guard isNamed || javaScript, key.pointee.isText else { return .null }
    return command(value, key.textBytes, &state, &arena)
  }

  private static func lookUp(
    _ key: UnsafePointer<Cell>, in map: Cell, _ state: inout RenderingState, _ arena: inout Arena
  ) -> Cell? {
    if key.pointee.isText { return Comparing.lookUp(key, in: map)?.pointee }
    guard state.style.isJavaScript, !key.pointee.isNil else { return nil }
    let name = Cell(textAt: state.text(key, &arena))
    return withUnsafePointer(to: name) { Comparing.lookUp($0, in: map)?.pointee }
  }

  /// The position of a key in a list.
  private static func index(_ key: UnsafePointer<Cell>, _ javaScript: Bool) -> Int? {
    switch key.pointee.tag {
    case Tag.int: return Int(clamping: key.pointee.intValue)
    case Tag.double where javaScript: return Int(exactly: key.pointee.doubleValue)
    case Tag.longText, Tag.shortText...:
      let text = key.textBytes
      let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
      guard javaScript, !digits.isEmpty, digits.count < 18, digits.allSatisfy({ $0 &- 0x30 < 10 })
      else { return nil }
      return digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) } * (digits.count < text.count ? -1 : 1)
    default: return nil
    }
  }

  private static func element(_ list: Cell, _ index: Int) -> Cell {
    let count = list.isRange ? list.rangeCount : list.outsideCount
    let place = index < 0 ? index &+ count : index
    guard place >= 0, place < count else { return .null }
    if list.isRange { return list.rangeElement(place) }
    return list.elements[place].isValue ? list.elements[place] : .null
  }

  private static func character(_ text: ByteView, _ index: Int, _ arena: inout Arena) -> Cell {
    let part = LiquidTexts.slice(text, from: index, count: 1, isUTF16: true)
    return part.isEmpty ? .null : Cell(textAt: part)
  }

  /// The value of the members `size`, `first` and `last`.
  private static func command(
    _ value: UnsafePointer<Cell>, _ name: ByteView, _ state: inout RenderingState,
    _ arena: inout Arena
  ) -> Cell {
    if name.elementsEqual("size".utf8) { return size(value, state.style) }
    if name.elementsEqual("first".utf8) { return end(value, isFirst: true, state.style, &arena) }
    if name.elementsEqual("last".utf8) { return end(value, isFirst: false, state.style, &arena) }
    if state.style.isJavaScript, name.elementsEqual("length".utf8), value.pointee.tag != Tag.map {
      return size(value, state.style)
    }
    return .null
  }

  /// The number of parts of a value, or null if the value has no parts.
  static func size(_ value: UnsafePointer<Cell>, _ style: LiquidStyle) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.longText, Tag.shortText...:
      return Cell(Int64(LiquidTexts.length(value.textBytes, isUTF16: style.isJavaScript)))
    case Tag.list, Tag.map: return Cell(Int64(cell.outsideCount))
    case Tag.range, Tag.descending, Tag.emptyRange: return Cell(Int64(cell.rangeCount))
    // In Ruby, the size of an integer is its number of bytes.
    case Tag.int where !style.isJavaScript: return Cell(Int64(8))
    default: return .null
    }
  }

  /// The first or the last part of a value, or null.
  static func end(
    _ value: UnsafePointer<Cell>, isFirst: Bool, _ style: LiquidStyle, _ arena: inout Arena
  ) -> Cell {
    let cell = value.pointee
    switch cell.tag {
    case Tag.list, Tag.range, Tag.descending: return element(cell, isFirst ? 0 : -1)
    case Tag.map where !style.isJavaScript && isFirst:
      guard let base = cell.entries.baseAddress, cell.outsideCount > 0 else { return .null }
      return arena.list(of: 2) {
        $0[0] = base[0]
        $0[1] = base[1]
      }
    case Tag.longText, Tag.shortText...:
      if style.isJavaScript { return .null }
      return LiquidTexts.end(value.textBytes, isFirst: isFirst)
    default: return .null
    }
  }
}

/// Filters that find, cut and replace parts of strings.
enum TextPartFilters {
  // SAFETY: Parts begin and end between characters, inside the count. Results are views of the
  // operand, or copies in the arena. Tests: HostileTemplateTests, AnyArgumentsTests, corpus.

  static func call(
    _ function: TextPartFilter, _ operands: Operands, _ state: inout RenderingState,
    _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    if operands[0].pointee.isNil, !state.style.isJavaScript,
      function == .truncate || function == .truncateWords
    {
      return .null
    }
    let text = state.text(operands[0], &arena)
    work &+= text.count >> 2
    switch function {
    case .strip, .lstrip, .rstrip: return stripped(function, text, operands, &state, &arena)
    case .split:
      guard let pattern = operands.optional(1) else {
        return split(text, ByteView(start: nil, count: 0), state.style, &arena)
      }
      return split(text, state.text(pattern, &arena), state.style, &arena)
    case .truncate: return truncated(text, operands, &state, &arena)
    case .truncateWords: return truncatedWords(text, operands, &state, &arena)
    }
  }

  // MARK: White space

  private static func stripped(
    _ function: TextPartFilter, _ text: ByteView, _ operands: Operands,
    _ state: inout RenderingState, _ arena: inout Arena
  ) -> Cell {
    var characters = ByteView(start: nil, count: 0)
    if state.style.isJavaScript, let second = operands.optional(1), second.pointee.isText {
      characters = second.textBytes
    }
    func isDropped(_ byte: UInt8) -> Bool {
      if !characters.isEmpty { return characters.contains(byte) }
      return LiquidConversions.isSpace(byte) || byte == 0 && !state.style.isJavaScript
    }
    var (from, to) = (0, text.count)
    if function != .rstrip { while from < to, isDropped(text[from]) { from += 1 } }
    if function != .lstrip { while to > from, isDropped(text[to - 1]) { to -= 1 } }
    return part(ByteView(rebasing: text[from..<to]), &arena)
  }

  /// A part of a string that is in the arena or outlives the rendering.
  static func part(_ text: ByteView, _ arena: inout Arena) -> Cell {
    // A short string may be inside a cell that changes. The string is copied into the new cell.
    Cell(textAt: text)
  }

  // MARK: Replacing

  static func call(
    _ function: ReplacingFilter, _ operands: Operands, _ state: inout RenderingState,
    _ arena: inout Arena, _ work: inout Int
  ) -> Cell {
    let text = state.text(operands[0], &arena)
    work &+= text.count >> 2
    let empty = ByteView(start: nil, count: 0)
    let pattern = operands.optional(1).map { state.text($0, &arena) } ?? empty
    let replaces = function == .replace || function == .replaceFirst || function == .replaceLast
    let other = replaces ? operands.optional(2).map { state.text($0, &arena) } ?? empty : empty
    switch function {
    case .replaceFirst, .removeFirst:
      guard let at = LiquidTexts.find(pattern, in: text) else { return part(text, &arena) }
      return spliced(text, at, pattern.count, other, &state, &arena)
    case .replaceLast, .removeLast:
      guard let at = TextSearch.last(of: pattern, in: text) else { return part(text, &arena) }
      return spliced(text, at, pattern.count, other, &state, &arena)
    case .replace, .remove: break
    }
    if pattern.isEmpty { return interspersed(text, other, &state, &arena) }
    let search = TextSearch(pattern)
    let mark = state.scratch.count
    var from = 0
    while let at = search.first(in: text, from: from) {
      state.scratch.append(ByteView(rebasing: text[from..<at]))
      state.scratch.append(other)
      from = at + pattern.count
      if state.scratch.isFull { break }
    }
    if from == 0 { return part(text, &arena) }
    state.scratch.append(ByteView(rebasing: text[from...]))
    return state.takeText(from: mark, &arena)
  }

  private static func spliced(
    _ text: ByteView, _ at: Int, _ count: Int, _ other: ByteView, _ state: inout RenderingState,
    _ arena: inout Arena
  ) -> Cell {
    let mark = state.scratch.count
    state.scratch.append(ByteView(rebasing: text[..<at]))
    state.scratch.append(other)
    state.scratch.append(ByteView(rebasing: text[(at + count)...]))
    return state.takeText(from: mark, &arena)
  }

  /// Replaces the empty string, which occurs between all characters. Ruby also finds the empty string at both ends.
  private static func interspersed(
    _ text: ByteView, _ other: ByteView, _ state: inout RenderingState, _ arena: inout Arena
  ) -> Cell {
    if other.isEmpty { return part(text, &arena) }
    let mark = state.scratch.count
    let isRuby = !state.style.isJavaScript
    if isRuby { state.scratch.append(other) }
    for (i, byte) in text.enumerated() {
      state.scratch.append(byte)
      let isLast = i + 1 == text.count
      if LiquidTexts.isBoundary(text, i + 1), isRuby || !isLast { state.scratch.append(other) }
      if state.scratch.isFull { break }
    }
    return state.takeText(from: mark, &arena)
  }

  // MARK: Splitting

  static func split(
    _ text: ByteView, _ pattern: ByteView, _ style: LiquidStyle, _ arena: inout Arena
  ) -> Cell {
    guard !text.isEmpty else { return .emptyList }
    var list = Cell.emptyList
    func append(_ from: Int, _ to: Int) {
      guard list.isValue else { return }
      list = Loops.append(Cell(textAt: ByteView(rebasing: text[from..<to])), to: list, &arena)
    }
    if pattern.isEmpty {
      if LiquidTexts.isASCII(text) {
        for i in 0..<text.count { append(i, i + 1) }
      } else {
        var from = 0
        for character in String(decoding: text, as: UTF8.self) {
          append(from, from + character.utf8.count)
          from += character.utf8.count
        }
      }
      return list
    }
    if !style.isJavaScript, pattern.count == 1, pattern[0] == 0x20 {
      var i = 0
      while i < text.count {
        while i < text.count, LiquidConversions.isSpace(text[i]) { i += 1 }
        let from = i
        while i < text.count, !LiquidConversions.isSpace(text[i]) { i += 1 }
        if i > from { append(from, i) }
      }
      return list
    }
    let search = TextSearch(pattern)
    var from = 0
    while let at = search.first(in: text, from: from) {
      append(from, at)
      from = at + pattern.count
    }
    append(from, text.count)
    guard list.tag == Tag.list else { return list }
    var count = list.outsideCount
    while count > 0, list.elements[count - 1] == .emptyText { count -= 1 }
    return Cell(tag: Tag.list, count: count, at: list.address)
  }

  // MARK: Cutting

  static func slice(
    _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena
  ) -> Cell {
    let value = operands[0]
    let isRuby = !state.style.isJavaScript
    var (from, count) = (0, 1)
    if isRuby {
      guard let first = operands.optional(1) else { return Cell(fault: .noSuchOverload) }
      let offset = LiquidConversions.rubyInteger(first)
      guard offset.isValue else { return offset }
      from = Int(clamping: offset.intValue)
      if let second = operands.optional(2), second.pointee.holds {
        let length = LiquidConversions.rubyInteger(second)
        guard length.isValue else { return length }
        count = Int(clamping: length.intValue)
      }
      guard count >= 0 else { return emptyLike(value) }
    } else if value.pointee.isNil {
      return .emptyList
    }
    let isList = value.pointee.tag == Tag.list || !isRuby && value.pointee.isRange
    let text = isList ? ByteView(start: nil, count: 0) : state.text(value, &arena)
    let size =
      isList ? ListFilters.count(value.pointee) : LiquidTexts.length(text, isUTF16: !isRuby)
    if !isRuby {
      (from, count) = javaScriptRange(operands, size, &state, &arena)
    } else {
      if from < 0 { from += size }
      guard from >= 0, from <= size else { return isRuby ? emptyLike(value) : .null }
    }
    if isList {
      let start = min(from, size)
      return ListFilters.slice(value.pointee, start, min(count, size - start), &arena)
    }
    return part(LiquidTexts.slice(text, from: from, count: count, isUTF16: !isRuby), &arena)
  }

  private static func emptyLike(_ value: UnsafePointer<Cell>) -> Cell {
    value.pointee.tag == Tag.list ? .emptyList : .emptyText
  }

  /// The range of `slice(begin, begin + length)`. In ECMAScript, the sum of a string and a number is a string.
  private static func javaScriptRange(
    _ operands: Operands, _ size: Int, _ state: inout RenderingState, _ arena: inout Arena
  ) -> (from: Int, count: Int) {
    let begin = operands.optional(1)
    let hasLength = operands.count > 2 && !operands[2].pointee.isNil
    let length = hasLength ? LiquidConversions.javaScriptNumber(operands[2]) : 1
    let first =
      begin.map { $0.pointee.isNil ? Double.nan : LiquidConversions.javaScriptNumber($0) } ?? .nan
    var start = first
    var end = first + length
    if first < 0 {
      start = Double(size) + first
      end = start + length
    } else if let begin, begin.pointee.isText {
      let sum = TextFilters.joined(
        begin.textBytes, hasLength ? state.text(operands[2], &arena) : LiquidComparing.literal("1"),
        &arena)
      end = withUnsafePointer(to: sum) { LiquidConversions.javaScriptNumber($0) }
    } else if hasLength, operands[2].pointee.isText {
      let sum = TextFilters.joined(state.text(operands[1], &arena), operands[2].textBytes, &arena)
      end = withUnsafePointer(to: sum) { LiquidConversions.javaScriptNumber($0) }
    }
    let from = javaScriptIndex(start, size)
    return (from, javaScriptIndex(end, size) - from)
  }

  /// A position as ECMAScript's `slice` interprets it.
  static func javaScriptIndex(_ value: Double, _ size: Int) -> Int {
    if value.isNaN { return 0 }
    let whole = value.rounded(.towardZero)
    if whole < 0 { return max(0, Int(max(whole + Double(size), 0))) }
    return whole >= Double(size) ? size : Int(whole)
  }

  /// A number operand of a filter. In Ruby, the number must be whole, and nil is an error.
  private static func wholeNumber(
    _ operand: UnsafePointer<Cell>?, _ absent: Int, _ style: LiquidStyle
  ) -> Int? {
    guard let operand else { return absent }
    if style.isJavaScript {
      if operand.pointee.isNil { return absent }
      let number = LiquidConversions.javaScriptNumber(operand)
      return number.isNaN
        ? 0 : Int(clamping: Int64(min(max(number.rounded(.towardZero), -1e15), 1e15)))
    }
    let number = LiquidConversions.rubyInteger(operand)
    return number.isValue ? Int(clamping: number.intValue) : nil
  }

  private static func ellipsis(
    _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena
  ) -> ByteView {
    guard let third = operands.optional(2), !(state.style.isJavaScript && third.pointee.isNil)
    else { return LiquidComparing.literal("...") }
    return state.text(third, &arena)
  }

  private static func truncated(
    _ text: ByteView, _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena
  ) -> Cell {
    guard let length = wholeNumber(operands.optional(1), 50, state.style) else {
      return Cell(fault: .conversion)
    }
    let isUTF16 = state.style.isJavaScript
    let end = ellipsis(operands, &state, &arena)
    guard LiquidTexts.length(text, isUTF16: isUTF16) > length else { return part(text, &arena) }
    let kept = max(max(length, 0) - LiquidTexts.length(end, isUTF16: isUTF16), 0)
    return TextFilters.joined(
      LiquidTexts.slice(text, from: 0, count: kept, isUTF16: isUTF16), end, &arena)
  }

  private static func truncatedWords(
    _ text: ByteView, _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena
  ) -> Cell {
    guard var most = wholeNumber(operands.optional(1), 15, state.style) else {
      return Cell(fault: .conversion)
    }
    most = max(most, 1)
    let end = ellipsis(operands, &state, &arena)
    return state.style.isJavaScript
      ? javaScriptWords(text, most, end, &state, &arena)
      : rubyWords(text, most, end, &state, &arena)
  }

  /// The first words with one blank between them. The string is unchanged if nothing follows these words, not even
  /// white space.
  private static func rubyWords(
    _ text: ByteView, _ most: Int, _ end: ByteView, _ state: inout RenderingState,
    _ arena: inout Arena
  ) -> Cell {
    let mark = state.scratch.count
    var words = 0
    var i = 0
    while true {
      while i < text.count, LiquidConversions.isSpace(text[i]) { i += 1 }
      let from = i
      while i < text.count, !LiquidConversions.isSpace(text[i]) { i += 1 }
      guard i > from else { break }
      words += 1
      if words > 1 { state.scratch.append(0x20) }
      state.scratch.append(ByteView(rebasing: text[from..<i]))
      if words == most, i < text.count {
        state.scratch.append(end)
        return state.takeText(from: mark, &arena)
      }
    }
    state.scratch.truncate(to: mark)
    return part(text, &arena)
  }

  /// The first words. White space at either end counts as an empty word. The end is appended if the number of
  /// words is reached.
  private static func javaScriptWords(
    _ text: ByteView, _ most: Int, _ end: ByteView, _ state: inout RenderingState,
    _ arena: inout Arena
  ) -> Cell {
    let mark = state.scratch.count
    var words = 0
    var i = 0
    repeat {
      if words > 0 { while i < text.count, LiquidConversions.isSpace(text[i]) { i += 1 } }
      let from = i
      while i < text.count, !LiquidConversions.isSpace(text[i]) { i += 1 }
      words += 1
      if words > 1 { state.scratch.append(0x20) }
      state.scratch.append(ByteView(rebasing: text[from..<i]))
    } while i < text.count && words < most
    if words >= most { state.scratch.append(end) }
    return state.takeText(from: mark, &arena)
  }
}

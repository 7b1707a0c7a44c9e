/// Filters that convert a string to a string, byte by byte.
enum TextFilters {
  // SAFETY: Indexes are compared with the count. The output of `url_decode` becomes a string only if it is valid
  // UTF-8. Tests: HostileTemplateTests, AnyArgumentsTests, corpus.

  static func call(
    _ function: TextFilter, _ operands: Operands, _ state: inout RenderingState,
    _ arena: inout Arena
  ) -> Cell {
    let value = operands[0]
    let isRuby = !state.style.isJavaScript
    // In Ruby, these filters return nil if the value is nil.
    if value.pointee.isNil, isRuby,
      function == .escape || function == .escapeOnce || function == .urlEncode
        || function == .urlDecode
    {
      return .null
    }
    let text = state.text(value, &arena)
    let mark = state.scratch.count
    switch function {
    case .text: return arena.text(copying: text) ?? Cell(fault: .limitExceeded)
    case .append, .prepend:
      guard let other = operands.optional(1) else { return Cell(fault: .noSuchOverload) }
      let part = state.text(other, &arena)
      return function == .append ? joined(text, part, &arena) : joined(part, text, &arena)
    case .base64Decode, .base64URLDecode:
      return Base64Filters.decode(
        text, isURL: function == .base64URLDecode, isStrict: isRuby, &state, &arena)
    case .escape: HTMLText.escape(text, into: &state.scratch, isRuby ? .ruby : .javaScript)
    case .escapeOnce: escapeOnce(text, isRuby, into: &state.scratch)
    case .unescape: unescape(text, into: &state.scratch)
    case .newlineToBreak: newlines(text, with: "<br />\n", into: &state.scratch)
    case .stripNewlines: newlines(text, with: "", into: &state.scratch)
    case .stripHTML: MarkupStripping.strip(text, into: &state.scratch)
    case .urlEncode: urlEncode(text, isRuby, into: &state.scratch)
    case .urlDecode:
      urlDecode(text, into: &state.scratch)
      let decoded = ByteView(
        start: state.scratch.start + mark, count: state.scratch.count - mark)
      if !UTF8Scan.isValid(decoded) {
        state.scratch.truncate(to: mark)
        return Cell(fault: .conversion)
      }
    case .base64Encode, .base64URLEncode:
      Base64Filters.encode(text, isURL: function == .base64URLEncode, into: &state.scratch)
    case .json: JSONText.append(value, to: &state.scratch, depth: 0)
    }
    return state.takeText(from: mark, &arena)
  }

  static func joined(_ a: ByteView, _ b: ByteView, _ arena: inout Arena) -> Cell {
    arena.text(ofBytes: a.count + b.count) { target in
      if let source = a.baseAddress { target.update(from: source, count: a.count) }
      if let source = b.baseAddress { (target + a.count).update(from: source, count: b.count) }
    }
  }

  static func call(
    _ function: LetterFilter, _ operands: Operands, _ state: inout RenderingState,
    _ arena: inout Arena
  ) -> Cell {
    let text = state.text(operands[0], &arena)
    if LiquidTexts.isASCII(text) {
      return arena.text(ofBytes: text.count) { target in
        for (i, byte) in text.enumerated() {
          let isUpper = function == .upcase || function == .capitalize && i == 0
          let letter = byte | 0x20
          let isLetter = letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
          target[i] = isLetter ? (isUpper ? letter & ~0x20 : letter) : byte
        }
      }
    }
    let string = String(decoding: text, as: UTF8.self)
    let mark = state.scratch.count
    switch function {
    case .upcase: state.scratch.append(string.uppercased())
    case .downcase: state.scratch.append(string.lowercased())
    case .capitalize:
      state.scratch.append(string.prefix(1).uppercased())
      state.scratch.append(string.dropFirst().lowercased())
    }
    return state.takeText(from: mark, &arena)
  }

  private static func newlines(
    _ text: ByteView, with replacement: StaticString, into buffer: inout OutputBuffer
  ) {
    for (i, byte) in text.enumerated() {
      if byte == 0x0A {
        buffer.append(replacement)
      } else if byte != 0x0D || i + 1 >= text.count || text[i + 1] != 0x0A {
        buffer.append(byte)
      }
    }
  }

  // MARK: HTML

  private static func escapeOnce(
    _ text: ByteView, _ isRuby: Bool, into buffer: inout OutputBuffer
  ) {
    for (i, byte) in text.enumerated() {
      if byte == UInt8(ascii: "&"), isReference(text, i, isRuby) {
        buffer.append(byte)
      } else if let name = HTMLText.name(byte, isRuby ? .ruby : .javaScript) {
        buffer.append(name)
      } else {
        buffer.append(byte)
      }
    }
  }

  /// Whether a character reference begins at an ampersand. liquidjs only knows the references that it writes itself.
  private static func isReference(_ text: ByteView, _ at: Int, _ isRuby: Bool) -> Bool {
    var i = at + 1
    let rest = ByteView(rebasing: text[i...])
    if !isRuby {
      return ["amp;", "lt;", "gt;", "#34;", "#39;"].contains { rest.starts(with: $0.utf8) }
    }
    let isNumber = i < text.count && text[i] == UInt8(ascii: "#")
    if isNumber { i += 1 }
    let start = i
    while i < text.count, isNumber ? text[i] &- 0x30 < 10 : (text[i] | 0x20) &- 0x61 < 26 { i += 1 }
    return i > start && i < text.count && text[i] == UInt8(ascii: ";")
  }

  private static func unescape(_ text: ByteView, into buffer: inout OutputBuffer) {
    let names: [(StaticString, UInt8)] = [
      ("&amp;", 0x26), ("&lt;", 0x3C), ("&gt;", 0x3E), ("&#34;", 0x22), ("&#39;", 0x27),
    ]
    var i = 0
    outer: while i < text.count {
      if text[i] == UInt8(ascii: "&") {
        let rest = ByteView(rebasing: text[i...])
        for (name, byte) in names
        where TextFunctions.startsWith(rest, LiquidComparing.literal(name)) {
          buffer.append(byte)
          i += name.utf8CodeUnitCount
          continue outer
        }
      }
      buffer.append(text[i])
      i += 1
    }
  }

  // MARK: URLs

  private static func urlEncode(_ text: ByteView, _ isRuby: Bool, into buffer: inout OutputBuffer) {
    let others: StaticString = isRuby ? "_.-~" : "_.-~!*'()"
    for byte in text {
      let isAlphanumeric = byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
      if byte == 0x20 {
        buffer.append(UInt8(ascii: "+"))
      } else if isAlphanumeric || LiquidComparing.literal(others).contains(byte) {
        buffer.append(byte)
      } else {
        buffer.append(UInt8(ascii: "%"))
        buffer.append(hexDigit(byte >> 4))
        buffer.append(hexDigit(byte & 15))
      }
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  private static func urlDecode(_ text: ByteView, into buffer: inout OutputBuffer) {
    var i = 0
    while i < text.count {
      if text[i] == UInt8(ascii: "%"), i + 2 < text.count, let high = Digits.hex(text[i + 1]),
        let low = Digits.hex(text[i + 2])
      {
        buffer.append(high << 4 | low)
        i += 3
      } else {
        buffer.append(text[i] == UInt8(ascii: "+") ? 0x20 : text[i])
        i += 1
      }
    }
  }
}

/// Removes tags, comments, scripts and styles from HTML, in one pass.
enum MarkupStripping {
  // SAFETY: An opening is compared only if that many bytes are left. Tests: HostileTemplateTests,
  // corpus.

  static func strip(_ text: ByteView, into buffer: inout OutputBuffer) {
    var i = 0
    var missing = Missing()
    while i < text.count {
      guard text[i] == UInt8(ascii: "<") else {
        buffer.append(text[i])
        i += 1
        continue
      }
      if let next = end(text, i, "<script", "</script>", &missing.script)
        ?? end(text, i, "<!--", "-->", &missing.comment)
        ?? end(text, i, "<style", "</style>", &missing.style)
        ?? end(text, i, "<", ">", &missing.tag)
      {
        i = next
      } else {
        buffer.append(text[i])
        i += 1
      }
    }
  }

  /// Closing marks that an earlier search did not find.
  private struct Missing {
    var script = false
    var comment = false
    var style = false
    var tag = false
  }

  private static func end(
    _ text: ByteView, _ at: Int, _ opening: StaticString, _ closing: StaticString,
    _ isMissing: inout Bool
  ) -> Int? {
    if isMissing { return nil }
    let (opening, closing) = (LiquidComparing.literal(opening), LiquidComparing.literal(closing))
    guard text.count - at >= opening.count,
      ByteView(rebasing: text[at..<(at + opening.count)]).elementsEqual(opening)
    else { return nil }
    let found = LiquidTexts.find(closing, in: text, from: at + opening.count)
    if found == nil { isMissing = true }
    return found.map { $0 + closing.count }
  }
}

/// Base 64, with the alphabets of RFC 4648.
enum Base64Filters {
  // SAFETY: Decoded bytes become a string only if they are valid UTF-8.
  // Tests: HostileTemplateTests, AnyArgumentsTests, corpus.

  static func encode(_ text: ByteView, isURL: Bool, into buffer: inout OutputBuffer) {
    func digit(_ value: UInt32) -> UInt8 {
      switch value & 63 {
      case 0..<26: UInt8(value & 63) + 0x41
      case 26..<52: UInt8(value & 63) + 71
      case 52..<62: UInt8(value & 63) - 4
      case 62: isURL ? UInt8(ascii: "-") : UInt8(ascii: "+")
      default: isURL ? UInt8(ascii: "_") : UInt8(ascii: "/")
      }
    }
    var i = 0
    while i < text.count {
      let left = min(3, text.count - i)
      var bits: UInt32 = 0
      for j in 0..<3 { bits = bits << 8 | (j < left ? UInt32(text[i + j]) : 0) }
      buffer.append(digit(bits >> 18))
      buffer.append(digit(bits >> 12))
      buffer.append(left > 1 ? digit(bits >> 6) : UInt8(ascii: "="))
      buffer.append(left > 2 ? digit(bits) : UInt8(ascii: "="))
      i += 3
    }
  }

  /// - Parameter isStrict: whether any input that the encoder would not write is an error. Otherwise, such input is
  ///   skipped, as in browsers.
  static func decode(
    _ text: ByteView, isURL: Bool, isStrict: Bool, _ state: inout RenderingState,
    _ arena: inout Arena
  ) -> Cell {
    let mark = state.scratch.count
    var bits: UInt32 = 0
    var digits = 0
    var padding = 0
    for byte in text {
      if byte == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard let value = value(byte, isURL: isURL || !isStrict, isPlain: !isURL || !isStrict) else {
        if isStrict { return refused(mark, &state) }
        continue
      }
      if padding > 0 {
        if isStrict { return refused(mark, &state) }
        break
      }
      bits = bits << 6 | value
      digits += 1
      if digits % 4 == 0 { appendBytes(bits, 3, to: &state.scratch) }
    }
    let rest = digits % 4
    let isPadded = (digits + padding) % 4 == 0 && padding < 3
    if isStrict, rest == 1 || !(isPadded || isURL && padding == 0) { return refused(mark, &state) }
    if rest > 1 { appendBytes(bits << UInt32(6 * (4 - rest)), rest - 1, to: &state.scratch) }
    let decoded = ByteView(start: state.scratch.start + mark, count: state.scratch.count - mark)
    if !UTF8Scan.isValid(decoded) { return refused(mark, &state) }
    return state.takeText(from: mark, &arena)
  }

  private static func refused(_ mark: Int, _ state: inout RenderingState) -> Cell {
    state.scratch.truncate(to: mark)
    return Cell(fault: .conversion)
  }

  private static func appendBytes(_ bits: UInt32, _ count: Int, to buffer: inout OutputBuffer) {
    for i in 0..<count { buffer.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * i))) }
  }

  private static func value(_ byte: UInt8, isURL: Bool, isPlain: Bool) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 0x41
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) + 4
    case UInt8(ascii: "+") where isPlain, UInt8(ascii: "-") where isURL: 62
    case UInt8(ascii: "/") where isPlain, UInt8(ascii: "_") where isURL: 63
    default: nil
    }
  }
}

/// Values as JSON.
enum JSONText {
  // SAFETY: Elements and entries are read through views with their counts. Pointers to local cells
  // stay in their closures. Tests: RenderingTests, corpus.

  static func append(
    _ value: UnsafePointer<Cell>, to buffer: inout OutputBuffer, depth: Int
  ) {
    guard depth < Nesting.deepest, !buffer.isFull else { return }
    let cell = value.pointee
    switch cell.tag {
    case Tag.longText, Tag.shortText...: append(quoted: value.textBytes, to: &buffer)
    case Tag.list, Tag.range, Tag.descending, Tag.emptyRange:
      buffer.append(UInt8(ascii: "["))
      for i in 0..<(cell.isRange ? cell.rangeCount : cell.outsideCount) where !buffer.isFull {
        if i > 0 { buffer.append(UInt8(ascii: ",")) }
        let element = cell.isRange ? cell.rangeElement(i) : cell.elements[i]
        withUnsafePointer(to: element) { append($0, to: &buffer, depth: depth + 1) }
      }
      buffer.append(UInt8(ascii: "]"))
    case Tag.map:
      buffer.append(UInt8(ascii: "{"))
      for i in 0..<cell.outsideCount {
        if i > 0 { buffer.append(UInt8(ascii: ",")) }
        guard let base = cell.entries.baseAddress else { continue }
        append(base + 2 * i, to: &buffer, depth: depth + 1)
        buffer.append(UInt8(ascii: ":"))
        append(base + 2 * i + 1, to: &buffer, depth: depth + 1)
      }
      buffer.append(UInt8(ascii: "}"))
    case Tag.int, Tag.uint, Tag.bool:
      LiquidConversions.append(value, to: &buffer, .javaScript, depth: depth)
    case Tag.double where cell.doubleValue.isFinite: buffer.append(cell.doubleValue, .binary)
    default: buffer.append("null" as StaticString)
    }
  }

  private static func append(quoted text: ByteView, to buffer: inout OutputBuffer) {
    var bytes: [UInt8] = []
    JSONWriter.append(quoted: text, to: &bytes)
    bytes.withUnsafeBufferPointer { buffer.append($0) }
  }
}

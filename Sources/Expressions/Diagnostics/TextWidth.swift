/// The number of terminal columns of a string.
package enum TextWidth {
  /// East Asian characters and emoji take two columns, and combining marks none.
  package static func columns(_ text: some Sequence<Character>) -> Int {
    text.reduce(0) { $0 + columns($1) }
  }

  package static func columns(_ character: Character) -> Int {
    if let ascii = character.asciiValue { return ascii >= 0x20 ? 1 : 0 }
    let scalars = character.unicodeScalars
    if scalars.contains(where: { $0.value == 0xFE0F || $0.properties.isEmojiPresentation }) {
      return 2
    }
    return scalars.reduce(0) { max($0, columns($1)) }
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// The blocks whose characters are wide or full width (Unicode Standard Annex 11).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
  ]

  /// The string, with its middle left out if it is wider than `width`.
  package static func shortened(_ text: String, to width: Int) -> String {
    guard columns(text) > width else { return text }
    if width <= 1 { return width == 1 ? "…" : "" }
    let tail = suffix(text, (width - 1) / 2)
    return prefix(text, width - 1 - columns(tail)) + "…" + tail
  }

  /// The longest prefix that fits into a number of columns.
  package static func prefix(_ text: some Sequence<Character>, _ width: Int) -> String {
    var left = width
    return String(
      text.prefix {
        left -= columns($0)
        return left >= 0
      })
  }

  private static func suffix(_ text: String, _ width: Int) -> String {
    String(prefix(text.reversed(), width).reversed())
  }

  /// Wraps a line: between its columns if it has some, otherwise between words. Continuation lines are
  /// indented by four more columns, or fewer if there is no room. A word that is wider than the line is not
  /// broken.
  package static func wrapped(_ line: String, to width: Int) -> [String] {
    guard columns(line) > width, line.contains(where: { $0 != " " }) else { return [line] }
    return pieces(of: line, width).flatMap { words(of: $0, width) }
  }

  private static func indent(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  private static func further(than indent: Int, _ width: Int) -> Int { min(indent + 4, width / 3) }

  /// Breaks a line where two or more spaces separate its columns. A mark at the beginning, such as that of a clause,
  /// stays with the column after it.
  private static func pieces(of line: String, _ width: Int) -> [String] {
    let indent = indent(line)
    let space = String(repeating: " ", count: further(than: indent, width))
    var pieces = [""]
    var taken = 0
    for cell in cells(of: line, behind: indent + 8) {
      let room = columns(cell)
      if taken == 0 || taken + room <= width {
        pieces[pieces.count - 1] += cell
        taken += room
      } else {
        let text = cell.drop { $0 == " " }
        pieces.append(space + text)
        taken = space.count + columns(text)
      }
    }
    return pieces
  }

  /// The columns of a line with the spaces before them.
  private static func cells(of line: String, behind least: Int) -> [Substring] {
    var cells: [Substring] = []
    var start = line.startIndex
    var at = line.startIndex
    var place = 0
    while at < line.endIndex {
      let text = line[at...].prefix { $0 != " " }
      let space = line[text.endIndex...].prefix { $0 == " " }
      place += text.count
      if space.count > 1, place > least, space.endIndex < line.endIndex {
        cells.append(line[start..<text.endIndex])
        start = text.endIndex
      }
      place += space.count
      at = space.endIndex
    }
    return cells + [line[start...]]
  }

  private static func words(of line: String, _ width: Int) -> [String] {
    let indent = indent(line)
    var lines: [String] = []
    var current = ""
    var taken = 0
    var rest = line[...]
    while !rest.isEmpty {
      let space = rest.prefix { $0 == " " }
      let word = rest.dropFirst(space.count).prefix { $0 != " " }
      let room = columns(word)
      if taken > 0, taken + space.count + room <= width {
        current += space + word
        taken += space.count + room
      } else {
        if taken > 0 { lines.append(current) }
        let usual = taken > 0 ? further(than: indent, width) : indent
        let before = room > width ? usual : min(usual, width - room)
        current = String(repeating: " ", count: before) + word
        taken = before + room
      }
      rest = rest.dropFirst(space.count + word.count)
    }
    return lines + [current]
  }
}

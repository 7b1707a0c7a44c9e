/// How many columns of a terminal a text takes.
package enum TextWidth {
  /// Two for characters of East Asia and for emoji, none for marks on the character before them.
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

  /// The text with its middle left out where it takes more columns.
  package static func shortened(_ text: String, to width: Int) -> String {
    guard columns(text) > width else { return text }
    if width <= 1 { return width == 1 ? "…" : "" }
    let tail = suffix(text, (width - 1) / 2)
    return prefix(text, width - 1 - columns(tail)) + "…" + tail
  }

  /// As much of the beginning as takes so many columns.
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

  /// A line broken between words so that it fits, and where it has columns, between those first. What
  /// continues it stands four columns further in. A word that is wider than the room is left whole.
  package static func wrapped(_ line: String, to width: Int) -> [String] {
    guard columns(line) > width else { return [line] }
    let indent = line.prefix { $0 == " " }.count
    let further = String(repeating: " ", count: min(indent + 4, max(width / 3, 0)))
    if let gap = lastGap(in: line, behind: indent + 8) {
      return wrapped(String(line[..<gap.lowerBound]), to: width)
        + wrapped(further + line[gap.upperBound...], to: width)
    }
    var lines: [String] = []
    var current = line[..<line.index(line.startIndex, offsetBy: indent)].description
    var rest = line.dropFirst(indent)
    var isFirst = true
    while !rest.isEmpty {
      let space = rest.prefix { $0 == " " }
      let word = rest.dropFirst(space.count).prefix { $0 != " " }
      if !isFirst, columns(current) + space.count + columns(word) > width {
        lines.append(current)
        current = further + word
      } else {
        current += space + word
      }
      isFirst = false
      rest = rest.dropFirst(space.count + word.count)
    }
    return lines + [current]
  }

  /// The last place with two spaces or more between what stands in columns.
  private static func lastGap(in line: String, behind least: Int) -> Range<String.Index>? {
    var found: Range<String.Index>?
    var at = line.startIndex
    while let start = line[at...].firstIndex(of: " ") {
      let end = line[start...].firstIndex { $0 != " " } ?? line.endIndex
      let isWide = line.index(after: start) < end && end < line.endIndex
      if isWide, line.distance(from: line.startIndex, to: start) > least { found = start..<end }
      at = end
    }
    return found
  }
}

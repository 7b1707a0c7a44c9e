internal import Expressions

/// The form of texts on a stream. On a terminal, texts have colours and are cut to the width.
struct TextStyle {
  let hasColor: Bool
  /// Nil for lines of any length.
  let width: Int?

  private enum Code: String {
    case bold = "1"
    case red = "1;31"
    case green = "32"
    case yellow = "1;33"
    case blue = "34"
    case cyan = "1;36"
    case faint = "2"
  }

  private func painted(_ text: some StringProtocol, _ code: Code) -> String {
    text.isEmpty ? "" : "\u{1B}[\(code.rawValue)m\(text)\u{1B}[0m"
  }

  // MARK: Findings

  /// The form of findings, and of other lines between findings.
  func findings(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if let width {
      fitExcerpts(&lines, width)
      lines = lines.flatMap { isWhole($0) ? [$0] : wrapped($0) }
    }
    if hasColor { lines = lines.map(colored) }
    return lines.joined(separator: "\n")
  }

  /// Whether a line is not wrapped. Excerpts already fit, and command lines must stay copyable.
  private func isWhole(_ line: String) -> Bool {
    line.hasPrefix(TextStyle.gutter) || line.drop { $0 == " " }.hasPrefix("tollgate ")
  }

  private static let severities: [(word: String, code: Code)] = [
    ("error", .red), ("warning", .yellow), ("note", .cyan),
  ]

  private func colored(_ line: String) -> String {
    for (word, code) in TextStyle.severities where line.hasPrefix(word) {
      let rest = line.dropFirst(word.count)
      let end =
        rest.first == "[" ? rest.firstIndex(of: "]").map { rest.index(after: $0) } : rest.startIndex
      guard let end, rest[end...].hasPrefix(": ") else { continue }
      return painted(line[..<rest.index(after: end)], code) + rest[rest.index(after: end)...]
    }
    if line.hasPrefix("help: ") { return painted("help:", .bold) + line.dropFirst(5) }
    if line.hasPrefix("  --> ") { return painted("  -->", .blue) + line.dropFirst(5) }
    if line.hasPrefix(TextStyle.gutter) {
      let rest = line.dropFirst(TextStyle.gutter.count)
      let isMark = rest.contains("^") && rest.allSatisfy { $0 == " " || $0 == "^" }
      return painted("   |", .blue) + " " + (isMark ? painted(rest, .red) : String(rest))
    }
    if line.hasPrefix("   = "), let colon = line.firstIndex(of: ":") {
      return "   = " + painted(line[line.index(line.startIndex, offsetBy: 5)...colon], .bold)
        + line[line.index(after: colon)...]
    }
    return line
  }

  private static let gutter = "   | "

  /// Cuts the lines of a source and the marks below them, so that no line wraps.
  private func fitExcerpts(_ lines: inout [String], _ width: Int) {
    let room = max(width - TextStyle.gutter.count, 8)
    for number in lines.indices.dropLast()
    where lines[number].hasPrefix(TextStyle.gutter)
      && lines[number + 1].hasPrefix(TextStyle.gutter)
    {
      let source = Array(lines[number].dropFirst(TextStyle.gutter.count))
      let mark = lines[number + 1].dropFirst(TextStyle.gutter.count)
      guard TextWidth.columns(source) > room, mark.allSatisfy({ $0 == " " || $0 == "^" }) else {
        continue
      }
      let before = mark.prefix { $0 == " " }.count
      // A third of the width shows the text before the place.
      var start = 0
      var left = before
      while left > room / 3, start < source.count {
        left -= TextWidth.columns(source[start])
        start += 1
      }
      let isCut = start > 0
      let shown = TextWidth.prefix(source[start...], room - (isCut ? 1 : 0) - 1)
      let isCutBehind = shown.count < source.count - start
      lines[number] =
        TextStyle.gutter + (isCut ? "…" : "") + shown + (isCutBehind ? "…" : "")
      let indent = left + (isCut ? 1 : 0)
      lines[number + 1] =
        TextStyle.gutter + String(repeating: " ", count: indent)
        + mark.dropFirst(before).prefix(max(1, room - indent))
    }
  }

  // MARK: Explanations

  private static let answers: [(word: String, code: Code)] = [
    ("yes", .green), ("no", .red), ("error", .yellow),
  ]

  /// The form of an explanation: the results of clauses and audiences have colours.
  func explanation(_ text: String) -> String {
    guard hasColor || width != nil else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { coloredExplanation(wrapped(String($0))) }
      .joined(separator: "\n")
  }

  /// A line, wrapped to fit.
  func wrapped(_ line: String) -> [String] {
    width.map { TextWidth.wrapped(line, to: max($0, 20)) } ?? [line]
  }

  /// A line of JSON, wrapped after commas between its members, so that it can be copied unchanged.
  func wrappedJSON(_ line: String) -> [String] {
    guard let width, TextWidth.columns(line) > width else { return [line] }
    let indent = String(repeating: " ", count: line.prefix { $0 == " " }.count)
    var lines: [String] = []
    for part in TextStyle.members(line) {
      if let last = lines.last, TextWidth.columns(last) + TextWidth.columns(part) <= width {
        lines[lines.count - 1] += part
      } else {
        lines.append(lines.isEmpty ? part : indent + " " + part)
      }
    }
    return lines
  }

  /// The parts of JSON that end with a comma, or with the end of the text.
  private static func members(_ json: String) -> [String] {
    var parts = [""]
    var isQuoted = false
    var isEscaped = false
    for character in json {
      parts[parts.count - 1].append(character)
      if !isEscaped, character == "\"" { isQuoted.toggle() }
      if !isQuoted, character == "," { parts.append("") }
      isEscaped = isQuoted && !isEscaped && character == "\\"
    }
    return parts
  }

  /// A line of an explanation and its continuation.
  private func coloredExplanation(_ lines: [String]) -> [String] {
    guard hasColor, let line = lines.first else { return lines }
    let indent = line.prefix { $0 == " " }
    let rest = line.dropFirst(indent.count)
    if indent.count >= 4, rest.hasPrefix("(") {
      return lines.map { line in
        let indent = line.prefix { $0 == " " }
        return indent + painted(line.dropFirst(indent.count), .faint)
      }
    }
    for (word, code) in TextStyle.answers
    where indent.count >= 4 && rest.hasPrefix(word + "  ") {
      return [indent + painted(word, code) + rest.dropFirst(word.count)] + lines.dropFirst()
    }
    if rest.hasPrefix("audience "), let colon = rest.firstIndex(of: ":") {
      return [indent + painted(rest[...colon], .bold) + rest[rest.index(after: colon)...]]
        + lines.dropFirst()
    }
    return lines
  }

  // MARK: Tables

  func head(_ line: String) -> String { hasColor ? painted(line, .bold) : line }
}

extension TextStyle {
  static var output: TextStyle { TextStyle(.standardOutput) }

  /// The style for a stream.
  init(_ stream: FileDescriptor) {
    self.init(hasColor: Terminal.usesColor(stream), width: Terminal.width(stream))
  }
}

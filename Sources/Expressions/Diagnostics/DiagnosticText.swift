extension Diagnostic {
  /// The diagnostic as readable text: the message, the source line, a caret, and what to do.
  ///
  /// ```swift
  /// let source = "usr.plan == 'free'"
  /// let text = ExpressionEnvironment().compile(source).diagnostics[0].text(in: source, file: "rules.txt")
  /// let lines = text.split(separator: "\n")
  /// lines[0]  // "error[unknown-attribute]: 'usr' is not declared"
  /// lines[1]  // "  --> rules.txt:1:1"
  /// lines[2]  // "   | usr.plan == 'free'"
  /// lines[3]  // "   | ^^^"
  /// lines[4]  // "   = help: did you mean 'user'?"
  /// ```
  ///
  /// - Parameters:
  ///   - source: the source that was compiled. Control characters in the source are replaced.
  ///   - file: the prefix of the position: the name of a file, or an empty string.
  public func text(in source: String?, file: String = "") -> String {
    DiagnosticText.render(self, source: source, place: file)
  }
}

/// Renders diagnostics in readable form: the message, the source line, a caret, and what to do.
///
/// ```
/// error[syntax-error]: expected an operand after '=='
///   --> trigger_options[0].rules[1].expression_cel:1:14
///    | user.plan == && user.age > 3
///    |              ^^
///    = help: write a literal, an attribute such as user.plan, or a call
/// ```
package enum DiagnosticText {
  /// - Parameters:
  ///   - source: the source that contains the range, or nil.
  ///   - place: the prefix of the position: a file name with a line, or an empty string.
  ///   - isExact: whether the place already contains the position.
  package static func render(
    _ diagnostic: Diagnostic, source: String?, place: String = "", isExact: Bool = false
  ) -> String {
    var lines = [
      "\(diagnostic.severity.rawValue)[\(diagnostic.code.rawValue)]: \(diagnostic.message)"
    ]
    var location = [place, diagnostic.path].filter { !$0.isEmpty }.joined(separator: ": ")
    if let source, let range = diagnostic.range {
      let excerpt = Excerpt(source: source, range: range)
      if !isExact {
        // Finding it scans the source.
        let position = SourcePosition(offset: range.from, in: source.utf8)
        location += (location.isEmpty ? "" : ":") + "\(position.line):\(position.column)"
      }
      lines.append("  --> " + location)
      lines.append("   | " + excerpt.line)
      lines.append("   | " + excerpt.marker)
    } else if !location.isEmpty {
      lines.append("  --> " + location)
    }
    lines += diagnostic.peers.map { "   = elsewhere: " + describe($0) }
    let related = diagnostic.related
    lines += related.prefix(3).map {
      "   = see: " + ($0.path.isEmpty ? "" : "\($0.path): ") + $0.message
    }
    if related.count > 3 { lines.append("   = see: \(related.count - 3) more") }
    lines += diagnostic.notes.map { "   = note: " + $0 }
    if let suggestion = diagnostic.suggestion { lines.append("   = help: " + suggestion) }
    return lines.map(visible).joined(separator: "\n")
  }

  /// The source line in which a range begins, cut to a readable width, and a mark under the range. The two lines have a
  /// margin.
  package static func excerpt(_ source: String, _ range: SourceRange) -> [String] {
    let excerpt = Excerpt(source: source, range: range)
    return ["   | " + excerpt.line, "   | " + excerpt.marker].map(visible)
  }

  /// A sentence such as `iOS and Android reject the whole config`.
  private static func describe(_ effect: Diagnostic.PeerEffect) -> String {
    let names = effect.peers.map { $0.name }
    let isOne = names.count == 1
    let subject =
      isOne ? names[0] : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    if effect.consequence == .differs, let detail = effect.detail { return "\(subject) \(detail)" }
    let verb =
      switch effect.consequence {
      case .rejectsConfig: isOne ? "rejects the whole config" : "reject the whole config"
      case .dropsElement: isOne ? "drops it" : "drop it"
      case .differs: isOne ? "reads it differently" : "read it differently"
      }
    return "\(subject) \(verb)" + (effect.detail.map { ": \($0)" } ?? "")
  }

  /// Text from a file as one line that is safe to print on a terminal. Control characters, and characters
  /// that break lines or change the direction of text, become U+FFFD.
  package static func visible(_ text: String) -> String {
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { isObeyed($0) ? "\u{FFFD}" : $0 }))
  }

  private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7F: false
    case 0x2028...0x202E, 0x2066...0x2069: true
    default: scalar.properties.generalCategory == .control
    }
  }

  /// The line that a range begins in, cut to a readable width around it, and a marker under the range.
  private struct Excerpt {
    var line: String
    var marker: String

    init(source: String, range: SourceRange, width: Int = 96) {
      let bytes = Array(source.utf8)
      let from = min(range.from, bytes.count)
      var start = from
      let first = max(0, from - 2 * Self.mostBytes)
      while start > first, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
      var end = from
      let last = min(bytes.count, max(range.to, from) + 2 * Self.mostBytes)
      while end < last, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      // Control characters would move the caret.
      func shown(_ slice: ArraySlice<UInt8>) -> [Character] {
        String(decoding: slice, as: UTF8.self).map { $0.isNewline || $0 == "\t" ? " " : $0 }
      }
      let to = min(max(range.to, from), end)
      var before = shown(Self.last(bytes[start..<from]))
      let marked = shown(Self.first(bytes[from..<to]))
      var after = shown(Self.first(bytes[to..<end]))
      if before.count > width / 2 { before = Array("...") + before.suffix(width / 2) }
      let room = max(0, width - before.count - marked.count)
      let isClipped = marked.count > width
      if isClipped { after = [] }
      if after.count > room { after = after.prefix(room) + Array("...") }
      let shownMark = marked.prefix(width)
      line = String(before + shownMark + (isClipped ? Array("...") : []) + after)
      marker =
        String(repeating: " ", count: TextWidth.columns(before))
        + String(repeating: "^", count: max(1, TextWidth.columns(shownMark)))
    }

    /// The maximum length of a part, in bytes. Longer parts are cut before they become characters.
    private static let mostBytes = 2_048

    private static func first(_ slice: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      var end = slice.startIndex + min(slice.count, mostBytes)
      while end < slice.endIndex, end > slice.startIndex, slice[end] & 0xC0 == 0x80 { end -= 1 }
      return slice[..<end]
    }

    private static func last(_ slice: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      var start = slice.endIndex - min(slice.count, mostBytes)
      while start < slice.endIndex, start > slice.startIndex, slice[start] & 0xC0 == 0x80 {
        start += 1
      }
      return slice[start...]
    }
  }
}

/// Better messages for expressions that are written as in another language. The messages name the foreign construct.
/// Only messages for sources that do not parse are changed.
struct ForeignSyntax {
  // SAFETY: `source` is the parser's view and outlives this value. Places before and after a token
  // are compared with both ends, and quoted parts are copied.
  // Tests: SyntaxHintTests.textsThatEndAnywhere, fuzz parser.

  private let source: ByteView
  private let brackets: OpenBrackets

  /// The findings in source order, with better messages.
  static func clarified(_ found: [Diagnostic], in source: ByteView) -> [Diagnostic] {
    guard found.contains(where: { $0.code == .syntaxError && $0.severity == .error }) else {
      return found
    }
    let foreign = ForeignSyntax(source: source, brackets: OpenBrackets(source))
    if let whole = foreign.aboutWhole() { return [whole] }
    var clear: [Diagnostic] = []
    // The maximum number of findings in a report.
    for diagnostic in found.prefix(20) {
      if let last = clear.last?.range, foreign.follows(diagnostic, last) { continue }
      guard diagnostic.code == .syntaxError, let range = diagnostic.range,
        let better = foreign.better(diagnostic, range)
      else {
        clear.append(diagnostic)
        continue
      }
      clear.append(better.diagnostic)
      if better.isLast { return clear }
    }
    return clear + found.dropFirst(20)
  }

  /// Whether a finding is a consequence of the previous one.
  private func follows(_ diagnostic: Diagnostic, _ last: SourceRange) -> Bool {
    guard let range = diagnostic.range else { return false }
    if range.from < last.to, range.from > last.from { return true }
    return range.from >= last.to && diagnostic.message.hasSuffix("where a value is expected")
      && source[last.to..<min(range.from, source.count)].allSatisfy { $0 == 0x20 }
  }

  // MARK: The whole source

  private func aboutWhole() -> Diagnostic? {
    guard let start = source.firstIndex(where: { !ForeignSyntax.isSpace($0) }) else {
      return error(
        "the expression is empty", SourceRange(from: 0, to: 0), "write true to match every user")
    }
    for (open, close) in [("{{", "}}"), ("<<", ">>"), ("{%", "%}"), ("${", "}")]
    where has(open, at: start) {
      return error(
        "'\(open)' belongs to templates, and this is an expression",
        SourceRange(from: start, to: start + open.utf8.count),
        "leave out '\(open)' and '\(close)'")
    }
    let word = String(
      decoding: source[start...].prefix { Lexer.isNameByte($0) }, as: UTF8.self)
    let range = SourceRange(from: start, to: start + word.utf8.count)
    let next = range.to < source.count ? source[range.to] : 0
    guard ForeignSyntax.isSpace(next) || word == "if" && next == UInt8(ascii: "(") else {
      return nil
    }
    switch word {
    case "return", "where", "when", "select", "WHERE", "SELECT":
      return error("'\(word)' does not begin an expression", range, "leave it out")
    case "if":
      return error("'if' does not begin an expression", range, "write condition ? a : b")
    case "var", "let", "const":
      return error(
        "an expression cannot define variables", range, "write the value where it is used")
    case "typeof": return error("'typeof' is not an operator", range, "leave it out")
    default: return nil
    }
  }

  // MARK: One finding

  private func better(_ diagnostic: Diagnostic, _ range: SourceRange)
    -> (diagnostic: Diagnostic, isLast: Bool)?
  {
    for construct in ForeignSyntax.constructs {
      let count = construct.text.utf8.count
      for from in max(0, range.from - count + 1)...range.from where has(construct.text, at: from) {
        let place = SourceRange(from: from, to: from + count)
        if brackets.isInString(from) { continue }
        let message = construct.message ?? "'\(construct.text)' is not an operator"
        return (error(message, place, construct.help), construct.isLast)
      }
    }
    if let chained = optionalChaining(diagnostic) { return (chained, true) }
    if let number = number(range) { return (number, true) }
    if let bracket = bracket(diagnostic, range) { return (bracket, false) }
    return helped(diagnostic, range).map { ($0, $0.message.hasPrefix("'/' stands")) }
  }

  private struct Construct {
    var text: String
    var help: String
    var message: String?
    /// Whether all later findings are consequences of this finding.
    var isLast = false
  }

  /// If one construct begins with another, the longer construct comes first.
  private static let constructs = [
    Construct(text: "===", help: "write '=='"), Construct(text: "!==", help: "write '!='"),
    Construct(text: "<=>", help: "write '<', '==' or '>'"),
    Construct(text: "=~", help: "write a.matches(pattern)"),
    Construct(text: "!~", help: "write !a.matches(pattern)"),
    Construct(text: "**", help: "write a * a"),
    Construct(text: "??", help: "write has(user.plan) ? user.plan : \"free\"", isLast: true),
    Construct(text: "->", help: "write '.' before a name", isLast: true),
    Construct(text: "::", help: "write '.' before a name", isLast: true),
    Construct(text: ":=", help: "write '==' to compare", isLast: true),
    Construct(text: "+=", help: "write '==' to compare; expressions cannot assign values"),
    Construct(text: "-=", help: "write '==' to compare; expressions cannot assign values"),
    Construct(text: "++", help: "write a + 1; expressions cannot assign values", isLast: true),
    Construct(text: "!in", help: "write !(a in list)", isLast: true),
    Construct(
      text: "#", help: "write '//' before a comment", message: "'#' does not begin a comment",
      isLast: true),
    Construct(
      text: "/*", help: "write '//' before a comment, which ends with the line",
      message: "'/*' does not begin a comment", isLast: true),
  ]

  /// Clarifies `user?.plan`, which parses as the beginning of a choice.
  private func optionalChaining(_ diagnostic: Diagnostic) -> Diagnostic? {
    guard diagnostic.message.hasPrefix("'?' needs") else { return nil }
    let place = source.indices.first { at in
      has("?.", at: at) && at + 2 < source.count && !brackets.isInString(at)
        && (source[at + 2] | 0x20) &- 0x61 < 26
    }
    return place.map {
      error(
        "'?.' is not an operator", SourceRange(from: $0, to: $0 + 2),
        "write '.', and has(user.plan) to test whether the attribute exists")
    }
  }

  /// Clarifies numbers in the syntax of other languages.
  private func number(_ range: SourceRange) -> Diagnostic? {
    let (at, end) = (range.from, source.count)
    guard at > 0, at < end else { return nil }
    let (before, here) = (source[at - 1], source[at])
    let next = at + 1 < end ? source[at + 1] : 0
    let run = runOfName(around: at)
    if here == UInt8(ascii: ","), ForeignSyntax.isDigit(before), ForeignSyntax.isDigit(next),
      brackets.innermost(before: at) == nil
    {
      return error(
        "a number cannot contain ','", SourceRange(from: at, to: at + 1),
        "write 1000, or 1.5 with a '.'")
    }
    if here == UInt8(ascii: "."), ForeignSyntax.isDigit(next) {
      let text = String(decoding: source[run.from..<run.to], as: UTF8.self)
      if text.allSatisfy({ $0.isNumber || $0 == "." }) {
        return error(
          "a number can contain only one '.'", run, "write a version in quotes: \"\(text)\"")
      }
      let name = source[(at + 1)..<end].prefix { Lexer.isNameByte($0) }
      let key = String(decoding: name, as: UTF8.self)
      return error(
        "a name does not begin with a digit", SourceRange(from: at + 1, to: at + 1 + name.count),
        "write [\"\(key)\"] in place of .\(key)")
    }
    let year = source[..<at].suffix(4)
    if here == UInt8(ascii: "-"), year.count == 4, year.allSatisfy(ForeignSyntax.isDigit),
      ForeignSyntax.isDigit(next)
    {
      return error(
        "this is not how dates are written", SourceRange(from: at - 4, to: runOfDate(from: at)),
        "write timestamp(\"2026-01-31T00:00:00Z\")")
    }
    return nil
  }

  /// Clarifies brackets that are not closed, or that close nothing.
  private func bracket(_ diagnostic: Diagnostic, _ range: SourceRange) -> Diagnostic? {
    let isEnd = range.from >= source.count
    let here = isEnd ? 0 : source[range.from]
    // After an error, the parser itself marks the bracket.
    if diagnostic.message.contains(" to close '"), "([{".utf8.contains(here) {
      return notClosed(range.from)
    }
    let isCloser = here == 0x29 || here == 0x5D || here == 0x7D
    guard let open = brackets.innermost(before: range.from) else {
      guard isCloser, diagnostic.message.hasPrefix("expected an operator") else { return nil }
      let bracket = Character(Unicode.Scalar(here))
      return error("unmatched '\(bracket)'", range, "remove it")
    }
    let mark = source[open]
    if here == UInt8(ascii: ","), mark == UInt8(ascii: "("), !isCall(open) {
      return error(
        "parentheses can contain only one value", SourceRange(from: open, to: open + 1),
        "write a list in brackets, as in a in [\"x\", \"y\"]")
    }
    let isOther = isCloser && here != OpenBrackets.closer(of: mark)
    guard diagnostic.message.hasPrefix("expected"), isEnd || isOther else { return nil }
    return notClosed(open)
  }

  private func notClosed(_ open: Int) -> Diagnostic {
    let mark = Character(Unicode.Scalar(source[open]))
    let closer = Character(Unicode.Scalar(OpenBrackets.closer(of: source[open])))
    return error(
      "'\(mark)' is not closed", SourceRange(from: open, to: open + 1), "add '\(closer)'")
  }

  /// Adds help to a finding that has none.
  private func helped(_ diagnostic: Diagnostic, _ range: SourceRange) -> Diagnostic? {
    var better = diagnostic
    let before = source[..<min(range.from, source.count)].last { !ForeignSyntax.isSpace($0) }
    if diagnostic.message.hasPrefix("'/' stands"), let before, "(,=&|!".utf8.contains(before) {
      better.suggestion = "write a pattern as a string, as in a.matches(\"^x\")"
      return better
    }
    if diagnostic.message.hasPrefix("the expression ends"), before == UInt8(ascii: "%") {
      better.suggestion = "write 0.5 for 50 %; '%' computes the remainder of a division"
      return better
    }
    if has("=>", at: range.from), isLambda(range.from) {
      return error(
        "'=>' is not an operator", SourceRange(from: range.from, to: range.from + 2),
        "write a comma, as in list.exists(x, x > 3)")
    }
    guard diagnostic.suggestion == nil, diagnostic.message.hasPrefix("expected an operator"),
      range.from < source.count
    else { return nil }
    let isName = (source[range.from] | 0x20) &- 0x61 < 26
    let isBehindName = before.map(Lexer.isNameByte) ?? false
    better.suggestion =
      "join two conditions with '&&' or '||'"
      + (isName && isBehindName ? "; a key with a space is written user[\"first name\"]" : "")
    return better
  }

  // MARK: Reading the source

  private func error(_ message: String, _ range: SourceRange, _ help: String) -> Diagnostic {
    Diagnostic(.syntaxError, message, range: range, suggestion: help)
  }

  private func has(_ text: String, at: Int) -> Bool {
    at >= 0 && at < source.count && source[at...].starts(with: text.utf8)
  }

  /// The names, digits and dots around a place.
  private func runOfName(around at: Int) -> SourceRange {
    func isPart(_ byte: UInt8) -> Bool {
      Lexer.isNameByte(byte) || byte == UInt8(ascii: ".")
    }
    let before = source[..<at].reversed().prefix(while: isPart).count
    return SourceRange(from: at - before, to: at + source[at...].prefix(while: isPart).count)
  }

  /// The end of the digits and dashes that begin at a place.
  private func runOfDate(from at: Int) -> Int {
    at + source[at...].prefix { ForeignSyntax.isDigit($0) || $0 == UInt8(ascii: "-") }.count
  }

  /// Whether a parenthesis follows the name of a function.
  private func isCall(_ open: Int) -> Bool {
    open > 0 && Lexer.isNameByte(source[open - 1])
  }

  /// Whether the text between the beginning of an argument and a place is a single name.
  private func isLambda(_ at: Int) -> Bool {
    let before = source[..<at].reversed().drop(while: ForeignSyntax.isSpace)
    let name = before.prefix(while: Lexer.isNameByte)
    let opening = before.dropFirst(name.count).drop(while: ForeignSyntax.isSpace).first
    return !name.isEmpty && opening.map { "(,".utf8.contains($0) } ?? false
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}

/// The brackets and the strings of a source, even if it does not parse.
struct OpenBrackets {
  // SAFETY: Every index is compared with the count. No view is stored.
  // Tests: SyntaxHintTests.textsThatEndAnywhere, fuzz parser.

  /// Brackets outside strings and comments, in source order.
  private var marks: [(at: Int, byte: UInt8)] = []
  private var strings: [Range<Int>] = []

  init(_ source: ByteView) {
    var at = 0
    while at < source.count {
      let byte = source[at]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let start = at
        at += 1
        while at < source.count, source[at] != byte { at += source[at] == 0x5C ? 2 : 1 }
        strings.append(start..<min(at + 1, source.count))
      case UInt8(ascii: "/") where at + 1 < source.count && source[at + 1] == byte:
        while at + 1 < source.count, source[at + 1] != 0x0A { at += 1 }
      case 0x28, 0x29, 0x5B, 0x5D, 0x7B, 0x7D: marks.append((at, byte))
      default: break
      }
      at += 1
    }
  }

  /// Strings do not overlap, so only the last one that begins before a place can contain it.
  func isInString(_ at: Int) -> Bool {
    var (low, high) = (0, strings.count)
    while low < high {
      let middle = (low + high) / 2
      if strings[middle].lowerBound <= at { low = middle + 1 } else { high = middle }
    }
    return low > 0 && strings[low - 1].contains(at)
  }

  /// The innermost bracket around a place.
  func innermost(before at: Int) -> Int? {
    var open: [Int] = []
    for mark in marks.prefix(while: { $0.at < at }) {
      if mark.byte == 0x28 || mark.byte == 0x5B || mark.byte == 0x7B {
        open.append(mark.at)
      } else {
        _ = open.popLast()
      }
    }
    return open.last
  }

  static func closer(of open: UInt8) -> UInt8 { open == 0x28 ? 0x29 : open + 2 }
}

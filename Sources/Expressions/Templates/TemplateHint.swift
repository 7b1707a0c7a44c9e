/// What to write in place of what other template languages have.
enum TemplateHint {
  /// The findings with help where they have none, and where the source shows what was meant.
  static func helped(_ found: [Diagnostic], in source: ByteView) -> [Diagnostic] {
    found.map { diagnostic in
      guard diagnostic.code == .syntaxError, diagnostic.suggestion == nil,
        let range = diagnostic.range, range.from <= source.count
      else { return diagnostic }
      var helped = diagnostic
      let rest = String(decoding: source[range.from...].prefix(80), as: UTF8.self)
      helped.suggestion = help(
        diagnostic.message, rest, previousWord(before: range.from, in: source))
      return helped
    }
  }

  private static func help(_ message: String, _ rest: String, _ previous: String) -> String? {
    if message.hasPrefix("there is no tag '") {
      let name = message.dropFirst("there is no tag '".count).prefix { $0 != "'" }
      return tags[name.lowercased()].map { "write '\($0)'" }
    }
    if message.hasSuffix("closes nothing") { return "remove it, or open a block before it" }
    if message == "nothing is allowed here", previous == "else", rest.hasPrefix("if") {
      return "write 'elsif'"
    }
    if message.hasPrefix("write a loop") { return "write {% for item in items %}" }
    if message.hasPrefix("expected ':' after") {
      return "write filter: value, as in default: 'you'"
    }
    guard message.hasPrefix("expected") else { return nil }
    if let sign = operators.first(where: { rest.hasPrefix($0.text) }) { return sign.help }
    return nil
  }

  private static let tags = [
    "elseif": "elsif", "elif": "elsif", "elsif": "elsif", "foreach": "for", "each": "for",
    "switch": "case", "set": "assign", "let": "assign", "var": "assign", "fi": "if",
    "end": "endif", "endforeach": "endfor", "endeach": "endfor", "endswitch": "endcase",
    "print": "echo", "default": "else",
  ]

  /// Those that others begin with come later.
  private static let operators: [(text: String, help: String)] = [
    ("&&", "write 'and'"), ("||", "write 'or'"), ("===", "write '=='"), ("!==", "write '!='"),
    ("=", "write '=='"),
    ("?", "write {% if condition %}a{% else %}b{% endif %}"),
    (":", "write {% if condition %}a{% else %}b{% endif %}"),
    ("!", "write {% unless condition %}"),
    ("+", "write a filter: a | plus: b, or for texts a | append: b"),
    ("-", "write a filter: a | minus: b"), ("*", "write a filter: a | times: b"),
    ("/", "write a filter: a | divided_by: b"), ("%", "write a filter: a | modulo: b"),
    ("(", "write a filter in place of a call: a | upcase"),
    (")", "write a filter in place of a call: a | upcase"),
  ]

  private static func previousWord(before at: Int, in source: ByteView) -> String {
    let before = source[..<at].reversed().drop { $0 <= 0x20 }.prefix { $0 > 0x20 }
    return String(decoding: before.reversed(), as: UTF8.self)
  }
}

/// Replacements for constructs of other template languages.
enum TemplateHint {
  /// The tag that replaces a tag of another language.
  static func tag(called name: String) -> String? {
    tags[name.lowercased()].map { "write '\($0)'" }
  }

  private static let tags = [
    "elseif": "elsif", "elif": "elsif", "elsif": "elsif", "foreach": "for", "each": "for",
    "switch": "case", "set": "assign", "let": "assign", "var": "assign", "fi": "if",
    "end": "endif", "endforeach": "endfor", "endeach": "endfor", "endswitch": "endcase",
    "print": "echo", "default": "else",
  ]

  /// The replacement for an operator where another token is expected.
  ///
  /// - Parameter rest: the rest of the tag from that place on.
  static func `operator`(at rest: ByteView) -> String? {
    // SAFETY: The view is only read through its iterator. Tests: TemplateHintTests.
    operators.first { rest.starts(with: $0.text.utf8) }?.help
  }

  /// An operator that is a prefix of others comes after them.
  private static let operators: [(text: String, help: String)] = [
    ("&&", "write 'and'"), ("||", "write 'or'"), ("===", "write '=='"), ("!==", "write '!='"),
    ("=", "write '=='"),
    ("?", "write {% if condition %}a{% else %}b{% endif %}"),
    (":", "write {% if condition %}a{% else %}b{% endif %}"),
    ("!", "write {% unless condition %}"),
    ("+", "write a filter: a | plus: b, or for strings a | append: b"),
    ("-", "write a filter: a | minus: b"), ("*", "write a filter: a | times: b"),
    ("/", "write a filter: a | divided_by: b"), ("%", "write a filter: a | modulo: b"),
    ("(", "write a filter in place of a call: a | upcase"),
    (")", "write a filter in place of a call: a | upcase"),
  ]
}

package import Expressions
internal import RuleEngine

/// A string escapes the kind of quote that does not surround it.
///
/// In superscript, `"it\'s"` contains a backslash.
enum Escapes: Lint {
  static let page = CodePage(
    .escape, .warning,
    what: "A string has an unnecessary backslash before a quote.",
    why: """
      Superscript keeps the backslash, so "it\\'s" has five characters and is unlikely to equal a value. \
      CEL drops the backslash.
      """,
    example: .condition(#"user.answer == "it\'s""#),
    advice: "Remove the backslash.",
    better: .condition(#"user.answer == "it's""#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.isSuperscript else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      var found: [Diagnostic] = []
      expression.visit { id, _ in
        guard expression[id].kind == .string else { return }
        let places = needless(in: expression, expression[id].range)
        guard let first = places.first, let last = places.last else { return }
        let edits = places.map { Diagnostic.Fix.Edit(SourceRange(from: $0, to: $0 + 1), "") }
        found += findings(
          "the backslash stays in the string, because this quote needs no backslash", in: condition,
          range: SourceRange(from: first, to: last + 2), suggestion: "remove the backslash",
          fix: Diagnostic.Fix(edits, isSafe: true))
      }
      return found
    }
  }

  /// The positions of backslashes that escape the kind of quote that does not surround the string.
  private static func needless(in expression: ParsedExpression, _ range: SourceRange) -> [Int] {
    let bytes = expression.bytes(range)
    // The range of a literal includes parentheses around it.
    let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]
    guard let start = bytes.firstIndex(where: quotes.contains),
      start == 0 || bytes[start - 1] | 0x20 != UInt8(ascii: "r")
    else { return [] }
    let other = bytes[start] == quotes[0] ? quotes[1] : quotes[0]
    var found: [Int] = []
    var at = start + 1
    while at + 1 < bytes.count, bytes[at] != bytes[start] {
      guard bytes[at] == UInt8(ascii: "\\") else {
        at += 1
        continue
      }
      if bytes[at + 1] == other { found.append(range.from + at) }
      at += 2
    }
    return found
  }
}

extension Diagnostic.Code {
  /// A backslash in a string whose meaning differs from other languages.
  package static let escape = Self(rawValue: "escape")
}

import Testing

@testable import Expressions

/// What patterns and replacements mean, and which are refused.
@Suite struct RegexMeaningTests {
  private func program(_ source: String) throws -> Program {
    try #require(ExpressionEnvironment().compile(source).output, "\(source)")
  }

  /// Of a repeated assertion only one counts, and none where it may be missing.
  @Test(arguments: [
    ("(?:^)*b", true), ("(?:^)?b", true), ("(?:^)+b", false), ("(?:^){2}b", false),
    ("(?:\\\\b)*b", true), ("(?:\\\\b)+b", false), ("(?:$)*b", true), ("(?:a){0}b", true),
    ("(?:)*b", true), ("(?:a*)*b", true), ("^(?:a?){2}b$", true), ("^(?:a){2}b$", false),
  ])
  func repeatedAssertions(pattern: String, matches: Bool) throws {
    #expect(try program("'ab'.matches('\(pattern)')").evaluate([:]) == .bool(matches))
  }

  @Test(arguments: [
    ("x4", false), ("x", false), ("x{}", false), ("x{41", false), ("x{110000}", false),
    ("x41", true), ("x{41}", true), ("x{10FFFF}", true),
  ])
  func hexadecimalDigits(escape: String, isRead: Bool) {
    let compiled = ExpressionEnvironment().compile("user.a.matches('\\\\\(escape)')")
    #expect(compiled.diagnostics.isEmpty == isRead, "\(compiled.diagnostics)")
  }

  /// Behind a backslash stands another one, or the number of a group that there is.
  @Test(
    arguments: [
      (#"\1"#, "<a>"), (#"\0"#, "<a>"), (#"\\"#, #"<\>"#), ("x", "<x>"), ("", "<>"), (#"\2"#, nil),
      (#"\9"#, nil), (#"\x"#, nil), (#"\"#, nil), (#"x\"#, nil), (#"\1\"#, nil),
    ] as [(String, String?)])
  func replacements(replacement: String, text: String?) throws {
    let context: Value = ["user": ["s": "<a>", "r": .string(replacement)]]
    let found = try? program("regex.replace(user.s, '(a)', user.r)").evaluate(context)
    #expect(found == text.map { .string($0) })
  }
}

import Testing

@testable import Expressions

/// How diagnostics look to a person.
@Suite struct DiagnosticTextTests {
  /// The rendering of the first diagnostic of an expression.
  private func render(_ source: String, path: String = "", place: String = "") throws -> String {
    var diagnostic = try #require(ExpressionEnvironment().compile(source).diagnostics.first)
    diagnostic.path = path
    return DiagnosticText.render(diagnostic, source: source, place: place)
  }

  @Test func anOperandIsMissing() throws {
    #expect(
      try render(
        "user.plan == && user.age > 3", path: "trigger_options[0].rules[1].expression_cel",
        place: "config.json:12") == """
          error[syntax-error]: '&&' stands where a value is expected
            --> config.json:12: trigger_options[0].rules[1].expression_cel:1:14
             | user.plan == && user.age > 3
             |              ^^
             = help: write a literal, an attribute such as user.plan, or a call
          """)
  }

  @Test func aNameIsMisspelt() throws {
    #expect(
      try render("usr.plan == 'free'") == """
        error[unknown-attribute]: 'usr' is not declared
          --> 1:1
           | usr.plan == 'free'
           | ^^^
           = help: did you mean 'user'?
        """)
    #expect(
      try render("user.plan.conatins('x')") == """
        error[unknown-function]: the function 'conatins' does not exist
          --> 1:11
           | user.plan.conatins('x')
           |           ^^^^^^^^
           = help: did you mean 'contains'?
        """)
  }

  /// Columns are characters, and the mark stands under the place also behind wide ones and tabs.
  @Test(arguments: [
    ("'é' == = 1", 8, "'é' == = 1", "       ^"), ("\t\t= 1", 3, "  = 1", "  ^"),
    ("'日本' = 1", 6, "'日本' = 1", "       ^"), ("true &&", 8, "true &&", "       ^"),
    ("", 1, "", "^"),
  ])
  func columns(source: String, column: Int, line: String, marker: String) throws {
    let lines = try render(source).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[1] == "  --> 1:\(column)")
    #expect(lines[2] == "   | \(line)")
    #expect(lines[3] == "   | \(marker)")
  }

  /// Of several lines the one is shown in which the range begins; the mark does not leave it.
  @Test func severalLines() throws {
    let lines = try render("user.a == 1 &&\n  user.b = 2 &&\n  user.c == 3").split(separator: "\n")
    #expect(lines[1] == "  --> 2:10")
    #expect(lines[2] == "   |   user.b = 2 &&")
    #expect(lines[3] == "   |          ^")
    let open = try render("user.a == 1 && [1,\n2,\n3 4]").split(separator: "\n")
    #expect(open[1] == "  --> 3:3")
    let unclosed = try render("has(\nuser.a, \nuser.b)").split(separator: "\n")
    #expect(unclosed[1].hasPrefix("  --> 1:"))
    #expect(unclosed[3].drop { $0 == " " }.drop { $0 == "|" }.count <= 6)
  }

  /// Long lines are cut around the place, so that the mark still stands under it.
  @Test(arguments: [0, 10, 60, 200, 2_000])
  func longLines(before: Int) throws {
    let source =
      String(repeating: "true && ", count: before) + "user.a = 1"
      + String(repeating: " && true", count: 300)
    let lines = try render(source).split(separator: "\n")
    let line = Array(lines[2])
    #expect(line.count < 120)
    let mark = try #require(lines[3].firstIndex(of: "^"))
    let column = lines[3].distance(from: lines[3].startIndex, to: mark)
    #expect(line[column] == "=")
    #expect(line[column - 2] == "a")
    #expect(lines[1] == "  --> 1:\(before * 8 + 8)")
  }

  @Test func everyPartThatIsThere() {
    var diagnostic = Diagnostic(
      Diagnostic.Code(rawValue: "weights-zero"), "all weights are 0", severity: .warning)
    #expect(
      DiagnosticText.render(diagnostic, source: nil) == "warning[weights-zero]: all weights are 0")
    diagnostic.path = "a.b"
    diagnostic.notes = ["one", "two"]
    diagnostic.suggestion = "do this"
    #expect(
      DiagnosticText.render(diagnostic, source: nil) == """
        warning[weights-zero]: all weights are 0
          --> a.b
           = note: one
           = note: two
           = help: do this
        """)
    diagnostic.severity = .note
    diagnostic.path = ""
    diagnostic.notes = []
    #expect(
      DiagnosticText.render(diagnostic, source: nil, place: "f.json:3") == """
        note[weights-zero]: all weights are 0
          --> f.json:3
           = help: do this
        """)
  }

  /// Nothing that a terminal would obey is passed on to it.
  @Test(arguments: ["\u{1B}[31mred", "\u{7}", "\u{8}\u{8}", "\u{9B}2J", "\u{7F}"])
  func controlCharacters(text: String) throws {
    let source = "'\(text)' = 1"
    var diagnostic = try #require(ExpressionEnvironment().compile(source).diagnostics.first)
    diagnostic.message += text
    diagnostic.path = text
    let rendered = DiagnosticText.render(diagnostic, source: source, place: text)
    let isQuiet = rendered.unicodeScalars.allSatisfy {
      $0 == "\n" || $0.properties.generalCategory != .control
    }
    #expect(isQuiet, "\(rendered.debugDescription)")
  }

  /// A range outside the text, or in the middle of a character, is survived.
  @Test(arguments: [(0, 0), (100, 200), (1, 2), (2, 100), (3, 3), (4, 4)])
  func oddRanges(from: Int, to: Int) {
    let diagnostic = Diagnostic(.syntaxError, "m", range: SourceRange(from: from, to: to))
    let lines = DiagnosticText.render(diagnostic, source: "éé").split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines.last?.contains("^") == true)
  }

  @Test(
    arguments: [
      ("one two three", 13, ["one two three"]), ("one two three", 12, ["one two", "    three"]),
      ("  one two three", 9, ["  one two", "   three"]),
      ("unbreakable", 5, ["unbreakable"]), ("", 5, [""]), ("      ", 3, ["      "]),
      ("日本 日本", 8, ["日本", "  日本"]),
      // A word has the room that it needs, if there is as much.
      ("      one unbreakable", 12, ["      one", " unbreakable"]), ("    alone", 7, ["  alone"]),
      // Columns stay together, but for the mark before them.
      ("  first column  second  third", 24, ["  first column  second", "      third"]),
      ("  yes  a.b > 1      a.b is 2", 24, ["  yes  a.b > 1", "      a.b is 2"]),
      ("  yes  a.b > 1 || c  d", 12, ["  yes  a.b >", "    1 || c", "    d"]),
    ] as [(String, Int, [String])])
  func wrapped(line: String, width: Int, lines: [String]) {
    #expect(TextWidth.wrapped(line, to: width) == lines)
  }

  /// Names in configs may be as long as anybody likes, and have as many columns.
  @Test func wrapsManyColumns() {
    let lines = TextWidth.wrapped(String(repeating: "abcdefghij  ", count: 20_000) + "end", to: 30)
    #expect(lines.count == 10_001 && lines.allSatisfy { TextWidth.columns($0) <= 30 })
    #expect(lines.first == "abcdefghij  abcdefghij" && lines.last == "    end")
  }
}

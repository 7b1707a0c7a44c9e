import TestSupport
import Testing

@testable import Expressions

/// Formatting changes how an expression looks, in its dialect, and nothing else.
@Suite struct FormattingTests {
  static func environment(_ dialect: Dialect) -> ExpressionEnvironment {
    dialect == .superscript
      ? .superscript(variables: ["free"], hostFunctions: RandomSuperscript.functions)
      : ExpressionEnvironment()
  }

  /// What is wrong with how an expression is formatted, or nil.
  static func problem(_ source: String, in environment: ExpressionEnvironment) -> String? {
    let formatted = environment.format(source)
    let compiled = environment.compile(source)
    if !formatted.refusal.isEmpty {
      if formatted.text != source { return "refused and changed" }
      let errors = compiled.diagnostics.filter { $0.severity == .error }
      if !errors.isEmpty { return formatted.refusal == errors ? nil : "errors are told otherwise" }
      let isComment = formatted.refusal[0].message.contains("comment")
      return isComment && source.contains("//") ? nil : formatted.refusal[0].message
    }
    let again = environment.compile(formatted.text)
    guard let program = compiled.output, let other = again.output else {
      return "what compiles and what does not: \(compiled.diagnostics), \(again.diagnostics)"
    }
    let told = compiled.diagnostics.map { [$0.code.rawValue, $0.message, $0.suggestion ?? ""] }
    if again.diagnostics.map({ [$0.code.rawValue, $0.message, $0.suggestion ?? ""] }) != told {
      return "other diagnostics: \(again.diagnostics)"
    }
    // Unfolded too: folding can make different expressions the same.
    let isSame = areSame(
      unfolded(source, environment), unfolded(formatted.text, environment))
    if !areSame(program, other) || !isSame { return "another program" }
    let twice = environment.format(formatted.text)
    return twice.text == formatted.text && twice.refusal.isEmpty ? nil : "again: \(twice)"
  }

  private static func unfolded(_ source: String, _ environment: ExpressionEnvironment) -> Program {
    var builder = ProgramBuilder(environment)
    builder.folds = false
    builder.add(source)
    return builder.build()
  }

  /// Whether both are the same graph, which all else of a program is made from.
  private static func areSame(_ a: Program, _ b: Program) -> Bool {
    func constants(_ program: Program) -> [String] {
      program.storage.graph.constants.cells.map {
        $0.isValue ? "\(Value($0).typeName) \(Value($0).json)" : "\($0.tag)"
      }
    }
    return a.storage.rootNodes == b.storage.rootNodes
      && a.storage.graph.nodes == b.storage.graph.nodes
      && a.storage.graph.lists == b.storage.graph.lists && a.requirements == b.requirements
      && a.questions == b.questions && constants(a) == constants(b)
  }

  @Test(arguments: [
    ("(user.seed < 50) == true", "(user.seed < 50) == true"),
    ("true==(user.seed<50)", "true == (user.seed < 50)"),
    ("(user.a == 1) in [true]", "(user.a == 1) in [true]"),
    ("user.balance > - 1", "user.balance > -(1)"), ("user.balance>-1", "user.balance > -1"),
    ("user.a - -1", "user.a - -1"), ("user.a - (-user.b)", "user.a - -user.b"),
    ("!!user.a&&--user.b>0", "!!user.a && --user.b > 0"), ("!(!user.a)", "!(!user.a)"),
    ("-(-user.a) < -(-1)", "-(-user.a) < -(-1)"), ("--5 == --(-5)", "--5 == --(-5)"),
    ("!(-user.a)", "!(-user.a)"), ("!(-1)", "!(-1)"), ("(-1).x", "(-1).x"),
    ("+1.5 + .5", "1.5 + 0.5"), ("user.a < 1e400", "user.a < 1e400"),
    ("user.a > -1e999", "user.a > -1e400"), ("1e16", "1e+16"), ("-0.0", "-0.0"), ("007", "7"),
    ("'it\\'s \"x\"'", #""it's \"x\"""#), (#"'say \"x\"'"#, #""say \\\"x\\\"""#),
    (#"r"\w+""#, #""\\w+""#), (#"b"\x22\x5c\012é""#, #"b"\x22\x5c\x0a\xc3\xa9""#),
    (".user.plan", "user.plan"), ("[1,2,]", "[1, 2]"), ("max(1,2,)", "max(1, 2)"),
    ("{'a':1,}", #"{"a": 1}"#), ("user{a:1,}", "user{a: 1}"), ("user\u{A0}.plan", "user.plan"),
    ("user.a?(user.b?1:2):user.c?3:4", "user.a ? (user.b ? 1 : 2) : user.c ? 3 : 4"),
    ("(user.a?1:2)?3:4", "(user.a ? 1 : 2) ? 3 : 4"),
    ("user.l.exists(x,x>1)", "user.l.exists(x, x > 1)"), ("5.size", "5.size"),
    ("'a\nb'", #""a\nb""#), ("user.if == 1", "user.if == 1"),
  ])
  func superscript(source: String, expected: String) {
    let environment = Self.environment(.superscript)
    #expect(environment.format(source).text == expected)
    #expect(Self.problem(source, in: environment) == nil)
  }

  /// What CEL reads and superscript does not is formatted in the one and left alone in the other.
  @Test(arguments: [
    ("user.count-1", "user.count - 1"), ("0x1F==user.a", "31 == user.a"),
    ("'''a'''==user.s", #""a" == user.s"#), ("user.a==1==true", "user.a == 1 == true"),
    ("!!!user.a", "!!!user.a"), ("5u<user.a", "5u < user.a"), ("user.`a-b`==1", "user.`a-b` == 1"),
    ("user.?a.orValue(1)==1", "user.?a.orValue(1) == 1"),
  ])
  func celAlone(source: String, expected: String) {
    let cel = Self.environment(.cel)
    #expect(cel.format(source).text == expected)
    #expect(Self.problem(source, in: cel) == nil)
    let refused = Self.environment(.superscript).format(source)
    #expect(refused.text == source)
    #expect(!refused.compiles)
    #expect(refused.refusal.allSatisfy { $0.range != nil })
  }

  @Test(arguments: Dialect.allCases)
  func commentsAreKept(dialect: Dialect) {
    let environment = Self.environment(dialect)
    for (source, from, to) in [
      ("user.a==1 // why", 10, 16), ("// why\nuser.a==1", 0, 6), ("user.a== // 'why'\n1", 9, 17),
      ("user.a=='//'//\n", 12, 14), ("user.a==1//", 9, 11),
    ] {
      let formatted = environment.format(source)
      #expect(formatted.text == source)
      #expect(formatted.compiles)
      #expect(formatted.refusal.map(\.range) == [SourceRange(from: from, to: to)], "\(source)")
      #expect(formatted.refusal.map(\.severity) == [.note])
    }
    #expect(environment.format("user.s=='// no comment'").text == #"user.s == "// no comment""#)
    #expect(environment.format("user.a/2>1").text == "user.a / 2 > 1")
  }

  /// An expression that would not compile formatted, because spaces take it past a limit, stays.
  @Test(arguments: Dialect.allCases)
  func limits(dialect: Dialect) {
    var environment = Self.environment(dialect)
    let source = "user.a==1&&user.b==2"
    environment.limits.sourceBytes = source.utf8.count
    let formatted = environment.format(source)
    #expect(formatted.text == source)
    #expect(formatted.refusal.map(\.code) == [.notFormatted])
    #expect(formatted.compiles)
  }

  @Test(arguments: Extent.some(0..<24))
  func randomCEL(seed: UInt64) {
    var expressions = RandomExpressions(random: SplitMix(seed: seed &+ 7_000))
    var writer = ReferenceWriter(random: SplitMix(seed: seed &+ 8_000))
    var plain = ReferenceWriter(random: SplitMix(seed: 0), isPlayful: false)
    for round in 0..<40 {
      let expression = expressions.expression(.bool, depth: 1 + round % 5)
      for source in [writer.write(expression), plain.write(expression)] {
        let problem = Self.problem(source, in: Self.environment(.cel))
        #expect(problem == nil, "\(source)")
        // What is CEL may be superscript too, or not.
        let other = Self.problem(source, in: Self.environment(.superscript))
        #expect(other == nil, "\(source)")
      }
    }
  }

  @Test(arguments: Extent.some(0..<24))
  func randomSuperscript(seed: UInt64) {
    var scripts = RandomSuperscript(random: SplitMix(seed: seed &+ 9_000))
    var random = SplitMix(seed: seed)
    for round in 0..<40 {
      let source = scripts.expression(depth: 1 + round % 5).source
      // Texts in between are tried as well: a character less is often another expression.
      var shorter = source
      shorter.remove(at: shorter.indices.randomElement(using: &random)!)
      for source in [source, shorter] {
        for dialect in Dialect.allCases {
          let problem = Self.problem(source, in: Self.environment(dialect))
          #expect(problem == nil, "\(source) in \(dialect)")
        }
      }
    }
  }
}

import Expressions
import RuleEngine
import Testing

/// Superscript evaluates both sides of `&&`; explanations say so where an error counts because of it.
@Suite struct EagerConjunctionTests {
  private static let note = "superscript evaluates both sides of '&&'"

  private func text(
    _ expression: String, _ user: Value, language: RuleLanguage = .superscript(.ios)
  ) throws -> String {
    let audience = Audience(index: 0, experimentID: "e", expression: expression)
    let rules = try RuleSet.compile(
      Config(placements: [Placement(name: "p", audiences: [audience])]), language: language
    ).get()
    var frame = Frame(for: rules.program)
    try frame.fill(["user": user])
    let state = DecisionState(subjectID: "u", now: 0)
    return try #require(
      rules.explain(audience: 0, of: "p", frame: &frame, state: state)
    ).text
  }

  @Test(arguments: [
    (#"user.plan == "pro" && user.email.endsWith(".org")"#, #"user.plan == "pro""#),
    (
      #"(user.a == 2 || user.plan == "pro") && user.email.endsWith("g")"#,
      #"user.a == 2 || user.plan == "pro""#
    ),
    (#"user.a == 1 && (user.a == 2 && size(user.email) > 1) || true"#, "user.a == 2"),
    (
      #"(user.a == 1 || user.a == 2) && user.plan == "pro" && user.email.endsWith("g")"#,
      #"user.plan == "pro""#
    ),
    (#"!(user.a == 1) && user.email.endsWith("g")"#, "!(user.a == 1)"),
    (#"user.a == 1 ? user.a == 2 && user.email.endsWith("g") : true"#, "user.a == 2"),
  ])
  func counts(expression: String, denial: String) throws {
    let text = try text(expression, ["a": 1, "plan": "free"])
    #expect(
      text.contains("    \(Self.note): the error counts although \(denial) is false"), "\(text)")
  }

  /// Where it fails for another reason, or false decides.
  @Test(arguments: [
    #"user.plan == "pro" || user.email.endsWith(".org")"#,
    #"user.plan == "free" && user.email.endsWith(".org")"#,
    #"user.email.endsWith(".org") && user.plan == "pro""#,
    #"user.a == 2 ? user.a == 2 && user.email.endsWith("g") : user.email.endsWith("g")"#,
    #"user.plan == "pro" && user.a == 1"#,
  ])
  func doesNotCount(expression: String) throws {
    let text = try text(expression, ["a": 1, "plan": "free"])
    #expect(!text.contains("both sides"), "\(text)")
  }

  @Test func notInCEL() throws {
    let text = try text(
      #"user.plan == "pro" && user.email.endsWith("g")"#, ["plan": "free"], language: .cel)
    #expect(!text.contains("both sides"), "\(text)")
  }

  /// What `in` takes is not the same in both languages.
  @Test func operandsOfIn() throws {
    let list = #""a" in user.list"#
    #expect(
      try text(list, ["list": 5]).contains(
        "user.list is not a list, a map or a string, and in needs one"))
    #expect(
      try text(list, ["list": 5], language: .cel).contains(
        "user.list is not a list or a map, and in"))
  }
}

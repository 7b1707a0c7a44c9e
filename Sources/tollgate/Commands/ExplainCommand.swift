internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say why a user gets what they get at a placement.",
    discussion: """
      Prints every audience with the reason why it matches or not, every clause of its condition \
      with what it comes to and the values that it compared, the variants with their shares, and \
      what carrying the decision out would store. Clauses in brackets were not needed, because \
      another one had decided; superscript looks at both sides of && always. With --audience it \
      explains one audience by itself, as if none stood before it.
      """)

  @OptionGroup var source: ConfigOptions

  @Option(help: "The placement's name.")
  var placement: String

  @Option(
    help: ArgumentHelp(
      "A file with one user record: {\"userId\", \"user\":{}, \"device\":{}, ...}.",
      discussion: "- reads standard input."))
  var user: String

  @Option(help: "The position of one audience, from 0.")
  var audience: Int?

  @OptionGroup var options: DecisionOptions

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func run() throws {
    let ruleSet = try source.file().requireRuleSet()
    let clock = try options.clock(try options.time())
    try UserFile.read(user, for: ruleSet, at: clock) { frame, state in
      if let audience {
        try explain(audience, ruleSet, &frame, state)
        return
      }
      if json {
        let explanation = ruleSet.explain(
          placement, frame: &frame, state: state, assigner: options.assigner)
        FileText.print(explanation.value.json)
      } else {
        FileText.print(Self.text(placement, ruleSet, &frame, state, options.assigner))
      }
    }
    try ruleSet.checkAnswer(for: placement)
  }

  private func explain(
    _ audience: Int, _ ruleSet: RuleSet, _ frame: inout Frame, _ state: DecisionState
  ) throws {
    let found = ruleSet.explain(
      audience: audience, of: placement, frame: &frame, state: state)
    guard let found else {
      let decision = ruleSet.decide(
        placement, frame: &frame, state: state, assigner: options.assigner)
      throw CommandError(
        decision.outcome == .placementNotFound
          ? ruleSet.hint(forPlacement: placement)
          : "The placement '\(placement)' has no audience \(audience)")
    }
    FileText.print(json ? found.value.json : "\(Self.head(state))\n\(placement)\n\(found.text)")
  }

  private static func head(_ state: DecisionState) -> String {
    let time = WireTime.text(milliseconds: state.now) ?? "\(state.now) ms"
    return "user \(state.subjectID) at \(time)"
  }

  /// A whole explanation for a person.
  static func text(
    _ placement: String, _ ruleSet: RuleSet, _ frame: inout Frame, _ state: DecisionState,
    _ assigner: Assigner
  ) -> String {
    let explanation = ruleSet.explain(
      placement, frame: &frame, state: state, assigner: assigner)
    return "\(head(state))\n\(explanation.text)"
  }
}

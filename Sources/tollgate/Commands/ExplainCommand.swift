internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain what a user gets at a placement, and why.",
    discussion: """
      Prints every audience with the reason why it matches or not, every clause of its condition \
      with what it comes to and the values that it compared, the variants with their shares, and \
      what carrying the decision out would store. Clauses in brackets were not needed, because \
      another one had decided; superscript looks at both sides of && always. With --audience it \
      explains one audience by itself, as if none stood before it.
      """)

  @OptionGroup var source: ConfigOptions
  @OptionGroup var form: ConfigFormOptions
  @OptionGroup var language: LanguageOptions

  @Option(help: "The placement's name.")
  var placement: String

  @Option(help: UserFile.help)
  var user: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("One audience: its number, from 0, or its ID.", valueName: "audience"))
  var audience: String?

  @OptionGroup var options: DecisionOptions

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func run() throws {
    let file = try form.file(source.config, language)
    let ruleSet = try file.requireRuleSet()
    let clock = try options.clock(try options.time())
    let assigner = options.assigner(for: ruleSet.format)
    try file.checkPlacement(placement)
    try UserFile.read(user, for: ruleSet, at: clock) { frame, state in
      options.tellUnused(assigner)
      if let audience {
        try explain(audience, ruleSet, &frame, state, assigner)
      } else if json {
        let explanation = ruleSet.explain(
          placement, frame: &frame, state: state, assigner: assigner)
        FileText.print(explanation.value.json)
      } else {
        FileText.print(Self.text(placement, ruleSet, &frame, state, assigner))
      }
    }
    try file.checkAnswer(for: placement)
  }

  private func explain(
    _ audience: String, _ ruleSet: RuleSet, _ frame: inout Frame, _ state: DecisionState,
    _ assigner: Assigner
  ) throws {
    let index = try ruleSet.audience(audience, of: placement)
    guard
      let found = ruleSet.explain(audience: index, of: placement, frame: &frame, state: state)
    else { return }
    FileText.print(
      json
        ? found.value.json
        : "\(Self.head(state, assigner))\n\(DiagnosticText.visible(placement))\n\(found.text)")
  }

  private static func head(_ state: DecisionState, _ assigner: Assigner) -> String {
    DiagnosticText.visible(
      "user \(state.subjectID) at \(DecisionOptions.basis(state.now, assigner))")
  }

  /// A whole explanation for a person.
  static func text(
    _ placement: String, _ ruleSet: RuleSet, _ frame: inout Frame, _ state: DecisionState,
    _ assigner: Assigner
  ) -> String {
    let explanation = ruleSet.explain(
      placement, frame: &frame, state: state, assigner: assigner)
    return "\(head(state, assigner))\n\(explanation.text)"
  }
}

extension RuleSet {
  /// The index of the audience that somebody names: by its number, its ID, or its experiment.
  func audience(_ name: String, of placement: String) throws -> Int {
    let number = self.placement(named: placement)
    let audiences = number.map { rules[placements[$0].rules].map(\.audience) } ?? []
    if let index = Int(name), audiences.contains(where: { $0.index == index }) { return index }
    if let known = audiences.first(where: { $0.id == name || $0.experimentID == name }) {
      return known.index
    }
    let names = audiences.map { $0.id ?? $0.experimentID }.filter { !$0.isEmpty }
    let close =
      Int(name) == nil
      ? Suggestion.closest(to: name, among: names).map { "did you mean '\($0)'?" } : nil
    let range =
      audiences.isEmpty
      ? "it has none"
      : audiences.count == 1 ? "it has audience 0" : "it has audiences 0 to \(audiences.count - 1)"
    throw CommandError(
      DiagnosticText.visible(
        "the placement '\(placement)' has no audience '\(name)'; \(close ?? range)"))
  }
}

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
      another one had decided; superscript looks at both sides of && always.

      With --audience it explains one audience by itself, as if none stood before it, and says which \
      attributes would have to be different for it to take the user, and be it despite those before \
      it: as few as possible, up to four. That there is none is said only where it is proved. What \
      this user has had and done stays: no attribute changes a limit that is reached.

      --set asks what would be if. --sweep shows where along an attribute the outcome changes.

        tollgate explain config.json --placement p --user u.json --audience 2
        tollgate explain config.json --placement p --user u.json --set user.plan=pro
        tollgate explain config.json --placement p --user u.json --sweep device.daysSinceInstall
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
    help: ArgumentHelp(
      "One audience: its number, from 0, or its ID; and what would make it take the user.",
      valueName: "audience"))
  var audience: String?

  @Option(
    name: .customLong("set"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Explain the user with another value of an attribute, such as user.plan=pro.",
      discussion: """
        The value is JSON, or else text: 3 is a number, "3" a text, pro a text. It may be given \
        several times.
        """, valueName: "path=value"))
  var changes: [String] = []

  @Option(
    help: ArgumentHelp(
      "Show for which values of an attribute the user gets what.", valueName: "path"))
  var sweep: String?

  @OptionGroup var options: DecisionOptions

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func validate() throws {
    if sweep != nil, audience != nil {
      throw ValidationError("give --sweep or --audience, not both")
    }
    for change in changes { _ = try AttributeSetting(change) }
  }

  func run() throws {
    let file = try form.file(source.config, language)
    let ruleSet = try file.requireRuleSet()
    let clock = try options.clock(try options.time())
    let assigner = options.assigner(for: ruleSet.format)
    try file.checkPlacement(placement)
    var bytes = try UserFile.bytes(user)
    var what: WhatIf?
    if !changes.isEmpty {
      let before = try UserFile.read(bytes, of: user, for: ruleSet, at: clock) { frame, state in
        ruleSet.decide(placement, frame: &frame, state: state, assigner: assigner)
      }
      let made = try WhatIf(changes, try Value.parse(json: bytes), ruleSet, before: before)
      bytes = Array(made.record.json.utf8)
      what = made
    }
    let record = try? Value.parse(json: bytes)
    let name = what == nil ? user : "the user record with --set"
    try UserFile.read(bytes, of: name, for: ruleSet, at: clock) { frame, state in
      options.tellUnused(assigner)
      let basis = Self.head(state, assigner)
      if let sweep, let record {
        let found = try ruleSet.sweep(
          sweep, of: placement, for: record, at: clock, assigner: assigner)
        return show(found.value, [basis, found.text], what, nil)
      }
      let decision = ruleSet.decide(placement, frame: &frame, state: state, assigner: assigner)
      if let audience {
        let index = try ruleSet.audience(audience, of: placement)
        guard
          let found = ruleSet.explain(audience: index, of: placement, frame: &frame, state: state)
        else { return }
        let change = record.flatMap {
          ruleSet.smallestChange(audience: index, of: placement, for: $0, at: clock)
        }
        return show(
          found.value.adding(change?.value),
          [basis, DiagnosticText.visible(placement), found.text]
            + (change.map { [""] + $0.lines(audience: index).map(DiagnosticText.visible) } ?? []),
          what, decision)
      }
      let explanation = ruleSet.explain(placement, frame: &frame, state: state, assigner: assigner)
      show(explanation.value, [basis, explanation.text], what, decision)
    }
    try file.checkAnswer(for: placement)
  }

  /// Prints an answer, with what was changed of the user.
  private func show(_ value: Value, _ lines: [String], _ what: WhatIf?, _ decision: Decision?) {
    if json {
      FileText.print(value.adding(what?.value).json)
    } else {
      var lines = lines
      if let what { lines.insert(DiagnosticText.visible(what.text(decision)), at: 1) }
      FileText.print(lines.joined(separator: "\n"))
    }
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
  /// The index of the audience that somebody names: by its number, its ID, its experiment or its name.
  func audience(_ name: String, of placement: String) throws -> Int {
    let number = self.placement(named: placement)
    let audiences = number.map { rules[placements[$0].rules].map(\.audience) } ?? []
    if let index = Int(name), audiences.contains(where: { $0.index == index }) { return index }
    let known = audiences.filter { $0.id == name || $0.experimentID == name }
    if let found = known.first ?? audiences.first(where: { $0.name == name }) { return found.index }
    let names = audiences.map { $0.id ?? $0.experimentID }
    let close =
      Int(name) == nil
      ? Suggestion.closest(to: name, among: names.filter { !$0.isEmpty }) : nil
    var listed = zip(audiences, names).prefix(8).map { audience, name in
      name.isEmpty ? "\(audience.index)" : "\(audience.index) ('\(name)')"
    }.joined(separator: ", ")
    if names.count > 8 { listed += " and \(names.count - 8) more" }
    let hint =
      close.map { "did you mean '\($0)'?" } ?? (listed.isEmpty ? "it has none" : "it has \(listed)")
    throw CommandError(
      DiagnosticText.visible("the placement '\(placement)' has no audience '\(name)'; \(hint)"))
  }
}

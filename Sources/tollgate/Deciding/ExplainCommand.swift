internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain what a user gets at a placement, and why.",
    usage: """
      tollgate explain <config> --placement <placement> --user <record> [<options>]
      tollgate explain <config> --all --user <record> [<options>]
      """,
    discussion: HelpText(
      """
      Prints every audience with the reason why it matches or not, every clause of its condition \
      with what it comes to and the values that it compared, the variants with their shares, and \
      what carrying the decision out would store. Clauses in parentheses were not needed, because \
      another one had decided; superscript looks at both sides of && always.

      With --audience it explains one audience by itself, as if none stood before it, and says which \
      attributes would have to be different for it to take the user, even ahead of those before \
      it: as few as possible, up to four. It says that there is none only where that is proved. What \
      this user has had and done stays: no attribute changes a limit that is reached.

      --set tries other values. --sweep shows where along an attribute the outcome changes. --all \
      says in a line each what the user gets at every placement.
      """,
      examples: [
        .init(
          "everything that one user gets",
          "tollgate explain config.json --all --users users.ndjson --id u-00012"),
        .init(
          "why, and what would make an audience take the user",
          "tollgate explain config.json --placement export_report --user user.json --audience export-free"
        ),
        .init(
          "what another value would change",
          "tollgate explain config.json --all --user user.json --set user.plan=lapsed"),
        .init(
          "where along an attribute the outcome changes",
          "tollgate explain config.json --placement onboarding_done --user user.json "
            + "--sweep device.daysSinceInstall"),
      ],
      codes: [
        ("0", "done"), ("1", "a rule of the placement does not compile, or cannot be read"),
        ("2", "wrong use, no such placement or user, or a file that cannot be read"),
      ]
    ).text)

  @OptionGroup var source: ConfigOptions
  @OptionGroup(title: "Config Options") var form: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @Option(help: OptionHelp.placement(), completion: Completions.placements)
  var placement: String?

  @Flag(help: "Explain every placement of the config, a line each; with --json, all of it.")
  var all = false

  @OptionGroup(title: "User Options") var user: UserOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "One audience: its number, from 0, or its ID; and what would make it take the user.",
      valueName: "audience"), completion: Completions.audiences)
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

  @OptionGroup(title: "Decision Options") var options: DecisionOptions

  @OptionGroup var redacting: RedactionOptions

  @Flag(help: OptionHelp.json())
  var json = false

  @Flag(help: OptionHelp.quiet("Notes are left out."))
  var quiet = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if placement == nil, !all { throw ValidationError("give --placement NAME, or --all") }
    if placement != nil, all { throw ValidationError("give --placement or --all, not both") }
    if all, audience != nil { throw ValidationError("--audience is for one --placement") }
    if all, sweep != nil { throw ValidationError("--sweep is for one --placement") }
    if sweep != nil, audience != nil {
      throw ValidationError("give --sweep or --audience, not both")
    }
    try user.require()
    try StandardInput.check(user.paths + [source.config])
    for change in changes { _ = try AttributeSetting(change) }
    if let sweep, try redacting.redaction().touches(sweep.split(separator: ".").map(String.init)) {
      throw ValidationError("--sweep shows values of \(sweep), which --redact keeps out")
    }
  }

  func run() throws {
    let file = try form.file(source.config, language)
    let ruleSet = try file.requireRuleSet()
    if let placement { try file.checkPlacement(placement) }
    let names = placement.map { [$0] } ?? ruleSet.placementNames
    let clock = try options.clock(try options.time())
    let assigner = options.assigner(for: ruleSet.format)
    guard var given = try user.given(isQuiet: quiet) else { return }
    var what: WhatIf?
    var before: [Decision] = []
    if !changes.isEmpty {
      before = try UserFile.read(given, for: ruleSet, at: clock, isQuiet: quiet) { frame, state in
        names.map { ruleSet.decide($0, frame: &frame, state: state, assigner: assigner) }
      }
      let made = try WhatIf(changes, try Value.parse(json: given.bytes), ruleSet)
      given = GivenUser(bytes: Array(made.record.json.utf8), name: "the user record with --set")
      what = made
    }
    let redaction = try redacting.redaction()
    try UserFile.read(given, for: ruleSet, at: clock, isQuiet: quiet) { frame, state in
      options.tellUnused(assigner, isQuiet: quiet)
      let record = try Value.parse(json: given.bytes)
      if !quiet { tellMissing(redaction.missing(in: record)) }
      let answer = Answer(
        command: self, ruleSet: ruleSet, config: file.config, clock: clock, assigner: assigner,
        record: record, state: state, what: what.map { $0.redacted(redaction) },
        redaction: redaction)
      if let placement {
        try answer.explain(placement, &frame, before: before.first)
      } else {
        answer.explainAll(names, &frame, before: before)
      }
    }
    try file.checkRules(of: placement.map { [$0] })
  }

  /// A mistyped path would hide nothing, and nobody would see it.
  private func tellMissing(_ paths: [String]) {
    for path in paths {
      FileText.printError(
        DiagnosticText.visible("note: the user has no \(path): --redact hides nothing there"))
    }
  }
}

/// What explain says of one user.
private struct Answer {
  let command: ExplainCommand
  let ruleSet: RuleSet
  let config: Config?
  let clock: HistoryClock
  let assigner: Assigner
  let record: Value
  let state: DecisionState
  let what: WhatIf?
  let redaction: Redaction

  /// Who is decided, and by what.
  private var head: String {
    let user = redaction.hidesIDs ? "[redacted]" : state.subjectID
    return DiagnosticText.visible(
      "user \(user) at \(command.options.zonedBasis(state.now, assigner))")
  }

  private func explanation(_ placement: String, _ frame: inout Frame) -> Explanation {
    var explanation = ruleSet.explain(
      placement, frame: &frame, state: state, assigner: assigner, clock: clock)
    if let config { explanation.addOwnership(from: record, config: config) }
    explanation.showNulls(of: record)
    redaction.apply(to: &explanation)
    return explanation
  }

  func explain(_ placement: String, _ frame: inout Frame, before: Decision?) throws {
    if let sweep = command.sweep {
      let found = try ruleSet.sweep(
        sweep, of: placement, for: record, at: clock, assigner: assigner)
      return show(found.value, [head] + [what?.text].visible + [found.text], before)
    }
    let decision = ruleSet.decide(placement, frame: &frame, state: state, assigner: assigner)
    let change = before.flatMap { what?.text(before: $0, after: decision) }
    if let audience = command.audience {
      let text = [head] + [change, placement].visible
      return try explain(audience, of: placement, &frame, text, before)
    }
    let explanation = explanation(placement, &frame)
    show(explanation.value, [head] + [change].visible + [explanation.text], before)
  }

  /// One audience, and what would make it take the user.
  private func explain(
    _ name: String, of placement: String, _ frame: inout Frame, _ text: [String],
    _ before: Decision?
  ) throws {
    let (index, label) = try ruleSet.audience(name, of: placement)
    guard
      var found = ruleSet.explain(
        audience: index, of: placement, frame: &frame, state: state, clock: clock)
    else { return }
    found.showNulls(of: record)
    redaction.apply(to: &found)
    var change = ruleSet.smallestChange(audience: index, of: placement, for: record, at: clock)
    if var changes = change?.changes, var follows = change?.follows {
      redaction.apply(to: &changes)
      redaction.apply(to: &follows)
      change?.changes = changes
      change?.follows = follows
    }
    let wish = change.map { [""] + $0.lines(audience: label).map(DiagnosticText.visible) } ?? []
    show(found.value.adding(change?.value), text + [found.text] + wish, before)
  }

  /// Prints an answer, with what was changed of the user.
  private func show(_ value: Value, _ lines: [String], _ before: Decision?) {
    if command.json {
      FileText.print(value.adding(before.flatMap { what?.value(before: $0) }).json)
    } else {
      FileText.printExplanation(lines.joined(separator: "\n"))
    }
  }

  /// A line for each placement, or all of it as a list.
  func explainAll(_ names: [String], _ frame: inout Frame, before: [Decision]) {
    let found = names.map { explanation($0, &frame) }
    if command.json {
      let values = found.enumerated().map { number, explanation in
        what.map { explanation.value.adding($0.value(before: before[number])) }
          ?? explanation.value
      }
      return FileText.print(Value.list(values).json)
    }
    let notes = found.enumerated().map { number, explanation -> String? in
      guard what != nil else { return nil }
      return WhatIf.difference(before[number], explanation.decision)
        .map { "without, \($0.before)" }
    }
    let isSame = notes.allSatisfy { $0 == nil }
    let set = what.map { $0.text + (isSame ? ": no difference" : "") }
    let overview =
      found.isEmpty
      ? "the config has no placements"
      : Explanation.overview(found, notes: notes, width: TextStyle.output.width)
    let lines = ([head] + [set].visible).flatMap(TextStyle.output.wrapped)
    FileText.print((lines + [overview]).joined(separator: "\n"))
  }
}

extension [String?] {
  /// Those that are there, as they may be printed.
  fileprivate var visible: [String] { compactMap { $0.map(DiagnosticText.visible) } }
}

extension RuleSet {
  /// The audience that somebody names, by its number, its ID, its experiment or its name: its number,
  /// and what it is called.
  func audience(_ name: String, of placement: String) throws -> (index: Int, label: String) {
    let number = self.placement(named: placement)
    let audiences = number.map { rules[placements[$0].rules].map(\.audience) } ?? []
    if let found = audiences.first(where: { $0.index == Int(name) }) {
      return (found.index, found.label)
    }
    let known = audiences.filter { $0.id == name || $0.experimentID == name }
    if let found = known.first ?? audiences.first(where: { $0.name == name }) {
      return (found.index, found.label)
    }
    let names = audiences.flatMap { [$0.id, $0.experimentID, $0.name] }.compactMap { $0 }
    let close =
      Int(name) == nil
      ? Suggestion.closest(to: name, among: names.filter { !$0.isEmpty }) : nil
    var listed = audiences.prefix(8).map(\.label).joined(separator: ", ")
    if audiences.count > 8 { listed += " and \(audiences.count - 8) more" }
    let hint =
      close.map { "did you mean '\($0)'?" } ?? (listed.isEmpty ? "it has none" : "it has \(listed)")
    throw CommandError(
      DiagnosticText.visible("the placement '\(placement)' has no audience '\(name)'; \(hint)"))
  }
}

internal import ArgumentParser
internal import Expressions
internal import Requests
internal import RuleEngine
internal import RuleInsight

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain the outcome of a placement for a user.",
    usage: """
      tollgate explain <config> --placement <placement> --user <record> [<options>]
      tollgate explain <config> --all --user <record> [<options>]
      """,
    discussion: HelpText(
      """
      Prints why each audience matches or not, every clause of its condition with its result and the \
      compared values, the variants with their shares, and what the decision would store. Clauses in \
      parentheses were not needed, because another clause had decided. superscript always evaluates both \
      sides of &&.

      --audience explains one audience, as if it were the first audience, and finds the smallest change to the \
      user that makes the audience take the user. A change has up to four attributes. "No change" is printed \
      only with a proof. The user's history stays the same, so a reached limit stays reached.

      --set tries other values. --sweep shows the values of an attribute at which the outcome changes. --all \
      prints one line for each placement.
      """,
      examples: [
        .init(
          "the outcome of every placement for one user",
          "tollgate explain config.json --all --users users.ndjson --id u-00012"),
        .init(
          "why, and the smallest change that makes an audience take the user",
          "tollgate explain config.json --placement export_report --user user.json --audience export-free"
        ),
        .init(
          "the outcomes with another value of an attribute",
          "tollgate explain config.json --all --user user.json --set user.plan=lapsed"),
        .init(
          "the values of an attribute at which the outcome changes",
          "tollgate explain config.json --placement onboarding_done --user user.json "
            + "--sweep device.daysSinceInstall"),
      ],
      codes: [
        ("0", "done"), ("1", "a rule of the placement does not compile, or is unreadable"),
        ("2", "usage error, no such placement or user, or an unreadable file"),
      ]
    ).text)

  @OptionGroup var source: ConfigOptions
  @OptionGroup(title: "Config Options") var form: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @Option(help: OptionHelp.placement(), completion: Completions.placements)
  var placement: String?

  @Flag(
    help: ArgumentHelp(
      "Explain every placement of the config, each on one line, or in full with --json.",
      discussion: "With --placement, show all of the placement's audiences, without a limit."))
  var all = false

  /// If there are more audiences than this, audiences that do not take the user are summarized.
  fileprivate static let mostAudiences = 30

  @OptionGroup(title: "User Options") var user: UserOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Explain one audience, by number from 0 or by ID, and the smallest change that makes it match.",
      valueName: "audience"), completion: Completions.audiences)
  var audience: String?

  @Option(
    name: .customLong("set"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Explain with another value of an attribute, such as user.plan=pro.",
      discussion: """
        The value is JSON if possible, otherwise a string: 3 is a number, "3" and pro are strings. Repeatable.
        """, valueName: "path=value"))
  var changes: [String] = []

  @Option(
    help: ArgumentHelp(
      "Show the outcome for every value of an attribute.", valueName: "path"))
  var sweep: String?

  @OptionGroup(title: "Decision Options") var options: DecisionOptions

  @OptionGroup var redacting: RedactionOptions

  @Flag(help: OptionHelp.json())
  var json = false

  @Flag(help: OptionHelp.quiet("Omits notes."))
  var quiet = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if placement == nil, !all { throw ValidationError("give --placement NAME, or --all") }
    if placement == nil, audience != nil {
      throw ValidationError("--audience needs --placement")
    }
    if placement == nil, sweep != nil { throw ValidationError("--sweep needs --placement") }
    if sweep != nil, audience != nil {
      throw ValidationError("give --sweep or --audience, not both")
    }
    try user.require()
    try StandardInput.check(user.paths + [source.config])
    _ = try settings()
    if let sweep, try redacting.redaction().touches(sweep.split(separator: ".").map(String.init)) {
      throw ValidationError("--sweep shows values of \(sweep), which --redact hides")
    }
  }

  func run() throws {
    let known = try language.givenUser(user, isQuiet: quiet)
    let file = try form.file(source.config, language, for: known?.bytes)
    let ruleSet = try file.requireRuleSet().reading(options.userIds)
    if let placement { try file.checkPlacement(placement) }
    let names = placement.map { [$0] } ?? ruleSet.placementNames
    let clock = try options.clock(try options.time())
    let assigner = options.assigner(for: ruleSet.format)
    guard var given = try user.given(ruleSet.requirements, known: known, isQuiet: quiet)
    else { return }
    var whatIf: WhatIf?
    var before: [Decision] = []
    if !changes.isEmpty {
      before = try UserFile.read(given, for: ruleSet, at: clock, isQuiet: quiet) { frame, state in
        names.map { ruleSet.decide($0, frame: &frame, state: state, assigner: assigner) }
      }
      let made = try WhatIf(try settings(), try Value.parse(json: given.bytes), ruleSet)
      for path in made.unread {
        FileText.printError("note: no rule reads \(path), so --set has no effect")
      }
      given = GivenUser(
        bytes: Array(made.record.json.utf8), name: "the user record with the values of --set")
      whatIf = made
    }
    let redaction = try redacting.redaction()
    try UserFile.read(given, for: ruleSet, at: clock, isQuiet: quiet) { frame, state in
      options.tellUnused(assigner, isQuiet: quiet)
      let record = try Value.parse(json: given.bytes)
      if !quiet { tellMissing(redaction.missing(in: record)) }
      let user = ExplainedUser(
        ruleSet: ruleSet, config: file.config, record: record, state: state, clock: clock,
        assigner: assigner, whatIf: whatIf, redaction: redaction,
        family: language.sdkVersion == .newest ? nil : file.config.map { RuleSetFamily($0) })
      let answer = Answer(command: self, user: user, before: before)
      if let placement {
        try answer.explain(placement, &frame)
      } else {
        answer.explainAll(names, &frame)
      }
    }
    try file.checkRules(of: placement.map { [$0] })
  }

  private func settings() throws -> [AttributeSetting] {
    try changes.map { text in
      guard let equals = text.firstIndex(of: "=") else {
        throw ValidationError(
          "--set takes an attribute and a value, such as user.plan=pro; '\(text)' has no '='")
      }
      let written = String(text[text.index(after: equals)...])
      let value = (try? Value.parse(json: written.utf8)) ?? .string(written)
      return try ValidationError.asking { () throws(RequestError) in
        try AttributeSetting(String(text[..<equals]), value)
      }
    }
  }

  /// Reports mistyped paths, which would silently redact nothing.
  private func tellMissing(_ paths: [String]) {
    for path in paths {
      FileText.printError(
        DiagnosticText.visible("note: the user has no \(path): --redact hides nothing there"))
    }
  }
}

/// The explanation of one user.
private struct Answer {
  let command: ExplainCommand
  let user: ExplainedUser
  /// The outcomes of the unchanged user, if `--set` changes it.
  let before: [Decision]

  /// The user, and the rules that decide.
  private var head: String {
    let name = user.redaction.hidesIDs ? "[redacted]" : user.state.subjectID
    return DiagnosticText.visible(
      "user \(name) at \(command.options.zonedBasis(user.state.now, user.assigner))"
        + command.language.basis(user.ruleSet))
  }

  func explain(_ placement: String, _ frame: inout Frame) throws {
    if let sweep = command.sweep {
      let found = try user.sweep(sweep, of: placement)
      return show(found.value, [head] + [user.whatIf?.text].visible + [found.text])
    }
    let decision = user.ruleSet.decide(
      placement, frame: &frame, state: user.state, assigner: user.assigner)
    let change = before.first.flatMap { user.whatIf?.text(before: $0, after: decision) }
    if let name = command.audience {
      let found = try user.audience(name, of: placement, &frame)
      let wish =
        found.change.map {
          [""] + $0.lines(audience: found.label).map(DiagnosticText.visible)
        } ?? []
      let lines = [head] + [change, placement].visible + [found.explanation.text] + wish
      return show(found.value, lines)
    }
    let explanation = user.explanation(of: placement, &frame)
    if command.json {
      return FileText.print(user.values([explanation], before)[0].json)
    }
    let lines = user.versionLines(of: placement).map(DiagnosticText.visible)
    show(
      explanation.value,
      [head] + [change].visible
        + [explanation.text(foldingAbove: command.all ? .max : ExplainCommand.mostAudiences)]
        + lines)
  }

  private func show(_ value: Value, _ lines: [String]) {
    if command.json {
      FileText.print(user.value(value, before.first).json)
    } else {
      FileText.printExplanation(lines.joined(separator: "\n"))
    }
  }

  /// Prints a line for each placement, or a JSON list of all explanations.
  func explainAll(_ names: [String], _ frame: inout Frame) {
    let found = names.map { user.explanation(of: $0, &frame) }
    if command.json { return FileText.print(Value.list(user.values(found, before)).json) }
    let notes = found.enumerated().map { number, explanation -> String? in
      guard user.whatIf != nil else { return nil }
      return WhatIf.difference(before[number], explanation.decision)
        .map { "without, \($0.before)" }
    }
    let isSame = notes.allSatisfy { $0 == nil }
    let set = user.whatIf.map { $0.text + (isSame ? ": no difference" : "") }
    let overview =
      found.isEmpty
      ? "the config has no placements"
      : Explanation.overview(found, notes: notes, width: TextStyle.output.width)
    let lines = ([head] + [set].visible).flatMap(TextStyle.output.wrapped)
    FileText.print((lines + [overview]).joined(separator: "\n"))
  }
}

extension [String?] {
  /// The non-nil strings, in printable form.
  fileprivate var visible: [String] { compactMap { $0.map(DiagnosticText.visible) } }
}

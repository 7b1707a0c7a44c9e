internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct DecideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide",
    abstract: "Decide one placement for one user.",
    usage: "tollgate decide <config> --placement <placement> --user <record> [<options>]",
    discussion: HelpText(
      """
      On a terminal, prints the outcome and the audience that decided. Otherwise, or with --json, prints the \
      outcome as one line of JSON, and prints the time and the assigner to standard error. To see why, use \
      'tollgate explain'. Nothing is stored.
      """,
      examples: [
        .init(
          "a user in a file",
          "tollgate decide config.json --placement export_report --user user.json"),
        .init(
          "a user as JSON",
          #"tollgate decide config.json --placement export_report --user '{"userId":"u1"}'"#),
        .init(
          "one user of many, with every possible outcome",
          "tollgate decide config.json --placement export_report --users users.ndjson --id u-00012 "
            + "--distribution"),
      ],
      codes: [
        ("0", "done"), ("1", "a rule of the placement does not compile or is unreadable"),
        ("2", "usage error, no such placement or user, or an unreadable file"),
      ]
    ).text)

  @OptionGroup var source: ConfigOptions
  @OptionGroup(title: "Config Options") var form: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @Option(help: OptionHelp.placement(), completion: Completions.placements)
  var placement: String

  @OptionGroup(title: "User Options") var user: UserOptions

  @OptionGroup(title: "Decision Options") var options: DecisionOptions

  @Flag(help: OptionHelp.distribution())
  var distribution = false

  @Flag(help: OptionHelp.json("This is the default if the output is not a terminal."))
  var json = false

  @Flag(help: OptionHelp.quiet("Omits notes, the time and the assigner."))
  var quiet = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    try user.require()
    try StandardInput.check(user.paths + [source.config])
  }

  func run() throws {
    let known = try language.givenUser(user, isQuiet: quiet)
    let file = try form.file(source.config, language, for: known?.bytes)
    let ruleSet = try file.requireRuleSet().reading(options.userIds)
    try file.checkPlacement(placement)
    let clock = try options.clock(try options.time())
    let assigner = options.assigner(for: ruleSet.format)
    let isInWords = !json && Terminal.isTerminal(.standardOutput)
    guard let given = try user.given(ruleSet.requirements, known: known, isQuiet: quiet)
    else { return }
    try UserFile.read(given, for: ruleSet, at: clock, isQuiet: quiet) { frame, state in
      let basis = DecisionOptions.basis(clock.now, assigner) + language.basis(ruleSet)
      if !isInWords, !quiet { FileText.printError("Decided as of \(basis)") }
      options.tellUnused(assigner, isQuiet: quiet)
      let text: String
      switch (distribution, isInWords) {
      case (true, _):
        let shares = ruleSet.distribution(
          placement, frame: &frame, state: state, assigner: assigner)
        text = isInWords ? shares.text(width: TextStyle(.standardOutput).width) : shares.value.json
      case (false, true):
        text =
          ruleSet.explain(placement, frame: &frame, state: state, assigner: assigner, clock: clock)
          .line
      case (false, false):
        let decision = ruleSet.decide(placement, frame: &frame, state: state, assigner: assigner)
        let errors = ruleSet.errors(placement, frame: &frame, state: state)
        text = decision.outcomeLine(subjectID: state.subjectID, errors: errors).json
      }
      FileText.print(text)
      if isInWords, !quiet {
        FileText.print(DiagnosticText.visible("decided for \(state.subjectID) as of \(basis)"))
      }
    }
    try file.checkRules(of: [placement])
  }
}

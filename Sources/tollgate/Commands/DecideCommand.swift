internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct DecideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide",
    abstract: "Decide one placement for one user.",
    discussion: """
      Prints the outcome as one line of JSON, or with --explain every audience and every clause \
      with the attributes that it read; the time and the assigner that it was decided with are told \
      on standard error. Nothing is stored: what carrying the decision out would store is part of \
      the explanation. The exit code is 1 when a rule of the placement does not compile, and 2 when \
      the config has no such placement.
      """)

  @OptionGroup var source: ConfigOptions
  @OptionGroup var form: ConfigFormOptions
  @OptionGroup var language: LanguageOptions

  @Option(help: "The placement's name.")
  var placement: String

  @Option(help: UserFile.help)
  var user: String

  @OptionGroup var options: DecisionOptions

  @Flag(help: "Explain the decision in words. The explain command says more.")
  var explain = false

  @Flag(help: "Print every possible outcome with its exact probability.")
  var distribution = false

  func validate() throws {
    if explain, distribution { throw ValidationError("give --explain or --distribution, not both") }
  }

  func run() throws {
    let file = try form.file(source.config, language)
    let ruleSet = try file.requireRuleSet()
    let clock = try options.clock(try options.time())
    let assigner = options.assigner(for: ruleSet.format)
    try UserFile.read(user, for: ruleSet, at: clock) { frame, state in
      if !explain {
        FileText.printError("Decided as of \(DecisionOptions.basis(clock.now, assigner))")
      }
      options.tellUnused(assigner)
      let decision = ruleSet.decide(placement, frame: &frame, state: state, assigner: assigner)
      if explain {
        FileText.print(ExplainCommand.text(placement, ruleSet, &frame, state, assigner))
      } else if distribution {
        let distribution = ruleSet.distribution(
          placement, frame: &frame, state: state, assigner: assigner)
        FileText.print(distribution.value.json)
      } else {
        let errors = ruleSet.errors(placement, frame: &frame, state: state)
        FileText.print(decision.outcomeLine(subjectID: state.subjectID, errors: errors).json)
      }
    }
    try file.checkAnswer(for: placement)
  }
}

internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct DecideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide",
    abstract: "Decide one placement for one user.",
    discussion: """
      Prints the outcome as one line of JSON, or with --explain every audience and every clause \
      with the attributes that it read. Nothing is stored: what carrying the decision out would \
      store is part of the explanation.
      """)

  @Argument(help: "The config file (JSON).")
  var config: String

  @Option(help: "The placement's name.")
  var placement: String

  @Option(
    help: ArgumentHelp(
      "A file with one user record: {\"userId\", \"user\":{}, \"device\":{}, ...}.",
      discussion: "- reads standard input."))
  var user: String

  @OptionGroup var options: DecisionOptions
  @OptionGroup var language: LanguageOptions

  @Flag(help: "Print why, for a person.")
  var explain = false

  func run() throws {
    let ruleSet = try ConfigFile(config, language: language.language).requireRuleSet()
    let record = try FileText.read(user)
    let now = try options.time()
    let (decision, explanation, subject) = try decide(ruleSet, record, now)
    if explain {
      FileText.print(explanation)
    } else {
      FileText.print(decision.outcomeLine(subjectID: subject).json)
    }
    if decision.outcome == .placementNotFound {
      let close = Suggestion.closest(to: placement, among: ruleSet.placementNames)
      let hint = close.map { "did you mean '\($0)'?" }
        ?? "it has " + ruleSet.placementNames.joined(separator: ", ")
      FileText.printError("The config has no placement '\(placement)'; \(hint)")
    }
  }

  private func decide(_ ruleSet: RuleSet, _ record: [UInt8], _ now: Int64) throws
    -> (Decision, String, String)
  {
    var frame = Frame(for: ruleSet.program)
    var reader = UserRecordReader(ruleSet, at: try options.clock(now))
    return try record.withUnsafeBufferPointer { bytes in
      do throws(UserRecordReader.Rejection) {
        try reader.read(bytes, into: &frame)
      } catch {
        let place = error.offset.map { offset in
          let position = SourcePosition(offset: offset, in: bytes)
          return " (line \(position.line), column \(position.column))"
        }
        throw CommandError("\(user): \(error.reason)\(place ?? "")")
      }
      let state = reader.state(now: now)
      let decision = ruleSet.decide(
        placement, frame: &frame, state: state, assigner: options.assigner)
      let text = explain ? explanation(decision, ruleSet, state, &frame) : ""
      return (decision, text, state.subjectID)
    }
  }

  private func explanation(
    _ decision: Decision, _ ruleSet: RuleSet, _ state: DecisionState, _ frame: inout Frame
  ) -> String {
    let time = WireTime.text(milliseconds: state.now) ?? "\(state.now) ms"
    return "user \(state.subjectID) at \(time)\n"
      + ruleSet.explain(decision, frame: &frame).text
  }
}

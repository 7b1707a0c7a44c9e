internal import ArgumentParser

struct DecideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide",
    abstract: "Decide one placement for one user, who is another every time.",
    discussion: """
      What an app pays for one answer: every audience in order, and the assignment; no effects and \
      no explanation. Frames are filled beforehand; filling one is measured beside it. Without a \
      config of its own it also measures placements of known shape: ten audiences of three clauses, \
      the same where every clause has to be looked at, and sixty audiences of one clause before the \
      one that matches.
      """)

  @Option(
    help: ArgumentHelp(
      "A static config. The default is a made-up one with ten audiences a placement.",
      valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "User records, one JSON object a line. The default is \(userCount) made-up ones.",
      valueName: "file"))
  var user: String?

  @Option(help: "The placement's name. The default is the config's first.")
  var placement: String?

  @OptionGroup var options: MeasuringOptions

  /// Enough that the branch predictor cannot memorise them, and few enough for the caches.
  static let userCount = 256

  func run() throws {
    try DecideCommand.report(
      config: config, user: user, placement: placement, stopwatch: options.stopwatch
    ).finish(options)
  }

  static func report(
    config: String? = nil, user: String? = nil, placement: String? = nil, stopwatch: Stopwatch
  ) throws -> Report {
    let ruleSet = try CompiledConfig.load(config, placements: 1)
    var users = GeneratedUsers()
    let records =
      try user.map { try JSONInput.parseLines(try InputFile.read($0), path: $0) }
      ?? users.make(userCount)
    var runs = [
      try DecideRun(ruleSet, records: records, placement: placement, stopwatch: stopwatch)
    ]
    if config == nil, placement == nil {
      let shapes = try CompiledConfig.loadShapes()
      for shape in GeneratedConfig.shapes {
        runs.append(
          try DecideRun(
            shapes, records: records, placement: shape.placement, stopwatch: stopwatch))
      }
    }
    return DecideRun.report(runs)
  }
}

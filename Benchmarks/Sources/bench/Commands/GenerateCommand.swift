internal import ArgumentParser
internal import Expressions

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Write the made-up users and config to files, for others to measure with.",
    discussion: """
      Writes users.ndjson and config.json into an existing folder. The same numbers give the same \
      files everywhere, and the defaults give what 'bench batch' makes up for itself.
      """)

  @Argument(help: "The folder.")
  var folder: String

  @Option(help: "How many users.")
  var users = BatchCommand.userCount

  @Option(help: "How many placements, of ten audiences each.")
  var placements = BatchCommand.placementCount

  func validate() throws {
    if users < 1 || placements < 1 {
      throw ValidationError("--users and --placements are at least 1")
    }
  }

  func run() throws {
    try InputFile.write(GeneratedUsers.lines(users), to: "\(folder)/users.ndjson")
    let config = GeneratedConfig.make(placements: placements).json
    try InputFile.write(Array((config + "\n").utf8), to: "\(folder)/config.json")
  }
}

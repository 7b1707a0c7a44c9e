internal import ArgumentParser
internal import Expressions

struct BatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Decide every placement for every user of a file.",
    discussion: """
      From lines of JSON in memory to counts, and to outcome lines in memory. Every thread has a \
      worker that goes over its part of the users \(BatchRun.passes) times after one pass for \
      warming up; CPU time is summed over the threads.
      """)

  @Option(
    help: ArgumentHelp(
      "User records, one JSON object a line. The default is \(userCount) made-up ones.",
      valueName: "file"))
  var users: String?

  @Option(
    help: ArgumentHelp(
      "A static config. The default is \(placementCount) made-up placements with ten audiences.",
      valueName: "file"))
  var config: String?

  @Option(help: "How many users are decided at the same time.")
  var threads = 1

  @Flag(help: "End with the figures as one line of JSON.")
  var json = false

  static let userCount = 20_000
  static let placementCount = 10

  func validate() throws {
    if threads < 1 { throw ValidationError("--threads is at least 1") }
  }

  func run() async throws {
    let report = try await BatchCommand.report(users: users, config: config, threads: threads)
    report.print(json: json)
    if !report.isSound { throw ExitCode(1) }
  }

  static func report(
    users: String? = nil, config: String? = nil, threads: Int = 1
  ) async throws -> Report {
    let ruleSet = try CompiledConfig.load(config, placements: placementCount)
    let text = try users.map { try InputFile.read($0) } ?? GeneratedUsers.lines(userCount)
    return try await BatchRun(ruleSet, users: text, threads: threads).report
  }
}

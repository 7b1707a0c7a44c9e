internal import ArgumentParser
internal import Expressions

struct SDKCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sdk",
    abstract: "Ask a whole SDK what a placement would do.",
    discussion: """
      The call of an app, through the actor, on simulated ports: nine audiences that do not match, \
      with the attributes of user and device as the SDK has them at that moment. Time on the wall \
      is measured, so keep the machine quiet.
      """)

  @Option(help: "How often \(SDKRun.decisions) answers are timed.")
  var passes = 9

  @Flag(help: "End with the figures as one line of JSON.")
  var json = false

  func validate() throws {
    guard (1...1_000).contains(passes) else {
      throw ValidationError("--passes is between 1 and 1000")
    }
  }

  func run() async throws {
    let report = try await SDKCommand.report(passes: passes)
    report.print(json: json)
    if !report.isSound { throw ExitCode(1) }
  }

  static func report(passes: Int = 9) async throws -> Report {
    try await SDKRun(passes: passes).report
  }
}

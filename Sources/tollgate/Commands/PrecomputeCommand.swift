internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import SystemPackage

struct PrecomputeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "precompute",
    abstract: "Decide every placement for every user of a file.",
    discussion: """
      Reads users as newline-delimited JSON, one object a line, and writes outcomes the same way. \
      Both are streamed: memory does not grow with the number of users. A line that is no user \
      record is counted, reported with its number and the reason, and kept in the rejects file.
      """)

  enum SummaryFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  enum Layout: String, ExpressibleByArgument, CaseIterable {
    case long, wide

    var outcomes: OutcomeLayout { self == .long ? .long : .wide }
  }

  @OptionGroup var source: ConfigOptions

  @Option(help: "The users file, one JSON object a line; - reads standard input.")
  var users: String

  @Option(help: "Where the outcomes go: a file, - for standard output, none for counting only.")
  var out = "-"

  @Option(help: "Names of the placements, separated by commas. The default is all of the config.")
  var placements: String?

  @OptionGroup var options: DecisionOptions

  @OptionGroup var rendering: RenderingOptions

  @Option(help: "How many users are decided at the same time. The default is one per core.")
  var threads: Int?

  @Option(
    help:
      "The form of the summary: \(SummaryFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  var summary = SummaryFormat.text

  @Option(help: "long: a line for each user and placement; wide: a line for each user.")
  var layout = Layout.long

  @Option(help: "A file for the lines that were refused, with number and reason.")
  var rejects: String?

  @Flag(help: "Stop at the first line that is refused, with exit code 1.")
  var strict = false

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads is at least 1") }
  }

  /// Writing empties a file, so nothing that is read may be written.
  private func checkFiles() throws {
    let written = [out, rejects].compactMap { $0 }.filter { $0 != "-" && $0 != "none" }
    for path in written {
      let read =
        [source.config, users] + [rendering.render, rendering.products.products].compactMap { $0 }
      for source in read where source != "-" {
        if FileIdentity.areSame(path, source) {
          throw ValidationError("\(path) is read by this command and cannot be written")
        }
      }
    }
    if written.count == 2, written[0] == written[1] || FileIdentity.areSame(written[0], written[1])
    {
      throw ValidationError("--out and --rejects are the same file")
    }
  }

  func run() async throws {
    try checkFiles()
    let file = try source.file()
    let ruleSet = try file.requireRuleSet()
    let now = try options.time()
    let plan = BatchPlan(
      ruleSet,
      placements: placements.map { $0.split(separator: ",").map { $0.trimmed } }, now: now,
      assigner: options.assigner, layout: layout.outcomes, writesOutcomes: out != "none",
      stopsAtRejection: strict, clock: try options.clock(now),
      texts: try rendering.plan(for: file.config, now: now))
    for name in plan.unknownPlacements {
      FileText.printError("The config has no placement '\(name)': every outcome of it says so.")
    }
    let time = WireTime.text(milliseconds: now) ?? "\(now)"
    FileText.printError("Deciding \(plan.placementCount) placements as of \(time)")
    var run = try BatchRun(
      plan: plan, users: users, out: out, rejects: rejects, strict: strict,
      threads: threads ?? Clock.processors())
    try await run.process()
    try report(run)
  }

  private func report(_ run: BatchRun) throws {
    let target: FileDescriptor = out == "-" ? .standardError : .standardOutput
    switch summary {
    case .text: FileText.print(SummaryText.render(run.tally), to: target)
    case .json: FileText.print(run.tally.value.json, to: target)
    }
    for (key, count) in run.unknownKeys.sorted(by: { $0.key < $1.key }) {
      FileText.printError(
        "note: '\(key)' is no key of a user record and was ignored (\(count) users)")
    }
    RenderingOptions.tell(run.textErrors)
    if strict, run.tally.rejected > 0 { throw ExitCode(1) }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

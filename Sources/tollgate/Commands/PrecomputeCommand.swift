internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import SystemPackage

struct PrecomputeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "precompute",
    abstract: "Decide every placement for every user of a file or several.",
    discussion: """
      Reads users as newline-delimited JSON or as CSV, compressed or not, and writes outcomes as \
      either, or as an SQLite database. All are streamed: memory does not grow with the number of \
      users. A line that is no user record is counted, reported with its number and the reason, and \
      kept in the rejects file.

      A run that writes a file can be stopped or killed at any moment: --resume goes on with it, and \
      the file becomes what it would have been. Beside the outcomes stays a manifest, from which \
      'tollgate replay' does the run again and compares.
      """)

  enum SummaryFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  enum Layout: String, ExpressibleByArgument, CaseIterable {
    case long, wide

    var outcomes: OutcomeLayout { self == .long ? .long : .wide }
  }

  @OptionGroup var source: ConfigOptions

  @Option(
    help: ArgumentHelp(
      "The users: a file, a pattern such as 'users-*.ndjson', or - for standard input.",
      discussion: "May be given several times; files are worked off in this order.",
      valueName: "file"))
  var users: [String]

  @Option(help: "Where the outcomes go: a file, - for standard output, none for counting only.")
  var out = "-"

  @Option(help: "Names of the placements, separated by commas. The default is all of the config.")
  var placements: String?

  @OptionGroup var input: FormOptions

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

  @OptionGroup var lasting: LastingOptions

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads is at least 1") }
    if users.isEmpty { throw ValidationError("--users is missing") }
  }

  /// Writing empties a file, so nothing that is read may be written.
  private func checkFiles(_ users: [String]) throws {
    let written = [out, rejects].compactMap { $0 }.filter { $0 != "-" && $0 != "none" }
    for path in written {
      let read =
        [source.config] + users
        + [rendering.render, rendering.products.products].compactMap { $0 }
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
    let paths = try UserInput.paths(users)
    try checkFiles(paths)
    let form = try input.outputForm(out: out, layout: layout.outcomes)
    let config = try source.file()
    let ruleSet = try config.requireRuleSet()
    var settings = RunSettings(
      config: config, format: source.format?.rawValue, language: source.language, users: paths,
      input: input.usersForm?.rawValue,
      placements: placements.map { $0.split(separator: ",").map { $0.trimmed } },
      now: try options.time(), options: options, layout: layout.rawValue,
      output: out == "none" ? "none" : form.rawValue, strict: strict)
    if rendering.render != nil, out != "none", form != .ndjson {
      throw ValidationError("--render writes texts into outcomes as NDJSON alone")
    }
    settings.texts = try rendering.settings()
    let files = RunFiles(out: out, form: form, rejects: rejects, options: lasting)
    let former = lasting.resume ? try files.former(&settings, keepsTime: options.now == nil) : nil
    let plan = try settings.plan(
      ruleSet, texts: try rendering.plan(for: config.config, now: settings.now))
    for name in plan.unknownPlacements {
      FileText.printError("The config has no placement '\(name)': every outcome of it says so.")
    }
    if case .complete(let manifest)? = former {
      FileText.printError("The run is complete: \(files.manifest ?? "") tells what it did")
      return try report(try manifest.tally(plan), [])
    }
    FileText.printError("Deciding \(plan.placementCount) placements as of \(settings.basis)")
    options.tellUnused(settings.resolvedAssigner)
    let state = try files.state(former, settings, plan)
    var run = try BatchRun(
      plan: plan, files: try files.open(state, plan, users: paths, isResuming: former != nil),
      from: state, threads: threads ?? Clock.processors())
    if try await run.process() { try files.finish(run) }
    RenderingOptions.tell(run.textErrors)
    try report(run.tally, ruleSet.diagnostics(of: run.notes))
  }

  private func report(_ tally: Tally, _ notes: [Diagnostic]) throws {
    let target: FileDescriptor = out == "-" ? .standardError : .standardOutput
    switch summary {
    case .text: FileText.print(SummaryText.render(tally), to: target)
    case .json: FileText.print(tally.value.json, to: target)
    }
    UserFile.tell(notes)
    if strict, tally.rejected > 0 { throw ExitCode(1) }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

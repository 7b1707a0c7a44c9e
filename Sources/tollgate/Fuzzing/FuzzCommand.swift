internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

struct FuzzCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz",
    abstract: "Search for users that violate your invariants.",
    discussion: HelpText(
      """
      An invariant is a line of JSON with CEL expressions:

        {"name":"no paywall for minors","when":"user.age < 18",
         "holds":"outcome.result != \\"paywall\\"","over":"decision"}

      'when' selects users. With "over":"decision", expressions can read outcome (placement, result, \
      audience, variant, paywall), user, device, params, entitlements and now. With "over":"history", they \
      can also read shown: a list of the user's outcomes during --days, each with at, placement, result, \
      paywall and variant.

      Users are generated from the rules and the invariants: with values at and around every constant, \
      missing attributes, other types and odd strings, and with histories around every limit. A \
      counterexample is made as small as possible, printed with the clauses that decided, and written as a \
      test. An invariant that no user can violate is proved where possible. Tollgate's own guarantees are \
      also checked. The same --seed and --runs give the same result.
      """,
      examples: [
        .init(
          "search for a second",
          "tollgate fuzz config.json --invariants rules.invariants.jsonl --time 1"),
        .init(
          "in CI, with the same users in each run",
          "tollgate fuzz config.json --invariants rules.invariants.jsonl --runs 500 "
            + "--now 2026-03-01T12:00:00Z"),
      ],
      codes: [
        ("0", "no counterexample was found"),
        ("1", "a counterexample was found, or a rule does not compile"),
        ("2", "usage error, or an invalid invariant"),
        ("74", "output could not be written"), ("130, 143", "stopped"),
      ]
    ).text)

  @OptionGroup var source: ConfigOptions
  @OptionGroup(title: "Config Options") var configForm: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Files with invariants, one on each line, or patterns such as '*.invariants.jsonl'.",
      discussion:
        "Repeatable. By default, only Tollgate's own guarantees are checked.",
      valueName: "file"), completion: .file())
  var invariants: [String] = []

  @Option(
    name: .customLong("placement"), help: OptionHelp.placements(),
    completion: Completions.placements)
  var placements: [String] = []

  @OptionGroup(title: "Decision Options") var options: DecisionOptions

  @Option(
    help: ArgumentHelp(
      "The maximum duration of the search, in seconds (default: 5, unless --runs is given).",
      valueName: "seconds"))
  var time: Double?

  @Option(help: ArgumentHelp("The maximum number of users to generate.", valueName: "n"))
  var runs: Int?

  @Option(help: OptionHelp.days("For histories (default: 2)."))
  var days: Int?

  @OptionGroup(title: "Text Options") var rendering: RenderingOptions
  @OptionGroup(title: "Text Options") var products: TextProductOptions

  @Option(
    help: OptionHelp.out(
      """
      The file gets a test for 'tollgate test' for each violated invariant over decisions. The default is \
      fuzz.tests.jsonl, or fuzz-2.tests.jsonl if that exists. With none, nothing is written. Histories are \
      written to other files, as users and traffic for 'tollgate simulate-traffic'.
      """), completion: .file())
  var out: String?

  @OptionGroup var working: ThreadOptions

  @Flag(help: OptionHelp.json())
  var json = false

  @Flag(
    help: OptionHelp.strict(
      """
      The result is a warning if only users with attributes of an unexpected type violate the invariant, or if \
      its 'when' never matched.
      """))
  var strict = false

  @Flag(help: OptionHelp.quiet("Omits notes and progress."))
  var quiet = false

  @OptionGroup var appearance: ColorOptions

  private static let usualTime = 5.0
  private static let usualBlocks = 8
  private static let mostRuns = 1_000_000_000
  private static let mostTime = 1_000_000.0
  private static let usualDays = 2
  private static let mostDays = 366

  func validate() throws {
    if placements.contains("") { throw ValidationError("--placement is empty") }
    if let time, !(time > 0 && time <= Self.mostTime) {
      throw ValidationError(
        "--time must be more than 0 seconds, and at most \(grouped(Int(Self.mostTime)))")
    }
    if let runs, !(1...Self.mostRuns).contains(runs) {
      throw ValidationError("--runs must be from 1 to \(grouped(Self.mostRuns))")
    }
    if let days, !(1...Self.mostDays).contains(days) {
      throw ValidationError("--days must be from 1 to \(grouped(Self.mostDays))")
    }
    if ([source.config] + invariants).count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one file can be standard input")
    }
  }

  func run() async throws {
    let start = Clock.now()
    let paths = try self.paths()
    try check(paths)
    let file = try configForm.file(source.config, language)
    let ruleSet = try file.requireRuleSet(
      for: placements.isEmpty ? nil : placements, keepsGoing: false)
    guard let config = file.config else { throw CommandError("\(file.path) has no config") }
    let declared = try declared(paths, ruleSet)
    let now = try options.time()
    var settings = FuzzPlan.Options(
      assigner: options.assigner(for: ruleSet.format), clock: try options.clock(now))
    settings.seed = options.seed
    settings.placements = placements.isEmpty ? nil : placements
    settings.days = days ?? Self.usualDays
    settings.texts = try rendering.plan(
      for: config, products, now: now, in: options.givenTimeZone)
    settings.isHTML = rendering.html
    options.tellUnused(settings.assigner, isQuiet: quiet)
    tell("Generating users as of \(options.zonedBasis(now, settings.assigner))")
    let report = FuzzReport(FuzzPlan(ruleSet, config, declared, settings))
    let seconds = time ?? (runs == nil ? Self.usualTime : nil)
    var run = FuzzRun(
      report.plan, threads: working.count, mostUsers: runs,
      mostTime: seconds.map { Int64($0 * 1_000) }, start: start,
      leastBlocks: time == nil ? Self.usualBlocks : 1, isQuiet: quiet)
    do {
      try await Signals.heeding { try await run.run(report) }
    } catch var stop as Signals.Stop {
      stop.message = "Stopped after \(FuzzText.counts(report.counts))."
      throw stop
    }
    try end(report, now)
  }

  private func tell(_ text: String) {
    if !quiet { FileText.printError(text) }
  }

  // MARK: Inputs

  private func paths() throws -> [String] {
    try invariants.flatMap { pattern in
      if pattern.isEmpty { throw CommandError("the name of a file with invariants is empty") }
      let found = FilePattern.paths(pattern)
      if found.isEmpty { throw CommandError("no file matches \(pattern)") }
      return found
    }
  }

  private func check(_ paths: [String]) throws {
    var uses = FileUses()
    uses.reads("the config", source.config)
    for path in paths { uses.reads("--invariants", path) }
    uses.reads("--render", rendering.render)
    uses.reads("--products", products.products)
    if let out, out != "none", out != "-" {
      for path in FuzzFiles(out).all { uses.writes("--out", path) }
      try FilePlace(out).checkWritable("--out")
    }
    try uses.check()
  }

  private func declared(_ paths: [String], _ ruleSet: RuleSet) throws -> [RuleInvariant] {
    let files = try paths.map { try InvariantFile($0, placements: ruleSet.placementNames) }
    let faults = files.flatMap(\.faults)
    guard faults.isEmpty else { throw CommandError(faults.joined(separator: "\n")) }
    return files.flatMap(\.invariants)
  }

  // MARK: Outputs

  private func end(_ report: FuzzReport, _ now: Instant) throws {
    let target: FileDescriptor = out == "-" ? .standardError : .standardOutput
    let text = json ? FuzzText.value(report).json : FuzzText.text(report)
    FileText.print(text, to: target)
    var cases: [FuzzReport.Broken] = []
    var isVacuous = false
    for number in report.plan.invariants.indices {
      switch report.verdict(number) {
      case .broken(let broken), .brokenByOddUsers(let broken): cases.append(broken)
      case .proved, .provedForUsual, .held, .neverMeant: break
      }
      if report.applied(number).count == 0 { isVacuous = true }
    }
    try write(cases)
    let isOdd = report.hasOdd || isVacuous
    if report.hasBroken || strict && isOdd { throw ExitCode(Ending.findings) }
  }

  private func write(_ cases: [FuzzReport.Broken]) throws {
    let tests = cases.compactMap(\.line)
    let histories = cases.filter { !$0.traffic.isEmpty }
    guard out != "none", !cases.isEmpty else { return }
    func lines(_ values: [Value]) -> [UInt8] { Array(values.map { $0.json + "\n" }.joined().utf8) }
    if out == "-" {
      if !tests.isEmpty { try SavedFile.write(lines(tests), to: "-") }
      return
    }
    let files = out.map { FuzzFiles($0) } ?? FuzzFiles.free()
    if !tests.isEmpty {
      try SavedFile.write(lines(tests), to: files.tests)
      tell(
        "Wrote \(counted(tests.count, "test")) to \(files.tests); "
          + "run 'tollgate test \(files.tests) --config \(source.config)\(flags(isTraffic: false))'"
      )
    }
    if !histories.isEmpty {
      try SavedFile.write(lines(histories.map(\.record)), to: files.users)
      let traffic = histories.flatMap(\.traffic).sorted {
        ($0["at"]?.text ?? "") < ($1["at"]?.text ?? "")
      }
      try SavedFile.write(lines(traffic), to: files.traffic)
      tell(
        "Wrote \(counted(histories.count, "history", plural: "histories")) to \(files.traffic) and "
          + "\(files.users); run 'tollgate simulate-traffic \(source.config) --users \(files.users) "
          + "--events \(files.traffic) --out -\(flags(isTraffic: true))'")
    }
  }

  /// Options that a test needs to run in the same way.
  private func flags(isTraffic: Bool) -> String {
    var flags = ""
    // Tests contain the seed themselves.
    if isTraffic, !options.seed.isEmpty { flags += " --seed \(options.seed)" }
    if let assigner = options.assignerName { flags += " --assigner \(assigner.rawValue)" }
    if language.dialect != .superscript { flags += " --dialect \(language.dialect.rawValue)" }
    if language.platform != .ios { flags += " --platform \(language.platform.rawValue)" }
    if isTraffic, let zone = options.givenTimeZone { flags += " --time-zone \(zone)" }
    if let format = configForm.configFormat { flags += " --config-format \(format.rawValue)" }
    return flags
  }
}

/// The files for writing cases.
struct FuzzFiles {
  let tests: String
  let users: String
  let traffic: String

  init(_ path: String) {
    tests = path
    var base = path
    for ending in [".jsonl", ".json", ".ndjson", ".tests"] where base.hasSuffix(ending) {
      base.removeLast(ending.count)
    }
    users = base + ".users.ndjson"
    traffic = base + ".traffic.ndjson"
  }

  var all: [String] { [tests, users, traffic] }

  /// File names that do not exist yet.
  static func free() -> FuzzFiles {
    let names = (2...999).map { "fuzz-\($0).tests.jsonl" }
    return (["fuzz.tests.jsonl"] + names).map { FuzzFiles($0) }
      .first { $0.all.allSatisfy { FilePlace($0).kind == .missing } }
      ?? FuzzFiles("fuzz.tests.jsonl")
  }
}

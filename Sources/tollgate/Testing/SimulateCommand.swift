internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import SDK
internal import Scenarios

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Run scripted scenarios against the headless SDK.",
    discussion: HelpText(
      """
      A scenario is a JSON object on one line, with a config, the responses of the store and the backend, \
      and the steps of an app and its user. The clock is virtual, so a day takes milliseconds. The report \
      shows what happened, and how it differs from the scenario's expectations. corpus/README.md describes \
      the format.
      """,
      examples: [
        .init("scenarios with a config", "tollgate simulate scenarios.jsonl --config config.json"),
        .init(
          "one scenario, as JSON",
          "tollgate simulate scenarios.jsonl --config config.json --only decl --json"),
      ],
      codes: [
        ("0", "everything is as expected"),
        ("1", "something differs"),
        ("2", "an invalid scenario, or no scenarios"),
      ]
    ).text)

  @Argument(help: "Files with scenarios; - reads standard input.", completion: .file())
  var scenarios: [String]

  @Option(
    help: ArgumentHelp("Run only scenarios whose id starts with this string.", valueName: "id"))
  var only = ""

  @Flag(help: OptionHelp.quiet("Print only failures and the last line."))
  var quiet = false

  @Flag(
    help: OptionHelp.json(
      "The output has one scenario per line, with its steps and their effects. The last line contains the counts."
    ))
  var json = false

  @Option(
    help: OptionHelp.config(
      "The config is used by scenarios without a config, with \"std\", or with a patch."),
    completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp(
      "A StoreKit configuration file with the products the store sells.", valueName: "file"),
    completion: .file())
  var storekit: String?

  @Option(
    help: ArgumentHelp(
      "A folder with \(Fixtures.configName) and \(Fixtures.productsName).", valueName: "folder"),
    completion: .directory)
  var fixtures: String?

  @OptionGroup var appearance: ColorOptions

  func validate() throws { try StandardInput.check(scenarios + [config, storekit]) }

  func run() throws {
    let fixtures = try givenFixtures()
    var results = ScenarioResults(only: only, isQuiet: quiet, isJSON: json)
    for path in scenarios { results.run(path, fixtures) }
    FileText.print(json ? results.counts.json : results.closingLine)
    if let reason = results.nothingRan { throw CommandError(reason) }
    if !results.unusable.isEmpty { throw ExitCode(Ending.wrongUse) }
    if results.failed > 0 { throw ExitCode(Ending.findings) }
  }

  private func givenFixtures() throws -> Fixtures {
    func source(_ path: String) throws -> Fixtures.Source {
      let name = path == "-" ? "standard input" : path
      return Fixtures.Source(name: name, bytes: try FileText.read(path))
    }
    let config = try (config ?? fixtures.map { "\($0)/\(Fixtures.configName)" }).map(source)
    if self.config != nil, let config, let kind = FileKind.of(config.bytes), kind != .config {
      throw kind.error(config.name, expected: .config)
    }
    let products = try fixtures.map { "\($0)/\(Fixtures.productsName)" }.map(source)
    do {
      var fixtures = try Fixtures(config: config, products: products)
      if let storekit { fixtures.sell(try Self.products(inStoreKit: storekit)) }
      return fixtures
    } catch let error as CaseFileError {
      throw CommandError(error.message)
    }
  }

  private static func products(inStoreKit path: String) throws -> [StoreProduct] {
    let file = try ProductsFile(path)
    guard file.list.format == .storeKit else {
      throw CommandError("\(path) is not a StoreKit configuration file")
    }
    let problems = file.diagnostics.filter { $0.severity != .note }
    for text in file.render(problems) { FileText.printError(text) }
    return file.list.products.map { StoreProduct($0) }
  }
}

/// The results of the scenarios of several files.
struct ScenarioResults {
  let only: String
  let isQuiet: Bool
  let isJSON: Bool
  private(set) var passed = 0
  private(set) var failed = 0
  private(set) var skipped = 0
  /// Scenarios, and files, that could not run.
  private(set) var unusable = Refusals { FileText.printError($0) }
  private var ids: [String] = []

  init(only: String, isQuiet: Bool, isJSON: Bool) {
    self.only = only
    self.isQuiet = isQuiet
    self.isJSON = isJSON
  }

  var counts: Value {
    .object([
      "passed": .int(Int64(passed)), "failed": .int(Int64(failed)),
      "skipped": .int(Int64(skipped)), "unusable": .int(Int64(unusable.count)),
    ])
  }

  var closingLine: String {
    "\(passed) passed, \(failed) failed"
      + (skipped == 0 ? "" : ", \(skipped) skipped")
      + (unusable.isEmpty ? "" : ", \(unusable.count) could not be run")
  }

  /// Why no scenario ran at all, if no other message explains it.
  var nothingRan: String? {
    guard passed + failed + skipped + unusable.count == 0 else { return nil }
    let close = Suggestion.closest(to: only, among: ids).map { "; did you mean '\($0)'?" } ?? ""
    return "no scenario has an id that begins with '\(only)'\(close)"
  }

  mutating func run(_ path: String, _ fixtures: Fixtures) {
    let (ran, left, told) = (passed + failed, skipped, unusable.count)
    let lines: [Result<CaseLine, CaseFileError>]
    do {
      let bytes = try FileText.read(path)
      let name = path == "-" ? "standard input" : path
      switch FileKind.of(bytes) {
      case .scenario?, nil: break
      case .user?: return unusable.add("\(name) has user records, not scenarios")
      case let kind?: return unusable.add(kind.error(name, expected: .scenario).description)
      }
      lines = try CaseLine.read(bytes, of: path, suite: "scenarios")
    } catch {
      return unusable.add("\(error)")
    }
    for line in lines {
      switch line {
      case .failure(let error): unusable.add(line: error.message)
      case .success(let scenario):
        do throws(CaseFileError) {
          try run(scenario, fixtures)
        } catch {
          unusable.add(line: "\(path):\(scenario.number): \(scenario.id): \(error.message)")
        }
      }
    }
    unusable.endFile(path)
    if lines.isEmpty { unusable.add("\(path) has no scenarios") }
    if passed + failed == ran, unusable.count == told, skipped > left {
      unusable.add("\(path): no scenario was run, because all are skipped")
    }
  }

  private mutating func run(_ scenario: CaseLine, _ fixtures: Fixtures) throws(CaseFileError) {
    ids.append(scenario.id)
    if !scenario.id.hasPrefix(only) { return }
    if let problem = ScenarioCheck.problem(in: scenario.content, fixtures: fixtures) {
      throw CaseFileError(message: problem.text)
    }
    if let reason = try scenario.skipReason() {
      skipped += 1
      if isQuiet { return }
      let value = Value.object(["id": .string(scenario.id), "skipped": .string(reason)])
      FileText.print(isJSON ? value.json : "\(scenario.id): skipped, \(reason)\n")
      return
    }
    do {
      let run = try ScenarioRun(scenario.content, fixtures: fixtures)
      if run.failure == nil { passed += 1 } else { failed += 1 }
      if !isQuiet || run.failure != nil {
        FileText.print(
          isJSON
            ? run.value(of: scenario.content).json
            : ScenarioText.text(scenario.content, run) + "\n")
      }
    } catch {
      throw CaseFileError(message: "\(error)")
    }
  }
}

internal import ArgumentParser
internal import Expressions
internal import Foundation
internal import Scenarios

struct RunCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run case files.",
    discussion: """
      Runs every case of the files, or of all .jsonl and .jsonl.gz files below a folder, and prints the failed \
      ones with expected and actual results. The exit code is 1 if a case failed, and 2 if a file or a \
      line could not be run: its suite is unknown, it has an unknown key or word, or no case ran at all. \
      Cases that need a feature that the engine lacks are skipped and counted by reason.
      """)

  @Argument(help: "Case files or folders; - reads standard input.")
  var paths: [String]

  @Option(help: "A folder with the files that case files refer to.")
  var support: String?

  @Flag(
    help: "Print one JSON object per result, and the summary on standard error.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Fail unless the passed and skipped cases of each suite match this file.",
      valueName: "file"))
  var counts: String?

  @Flag(help: "Update the file that --counts names.")
  var updateCounts = false

  @Flag(help: "Print a table of the suites, compared with --counts.")
  var table = false

  @Flag(help: "Print only failures and the summary.")
  var quiet = false

  func validate() throws {
    if updateCounts, counts == nil { throw ValidationError("--update-counts needs --counts.") }
  }

  func run(_ console: Console) throws {
    var results = CaseResults(console, printsFailures: !json)
    for path in paths {
      do throws(CaseFileError) {
        for file in try CaseFile.paths(under: path) { results.run(file: file, support: support) }
      } catch {
        results.cannotRun(error.message)
      }
    }
    if let support, !FileManager.default.fileExists(atPath: support + "/") {
      results.cannotRun("there is no folder \(support)")
    }
    if json { for line in results.lines { console.print(line) } }
    if !quiet, !json { results.printSkipped() }
    if table {
      let recorded = counts.flatMap { path in
        (try? CaseFile.bytes(path)).flatMap { try? CaseCounts(json: $0, of: path) }
      }
      (json ? console.printError : console.print)(results.counts.table(against: recorded))
    }
    // The closing line is printed last, even if the counts cannot be read or written.
    let differs = Result { try counts.map { try self.differs(results, from: $0, console) } }
    (json ? console.printError : console.print)(results.closingLine)
    let isOtherwise = try differs.get() ?? false
    if !results.unusable.isEmpty { throw ExitCode(Ending.wrongUse) }
    if results.failed > 0 || isOtherwise { throw ExitCode(Ending.failed) }
  }

  /// Compares the counts with the recorded counts, or records them.
  private func differs(
    _ results: CaseResults, from path: String, _ console: Console
  ) throws -> Bool {
    guard updateCounts else {
      let recorded = try CaseCounts(json: try CaseFile.bytes(path), of: path)
      let differences = results.counts.differences(from: recorded)
      for difference in differences { console.printError("\(path): \(difference)") }
      if !differences.isEmpty {
        console.printError("If this is intended, update the file with --update-counts.")
      }
      return !differences.isEmpty
    }
    guard results.failed == 0, results.unusable.isEmpty else {
      throw CaseFileError(message: "\(path) is unchanged: not every case passes")
    }
    do {
      try Data((results.counts.json + "\n").utf8).write(to: URL(filePath: path))
    } catch {
      console.printError("error: cannot write \(path): \(error.localizedDescription)")
      throw ExitCode(Ending.unwritten)
    }
    return false
  }
}

/// The results of a run: its counts, and one JSON line for each case.
struct CaseResults {
  private(set) var counts = CaseCounts()
  var failed: Int { counts.failed.values.reduce(0, +) }
  private(set) var reasons: [String: Int] = [:]
  private(set) var unusable: Refusals
  private(set) var lines: [String] = []
  private let console: Console
  private let printsFailures: Bool

  init(_ console: Console, printsFailures: Bool = true) {
    self.console = console
    self.printsFailures = printsFailures
    unusable = Refusals(tell: console.printError)
  }

  /// The last line of the output: `N passed, N failed, N skipped`.
  var closingLine: String {
    let total = counts.total
    return "\(total.passed) passed, \(failed) failed, \(total.skipped) skipped"
  }

  mutating func cannotRun(_ message: String) { unusable.add(message) }

  mutating func run(file: String, support: String? = nil) {
    let (ran, told) = (counts.total.passed + failed, unusable.count)
    let lines: [Result<Case, CaseFileError>]
    do throws(CaseFileError) {
      let bytes = file == "-" ? console.readAll() : try CaseFile.bytes(file)
      lines = try CaseFile.lines(bytes, of: file, support: support)
    } catch {
      return cannotRun(error.message)
    }
    for line in lines {
      switch line {
      case .failure(let error): unusable.add(line: error.message)
      case .success(let testCase):
        do throws(CaseFileError) {
          record(testCase, testCase.id, try CaseSuites.run(testCase), file)
        } catch {
          unusable.add(line: "\(file):\(testCase.line): \(testCase.id): \(error.message)")
        }
      }
    }
    unusable.endFile(file)
    if counts.total.passed + failed == ran, unusable.count == told {
      cannotRun(
        lines.isEmpty ? "\(file) has no cases" : "\(file): all cases are skipped")
    }
  }

  private mutating func record(
    _ testCase: Case, _ id: String, _ verdict: Verdict, _ file: String
  ) {
    var entries: [Value.Entry] = []
    func add(_ key: String, _ value: Value) {
      entries.append(Value.Entry(key: .string(key), value: value))
    }
    add("suite", .string(testCase.suite))
    add("id", .string(id))
    switch verdict {
    case .passed(let got):
      counts.addPassed(testCase.suite)
      add("verdict", "passed")
      add("got", got)
    case .failed(let expected, let got):
      counts.addFailed(testCase.suite)
      add("verdict", "failed")
      add("expected", expected)
      add("got", got)
      if printsFailures {
        console.print(
          """
          FAILED \(testCase.suite) \(id) (\(file):\(testCase.line))
            expected \(expected.json)
            got      \(got.json)
          """)
      }
    case .skipped(let reason):
      counts.addSkipped(testCase.suite)
      reasons["\(testCase.suite): \(reason)", default: 0] += 1
      add("verdict", "skipped")
      add("reason", .string(reason))
    case .parts(let parts):
      for part in parts { record(testCase, "\(id) \(part.name)", part.verdict, file) }
      return
    }
    lines.append(Value.map(entries).json)
  }

  func printSkipped() {
    for (reason, count) in reasons.sorted(by: { $0.key < $1.key }) {
      console.print("skipped \(count): \(reason)")
    }
  }
}

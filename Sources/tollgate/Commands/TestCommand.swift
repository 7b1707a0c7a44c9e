internal import ArgumentParser
internal import Expressions

struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Run case files.",
    discussion: """
      Runs every case of the files, or of all .jsonl files below a folder, and prints what failed \
      with what was expected and what came. The exit code is 1 when a case failed, and 2 when a file \
      or a line could not be run: there is no such suite, a key or a word is in it that nobody \
      reads, or no case ran at all. What the engine does not have yet is skipped and counted by \
      reason.
      """)

  @Argument(help: "Case files or folders; - reads standard input.")
  var paths: [String]

  @Option(help: "A folder with the files that case files refer to.")
  var support: String?

  @Option(help: "Write every result to this file, one JSON object per line.")
  var json: String?

  @Flag(help: "Print only failures and the closing line.")
  var quiet = false

  func run() throws {
    var results = CaseResults()
    var uses = FileUses()
    uses.writes("--json", json)
    if let json, json != "-" { try FilePlace(json).checkWritable("--json") }
    var files: [String] = []
    for path in paths {
      do throws(CaseFileError) {
        files += try CaseFile.paths(under: path)
      } catch {
        results.cannotRun(error.message)
      }
    }
    for file in files { uses.reads("a case file", file) }
    try uses.check()
    for file in files { results.run(file: file, support: support) }
    if let json { try SavedFile.write(results.lines, to: json) }
    if !quiet { results.printSkipped() }
    if let support, !FileIdentity.isFolder(support) {
      results.cannotRun("there is no folder \(support)")
    }
    FileText.print(results.closingLine)
    if !results.unusable.isEmpty { throw ExitCode(2) }
    if results.failed > 0 { throw ExitCode(1) }
  }
}

/// Counts, and one JSON line for each case.
struct CaseResults {
  private(set) var passed = 0
  private(set) var failed = 0
  private(set) var skipped: [String: Int] = [:]
  private(set) var unusable = Refusals()
  private(set) var lines: [UInt8] = []

  /// `N passed, N failed, N skipped`
  var closingLine: String {
    "\(passed) passed, \(failed) failed, \(skipped.values.reduce(0, +)) skipped"
  }

  mutating func cannotRun(_ message: String) { unusable.add(message) }

  mutating func run(file: String, support: String? = nil) {
    let (ran, told) = (passed + failed, unusable.count)
    let lines: [Result<Case, CaseFileError>]
    do throws(CaseFileError) {
      lines = try CaseFile.lines(file, support: support)
    } catch {
      return cannotRun(error.message)
    }
    for line in lines {
      switch line {
      case .failure(let error): unusable.add(line: error.message)
      case .success(let testCase):
        do throws(CaseFileError) {
          record(testCase, try CaseSuites.run(testCase), file)
        } catch {
          unusable.add(line: "\(file):\(testCase.line): \(testCase.id): \(error.message)")
        }
      }
    }
    unusable.endFile(file)
    if passed + failed == ran, unusable.count == told {
      cannotRun(
        lines.isEmpty ? "\(file) has no cases" : "\(file): no case was run, all are skipped")
    }
  }

  private mutating func record(_ testCase: Case, _ verdict: Verdict, _ file: String) {
    var entries: [Value.Entry] = []
    func add(_ key: String, _ value: Value) {
      entries.append(Value.Entry(key: .string(key), value: value))
    }
    add("suite", .string(testCase.suite))
    add("id", .string(testCase.id))
    switch verdict {
    case .passed(let got):
      passed += 1
      add("verdict", "passed")
      add("got", got)
    case .failed(let expected, let got):
      failed += 1
      add("verdict", "failed")
      add("expected", expected)
      add("got", got)
      FileText.print(
        """
        FAILED \(testCase.suite) \(testCase.id) (\(file):\(testCase.line))
          expected \(expected.json)
          got      \(got.json)
        """)
    case .skipped(let reason):
      skipped["\(testCase.suite): \(reason)", default: 0] += 1
      add("verdict", "skipped")
      add("reason", .string(reason))
    }
    JSONWriter.append(.map(entries), to: &lines)
    lines.append(UInt8(ascii: "\n"))
  }

  func printSkipped() {
    for (reason, count) in skipped.sorted(by: { $0.key < $1.key }) {
      FileText.print("skipped \(count): \(reason)")
    }
  }
}

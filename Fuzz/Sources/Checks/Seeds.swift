internal import Expressions
internal import Foundation

/// Inputs to begin with, drawn from the corpus when a target starts.
///
/// `TOLLGATE_CORPUS` names the folder of the corpus. With `TOLLGATE_SEEDS` as well, the seeds are
/// written there, one file each, for libFuzzer to read.
public enum Seeds {
  public enum Kind: Sendable {
    case expressions, evaluations, patterns, records, configs
  }

  /// Expressions of the corpus, of which mutations take parts.
  nonisolated(unsafe) private(set) static var expressions: [String] = []

  public static func prepare(_ kind: Kind) {
    let environment = ProcessInfo.processInfo.environment
    guard let folder = environment["TOLLGATE_CORPUS"] else { return }
    let cases = Corpus(folder: URL(fileURLWithPath: folder))
    expressions = cases.evaluations.map(\.expression)
    guard let target = environment["TOLLGATE_SEEDS"] else { return }
    write(seeds(kind, cases), to: URL(fileURLWithPath: target))
  }

  private static func seeds(_ kind: Kind, _ cases: Corpus) -> [[UInt8]] {
    switch kind {
    case .expressions: cases.evaluations.map { Array($0.expression.utf8) }
    case .evaluations:
      cases.evaluations.map { Array($0.expression.utf8) + [0] + Array($0.context.utf8) }
    case .patterns: cases.patterns
    case .records: cases.records
    case .configs: cases.configs
    }
  }

  private static func write(_ seeds: [[UInt8]], to folder: URL) {
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (i, seed) in Set(seeds).sorted(by: { $0.lexicographicallyPrecedes($1) }).enumerated() {
      try? Data(seed).write(to: folder.appendingPathComponent("seed-\(i)"))
    }
  }
}

/// What the corpus holds, as far as it makes inputs.
private struct Corpus {
  var evaluations: [(expression: String, context: String)] = []
  var patterns: [[UInt8]] = []
  var records: [[UInt8]] = []
  var configs: [[UInt8]] = []

  init(folder: URL) {
    let files = ["cases", "own", "regressions"].flatMap { name in
      let folder = folder.appendingPathComponent(name)
      let found = try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil)
      return (found ?? []).sorted { $0.path < $1.path }
    }
    for file in files where file.pathExtension == "jsonl" { read(lines: file) }
    for path in [
      "cases/superwall-sample-config.json", "cases/sdk-fixtures/config.std.json",
      "demo/config.json",
    ] {
      configs += (try? [Array(Data(contentsOf: folder.appendingPathComponent(path)))]) ?? []
    }
    let users = try? Data(contentsOf: folder.appendingPathComponent("demo/users.ndjson"))
    let lines = (users ?? Data()).split(separator: 0x0A).prefix(100).map { Array($0) }
    records += lines
    records += zip(lines, lines.dropFirst()).map { $0 + [0x0A] + $1 }
    addPatterns()
  }

  private mutating func read(lines file: URL) {
    guard let text = try? Data(contentsOf: file) else { return }
    for (i, line) in text.split(separator: 0x0A).enumerated() {
      guard let value = try? Value.parse(json: line) else { continue }
      read(value)
      // Any JSON is a record; a line in ten is enough of them.
      if i % 10 == 0 { records.append(Array(line)) }
    }
  }

  private mutating func read(_ testCase: Value) {
    let input = testCase["input"]
    let texts = [
      testCase["expression"], testCase["expr"], input?["expression"], input?["expression_cel"],
    ]
    for case .string(let text)?? in texts {
      let context = testCase["context"] ?? input?["variables"] ?? .map([])
      guard case .map = context else {
        evaluations.append((text, "{}"))
        continue
      }
      evaluations.append((text, context.json))
    }
  }

  /// What expressions match against, and patterns of every construct that RE2 knows.
  private mutating func addPatterns() {
    for (expression, _) in evaluations where expression.contains("matches(") {
      for part in expression.components(separatedBy: "matches(").dropFirst() {
        let pattern = part.drop { "r'\"".contains($0) }.prefix { !"'\"".contains($0) }
        patterns.append(Array(pattern.utf8) + Array("\0a user@example.com 1.10.2".utf8))
      }
    }
    patterns += [
      "^(a+)+$\0aaaa!", "(?i)[[:alpha:]é]+\0CAFÉ", #"\p{Greek}|\PL\d{2,3}?"# + "\0αβ 123",
      #"(?P<x>a|b(?:c*)?)\b$"# + "\0xbcc", #"(?ms)^.*?\z|\A\Qx.y\E"# + "\0x.y\nz",
      #"[^\s\w-]{1,4}\x{1F600}"# + "\0!!😀", "(?U)a*b??\0aab", "(|a)*\0aa", #"[a-z&&[^b]]"# + "\0c",
    ].map { Array($0.utf8) }
  }
}

internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Rejected lines of users and of traffic. The first lines are shown, and all lines are counted and stored.
struct RefusedLines {
  /// The maximum number of rejected lines per file to report on standard error.
  private static let told = 5

  private let sink: OutcomeSink
  /// The number of each file in ``kinds``, by the file's name.
  private let numbers: [String: Int]
  /// Whether lines are stored with the name of their file.
  private let namesFiles: Bool
  private var counts: [String: Int] = [:]
  private let hidesIDs: Bool
  /// The number of user lines.
  private(set) var users = 0
  /// The number of traffic lines.
  private(set) var events = 0
  /// The reasons why lines were rejected.
  private(set) var kinds = RejectKinds()

  /// - Parameters:
  ///   - files: all files that are read.
  ///   - hidesIDs: whether users' IDs are redacted.
  init(_ sink: OutcomeSink, files: [String], hidesIDs: Bool) {
    self.sink = sink
    self.hidesIDs = hidesIDs
    numbers = Dictionary(files.enumerated().map { ($1, $0) }) { first, _ in first }
    namesFiles = files.count > 1
  }

  var all: Int { users + events }

  /// - Parameter number: the line number in its file, from 1.
  mutating func add(user line: BatchWorker.RejectedLine, _ path: String, _ number: Int) throws {
    users += 1
    try add(line, path, number)
  }

  /// - Parameter subject: the ID in the reason, which is removed so that equal reasons are counted together.
  mutating func add(
    event line: BatchWorker.RejectedLine, _ path: String, _ number: Int, subject: String? = nil
  ) throws {
    events += 1
    try add(line, path, number, subject: subject)
  }

  private mutating func add(
    _ line: BatchWorker.RejectedLine, _ path: String, _ number: Int, subject: String? = nil
  ) throws {
    var shown = line
    if let subject {
      shown.reason = line.reason.replacing(" user '\(subject)'", with: " such user")
    }
    kinds.add(shown.reason, file: numbers[path] ?? 0, line: number)
    if !hidesIDs { shown = line }
    let name = path == "-" ? "standard input" : path
    counts[path, default: 0] += 1
    if counts[path] ?? 0 <= RefusedLines.told {
      FileText.printError(
        DiagnosticText.visible("warning: \(name):\(BatchRun.place(number, shown))"))
    } else if counts[path] == RefusedLines.told + 1 {
      FileText.printError(
        "... more lines of \(name) are rejected; they are counted"
          + (sink.isKept ? " and stored" : ""))
    }
    guard sink.isKept else { return }
    var entries: [Value.Entry] = namesFiles ? [.init(key: "file", value: .string(path))] : []
    entries += [
      .init(key: "line", value: .int(Int64(number))),
      .init(key: "reason", value: .string(line.reason)),
      .init(key: "text", value: .string(String(decoding: line.text, as: UTF8.self))),
    ]
    var kept: [UInt8] = []
    JSONWriter.append(.map(entries), to: &kept)
    kept.append(UInt8(ascii: "\n"))
    try sink.write(kept)
  }

  func close() throws {
    try sink.close()
    try sink.takePlace()
  }
}

internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Learn from users which attributes there are, for check --schema.",
    discussion: """
      Reads users as precompute does and prints what they have, as JSON: of each attribute its type, \
      the least and the greatest number, the words of a text that has few, and how many users have \
      it. 'tollgate check --schema FILE' takes it as it is, also after changes by hand.
      """)

  @Argument(
    help: ArgumentHelp(
      "The users: files, patterns such as 'users-*.ndjson', or - for standard input.",
      valueName: "file"))
  var users: [String]

  @Option(
    help: ArgumentHelp(
      "The format of the users: \(UserForm.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: "The default is what the name of the file says.", valueName: "form"))
  var usersForm: UserForm?

  @Option(help: "Where to write the schema: a file, or - for standard output.")
  var out = "-"

  func run() async throws {
    let paths = try UserInput.paths(users, form: usersForm)
    var uses = FileUses()
    for path in paths { uses.reads("the users", path) }
    uses.writes("--out", out)
    try uses.check()
    let learner = try await Signals.heeding { try learn(paths) }
    if learner.refused > 0 {
      FileText.printError(
        "\(counted(learner.refused, "line")) refused; 'tollgate precompute' tells why")
    }
    guard learner.users > 0 else { throw CommandError("there are no users to learn from") }
    try SavedFile.write(Array((learner.json + "\n").utf8), to: out)
  }

  /// Bytes of the longest line that is read, as in precompute.
  private static let lineLimit = 1 << 20

  private func learn(_ paths: [String]) throws -> SchemaLearner {
    var learner = SchemaLearner()
    var input = try UserInput(paths, form: usersForm, lineLimit: Self.lineLimit)
    let reader = SegmentReader(lineLimit: Self.lineLimit)
    while let part = try input.next() {
      try Signals.check()
      try part.withLines(reader, lineLimit: Self.lineLimit) { learner.add(lines: $0) }
    }
    return learner
  }
}

extension InputPart {
  /// Calls with the records of a part, a line of JSON each, wherever they come from.
  fileprivate func withLines(
    _ reader: SegmentReader, lineLimit: Int, _ body: (ByteView) -> Void
  ) throws {
    switch content {
    case .segment(let file, let from, let to):
      try reader.withLines(of: file, from: from, to: to) { body($0) }
    case .lines(let lines): lines.withUnsafeBufferPointer(body)
    case .rows(let text, let from, let header):
      text.withUnsafeBytes { bytes in
        let rows = UnsafeRawBufferPointer(rebasing: bytes[from...])
        CSVRecords(rows, header, lineLimit: lineLimit).json.withUnsafeBufferPointer(body)
      }
    }
  }
}

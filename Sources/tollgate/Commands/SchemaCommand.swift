internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import Scenarios

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Learn which attributes users have, or print the JSON Schema of a file.",
    discussion: """
      Reads users as precompute does and prints what they have, as JSON: of each attribute its type, \
      the least and the greatest number, the words of a text that has few, and how many users have \
      it. 'tollgate check --schema FILE' takes it as it is, also after changes by hand.

      With --config or --file it reads nothing and prints a JSON Schema (2020-12), with which editors \
      complete and check configs and Tollgate's own files.
      """)

  /// Files of Tollgate's own.
  enum FileKind: String, ExpressibleByArgument, CaseIterable {
    case user, products, texts, attributes, scenario

    var schema: JSONSchema {
      switch self {
      case .user: .userRecord
      case .products: .productsFile
      case .texts: .paywallTexts
      case .attributes: .attributeSchema
      case .scenario: ScenarioSchema.document
      }
    }
  }

  @Argument(
    help: ArgumentHelp(
      "The users: files, patterns such as 'users-*.ndjson', or - for standard input.",
      valueName: "users"))
  var users: [String] = []

  @Option(
    help: ArgumentHelp(
      "Print the JSON Schema of configs: "
        + ConfigFormOptions.FormatName.allCases.map(\.rawValue).joined(separator: ", ") + ".",
      valueName: "format"))
  var config: ConfigFormOptions.FormatName?

  @Option(
    help: ArgumentHelp(
      "Print the JSON Schema of a file of Tollgate's own: "
        + FileKind.allCases.map(\.rawValue).joined(separator: ", ") + ".",
      discussion: """
        user is one line of a users file, products what --products takes, texts what precompute \
        --render takes, attributes what check --schema takes, and scenario one line for simulate.
        """, valueName: "kind"))
  var file: FileKind?

  @Option(
    help: ArgumentHelp(
      "The format of the users: \(UserForm.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: "The default is what the name of the file says.", valueName: "form"))
  var usersForm: UserForm?

  @Option(help: "Where to write the schema: a file, or - for standard output.")
  var out = "-"

  func validate() throws {
    if users.isEmpty, config == nil, file == nil {
      throw ValidationError("give users to learn from, or --config or --file for a JSON Schema")
    }
    if config != nil, file != nil {
      throw ValidationError("give either --config or --file, not both")
    }
    guard config != nil || file != nil else { return }
    let option = config == nil ? "--file" : "--config"
    if let first = users.first {
      throw ValidationError("\(option) prints a schema and reads no users: leave out '\(first)'")
    }
    if usersForm != nil {
      throw ValidationError("\(option) prints a schema and reads no users: leave out --users-form")
    }
  }

  /// The JSON Schema that is asked for.
  private var asked: JSONSchema? {
    switch config {
    case .superwall: .superwallConfig
    case .agentwallie: .agentWallieConfig
    case nil: file?.schema
    }
  }

  func run() async throws {
    if let asked { return try SavedFile.write(Array((asked.text + "\n").utf8), to: out) }
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

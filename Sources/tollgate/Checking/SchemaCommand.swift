internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight
internal import Scenarios

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Learn the attributes of users, or print a JSON Schema for a kind of file.",
    discussion: HelpText(
      """
      Reads users like precompute and prints a schema of their attributes as JSON: type, smallest and \
      largest number, the values of strings with few values, and the number of users that have the \
      attribute. You can edit the schema, and use it with 'tollgate check --schema FILE'.

      --for reads no users, but prints a JSON Schema (2020-12) that editors can use to complete and check \
      configs and Tollgate's other files.
      """,
      examples: [
        .init(
          "a schema for check --schema", "tollgate schema users.ndjson --out schema.json"),
        .init(
          "a JSON Schema for your editor",
          "tollgate schema --for superwall --out superwall.schema.json"),
      ],
      codes: [
        ("0", "done"),
        ("2", "usage error, or no valid users"),
        ("3", "done, but lines were rejected and --strict was given"),
        ("74", "output could not be written"),
      ]
    ).text)

  /// The kinds of files that have a JSON Schema.
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case superwall, agentwallie, user, products, texts, attributes, scenario

    var schema: JSONSchema {
      switch self {
      case .superwall: .superwallConfig
      case .agentwallie: .agentWallieConfig
      case .user: .userRecord
      case .products: .productsFile
      case .texts: .paywallTexts
      case .attributes: .attributeSchema
      case .scenario: ScenarioSchema.document
      }
    }
  }

  @Argument(
    help: OptionHelp.users("Files are read in the given order."),
    completion: .file())
  var users: [String] = []

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "Print the JSON Schema of this kind of file, without reading users.",
      discussion: """
        superwall and agentwallie are configs, user is one line of a users file, products is a file for \
        --products, texts is a file for precompute --render, attributes is a file for check --schema, and \
        scenario is one line for simulate.
        """, valueName: "kind"))
  var kind: Kind?

  @Option(help: OptionHelp.usersFormat)
  var usersFormat: UserForm?

  @Option(help: OptionHelp.out(), completion: .file())
  var out = "-"

  @Flag(help: OptionHelp.strict("The exit code is 3 if a line was rejected."))
  var strict = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if users.isEmpty, kind == nil {
      throw ValidationError("pass users to learn from, or --for KIND for a JSON Schema")
    }
    guard kind != nil else { return }
    if let first = users.first {
      throw ValidationError("--for prints a schema and reads no users: remove '\(first)'")
    }
    if usersFormat != nil {
      throw ValidationError("--for prints a schema and reads no users: remove --users-format")
    }
  }

  func run() async throws {
    if let kind {
      return try SavedFile.write(Array((kind.schema.text + "\n").utf8), to: out)
    }
    let paths = try UserInput.paths(users, form: usersFormat)
    var uses = FileUses()
    for path in paths { uses.reads("the users", path) }
    uses.writes("--out", out)
    try uses.check()
    let learner = try await Signals.heeding { try learn(paths) }
    if learner.refused > 0 {
      FileText.printError(
        "\(counted(learner.refused, "line")) rejected; 'tollgate precompute' reports the reasons")
    }
    guard learner.users > 0 else { throw CommandError("no user record is valid") }
    try checkReplaced()
    try SavedFile.write(Array((learner.json + "\n").utf8), to: out)
    if strict, learner.refused > 0 {
      throw CommandError(
        "\(counted(learner.refused, "line")) rejected, and --strict was given",
        exitCode: Ending.refusedLines)
    }
  }

  /// Checks that the output does not replace a file of a known kind other than a schema.
  private func checkReplaced() throws {
    guard FilePlace(out).kind == .file, let bytes = try? FileText.read(out),
      FileKind.ofSound(bytes) == .config
    else { return }
    throw CommandError("\(out) is a config, and would be replaced by the schema; name another file")
  }

  private func learn(_ paths: [String]) throws -> SchemaLearner {
    try SchemaLearner(readingUsers: paths, form: usersFormat)
  }
}

extension SchemaLearner {
  /// Learns from files of users.
  init(readingUsers paths: [String], form: UserForm?) throws {
    self.init()
    var input = try UserInput(paths, form: form, lineLimit: UserInput.lineLimit)
    let reader = SegmentReader(lineLimit: UserInput.lineLimit)
    while let part = try input.next() {
      try Signals.check()
      refused += try part.withLines(reader, lineLimit: UserInput.lineLimit) { add(lines: $0) }
    }
  }
}

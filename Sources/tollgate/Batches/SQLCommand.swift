internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

extension SQLDatabase: ExpressibleByArgument {}
extension SQLPlan.Names: ExpressibleByArgument {}

struct SQLCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql",
    abstract: "Translate the rules to SQL, for a table of users in a database.",
    discussion: HelpText(
      """
      Prints a query that returns a row for each user and, for each placement, the outcome that precompute \
      writes for users without stored variants. The first lines of the query name the columns that it reads. \
      NULL means missing.

      A placement is omitted if SQL cannot express exactly which users match one of its audiences. The \
      reasons are reported.
      """,
      examples: [
        .init(
          "a query for DuckDB",
          "tollgate sql config.json --database duckdb --no-history --out outcomes.sql"),
        .init(
          "one placement, for a table with columns such as user_plan",
          "tollgate sql config.json --database duckdb --no-history --placement settings_upgrade "
            + "--table app.users --names underscores"),
      ],
      codes: [
        ("0", "done"),
        ("1", "no placement can be translated to SQL, or a rule does not compile"),
        ("2", "usage error, or an unreadable config"),
        ("74", "output could not be written"),
      ]
    ).text)

  @OptionGroup var source: ConfigOptions

  @OptionGroup(title: "Config Options") var form: ConfigFormOptions
  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @Option(help: ArgumentHelp("The database.", valueName: "database"))
  var database: SQLDatabase

  @Option(
    name: .customLong("placement"),
    help: OptionHelp.placements(), completion: Completions.placements)
  var placements: [String] = []

  @Option(
    help: ArgumentHelp(
      "The name of the table of users in SQL.", valueName: "table"))
  var table = "users"

  @Option(
    help: ArgumentHelp(
      "How columns are named (default: dots; structs for bigquery).",
      discussion: "The column of user.plan is \"user.plan\", \"user_plan\" or \"user\".\"plan\".",
      valueName: "names"))
  var names: SQLPlan.Names?

  @Option(
    name: .customLong("type"),
    help: ArgumentHelp(
      "The type of an attribute's column, such as user.ltv=double.",
      discussion: "Repeatable. The types are: text, integer, number, double, bool, time and list.",
      valueName: "path=type"))
  var types: [String] = []

  @Flag(
    name: .customLong("no-history"),
    help: ArgumentHelp(
      "Assume that users have no history: no occurrences and no events."))
  var ignoresHistory = false

  @OptionGroup(title: "Decision Options") var decision: DecisionOptions

  @Option(help: OptionHelp.out(), completion: .file())
  var out = "-"

  @Flag(help: OptionHelp.json())
  var json = false

  @Flag(help: OptionHelp.quiet("Omits the reasons."))
  var quiet = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if let names, !names.isKnown(to: database) {
      throw ValidationError("--names structs needs duckdb, bigquery or spark")
    }
    if decision.userIds != .bytes {
      throw ValidationError("--user-ids sdk cannot be written in SQL; trim the IDs in the table")
    }
    _ = try kinds()
  }

  func run() async throws {
    let file = try form.file(source.config, language)
    let names = placements.isEmpty ? nil : placements
    let ruleSet = try file.requireRuleSet(for: names, keepsGoing: false)
    var uses = FileUses()
    uses.reads("the config", source.config)
    uses.writes("--out", out)
    try uses.check()
    var options = SQLPlan.Options(clock: try decision.clock(try decision.time()))
    options.table = table
    options.names = self.names
    options.placements = names
    options.kinds = try kinds()
    for path in options.kinds.keys.sorted() {
      guard let problem = SQLPlan.problem(path, ruleSet) else { continue }
      throw CommandError("--type: \(problem)", exitCode: Ending.wrongUse)
    }
    options.ignoresHistory = ignoresHistory
    options.assigner = decision.assigner(for: ruleSet.format)
    let plan = SQLPlan(ruleSet, for: database, options)
    let query = plan.query
    if json {
      try SavedFile.write(Array((plan.value.json + "\n").utf8), to: out)
    } else if let query {
      try SavedFile.write(Array(query.utf8), to: out)
    }
    if !quiet, !json { FileText.printError(plan.summary) }
    if query == nil {
      if quiet || json { throw ExitCode(Ending.findings) }
      throw CommandError(
        "no placement can be translated to SQL for \(database.name)", exitCode: Ending.findings)
    }
  }

  private func kinds() throws -> [String: SQLColumnKind] {
    var kinds: [String: SQLColumnKind] = [:]
    for type in types {
      guard let split = type.lastIndex(of: "="),
        let kind = SQLColumnKind.given.first(where: {
          $0.rawValue == type[type.index(after: split)...]
        })
      else {
        throw ValidationError(
          "--type is '\(type)'; expected a path and a type, such as user.ltv=double, of "
            + SQLColumnKind.given.map(\.rawValue).joined(separator: ", "))
      }
      kinds[String(type[..<split])] = kind
    }
    return kinds
  }
}

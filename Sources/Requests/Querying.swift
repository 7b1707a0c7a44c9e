package import Expressions
internal import RuleEngine
internal import RuleInsight

/// Translates the rules to SQL. The members of a request are `{"database", "table"?, "names"?, "types"?, "placements"?,
/// "noHistory"?, "now"?, "seed"?, "sdkVersion"?}`.
extension PreparedConfig {
  /// The members of a request.
  package static let queryMembers = [
    "database", "table", "names", "types", "placements", "noHistory", "now", "seed", "sdkVersion",
  ]

  /// Returns the answer of `tollgate sql --json`, with its summary for people.
  package func query(_ body: JSONRequest) throws(RequestError) -> Value {
    let request = body.value
    for (name, _) in request.members ?? [] where !Self.queryMembers.contains(name) {
      throw .unknownMember(name, among: Self.queryMembers)
    }
    let databases = SQLDatabase.allCases.map(\.rawValue).joined(separator: ", ")
    guard let database = try request.givenText("database") else {
      throw .missing("database", "one of \(databases)")
    }
    guard let database = SQLDatabase(rawValue: database) else {
      throw .wrong("database", "one of \(databases)")
    }
    let selection = try request.givenSDKVersion()
    if selection?.readsRecords == true {
      throw .wrong("sdkVersion", "newest or a version such as 4.12.5: SQL decides as one SDK")
    }
    let ruleSet = following(selection, record: nil).ruleSet
    var options = SQLPlan.Options(clock: clock(try request.givenTime("now")))
    options.assigner = assigner(seed: try request.givenText("seed"))
    options.table = try request.givenText("table") ?? options.table
    options.ignoresHistory = try request.givenTruth("noHistory") ?? false
    options.placements = try request.givenTexts("placements")
    try check(placements: options.placements ?? [])
    options.names = try Self.names(request, database)
    options.kinds = try Self.kinds(request, ruleSet)
    let plan = SQLPlan(ruleSet, for: database, options)
    return plan.value.adding(["summary": .string(plan.summary)])
  }

  private static func names(_ request: Value, _ database: SQLDatabase) throws(RequestError)
    -> SQLPlan.Names?
  {
    guard let given = try request.givenText("names") else { return nil }
    guard let names = SQLPlan.Names(rawValue: given), names.isKnown(to: database) else {
      let known = SQLPlan.Names.allCases.filter { $0.isKnown(to: database) }
      throw .wrong(
        "names", "one of \(known.map(\.rawValue).joined(separator: ", ")) for \(database.name)")
    }
    return names
  }

  private static func kinds(_ request: Value, _ ruleSet: RuleSet) throws(RequestError)
    -> [String: SQLColumnKind]
  {
    guard let given = request.given("types") else { return [:] }
    let words = SQLColumnKind.given.map(\.rawValue).joined(separator: ", ")
    guard let members = given.members else {
      throw .wrong("types", "an object such as {\"user.ltv\": \"double\"}")
    }
    var kinds: [String: SQLColumnKind] = [:]
    for (path, type) in members {
      guard let kind = SQLColumnKind.given.first(where: { $0.rawValue == type.text }) else {
        throw .about("types", "the type of '\(path)' must be one of \(words)")
      }
      if let problem = SQLPlan.problem(path, ruleSet) { throw .about("types", problem) }
      kinds[path] = kind
    }
    return kinds
  }
}

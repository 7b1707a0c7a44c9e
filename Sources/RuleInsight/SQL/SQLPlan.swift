package import Expressions
package import RuleEngine

/// The rules of a config as SQL for a table of users.
///
/// The query decides like the engine for users without stored variants, occurrences, events or entitlements. Placements
/// with an audience that SQL cannot express exactly are omitted, and ``SQLPlacement/audiences`` has the reason.
package struct SQLPlan: Sendable {
  /// The naming scheme for the columns of a table.
  package enum Names: String, CaseIterable, Sendable {
    /// Names with dots, such as `user.plan`.
    case dots
    /// Names with underscores, such as `user_plan`.
    case underscores
    /// Fields of structs, such as the field `plan` of a struct `user`.
    case structs

    /// Whether a database allows such columns.
    package func isKnown(to database: SQLDatabase) -> Bool {
      self != .structs || database != .postgres && database != .snowflake
    }

    /// The usual scheme of a database. BigQuery does not allow dots in names.
    package static func usual(in database: SQLDatabase) -> Names {
      database == .bigquery ? .structs : .dots
    }
  }

  package struct Options: Sendable {
    package var table = "users"
    package var names: Names?
    package var assigner = Assigner.hash(salt: "")
    /// The time and time zone in which the query decides.
    package var clock: HistoryClock
    /// Whether users count as users without a history in limits and in questions about events.
    package var ignoresHistory = false
    /// The names of the placements to translate; nil for all.
    package var placements: [String]?
    /// The kinds of columns by path, if they differ from the kinds that the rules suggest.
    package var kinds: [String: SQLColumnKind] = [:]

    package init(clock: HistoryClock) { self.clock = clock }
  }

  package let database: SQLDatabase
  package let table: String
  package let names: Names
  /// The time of the query; nil if no rule depends on the clock.
  package private(set) var now: Instant?
  package private(set) var placements: [SQLPlacement] = []
  /// The columns that the translated placements read.
  package private(set) var columns: [SQLColumn] = []
  /// The columns that the query also reads if the table has them.
  package private(set) var optional: [SQLColumn] = []
  /// Attributes that the engine derives from other attributes of the table.
  package private(set) var derived: [String] = []
  /// The expressions that the query computes before the conditions.
  private(set) var facts: [(name: String, text: String)] = []

  package init(_ ruleSet: RuleSet, for database: SQLDatabase, _ options: Options) {
    self.database = database
    table = options.table
    names = options.names ?? Names.usual(in: database)
    let all = SQLColumns(ruleSet, database, names, options.kinds)
    var translator = SQLTranslator(
      ruleSet, database, all, clock: options.clock, ignoresHistory: options.ignoresHistory)
    let draws = SQLDraws(options.assigner, names.column(["userId"], database))
    for placement in ruleSet.placements
    where options.placements?.contains(placement.name) ?? true {
      let clash = clash(of: placement.name)
      placements.append(SQLPlacement(placement, ruleSet, options, &translator, draws, clash))
    }
    facts = translator.facts
    optional = translator.optional.sorted { $0.key < $1.key }.map(\.value)
    now = translator.readsClock ? options.clock.now : nil
    let contents = ruleSet.program.storage.graph.slots.contents
    let read = placements.filter(\.isTranslated).flatMap { placement in
      ruleSet.rules[placement.rules].compactMap(\.entry).flatMap {
        ruleSet.program.storage.graph.slots(below: ruleSet.program.storage.rootNodes[$0.source])
      }
    }
    var slots = Set(read)
    for slot in read {
      guard let path = contents[slot].attribute else { continue }
      slots.formUnion(
        translator.sources(of: path.description).filter { ruleSet.requirements.contains($0) }
          .compactMap { ruleSet.program.slot(of: $0) })
    }
    columns = slots.sorted().compactMap { all.columns[$0]?.column }
    derived = columns.map(\.path).filter { path in
      guard let attribute = translator.derivable(path) else { return false }
      return DeviceDerivation.sources(of: attribute)?.count != translator.sources(of: path).count
    }
  }

  /// The reason why a placement's name cannot be a column name.
  private func clash(of name: String) -> SQLRefusal? {
    if name.isEmpty { return SQLRefusal("the placement has an empty name") }
    let taken = [names.names(of: ["userId"]).joined()] + placements.map(\.name)
    let other = taken.first {
      $0 == name || database.ignoresCase && $0.lowercased() == name.lowercased()
    }
    return other.map {
      SQLRefusal("the placement has the same name as '\($0)' in \(database.name)")
    }
  }

  /// The reason why a type cannot be set for an attribute: no rule reads the attribute. Nil if a
  /// rule reads the attribute.
  package static func problem(_ path: String, _ ruleSet: RuleSet) -> String? {
    let read = ruleSet.requirements.map(\.description)
    if read.contains(path) { return nil }
    let close = Suggestion.closest(to: path, among: read).map { "; did you mean '\($0)'?" }
    return "no rule reads '\(path)'\(close ?? "")"
  }

  // MARK: Coverage

  package var audiences: Int { placements.reduce(0) { $0 + $1.audiences.count } }

  /// The number of audiences that SQL can express.
  package var covered: Int {
    placements.reduce(0) { $0 + $1.audiences.count { $0.refusal == nil } }
  }
}

extension SQLPlan.Names {
  func names(of path: [String]) -> [String] {
    switch self {
    case .dots: [path.joined(separator: ".")]
    case .underscores: [path.joined(separator: "_")]
    case .structs: path
    }
  }

  /// A column in SQL.
  func column(_ path: [String], _ database: SQLDatabase) -> String {
    names(of: path).map { database.identifier($0) }.joined(separator: ".")
  }

  /// The name of a column of outcomes.
  func outcome(_ placement: String, _ field: String) -> String {
    self == .dots ? "\(placement).\(field)" : "\(placement)_\(field)"
  }
}

/// A placement as SQL.
package struct SQLPlacement: Sendable {
  package struct Audience: Sendable {
    package var index: Int
    package var label: String
    /// The reason why SQL cannot express the audience; nil if it can.
    package var refusal: String?
  }

  package let name: String
  let rules: Range<Int>
  package private(set) var audiences: [Audience] = []
  /// The choices in the order of the audiences. Each has the condition under which a user gets it,
  /// and its outcome.
  private(set) var choices: [(when: String, outcome: OutcomeValues)] = []

  /// Whether SQL can express every audience.
  package var isTranslated: Bool { audiences.allSatisfy { $0.refusal == nil } }

  init(
    _ placement: RuleSet.CompiledPlacement, _ ruleSet: RuleSet, _ options: SQLPlan.Options,
    _ translator: inout SQLTranslator, _ draws: SQLDraws, _ clash: SQLRefusal?
  ) {
    name = placement.name
    rules = placement.rules
    for rule in ruleSet.rules[placement.rules] {
      var audience = Audience(index: rule.audience.index, label: rule.audience.label)
      do throws(SQLRefusal) {
        if let clash { throw clash }
        try add(rule, ruleSet, options, &translator, draws)
      } catch {
        audience.refusal = error.reason
      }
      audiences.append(audience)
    }
  }

  private mutating func add(
    _ rule: RuleSet.Rule, _ ruleSet: RuleSet, _ options: SQLPlan.Options,
    _ translator: inout SQLTranslator, _ draws: SQLDraws
  ) throws(SQLRefusal) {
    try SQLPlacement.check(rule, ruleSet)
    var condition = SQLCondition.always
    if let entry = rule.entry {
      condition = rule.isBroken ? .never : try translator.condition(of: entry)
    }
    if let limit = rule.audience.occurrenceLimit {
      guard options.ignoresHistory else {
        throw SQLRefusal(
          "the audience has a limit, which counts occurrences; with --no-history, there are none")
      }
      if !limit.allows(storedCount: 0) { condition = .never }
    }
    // If no user matches, no draw is needed.
    if condition == .never { return }
    let index = rule.audience.index
    guard rule.audience.experimentStatus == .running, rule.weights.count > 1 else {
      let variant = rule.audience.experimentStatus == .running && rule.weights.count == 1 ? 0 : nil
      choices.append((condition.text, OutcomeValues(rule.outcome(variant), audience: index)))
      return
    }
    let draw = try draws.draw(rule, &translator)
    for (variant, limit) in draws.limits(of: rule.weights, draw, translator.database) {
      let test = limit.map { " AND \($0)" } ?? ""
      let text = condition == .always ? limit ?? "TRUE" : "(\(condition.text))\(test)"
      choices.append((text, OutcomeValues(rule.outcome(variant), audience: index)))
    }
  }

  /// Throws for a rule that depends on more than a user's attributes.
  private static func check(_ rule: RuleSet.Rule, _ ruleSet: RuleSet) throws(SQLRefusal) {
    if rule.isUndecidable { throw SQLRefusal("the condition is JavaScript") }
    if rule.audience.entitlementGuard != nil {
      throw SQLRefusal("the audience skips owners of an entitlement")
    }
    if ruleSet.storage.aborts {
      throw SQLRefusal("an error in a rule crashes the app in this version of the SDK")
    }
    if ruleSet.storage.rejection != nil {
      throw SQLRefusal("this version of the SDK rejects the config")
    }
    if ruleSet.profile?.has(.subscriptionGate) ?? false {
      throw SQLRefusal("this version of the SDK checks whether a user is subscribed")
    }
  }
}

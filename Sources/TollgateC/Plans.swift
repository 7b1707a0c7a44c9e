// Names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CArrow
public import CTollgate
internal import CivilTime
internal import Expressions
internal import Requests
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// A plan that decides for every row of a table. A plan never changes. The plan's workers are reused for later tables.
final class TablePlan: Sendable {
  let config: PreparedConfig
  /// The rules of the plan's placements only, so that columns that only other placements read are not required.
  let ruleSet: RuleSet
  let batch: BatchPlan
  /// The plan for counting outcomes.
  let counting: BatchPlan
  let outcomes: FrameOutcomes
  private let options: FrameColumns.Options
  private let fields: [OutcomeField]
  /// The binding for the schema that the plan was created with.
  private let given: TableBinding?
  /// The requirements of the rules, computed for the first table.
  private let requirements = Locked<[AttributeRequirement]?>(nil)
  /// The bindings of other tables' schemas, most recent first.
  private let known = Locked<[TableBinding]>([])
  private static let mostKnown = 8

  init(_ config: PreparedConfig, _ options: PlanOptions, _ schema: ArrowField?)
    throws(LibraryError)
  {
    let config = config.following(options.sdkVersion, record: nil)
    self.config = config
    self.options = options.columns
    fields = options.form.fields
    let ruleSet = try asking { () throws(RequestError) in
      try config.ruleSet(of: options.placements)
    }
    self.ruleSet = ruleSet
    let fleet = config.fleet(options.sdkVersion).map { fleet in
      (fleet.selection, config.part(of: options.placements), fleet.column)
    }
    func plan(collects: Bool) -> BatchPlan {
      BatchPlan(
        ruleSet, placements: options.placements, now: options.now,
        assigner: options.assigner, form: .rows, writesOutcomes: false,
        clock: config.clock(options.now), texts: nil,
        givesReasons: options.form.fields.contains(.reason), collectsChoices: collects,
        fleet: fleet)
    }
    batch = plan(collects: options.form.hasColumns)
    counting = options.form.hasColumns ? plan(collects: false) : batch
    outcomes = FrameOutcomes(batch, options.form)
    given = try schema.map { (field) throws(LibraryError) in
      try TableBinding(field, ruleSet, options.columns, ruleSet.attributeRequirements)
    }
  }

  /// The types that rules need of each attribute.
  private var attributes: [AttributeRequirement] {
    requirements.withLock { known in
      if let known { return known }
      let made = ruleSet.attributeRequirements
      known = made
      return made
    }
  }

  /// The columns of a table and their roles. Finding the roles takes longer than deciding a small table.
  ///
  /// - Parameter hasRows: false for a table without rows, whose column types may be arbitrary.
  func binding(_ field: ArrowField, hasRows: Bool = true) throws(LibraryError) -> TableBinding {
    if let given {
      if given.field == field { return given }
      throw LibraryError(
        TG_BAD_COLUMN, "other_columns",
        "the columns or types of the table differ from the schema that the plan was made for"
      )
    }
    var options = options
    options.hasRows = hasRows
    if let found = known.withLock({
      $0.first { $0.hasRows == hasRows && $0.field == field }
    }) {
      return found
    }
    let made = try TableBinding(field, ruleSet, options, attributes)
    known.withLock { $0 = [made] + $0.prefix(Self.mostKnown - 1) }
    return made
  }

  /// The binding for a table that may have no rows. Without rows, the types of the columns do not matter.
  ///
  /// - Parameter isEmpty: returns whether the table is empty. Called at most once, and only if needed.
  func binding(
    _ field: ArrowField, isEmpty: () -> Bool
  ) throws(LibraryError) -> (binding: TableBinding, isEmpty: Bool) {
    let strict: LibraryError
    do throws(LibraryError) {
      return (try binding(field), false)
    } catch {
      strict = error
    }
    let lenient: Result<TableBinding, LibraryError>
    do throws(LibraryError) {
      lenient = .success(try binding(field, hasRows: false))
    } catch {
      lenient = .failure(error)
      if error.value == strict.value { throw strict }
    }
    guard isEmpty() else { throw strict }
    return (try lenient.get(), true)
  }

  var description: Value {
    .members([
      "placements": .list(batch.placementNames.map { .string($0) }),
      "now": batch.now.text.map { .string($0) } ?? .int(batch.now.milliseconds),
      "assigner": .string(batch.assigner.name), "seed": .string(batch.assigner.seed),
      "requirements": .list(ruleSet.requirements.map { .string($0.description) }),
      "attributes": .list(attributes.map(\.value)),
      "fields": .list(fields.map { .string($0.rawValue) }),
      "choices": .list(
        batch.choices.map { choice in
          .map(
            [.init(key: "placement", value: .string(choice.placement))]
              + choice.values.members(OutcomeField.ofChoices))
        }),
      "warnings": given.flatMap { $0.warnings.isEmpty ? nil : .list($0.warnings.map(\.value)) },
    ])
  }
}

/// A schema, the roles of its columns, and the free workers. Each concurrent call uses its own worker.
final class TableBinding: Sendable {
  let field: ArrowField
  let columns: FrameColumns
  let hasRows: Bool
  /// Warnings about columns whose types do not match the rules.
  let warnings: [ColumnWarning]
  private let workers = Locked<[WorkerBox]>([])
  private static let mostWorkers = 16

  // SAFETY: A call takes a worker from a `Locked` and has it alone. A worker that failed does not
  // go back. Tests: TableTests.plansOutliveConfigsAndThreads, Tools/python-tests.sh, tsan.
  private final class WorkerBox: @unchecked Sendable {
    let worker: FrameWorker

    init(_ plan: BatchPlan, _ columns: FrameColumns) { worker = FrameWorker(plan, columns) }
  }

  init(
    _ field: ArrowField, _ ruleSet: RuleSet, _ options: FrameColumns.Options,
    _ attributes: [AttributeRequirement]
  ) throws(LibraryError) {
    self.field = field
    hasRows = options.hasRows
    do throws(ArrowError) {
      columns = try FrameColumns(field, for: ruleSet, options)
    } catch {
      throw LibraryError(error, TG_BAD_COLUMN)
    }
    warnings = ColumnWarning.all(columns, attributes, ruleSet)
  }

  /// Calls the body with a worker that is not in use.
  func withWorker<Answer>(
    _ plan: BatchPlan, _ body: (FrameWorker) throws(LibraryError) -> Answer
  ) throws(LibraryError) -> Answer {
    let box = workers.withLock { $0.popLast() } ?? WorkerBox(plan, columns)
    let answer = try body(box.worker)
    // A worker that has failed is not reused.
    workers.withLock { if $0.count < Self.mostWorkers { $0.append(box) } }
    return answer
  }
}

/// The options for creating a plan.
struct PlanOptions {
  var placements: [String]?
  /// The SDK that decides every row, or the selection by the row's own columns. Nil uses the SDK of the config.
  var sdkVersion: SDKSelection?
  var now: Instant
  var assigner: Assigner
  var columns = FrameColumns.Options()
  var form = FrameOutcomes.Form()

  static let names = [
    "placements", "now", "seed", "layout", "fields", "codes", "texts", "subject", "root",
    "columns", "nulls", "missingColumns", "sdkVersion",
  ]

  init(_ options: Value, _ config: PreparedConfig) throws(RequestError) {
    placements = try options.givenTexts("placements")
    try config.check(placements: placements ?? [])
    sdkVersion = try options.givenSDKVersion()
    now = config.settings.clock()
    if let given = options.given("now") { now = try RequestTime.instant(given, "now") }
    assigner = config.assigner(seed: try options.givenText("seed"))
    if let layout = try options.givenText("layout"), layout != "wide" {
      throw .wrong("layout", "wide, a column for each placement")
    }
    form.texts = .plain
    form.fields = OutcomeField.ofChoices.filter { $0.kind == .string }
    try takeForm(options)
    try takeColumns(options)
  }

  private mutating func takeForm(_ options: Value) throws(RequestError) {
    let all = OutcomeField.allCases.map(\.rawValue).joined(separator: ", ")
    if let names = try options.givenTexts("fields") {
      let fields = names.compactMap { OutcomeField(rawValue: $0) }
      guard fields.count == names.count, Set(fields).count == fields.count else {
        throw .wrong("fields", "a list of names among \(all), without repetitions")
      }
      form.fields = fields
      form.hasColumns = !fields.isEmpty
    }
    if try options.givenTruth("codes") ?? false {
      form.fields = []
      form.hasColumns = true
    }
    switch try options.givenText("texts") {
    case nil, "utf8"?: break
    case "string_view"?: form.texts = .views
    case "dictionary"?: form.texts = .dictionary
    default: throw .wrong("texts", "utf8, string_view or dictionary")
    }
  }

  private mutating func takeColumns(_ options: Value) throws(RequestError) {
    if let subject = try options.givenText("subject") { columns.subject = subject }
    columns.root = try options.givenText("root")
    if let root = columns.root, root != "user", root != "device" {
      throw .wrong("root", "user or device")
    }
    if let given = options.given("columns") {
      guard let members = given.members else {
        throw .wrong("columns", "an object such as {\"user.plan\": \"plan\"}")
      }
      for (path, column) in members {
        guard let name = column.text else {
          throw .wrong("columns", "an object of paths and names of columns; '\(path)' has none")
        }
        columns.columns[path] = name
      }
    }
    switch try options.givenText("nulls") {
    case nil, "missing"?: break
    case "null"?: columns.null = .null
    default: throw .wrong("nulls", "missing or null")
    }
    switch try options.givenText("missingColumns") {
    case nil, "error"?: break
    case "ignore"?: columns.ignoresMissing = true
    default: throw .wrong("missingColumns", "error or ignore")
    }
  }
}

func plan(_ pointer: OpaquePointer?) throws(LibraryError) -> TablePlan {
  guard let pointer else { throw .null("plan") }
  return pointer.object(TablePlan.self)
}

/// The contents of a caller's schema.
func field(_ schema: UnsafePointer<ArrowSchema>) throws(LibraryError) -> ArrowField {
  // SAFETY: The schema is the caller's, and everything is copied. Tests: TableTests,
  // TableFailureTests.
  do throws(ArrowError) {
    return try ArrowField(schema)
  } catch {
    throw LibraryError(error, TG_BAD_COLUMN)
  }
}

@c @implementation
public func tg_plan_make(
  _ config: OpaquePointer?, _ options: UnsafePointer<CChar>?, _ count: Int,
  _ users: UnsafePointer<ArrowSchema>?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  out?.initialize(to: nil)
  return attempt(error) { () throws(LibraryError) in
    guard let out else { throw .null("out") }
    let config = try TollgateC.config(config)
    let asked = try request(options, count, "the options").value
    try checkMembers(asked, PlanOptions.names, "a plan")
    let read = try asking { () throws(RequestError) in try PlanOptions(asked, config) }
    let schema = try users.map { (schema) throws(LibraryError) in try field(schema) }
    out.pointee = OpaquePointer(keeping: try TablePlan(config, read, schema))
  }
}

@c @implementation
public func tg_plan_describe(
  _ plan: OpaquePointer?, _ out: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  answer(out) { () throws(LibraryError) in
    Array(try TollgateC.plan(plan).description.json.utf8)
  }
}

@c @implementation
public func tg_plan_schema(
  _ plan: OpaquePointer?, _ out: UnsafeMutablePointer<ArrowSchema>?,
  _ error: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  out?.initialize(to: ArrowSchema())
  return attempt(error) { () throws(LibraryError) in
    guard let out else { throw .null("out") }
    try TollgateC.plan(plan).outcomes.exportSchema(to: out)
  }
}

@c @implementation
public func tg_plan_decide(
  _ plan: OpaquePointer?, _ schema: UnsafePointer<ArrowSchema>?,
  _ users: UnsafePointer<ArrowArray>?, _ report: OpaquePointer?,
  _ out: UnsafeMutablePointer<ArrowArray>?, _ error: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  // SAFETY: The caller's arrays are read during the call only. Pointers are checked for NULL, and
  // `out` is initialized first. Tests: TableTests, TableFailureTests, asan.
  out?.initialize(to: ArrowArray())
  return attempt(error) { () throws(LibraryError) in
    let plan = try TollgateC.plan(plan)
    guard let out else { throw .null("out") }
    guard let schema else { throw .null("schema") }
    guard let users else { throw .null("users") }
    let (binding, _) = try plan.binding(try field(schema)) {
      users.pointee.release != nil && users.pointee.length == 0
    }
    let report = report?.object(Report.self)
    try report?.check(plan)
    try binding.withWorker(plan.batch) { (worker) throws(LibraryError) in
      do throws(ArrowError) {
        let sums = try worker.decide(users)
        try plan.outcomes.export(worker, to: out)
        report?.add(sums, worker, from: 0, plan, binding)
      } catch {
        throw LibraryError(error, TG_BAD_ARRAY)
      }
    }
  }
}

@c @implementation
public func tg_plan_free(_ plan: OpaquePointer?) { plan?.free(TablePlan.self) }

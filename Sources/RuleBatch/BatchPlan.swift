public import CivilTime
internal import Expressions
public import RuleEngine

/// What a batch is to do: which placements, how subjects are assigned, when it is, what to write.
/// Shared by all workers.
///
/// ```swift
/// let audience = Audience(
///   index: 0, experimentID: "spring", expression: "user.plan == 'free'",
///   variants: [Variant(id: "v1", kind: .treatment, weight: 100, paywallID: "annual")])
/// let config = Config(placements: [Placement(name: "export", audiences: [audience])])
/// let plan = BatchPlan(
///   try RuleSet.compile(config).get(), now: 1_772_366_400_000, assigner: .hash(salt: "spring"),
///   layout: OutcomeLayout.long, form: OutcomeForm.csv)
///
/// // One worker a thread, many lines a chunk.
/// var worker = BatchWorker(plan)
/// let users = [
///   #"{"userId": "u1", "user": {"plan": "free"}}"#, #"{"userId": "u2", "user": {"plan": "pro"}}"#,
///   #"{"userId": 3}"#,
/// ]
/// let output = worker.process(Array(users.joined(separator: "\n").utf8))
/// String(decoding: output.outcomes, as: UTF8.self).split(separator: "\n").count  // 2
/// output.rejected.map(\.line)  // [2]
/// let tally: Tally = output.tally
/// tally.placements[0].paywall  // 1
/// ```
public final class BatchPlan: Sendable {
  package struct Placement: Sendable {
    var name: String
    /// Nil when the config does not have it.
    package var compiled: RuleSet.CompiledPlacement?
  }

  public let ruleSet: RuleSet
  public let now: Instant
  /// The same time with a calendar, for questions about events.
  public let clock: HistoryClock
  public let assigner: Assigner
  public let layout: OutcomeLayout
  public let form: OutcomeForm
  /// False for counting only.
  public let writesOutcomes: Bool
  /// Whether workers keep what users get as numbers, and write nothing.
  let collectsChoices: Bool
  /// Longest line that is read, in bytes.
  public let lineLimit: Int
  /// What is rendered beside the outcomes, or nil.
  package let texts: TextPlan?
  /// Whether outcomes say why.
  package let givesReasons: Bool
  /// Whether counts come with the first users whom they count.
  package let wantsExamples: Bool
  package let placements: [Placement]
  package let table: BatchTable
  /// What is counted for a report, or nil.
  package let draws: DrawPlan?
  /// What decides users whose SDKs have several versions; nil where ``ruleSet`` decides all.
  package let fleet: Fleet?
  /// The columns of tables of outcomes.
  package let columns: OutcomeColumns
  private let firstLine: [UInt8]
  /// The clauses that read a missing attribute as another value; nil without one.
  let standIns: StandInProgram?
  /// By rule, how many of these there are in the rules before; then how many there are in all.
  let standInFirsts: [Int]

  /// - Parameters:
  ///   - ruleSet: what decides.
  ///   - placements: names; nil for all of the config, in its order.
  ///   - now: when it is.
  ///   - assigner: how subjects without an assignment get one.
  ///   - layout: whether there is a line for each outcome or for each user.
  ///   - form: how outcomes are written.
  ///   - writesOutcomes: false for counting only.
  ///   - lineLimit: the longest line that is read, in bytes.
  ///   - clock: the same time with a calendar; nil for one in UTC.
  public convenience init(
    _ ruleSet: RuleSet, placements: [String]? = nil, now: Instant, assigner: Assigner,
    layout: OutcomeLayout = .long, form: OutcomeForm = .ndjson, writesOutcomes: Bool = true,
    lineLimit: Int = 1 << 20, clock: HistoryClock? = nil
  ) {
    self.init(
      ruleSet, placements: placements, now: now, assigner: assigner, layout: layout, form: form,
      writesOutcomes: writesOutcomes, lineLimit: lineLimit, clock: clock, texts: nil)
  }

  /// - Parameters:
  ///   - texts: what is rendered for outcomes with a paywall; nil for nothing.
  ///   - columnsOfRun: what every outcome says of the run.
  ///   - countsDraws: whether draws are counted for a report, with examples.
  ///   - givesReasons: whether every outcome says why, as explanations do.
  ///   - wantsExamples: whether counts come with the first users whom they count.
  ///   - collectsChoices: whether workers keep what users get as numbers, and write nothing.
  ///   - isVersioned: whether outcomes that only versions of SDKs have are among the choices.
  ///   - sharedDraws: what draws are counted by in place of the plan's own.
  ///   - fleet: which SDK decides each user, with the config, and the column that names it; nil where the rule set
  ///     decides all.
  package init(
    _ ruleSet: RuleSet, placements names: [String]? = nil, now: Instant, assigner: Assigner,
    layout: OutcomeLayout = .long, form: OutcomeForm = .ndjson, writesOutcomes: Bool = true,
    lineLimit: Int = 1 << 20, clock: HistoryClock? = nil, texts: TextPlan?,
    columnsOfRun: [OutcomeColumns.OfRun] = [], countsDraws: Bool = false,
    givesReasons: Bool = false, wantsExamples: Bool = false, collectsChoices: Bool = false,
    isVersioned: Bool = false, draws sharedDraws: DrawPlan? = nil,
    fleet: (selection: SDKSelection, config: Config, column: String?)? = nil
  ) {
    self.ruleSet = ruleSet
    self.texts = texts
    self.givesReasons = givesReasons
    self.wantsExamples = wantsExamples || countsDraws
    self.now = now
    self.clock = clock ?? HistoryClock(now: now)
    self.assigner = assigner
    self.layout = layout
    self.form = form
    self.writesOutcomes = writesOutcomes
    self.lineLimit = lineLimit
    self.collectsChoices = collectsChoices
    // A name given twice counts once: counts are kept by rule.
    var seen: Set<[UInt8]> = []
    let distinct = (names ?? ruleSet.placementNames).filter {
      seen.insert(Array($0.utf8)).inserted
    }
    placements = distinct.map { name in
      Placement(
        name: name, compiled: ruleSet.placement(named: name).map { ruleSet.placements[$0] })
    }
    let fragments = OutcomeFragments(layout: layout, form: form, columnsOfRun: columnsOfRun)
    table = BatchTable(
      ruleSet, placements: placements, fragments, assigner: assigner,
      isVersioned: isVersioned || fleet != nil || ruleSet.profile?.version != nil)
    draws = countsDraws ? sharedDraws ?? DrawPlan(table, ruleSet) : nil
    standIns = ruleSet.storage.standIns
    var firsts = [0]
    for rule in ruleSet.rules {
      let clauses = rule.condition < 0 ? nil : standIns?.ofCondition[Int(rule.condition)]
      firsts.append(firsts[firsts.count - 1] + (clauses?.count ?? 0))
    }
    standInFirsts = firsts
    let ofRun = columnsOfRun + (fleet?.column.map { [OutcomeColumns.OfRun($0, "")] } ?? [])
    columns = OutcomeColumns(placements.map(\.name), ofRun: ofRun, hasReasons: givesReasons)
    firstLine = fragments.header(columns)
    let (draws, distinctClock) = (draws, self.clock)
    self.fleet = fleet.map { fleet in
      Fleet(
        fleet.selection, fleet.config, usual: ruleSet.profile?.sdk ?? .agentWallie,
        column: fleet.column
      ) { ruleSet, columns in
        BatchPlan(
          ruleSet, placements: distinct, now: now, assigner: assigner, layout: layout, form: form,
          writesOutcomes: writesOutcomes, lineLimit: lineLimit, clock: distinctClock, texts: texts,
          columnsOfRun: columnsOfRun + columns, countsDraws: countsDraws,
          givesReasons: givesReasons, wantsExamples: wantsExamples,
          collectsChoices: collectsChoices, isVersioned: true, draws: draws)
      }
    }
  }

  /// What an outcomes file begins with.
  public var header: [UInt8] { firstLine }

  /// What decisions may come to, by the numbers of ``OutcomeForm/rows``; empty in other forms.
  package var choices: [Choice] { table.descriptions }

  /// Whether it matters which user got what, beside how many did.
  var keepsChoices: Bool { writesOutcomes || wantsExamples || collectsChoices }

  /// Whether somebody gets to see why outcomes are as they are.
  var tellsReasons: Bool { givesReasons && (writesOutcomes || collectsChoices) }

  /// The placements, in their order.
  package var placementNames: [String] { placements.map(\.name) }

  /// How many decisions each user takes.
  public var placementCount: Int { placements.count }

  /// How much the outcomes of a user may take, in placements: many rules that fail take as much as
  /// many outcomes.
  package var weight: Int { max(placements.count, ruleSet.rules.count / 10) }

  /// The names that the config does not have.
  public var unknownPlacements: [String] {
    placements.filter { $0.compiled == nil }.map(\.name)
  }

  /// Counts of nothing, in this batch's shape.
  public var emptyTally: Tally {
    Tally(
      placements: placements.map { placement in
        var part = Tally.Placement(name: placement.name)
        part.audiences = (placement.compiled?.rules ?? 0..<0).map {
          let audience = ruleSet.rules[$0].audience
          return Tally.Audience(
            index: audience.index, experimentID: audience.experimentID, label: audience.label,
            limit: audience.occurrenceLimit, entitlement: audience.entitlementGuard)
        }
        return part
      })
  }
}

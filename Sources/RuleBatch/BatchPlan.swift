public import CivilTime
internal import Expressions
public import RuleEngine

/// The settings of a batch: the placements, how subjects get variants, the time, and the outcomes to write. All workers
/// share one plan.
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
    /// The placement's compiled rules; nil if the config does not have the placement.
    package var compiled: RuleSet.CompiledPlacement?
  }

  public let ruleSet: RuleSet
  public let now: Instant
  /// The time of the decisions, and the time zone for questions about events.
  public let clock: HistoryClock
  public let assigner: Assigner
  public let layout: OutcomeLayout
  public let form: OutcomeForm
  /// Whether outcomes are written. If false, they are only counted.
  public let writesOutcomes: Bool
  /// Whether workers store choices as numbers, and write nothing.
  let collectsChoices: Bool
  /// The maximum length of a line, in bytes.
  public let lineLimit: Int
  /// The texts to render for the outcomes; nil for none.
  package let texts: TextPlan?
  /// Whether outcomes include reasons.
  package let givesReasons: Bool
  /// Whether counts include an example: the first user that they count.
  package let wantsExamples: Bool
  package let placements: [Placement]
  package let table: BatchTable
  /// The draws to count for a report; nil without a report.
  package let draws: DrawPlan?
  /// The plans for users whose SDKs have several versions; nil if ``ruleSet`` decides for all users.
  package let fleet: Fleet?
  /// The columns of tables of outcomes.
  package let columns: OutcomeColumns
  private let firstLine: [UInt8]
  /// The clauses that replace a missing attribute with another value; nil if there are none.
  let standIns: StandInProgram?
  /// For each rule, the number of such clauses in earlier rules. The last element is the total number.
  let standInFirsts: [Int]

  /// - Parameters:
  ///   - ruleSet: the rules that decide.
  ///   - placements: the names of the placements. Nil decides all placements of the config, in its order.
  ///   - now: the time of the decisions.
  ///   - assigner: the method that draws variants for subjects without an assignment.
  ///   - layout: whether the output has a line for each outcome or for each user.
  ///   - form: the format of the outcomes.
  ///   - writesOutcomes: false to only count outcomes.
  ///   - lineLimit: the maximum length of a line, in bytes.
  ///   - clock: the time of the decisions, and the time zone. Nil uses UTC.
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
  ///   - texts: the texts to render for outcomes with a paywall; nil for none.
  ///   - columnsOfRun: the columns about the run in every outcome.
  ///   - countsDraws: whether draws are counted for a report, with examples.
  ///   - givesReasons: whether every outcome includes its reason, as in explanations.
  ///   - wantsExamples: whether counts include an example: the first user that they count.
  ///   - collectsChoices: whether workers store choices as numbers, and write nothing.
  ///   - isVersioned: whether the choices include outcomes that only occur with SDK versions.
  ///   - sharedDraws: the plan for counting draws, instead of the batch's own.
  ///   - known: the table of another batch whose outcomes have the same text.
  ///   - fleet: selects the SDK that decides for each user, with the config, and the column with
  ///     the SDK's name; nil if the rule set decides for all users.
  package init(
    _ ruleSet: RuleSet, placements names: [String]? = nil, now: Instant, assigner: Assigner,
    layout: OutcomeLayout = .long, form: OutcomeForm = .ndjson, writesOutcomes: Bool = true,
    lineLimit: Int = 1 << 20, clock: HistoryClock? = nil, texts: TextPlan?,
    columnsOfRun: [OutcomeColumns.OfRun] = [], countsDraws: Bool = false,
    givesReasons: Bool = false, wantsExamples: Bool = false, collectsChoices: Bool = false,
    isVersioned: Bool = false, draws sharedDraws: DrawPlan? = nil,
    known: BatchTable? = nil,
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
    // A repeated name counts once, because counts are stored by rule.
    var seen: Set<[UInt8]> = []
    let distinct = (names ?? ruleSet.placementNames).filter {
      seen.insert(Array($0.utf8)).inserted
    }
    placements = distinct.map { name in
      Placement(
        name: name, compiled: ruleSet.placement(named: name).map { ruleSet.placements[$0] })
    }
    var fragments = OutcomeFragments(layout: layout, form: form, columnsOfRun: columnsOfRun)
    fragments.known = known
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
    columns = OutcomeColumns(placements.map { $0.name }, ofRun: ofRun, hasReasons: givesReasons)
    firstLine = fragments.header(columns)
    let (draws, distinctClock, table) = (draws, self.clock, table)
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
          collectsChoices: collectsChoices, isVersioned: true, draws: draws,
          known: columns.isEmpty ? table : nil)
      }
    }
  }

  /// The first bytes of an outcomes file, such as the header of a CSV file.
  public var header: [UInt8] { firstLine }

  /// The possible results of decisions, by their numbers in ``OutcomeForm/rows``; empty in other
  /// forms.
  package var choices: [Choice] { table.descriptions }

  /// Whether the batch needs each user's choice in addition to the counts.
  var keepsChoices: Bool { writesOutcomes || wantsExamples || collectsChoices }

  /// Whether the reasons of outcomes are written or collected.
  var tellsReasons: Bool { givesReasons && (writesOutcomes || collectsChoices) }

  /// The placements, in their order.
  package var placementNames: [String] { placements.map { $0.name } }

  /// The number of decisions per user.
  public var placementCount: Int { placements.count }

  /// The size of a user's outcomes, measured in placements. Many failing rules take as much memory
  /// as many outcomes.
  package var weight: Int { max(placements.count, ruleSet.rules.count / 10) }

  /// The names of placements that the config does not contain.
  public var unknownPlacements: [String] {
    placements.filter { $0.compiled == nil }.map { $0.name }
  }

  /// A tally for this batch in which all counts are zero.
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

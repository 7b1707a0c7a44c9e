internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Repeats the decisions that apps have reported, each row with the config and the SDK that decided it.
struct EventReplay {
  /// A config with the rules as each version of an SDK decides them.
  private final class Build {
    let config: Config
    private let family: RuleSetFamily
    private var deciders: [SDKProfile: Decider] = [:]

    init(_ config: Config) {
      self.config = config
      family = RuleSetFamily(config)
    }

    func decider(for profile: SDKProfile) -> Decider {
      if let known = deciders[profile] { return known }
      let made = Decider(family.ruleSet(for: profile))
      deciders[profile] = made
      return made
    }
  }

  /// Decides rows with one SDK. A decider is reused, because creating a reader of records takes as long as a decision.
  private final class Decider {
    let ruleSet: RuleSet
    private var frame: Frame
    private var reader: UserRecordReader

    init(_ ruleSet: RuleSet) {
      self.ruleSet = ruleSet
      frame = Frame(for: ruleSet.program)
      reader = UserRecordReader(ruleSet, at: HistoryClock(now: Instant(milliseconds: 0)))
    }

    func withUser<Result>(
      _ row: RecordedDecision, _ body: (inout Frame, DecisionState, HistoryClock) -> Result
    ) throws(UserRecordReader.Rejection) -> Result {
      let clock = HistoryClock(now: row.time)
      reader.clock = clock
      defer {
        reader.forget()
        frame.reset()
      }
      try reader.read(json: row.record.json.utf8, into: &frame)
      return body(&frame, reader.state(now: row.time), clock)
    }
  }

  private let builds: [String: Build]
  /// The config for rows that name no build, or for all rows if the config itself names no build.
  private let only: Build?
  private(set) var tally = ReplayTally()
  private(set) var names = RecordedDecision.Names()
  /// The SDKs of devices, cached because many rows have the same SDK.
  private var choices: [DeviceSDK: SDKSelection.Choice] = [:]
  private static let mostChoices = 10_000

  /// - Parameter configs: one config for each build that decided, after ``check(_:named:)``.
  init(_ configs: [Config]) {
    var builds: [String: Build] = [:]
    for config in configs where !config.buildID.isEmpty { builds[config.buildID] = Build(config) }
    self.builds = builds
    only =
      configs.count == 1 ? builds.values.first ?? configs.first.map { Build($0) } : nil
  }

  /// Rejects several configs without distinct build IDs.
  static func check(_ configs: [Config], named paths: [String]) throws {
    guard configs.count > 1 else { return }
    var known: [String: String] = [:]
    for (config, path) in zip(configs, paths) {
      if config.buildID.isEmpty {
        throw CommandError(
          "\(path) has no build ID, so it is unknown which rows it decides; pass only one --config"
        )
      }
      if let other = known.updateValue(path, forKey: config.buildID) {
        throw CommandError("\(other) and \(path) have the same build ID, '\(config.buildID)'")
      }
    }
  }

  private func build(of row: RecordedDecision) -> Build? {
    guard let name = row.build, !builds.isEmpty else { return only }
    return builds[name]
  }

  mutating func add(_ row: EventRows.Row) {
    let recorded: RecordedDecision
    do throws(RecordedDecision.Fault) {
      recorded = try RecordedDecision(row.content.get(), &names)
    } catch {
      return tally.reject(row.line, error.reason)
    }
    tally.see(recorded)
    guard recorded.result != nil else {
      return tally.pass(.otherResult(recorded.givenResult))
    }
    guard let build = build(of: recorded) else {
      return tally.pass(recorded.build.map { .otherBuild($0) } ?? .noBuild)
    }
    let choice = choice(DeviceSDK(device: recorded.record["device"]), build.config.format)
    let decider = build.decider(for: choice.profile)
    tally.draw(recorded, decider.ruleSet, choice.profile)
    do throws(UserRecordReader.Rejection) {
      let answer = try decider.withUser(recorded) { frame, state, clock in
        Self.answer(recorded, decider.ruleSet, &frame, state, clock)
      }
      tally.add(answer, recorded, choice, line: row.line)
    } catch {
      tally.reject(row.line, error.reason)
    }
  }

  private mutating func choice(_ device: DeviceSDK, _ format: Config.Format) -> SDKSelection.Choice
  {
    if format == .agentWallie { return SDKSelection.record.choice(device, usual: .agentWallie) }
    if let known = choices[device] { return known }
    let choice = SDKSelection.record.choice(device, usual: .ios)
    if choices.count < Self.mostChoices { choices[device] = choice }
    return choice
  }

  // MARK: One row

  /// The result of deciding a row again.
  enum Answer {
    case reproduced
    case undecidable(String)
    case differs(Difference)
  }

  /// A row for which the rules give another outcome.
  struct Difference {
    /// The outcome that the rules give.
    var decided: String
    /// The explanation of the audience that the two outcomes disagree about.
    var explanation: String
    /// Attributes that the audience's condition reads and that the row does not have.
    var missing: [AttributePath]
    /// Whether the audience depends on earlier events, which an export does not contain.
    var needsHistory: Bool
    /// A variant or a paywall of the row that the config does not have.
    var unknown: String?
  }

  private static func answer(
    _ row: RecordedDecision, _ ruleSet: RuleSet, _ frame: inout Frame, _ state: DecisionState,
    _ clock: HistoryClock
  ) -> Answer {
    let assigner = Assigner.usual(for: ruleSet.format, salt: "")
    let decision = ruleSet.decide(row.placement, frame: &frame, state: state, assigner: assigner)
    if case .undecidable(let reason) = decision.outcome { return .undecidable(reason) }
    let outcomes = possible(decision, assigner)
    if outcomes.contains(where: { row.agrees(with: $0) }) { return .reproduced }
    let disputed = disputed(row, decision)
    let explained = disputed.flatMap {
      ruleSet.explain(
        audience: $0, of: row.placement, frame: &frame, state: state, clock: clock)
    }
    let clauses = explained?.clauses ?? []
    return .differs(
      Difference(
        decided: text(decision, outcomes), explanation: explained?.text ?? "",
        missing: clauses.flatMap(\.attributes).filter { $0.value == nil }.map(\.path),
        needsHistory: explained?.limit != nil || clauses.contains { !$0.computed.isEmpty },
        unknown: unknown(row, decision)))
  }

  /// A variant or a paywall of a row that the deciding audience does not have.
  private static func unknown(_ row: RecordedDecision, _ decision: Decision) -> String? {
    guard let audience = decision.decidingAudience, row.experiment == audience.experimentID else {
      return nil
    }
    if let variant = row.variant, !audience.variants.contains(where: { $0.id == variant }) {
      return "the experiment '\(audience.experimentID)' of the config has no variant '\(variant)'"
    }
    if let paywall = row.paywall, !audience.variants.contains(where: { $0.paywallID == paywall }) {
      return "no variant of the experiment '\(audience.experimentID)' has the paywall '\(paywall)'"
    }
    return nil
  }

  /// The outcomes that a user could have had. Most SDKs draw variants at random and store them, so any variant is
  /// possible. AgentWallie's SDK draws by the user's ID, so only one variant is possible.
  private static func possible(_ decision: Decision, _ assigner: Assigner) -> [Decision.Outcome] {
    guard let rule = decision.rule, decision.verdict.variant >= 0, assigner != .djb2 else {
      return [decision.outcome]
    }
    return rule.audience.variants.indices.map { rule.outcome($0) }
  }

  /// The audience that the two outcomes disagree about: the earlier of the two deciding audiences.
  private static func disputed(_ row: RecordedDecision, _ decision: Decision) -> Int? {
    let ruleSet = decision.ruleSet
    let rules = ruleSet.placement(named: row.placement).map {
      ruleSet.rules[ruleSet.placements[$0].rules]
    }
    let recorded = rules?.first { rule in
      rule.audience.variants.indices.contains { row.agrees(with: rule.outcome($0)) }
    }
    return [recorded?.audience.index, decision.audience].compactMap { $0 }.min()
  }

  private static func text(_ decision: Decision, _ outcomes: [Decision.Outcome]) -> String {
    switch decision.outcome {
    case .paywall(let experiment), .holdout(let experiment):
      let audience = "audience \(decision.audience ?? 0), experiment '\(experiment.id)'"
      return outcomes.count == 1
        ? "\(decision.outcome.code) of variant '\(experiment.variant.id)' (\(audience))" : audience
    case .noAudienceMatch: return "no match"
    case .placementNotFound: return "no such placement"
    case .error(let failure): return failure.message
    case .undecidable(let reason): return reason
    }
  }
}

extension RecordedDecision {
  /// Whether an outcome equals the recorded outcome in all values that the row contains.
  func agrees(with outcome: Decision.Outcome) -> Bool {
    func same(_ given: String?, _ own: String?) -> Bool {
      guard let given else { return true }
      return given.utf8.elementsEqual((own ?? "").utf8)
    }
    switch outcome {
    case .paywall(let own):
      return result == "paywall" && same(experiment, own.id) && same(variant, own.variant.id)
        && same(paywall, own.variant.paywallID)
    case .holdout(let own):
      return result == "holdout" && same(experiment, own.id) && same(variant, own.variant.id)
    case .noAudienceMatch: return result == "noAudienceMatch"
    case .placementNotFound: return result == "placementNotFound"
    case .error: return result == "error"
    case .undecidable: return false
    }
  }
}

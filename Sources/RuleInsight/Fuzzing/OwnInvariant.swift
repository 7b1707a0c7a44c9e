internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Invariants of the engine for every config and every user, in addition to the invariants that a
/// team declares.
package enum OwnInvariant: String, CaseIterable, Hashable, Sendable {
  /// A single decision, a batch of rows, and columns give the same result.
  case batch
  /// Folded and unfolded conditions give the same result.
  case folding
  /// Rules that were printed and parsed again give the same result.
  case printing
  /// An explanation agrees with the decision, and the smallest change that it names makes the
  /// audience match.
  case explaining
  /// Deciding twice gives the same result.
  case repeating
  /// A request applies the effects that the table lists.
  case effects
  /// No outcome exceeds the limit of its audience.
  case limits
  /// Texts contain no tag that came from data.
  case texts

  /// The invariant in words.
  package var title: String {
    switch self {
    case .batch: "single, batch and column decisions agree"
    case .folding: "optimized and unoptimized rules agree"
    case .printing: "printed and parsed rules agree"
    case .explaining: "explanations agree with decisions"
    case .repeating: "deciding twice gives the same outcome"
    case .effects: "effects match the table of effects"
    case .limits: "no limit is exceeded"
    case .texts: "no template tag in a text comes from user data"
    }
  }
}

/// Checks our own invariants for users.
final class OwnChecks {
  /// The data that all workers share.
  struct Plan: Sendable {
    let ruleSet: RuleSet
    /// The same rules compiled without folding, and compiled after they were printed.
    let unfolded: RuleSet
    let printed: RuleSet
    let batch: BatchPlan
    let texts: BatchPlan?
    let options: FuzzPlan.Options
    let placements: [String]

    init(_ ruleSet: RuleSet, _ config: Config, _ options: FuzzPlan.Options) {
      self.ruleSet = ruleSet
      self.options = options
      let language = ruleSet.language
      func compiled(_ config: Config, folds: Bool) -> RuleSet {
        RuleSet.compile(
          config, language: language, environment: ruleSet.environment, folds: folds
        ).output ?? ruleSet
      }
      unfolded = compiled(config, folds: false)
      printed = compiled(Self.printed(config, language), folds: true)
      placements = options.placements ?? ruleSet.placementNames
      func plan(_ texts: TextPlan?) -> BatchPlan {
        BatchPlan(
          ruleSet, placements: options.placements, now: options.clock.now,
          assigner: options.assigner, clock: options.clock, texts: texts)
      }
      batch = plan(nil)
      texts = options.texts.map { plan($0) }
    }

    private static func printed(_ config: Config, _ language: RuleLanguage) -> Config {
      var config = config
      let dialect = language.environment(limits: Limits()).dialect
      for placement in config.placements.indices {
        for audience in config.placements[placement].audiences.indices {
          guard let text = config.placements[placement].audiences[audience].expression,
            let parsed = ParsedExpression(text, in: dialect)
          else { continue }
          config.placements[placement].audiences[audience].expression =
            Printer.print(parsed.tree, dialect)
        }
      }
      return config
    }
  }

  /// A violated invariant.
  struct Failure: Hashable, Sendable {
    var invariant: OwnInvariant
    var placement: String?
    var expected: String
    var got: String
  }

  private let plan: Plan
  private let decider: WitnessDecider
  private let unfolded: WitnessDecider
  private let printed: WitnessDecider
  private var worker: BatchWorker
  private var texts: BatchWorker?

  init(_ plan: Plan) {
    self.plan = plan
    decider = WitnessDecider(plan.ruleSet, at: plan.options.clock)
    unfolded = WitnessDecider(plan.unfolded, at: plan.options.clock)
    printed = WitnessDecider(plan.printed, at: plan.options.clock)
    worker = BatchWorker(plan.batch)
    texts = plan.texts.map { BatchWorker($0) }
  }

  /// - Parameter explains: whether to check the smallest change as well, which is slow.
  func failures(_ record: Value, explains: Bool) -> [Failure] {
    guard let state = decider.read(record) else { return [] }
    var failures: [Failure] = []
    let alters = plan.options.alters
    func hold(_ invariant: OwnInvariant, _ placement: String?, _ expected: String, _ got: String) {
      let got = alters?(invariant, got) ?? got
      guard !sameBytes(expected, got) else { return }
      failures.append(
        Failure(invariant: invariant, placement: placement, expected: expected, got: got))
    }
    let others = [(OwnInvariant.folding, unfolded), (.printing, printed)]
    let otherStates = others.map { $0.1.read(record) }
    var lines: [String] = []
    for placement in plan.placements {
      let decision = decide(placement, decider, state)
      let told = Self.told(decision)
      let errors = plan.ruleSet.errors(placement, frame: &decider.frame, state: state)
      lines.append(decision.outcomeLine(subjectID: state.subjectID, errors: errors).json)
      hold(.repeating, placement, told, Self.told(decide(placement, decider, state)))
      for (other, otherState) in zip(others, otherStates) {
        guard let otherState else { continue }
        hold(other.0, placement, told, Self.told(decide(placement, other.1, otherState)))
      }
      hold(.explaining, placement, told, explained(placement, state))
      hold(.effects, placement, Self.wantedEffects(decision), Self.effects(decision))
      hold(.limits, placement, "within", Self.room(decision, state))
    }
    let expected = lines.joined(separator: "\n")
    let batch = self.batch(record)
    hold(.batch, nil, expected, batch.rows)
    hold(.batch, nil, expected, batch.columns)
    if texts != nil { hold(.texts, nil, "none", tags(record)) }
    if explains {
      for placement in plan.placements {
        if let (wanted, got) = changed(record, placement, state) {
          hold(.explaining, placement, wanted, got)
        }
      }
    }
    return failures
  }

  private func decide(_ placement: String, _ decider: WitnessDecider, _ state: DecisionState)
    -> Decision
  {
    decider.ruleSet.decide(
      placement, frame: &decider.frame, state: state, assigner: plan.options.assigner)
  }

  private static func told(_ decision: Decision) -> String {
    decision.outcomeLine(subjectID: "").json + " "
      + (decision.assignmentSource.map { "\($0)" } ?? "none")
  }

  /// The decision that follows from the steps of an explanation.
  private func explained(_ placement: String, _ state: DecisionState) -> String {
    let explanation = plan.ruleSet.explain(
      placement, frame: &decider.frame, state: state, assigner: plan.options.assigner,
      clock: plan.options.clock)
    let matched = explanation.audiences.filter { $0.step.reason == .matched }.map { $0.step.index }
    let deciding = explanation.decision.audience.map { [$0] } ?? []
    let outcome = Self.told(explanation.decision)
    return matched == deciding ? outcome : "\(outcome), but \(matched) matched"
  }

  // MARK: Effects and limits

  private static func effects(_ decision: Decision) -> String {
    RequestKind.allCases.map { kind in
      var applied: EffectTable.Effects = []
      for effect in decision.effects(for: kind) {
        switch effect.effect {
        case .storeAssignment, .confirmAssignment: applied.insert(.confirmAssignment)
        case .recordOccurrence: applied.insert(.recordOccurrence)
        case .fireTrigger: applied.insert(.fireTrigger)
        }
      }
      return "\(kind.rawValue) \(applied.rawValue)"
    }.joined(separator: ", ")
  }

  /// The decision's effects that the table allows.
  private static func wantedEffects(_ decision: Decision) -> String {
    var own: EffectTable.Effects = .fireTrigger
    for effect in decision.effects {
      switch effect {
      case .storeAssignment, .confirmAssignment: own.insert(.confirmAssignment)
      case .recordOccurrence: own.insert(.recordOccurrence)
      case .fireTrigger: break
      }
    }
    let column = EffectTable.OutcomeKind(decision.outcome)
    return RequestKind.allCases.map { kind in
      "\(kind.rawValue) \(EffectTable.tollgate[kind, column].intersection(own).rawValue)"
    }.joined(separator: ", ")
  }

  /// Whether the limit of the audience that decides is not exceeded, according to a separate count.
  private static func room(_ decision: Decision, _ state: DecisionState) -> String {
    guard let limit = decision.rule?.audience.occurrenceLimit else { return "within" }
    var count = 0
    for stored in state.occurrences where sameBytes(stored.key, limit.key) {
      for time in stored.times where time <= state.now {
        switch limit.interval {
        case .infinity: count += 1
        case .session: if let start = state.sessionStart, time >= start { count += 1 }
        case .minutes(let minutes):
          let age = (state.now - time) / 60_000
          let isExact = (state.now - time) % 60_000 == 0
          if age < Int64(minutes) || age == Int64(minutes) && isExact { count += 1 }
        }
      }
    }
    return count < limit.maxCount
      ? "within" : "\(limit.key) already had \(count) of \(limit.maxCount) occurrences"
  }

  // MARK: Batches

  /// The outcomes for a user in a batch of three equal lines: the first line is decided as a new
  /// record shape, the second as a known one.
  private func batch(_ record: Value) -> (rows: String, columns: String) {
    let line = Array(record.json.utf8)
    let output = worker.process(Array([line, line, line].joined(separator: [0x0A])))
    let lines = String(decoding: output.outcomes, as: UTF8.self).split(separator: "\n")
    let count = plan.placements.count
    guard lines.count == 3 * count else {
      return ("\(lines.count) lines", "\(lines.count) lines")
    }
    return (
      lines.prefix(count).joined(separator: "\n"), lines[count..<2 * count].joined(separator: "\n")
    )
  }

  /// Marks that data has injected into a user's texts.
  private func tags(_ record: Value) -> String {
    guard texts != nil else { return "none" }
    let output = texts?.process(Array(record.json.utf8))
    let text = output.map { String(decoding: $0.outcomes, as: UTF8.self) } ?? ""
    var found: [String] = []
    for line in text.split(separator: "\n") {
      guard let value = try? Value.parse(json: line.utf8), let texts = value["texts"]?.json else {
        continue
      }
      if plan.options.isHTML, texts.contains("<x-tollgate") {
        found.append("<x-tollgate> of the user's data is in \(texts)")
      }
      if texts.contains("TOLLGATE") {
        found.append("{{ 'tollgate' | upcase }} of the user's data has run in \(texts)")
      }
    }
    return found.first ?? "none"
  }

  // MARK: The smallest change

  /// Applies the smallest change for an audience that does not decide. Returns this audience and
  /// the audience that decides after the change.
  private func changed(_ record: Value, _ placement: String, _ state: DecisionState) -> (
    wanted: String, got: String
  )? {
    guard decider.read(record) != nil else { return nil }
    let steps = plan.ruleSet.steps(placement, frame: &decider.frame, state: state)
    guard let step = steps.first(where: { $0.reason != .matched }),
      let change = plan.ruleSet.smallestChange(
        audience: step.index, of: placement, for: record, at: plan.options.clock),
      change.verdict == .found
    else { return nil }
    var changed = record
    for part in change.changes + change.follows {
      let path = part.path.split(separator: ".").map(String.init)
      changed = changed.setting(path[...], to: part.to)
    }
    guard let state = decider.read(changed) else { return nil }
    let after = plan.ruleSet.steps(placement, frame: &decider.frame, state: state)
    let matched = after.first { $0.reason == .matched }
    let taken = matched.map { "audience \($0.index)" } ?? "no audience"
    return ("audience \(step.index)", taken)
  }
}

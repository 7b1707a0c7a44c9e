internal import CivilTime
internal import Expressions
package import RuleBatch
package import RuleEngine

/// The settings of a traffic simulation, such as its placements, random numbers and output. All
/// workers share it.
package final class TrafficPlan: Sendable {
  /// The options of a simulation.
  package struct Options: Sendable {
    /// The names of the placements to simulate; nil for all placements of the config.
    package var placements: [String]?
    /// The method that draws a variant for users without an assignment.
    package var assigner: Assigner
    /// The clock, whose time zone is used for days and for questions about events.
    package var clock: HistoryClock
    /// The seed for everything random.
    package var seed = ""
    /// The share of shown paywalls after which the user subscribes.
    package var purchaseRate = 0.0
    /// The format in which simulated placements are written; nil to only count them.
    package var form: OutcomeForm?
    /// The maximum length of a line of users or of traffic, in bytes.
    package var lineLimit = 1 << 20
    /// The SDKs of users; nil if the rule set decides for all.
    package var versions: TrafficVersions?

    package init(assigner: Assigner, clock: HistoryClock) {
      self.assigner = assigner
      self.clock = clock
    }
  }

  /// A placement of the simulation.
  struct Placement: Sendable {
    var name: String
    /// The placement's number in the rule set.
    var number: Int
    var rules: Range<Int>
    /// The SDK event with the placement's name.
    var event: SuperwallEventName?
    /// The choice when no audience matches, and when a condition terminates the app.
    var unmatched: Choice
    var aborted: Choice
  }

  /// A possible result of a decision, and its effects, precomputed from ``EffectTable``.
  struct Choice: Sendable {
    var outcome: EffectTable.OutcomeKind
    /// The assignment to store; nil if there is none.
    var stored: Assignment?
    /// The key of the occurrence to count; nil if there is none.
    var occurrence: String?
    var firesTrigger = false
    /// The index of the paywall in ``TrafficPlan/paywalls``, or -1.
    var paywall = -1
    /// The ID of the variant, if there is one.
    var variant: String?
    /// The text of an outcome line after the user.
    var text: [UInt8] = []
  }

  package let ruleSet: RuleSet
  package let options: Options
  /// The config, which SDKs of other versions may decide differently.
  private let config: Config
  /// The plans of users with SDKs of several versions; nil if ``ruleSet`` decides for all.
  let fleet: TrafficFleet?
  let placements: [Placement]
  /// The paywalls that the placements can show.
  package let paywalls: [String]
  /// For each paywall, the entitlements of a user that buys its first product.
  let entitlements: [[String]]
  /// The rules with a limit, in order; and for each rule, its index among them, or -1.
  package let limitedRules: [Int]
  let limitOfRule: [Int]
  /// The inactivity after which a new session begins, in milliseconds.
  let sessionTimeout: Int64
  /// Whether any rule depends on parameters.
  package let readsParams: Bool
  /// Whether answers to questions about events need memory of the frame.
  let answersTakeMemory: Bool
  /// For each placement of the rule set, its index in ``placements``, or -1.
  private let places: [Int]
  /// The choices of each rule: two for each variant (drawn and stored), then the choice without a
  /// variant.
  private let choices: [[Choice]]

  package convenience init(_ ruleSet: RuleSet, _ config: Config, _ options: Options) {
    self.init(
      ruleSet, config, options, base: nil, fleet: options.versions.map { TrafficFleet($0, config) })
  }

  /// Creates the plan of users with another SDK. The counts of both plans have the same shape.
  convenience init(_ ruleSet: RuleSet, asPartOf base: TrafficPlan) {
    self.init(ruleSet, base.config, base.options, base: base, fleet: nil)
  }

  private init(
    _ ruleSet: RuleSet, _ config: Config, _ options: Options, base: TrafficPlan?,
    fleet: TrafficFleet?
  ) {
    self.ruleSet = ruleSet
    self.config = config
    self.options = options
    self.fleet = fleet
    var seen: Set<Int> = []
    let numbers = (options.placements ?? ruleSet.placementNames)
      .compactMap { ruleSet.placement(named: $0) }.filter { seen.insert($0).inserted }
    var builder = ChoiceBuilder(ruleSet, options.form, paywalls: base?.paywalls ?? [])
    let isRejected = ruleSet.storage.rejection != nil
    var choices = Array(repeating: [Choice](), count: ruleSet.rules.count)
    var places = Array(repeating: -1, count: ruleSet.placements.count)
    var placements: [Placement] = []
    for number in numbers {
      let compiled = ruleSet.placements[number]
      let event = SuperwallEventName.allCases.first { $0.placementName == compiled.name }
      builder.begin(number, event)
      places[number] = placements.count
      placements.append(
        Placement(
          name: compiled.name, number: number, rules: isRejected ? 0..<0 : compiled.rules,
          event: event, unmatched: builder.choice(Verdict(), nil),
          aborted: builder.choice(.aborting, nil)))
      for rule in compiled.rules { choices[rule] = builder.choices(ofRule: rule) }
    }
    self.placements = placements
    self.places = places
    self.choices = choices
    paywalls = builder.paywalls
    entitlements = paywalls.map { identifier in
      guard let product = config.paywall(identifier)?.products.first else { return [] }
      let given = config.entitlements(ofProduct: product.id)
      return (given.isEmpty ? product.entitlements : given).map { $0.id }
    }
    limitedRules =
      base?.limitedRules
      ?? numbers.flatMap { ruleSet.placements[$0].rules }
      .filter { ruleSet.rules[$0].audience.occurrenceLimit != nil }
    var limitOfRule = Array(repeating: -1, count: ruleSet.rules.count)
    for (place, rule) in limitedRules.enumerated() { limitOfRule[rule] = place }
    self.limitOfRule = limitOfRule
    sessionTimeout = config.settings.sessionTimeout
    readsParams = ruleSet.requirements.contains { $0.names.first == "params" }
    answersTakeMemory = ruleSet.questions.contains { $0.argument == .anyKnown }
  }

  package var placementNames: [String] { placements.map { $0.name } }

  /// The index of a placement in this simulation; nil if the placement is not simulated.
  package func place(ofPlacement number: Int) -> Int? {
    places[number] >= 0 ? places[number] : nil
  }

  /// The choice of a verdict for one of the placements.
  func choice(_ verdict: Verdict) -> Choice {
    let ofRule = choices[Int(verdict.rule)]
    guard verdict.variant >= 0 else { return ofRule[ofRule.count - 1] }
    return ofRule[Int(verdict.variant) * 2 + (verdict.source == .stored ? 1 : 0)]
  }

  /// The beginning of a file of simulated placements.
  package var header: [UInt8] {
    guard options.form == .csv else { return [] }
    let columns = OutcomeColumns([], ofRun: [], hasReasons: false)
    let names = ["at", OutcomeColumns.user, "placement"] + columns.fields
    return Array((names.joined(separator: ",") + "\n").utf8)
  }
}

/// Computes the effects of each possible decision from the table of effects.
private struct ChoiceBuilder {
  private let ruleSet: RuleSet
  private let fragments: OutcomeFragments?
  private(set) var paywalls: [String] = []
  private var placement = 0
  private var event: SuperwallEventName?

  init(_ ruleSet: RuleSet, _ form: OutcomeForm?, paywalls: [String]) {
    self.ruleSet = ruleSet
    self.paywalls = paywalls
    fragments = form.map { OutcomeFragments(layout: .long, form: $0) }
  }

  mutating func begin(_ placement: Int, _ event: SuperwallEventName?) {
    self.placement = placement
    self.event = event
  }

  mutating func choices(ofRule rule: Int) -> [TrafficPlan.Choice] {
    let audience = ruleSet.rules[rule].audience
    var choices: [TrafficPlan.Choice] = []
    for (number, variant) in audience.variants.enumerated()
    where audience.experimentStatus == .running {
      for source in [Verdict.Source.new, .stored] {
        let verdict = Verdict(
          rule: Int32(rule), variant: Int32(number), assignment: source == .stored ? 0 : -1,
          source: source)
        choices.append(
          choice(
            verdict, Assignment(experimentID: audience.experimentID, variantID: variant.id)))
      }
    }
    return choices + [choice(Verdict(rule: Int32(rule)), nil)]
  }

  mutating func choice(_ verdict: Verdict, _ assignment: Assignment?) -> TrafficPlan.Choice {
    let state = DecisionState(subjectID: "", now: 0, assignments: assignment.map { [$0] } ?? [])
    let decision = Decision(ruleSet: ruleSet, verdict: verdict, placement: placement, state)
    let outcome = decision.outcome
    var choice = TrafficPlan.Choice(outcome: EffectTable.OutcomeKind(outcome))
    for applied in decision.effects(for: kind(outcome)) {
      switch applied.effect {
      case .storeAssignment: choice.stored = assignment
      case .recordOccurrence(let limit): choice.occurrence = limit.key
      case .fireTrigger: choice.firesTrigger = true
      case .confirmAssignment: break
      }
    }
    switch outcome {
    case .paywall(let experiment), .holdout(let experiment): choice.variant = experiment.variant.id
    case .noAudienceMatch, .placementNotFound, .error, .undecidable: break
    }
    if case .paywall(let experiment) = outcome {
      choice.paywall = number(ofPaywall: experiment.variant.paywallID ?? "")
    }
    choice.text = fragments?.fragment(decision.placement, outcome, decision.audience) ?? []
    return choice
  }

  /// The kind of request: an event that replaces the open paywall first checks for a paywall. The
  /// placement is only presented if it has a paywall.
  private func kind(_ outcome: Decision.Outcome) -> RequestKind {
    if case .paywall = outcome { return .presentation }
    return event.map(ImplicitTriggers.tollgate.replacing.contains) == true
      ? .handleImplicitTrigger : .presentation
  }

  private mutating func number(ofPaywall identifier: String) -> Int {
    if let known = paywalls.firstIndex(where: { $0.utf8.elementsEqual(identifier.utf8) }) {
      return known
    }
    paywalls.append(identifier)
    return paywalls.count - 1
  }
}

extension Verdict {
  /// The verdict when a condition terminates the app.
  fileprivate static var aborting: Verdict {
    var verdict = Verdict()
    verdict.aborts = true
    return verdict
  }
}

public import Expressions

/// A compiled config: immutable, `Sendable`, and shared by any number of threads.
///
/// The conditions of all audiences form one `Program`. Equal conditions are evaluated only once.
///
/// ```swift
/// let audience = Audience(
///   index: 0, experimentID: "spring", expression: "user.plan == 'free'",
///   variants: [Variant(id: "v1", kind: .treatment, weight: 100, paywallID: "annual")])
/// let config = Config(placements: [Placement(name: "export", audiences: [audience])])
/// let rules = try RuleSet.compile(config).get()
/// rules.requirements.map(\.description)  // ["user.plan"]
///
/// var frame = Frame(for: rules.program)
/// try frame.fill(["user": ["plan": "free"]])
/// let state = DecisionState(subjectID: "u1", now: 1_772_366_400_000)
/// let assigner = Assigner.hash(salt: "")
/// let decision: Decision = rules.decide("export", frame: &frame, state: state, assigner: assigner)
/// decision.outcome.code  // "paywall"
/// decision.effects  // [.storeAssignment(experimentID: "spring", variantID: "v1")]
/// decision.assignmentSource  // AssignmentSource.only
/// PresentationResult(TriggerResult(decision.outcome)).type  // "Paywall"
///
/// let explanation: Explanation = rules.explain(
///   "export", frame: &frame, state: state, assigner: assigner)
/// explanation.audiences[0].clauses.map(\.text)  // ["user.plan == 'free'"]
/// let distribution: Distribution = rules.distribution(
///   "export", frame: &frame, state: state, assigner: assigner)
/// distribution.shares.map(\.probability)  // [.one]
/// ```
public struct RuleSet: Sendable {
  /// A compiled audience.
  package struct Rule: Sendable {
    package var audience: Audience
    /// Number of the condition, or -1 when the audience matches every user.
    package var condition: Int32
    /// The audience's own expression in the program, which explanations read.
    package var entry: Program.Entry?
    /// True when the expression does not compile: the rule never matches.
    package var isBroken: Bool
    package var weights: WeightTable
    /// True when the condition is JavaScript: the decision is unknown for users that reach the
    /// rule.
    package var isUndecidable = false
    /// True when superscript panics while it reads the expression.
    package var panicsWhenRead = false
  }

  /// A placement and its rules, as a range of ``RuleSet/rules``.
  package struct CompiledPlacement: Sendable {
    package var name: String
    package var rules: Range<Int>
  }

  /// The contents of a rule set, behind one reference so that copying a rule set is cheap.
  package final class Storage: Sendable {
    package let program: Program
    package let format: Config.Format
    let language: RuleLanguage
    let profile: SDKProfile?
    /// Why the SDK rejects the whole config; nil if the SDK accepts the config.
    package let rejection: ConfigFact?
    /// Whether a condition may panic and thereby terminate the app.
    package let aborts: Bool
    /// Slots of attributes that the SDK does not send.
    package let unsent: [Int]
    let computed: [(slot: Int, property: ComputedProperty)]
    private let computedProperties: [ComputedProperty]
    /// The questions are stored because every decision needs them, and finding them visits all slots of the program.
    let questions: [HostQuestion]
    package let rules: [Rule]
    package let placements: [CompiledPlacement]
    package let conditions: [Program.Entry]
    package let table: RuleTable
    let index: PlacementIndex
    let requirements: [AttributePath]
    /// Attributes of the device that rules read and that records may omit.
    package let derived: [DeviceAttribute]
    private let standInProgram = Locked<StandInProgram??>(nil)

    init(
      program: Program, format: Config.Format, language: RuleLanguage, profile: SDKProfile?,
      rules: [Rule], placements: [CompiledPlacement], conditions: [Program.Entry],
      computedProperties: [ComputedProperty], rejection: ConfigFact?,
      requirements: [AttributePath], derived: [DeviceAttribute]
    ) {
      self.requirements = requirements
      self.derived = derived
      self.program = program
      self.format = format
      self.language = language
      self.profile = profile
      self.rejection = rejection
      aborts =
        (profile?.aborts ?? false)
        && (rules.contains { $0.panicsWhenRead } || program.mayPanic)
      unsent =
        profile.map { profile in
          program.requirements.filter { !profile.sends($0) }.compactMap { program.slot(of: $0) }
        } ?? []
      questions = program.questions
      self.computedProperties = computedProperties
      computed = computedProperties.compactMap { property in
        program.slot(of: AttributePath(["device", property.attributeName])).map { ($0, property) }
      }
      self.rules = rules
      self.placements = placements
      self.conditions = conditions
      table = RuleTable(rules, starts: program.choices.flatMap { $0 })
      index = PlacementIndex(placements.map { $0.name })
    }

    /// Clauses that replace missing attributes by another value, by condition. Created on first use.
    package var standIns: StandInProgram? {
      standInProgram.withLock { known in
        if let known { return known }
        let made = StandInProgram(program, conditions)
        known = .some(made)
        return made
      }
    }

    /// The rules as another SDK decides them, if that SDK compiles the config identically.
    fileprivate func following(_ profile: SDKProfile, _ rejection: ConfigFact?) -> Storage {
      Storage(
        program: program, format: format, language: language == .cel ? .cel : .superscript(profile),
        profile: profile, rules: rules, placements: placements, conditions: conditions,
        computedProperties: computedProperties, rejection: rejection, requirements: requirements,
        derived: derived)
    }
  }

  package let storage: Storage
  /// How to read the IDs of user records.
  package var userIDs = UserID.Reading.bytes

  private init(_ storage: Storage) { self.storage = storage }

  /// The rules as another SDK with the same ``SDKProfile/CompileKey`` decides them.
  package func following(_ profile: SDKProfile, _ config: Config) -> RuleSet {
    RuleSet(storage.following(profile, profile.rejection(of: config)))
  }

  /// The program with all conditions. Decisions need a frame that was created for the program.
  public var program: Program { storage.program }
  /// The format of the config that the rule set was compiled from.
  public var format: Config.Format { storage.format }
  /// The language of the expressions.
  public var language: RuleLanguage { storage.language }
  /// The environment that the conditions were compiled in. Other expressions compiled in this environment behave alike.
  package var environment: ExpressionEnvironment { program.storage.environment }
  /// The generation of Superwall's evaluator that the rules follow.
  package var behavior: EvaluatorBehavior { environment.behavior }
  /// The SDK whose behavior the rules follow, or nil.
  package var profile: SDKProfile? { storage.profile }
  /// Device attributes that are computed from the history of events, with their slots.
  package var computed: [(slot: Int, property: ComputedProperty)] { storage.computed }
  package var rules: [Rule] { storage.rules }
  package var placements: [CompiledPlacement] { storage.placements }
  /// The distinct conditions. Rules whose conditions have the same meaning share a condition.
  package var conditions: [Program.Entry] { storage.conditions }

  /// The names of all placements, in the order of the config.
  public var placementNames: [String] { placements.map { $0.name } }

  /// The attributes that the rules read.
  public var requirements: [AttributePath] { storage.requirements }

  /// The questions that the rules ask about the history of events.
  package var questions: [HostQuestion] { storage.questions }

  package init(
    program: Program, format: Config.Format, language: RuleLanguage, profile: SDKProfile? = nil,
    rules: [Rule], placements: [CompiledPlacement], conditions: [Program.Entry],
    computedProperties: [ComputedProperty], rejection: ConfigFact? = nil,
    requirements: [AttributePath], derived: [DeviceAttribute]
  ) {
    storage = Storage(
      program: program, format: format, language: language, profile: profile, rules: rules,
      placements: placements, conditions: conditions, computedProperties: computedProperties,
      rejection: rejection, requirements: requirements, derived: derived)
  }

  /// Whether rules read attributes that are derived from other attributes or from the clock.
  package var derivesAttributes: Bool { !storage.derived.isEmpty }

  /// A record completed by attributes that rules read and that are derived from other attributes or from the clock.
  package func completed(_ record: Value, at clock: HistoryClock) -> Value {
    let derived = storage.derived
    if derived.isEmpty { return record }
    return DeviceDerivation.complete(record, derived, on: language.platform, at: clock)
  }

  /// The number of a placement, or nil if the config lacks the placement.
  package func placement(named name: String) -> Int? { storage.index.number(of: name) }
}

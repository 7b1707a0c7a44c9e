internal import Requests
internal import RuleEngine
internal import Tracing

/// The answer to a request, before any of it is stored or counted.
struct DecidedAnswer: Sendable {
  /// The answer as JSON: `{"decisions":[..]}`.
  let bytes: [UInt8]
  let effects: [Decision.Effect]
  /// The outcome of each placement. Placements that the config does not have count as one placement.
  let outcomes: [(placement: String, code: String)]
  /// The rules that failed before the outcome.
  let errors: [(placement: String, error: RuleError)]
  /// Missing attributes that decided whether audiences match.
  let missing: [(placement: String, attribute: Decision.MissingAttribute)]

  /// - Parameter wantsEffects: whether the caller stores effects.
  init(
    wantsEffects: Bool = false,
    _ decide: (_ each: @escaping (AnsweredDecision) -> Void) throws(RequestError) -> [UInt8]
  ) throws(RequestError) {
    var effects: [Decision.Effect] = []
    var outcomes: [(placement: String, code: String)] = []
    var errors: [(placement: String, error: RuleError)] = []
    var missing: [(placement: String, attribute: Decision.MissingAttribute)] = []
    bytes = try decide { answered in
      let placement = answered.placement
      if wantsEffects { effects += answered.decision.effects }
      // Callers choose the unknown names, so they are counted together.
      outcomes.append(
        (answered.decision.verdict.isPlacementKnown ? placement : "(unknown)", answered.code))
      errors += answered.errors.map { (placement, $0) }
      missing += answered.missing.map { (placement, $0) }
    }
    self.effects = effects
    self.outcomes = outcomes
    self.errors = errors
    self.missing = missing
  }
}

/// The answer to a request, with facts about how it was decided.
struct DecideAnswer: Sendable {
  var bytes: [UInt8]
  /// The number of the config that decided.
  var version: Int
  /// Whether the request was decided without stored state, because the store did not answer.
  var isWithoutState = false
}

extension DecisionService {
  /// The outcome for one user, as `{"decisions":[..]}`.
  func decide(_ body: [UInt8], _ application: ServedApplication, _ config: LoadedConfig)
    async throws -> DecideAnswer
  {
    if options.keepsState {
      let request = try config.prepared.decideRequest(body)
      return try await withState {
        let (bytes, version) = try await decideAndStore(body, request, application, config)
        return DecideAnswer(bytes: bytes, version: version)
      } without: {
        DecideAnswer(
          bytes: try decide(body, request, application, config), version: config.number,
          isWithoutState: true)
      }
    }
    let answer = try withSpan("decide") { _ in
      try DecidedAnswer { (each) throws(RequestError) in
        try config.prepared.decide(body, each: each)
      }
    }
    return DecideAnswer(bytes: count(answer, application), version: config.number)
  }

  /// Decides and counts, without storing anything.
  func decide(
    _ body: [UInt8], _ request: DecideRequest, _ application: ServedApplication,
    _ config: LoadedConfig
  ) throws(RequestError) -> [UInt8] {
    let answer = try DecidedAnswer { (each) throws(RequestError) in
      try config.prepared.decide(body, request, each: each)
    }
    return count(answer, application)
  }

  func count(_ answer: DecidedAnswer, _ application: ServedApplication) -> [UInt8] {
    metrics.decided(application.id, answer.outcomes, errors: answer.errors, missing: answer.missing)
    return answer.bytes
  }
}

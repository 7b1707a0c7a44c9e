internal import Expressions
internal import HTTPTypes
internal import Pricing
internal import Requests
internal import RuleEngine

/// What a request comes to, before anything of it is kept or counted.
struct DecidedAnswer: Sendable {
  /// `{"decisions":[..]}`
  var bytes: [UInt8]
  var effects: [Decision.Effect] = []
  /// By placement what came of it; those that the config does not have are one.
  var outcomes: [(placement: String, code: String)] = []
  /// The rules that failed on the way.
  var errors: [(placement: String, error: RuleError)] = []
}

/// The body of `POST /v1/decide` and what is answered.
extension DecisionService {
  /// What one user gets, as `{"decisions":[..]}`, and the number of the config that decided.
  func decide(_ body: [UInt8], _ application: ServedApplication, _ config: LoadedConfig)
    async throws -> (bytes: [UInt8], version: Int)
  {
    let request = try body.withUnsafeBufferPointer { (bytes) throws(ServiceError) in
      try decideRequest(bytes)
    }
    if options.keepsState { return try await decideAndKeep(body, request, application, config) }
    return (try decide(body, request, application, config), config.number)
  }

  func decideRequest(_ body: ByteView) throws(ServiceError) -> DecideRequest {
    do throws(RequestError) {
      return try DecideRequest(body, nesting: options.limits.nesting)
    } catch {
      throw ServiceError(error)
    }
  }

  /// Decides and counts, without keeping anything.
  func decide(
    _ body: [UInt8], _ request: DecideRequest, _ application: ServedApplication,
    _ config: LoadedConfig
  ) throws(ServiceError) -> [UInt8] {
    let answer = try answer(body, request, application, config)
    count(answer, application)
    return answer.bytes
  }

  func count(_ answer: DecidedAnswer, _ application: ServedApplication) {
    metrics.decided(application.id, answer.outcomes, errors: answer.errors)
  }

  /// Decides, and writes what is answered.
  func answer(
    _ body: [UInt8], _ request: DecideRequest, _ application: ServedApplication,
    _ config: LoadedConfig, kept: KeptUser = KeptUser()
  ) throws(ServiceError) -> DecidedAnswer {
    try read(body, config, now: request.now) { (frame, state, _, clock) in
      var state = state
      // Of several assignments of an experiment the last counts.
      state.assignments += kept.assignments
      state.occurrences += kept.occurrences
      return write(
        request, application, config, &frame, state, record: request.isPlain ? [] : body, clock)
    }
  }

  /// Calls with a frame that holds the attributes of a user.
  func read<Answer>(
    _ body: [UInt8], _ config: LoadedConfig, now: Instant?,
    _ answer: (inout Frame, DecisionState, ByteView, HistoryClock) -> Answer
  ) throws(ServiceError) -> Answer {
    let clock = clock(now)
    let result = body.withUnsafeBufferPointer { bytes in
      config.withFrame { frame -> Result<Answer, ServiceError> in
        var reader = UserRecordReader(config.ruleSet, at: clock)
        do throws(UserRecordReader.Rejection) {
          try reader.read(bytes, into: &frame)
        } catch {
          return .failure(ServiceError(rejection: error))
        }
        return .success(answer(&frame, reader.state(now: clock.now), bytes, clock))
      }
    }
    return try result.get()
  }

  /// Decides for each placement and writes the answer.
  private func write(
    _ request: DecideRequest, _ application: ServedApplication, _ config: LoadedConfig,
    _ frame: inout Frame, _ state: DecisionState, record: [UInt8], _ clock: HistoryClock
  ) -> DecidedAnswer {
    let ruleSet = config.ruleSet
    var answer = DecidedAnswer(bytes: [])
    answer.bytes.reserveCapacity(1_024)
    answer.bytes += Self.opening
    let lines = config.lines
    let assigner = request.seed.map { config.assigner.seeded($0) } ?? config.assigner
    let subject = lines.opening(state.subjectID)
    let value =
      request.explains || request.givesReasons ? try? Value.parse(json: record) : nil
    var errors: [RuleError] = []
    for (number, name) in (request.placements ?? ruleSet.placementNames).enumerated() {
      if number > 0 { answer.bytes.append(UInt8(ascii: ",")) }
      errors.removeAll(keepingCapacity: true)
      let decision = ruleSet.decide(
        name, frame: &frame, state: state, assigner: assigner, errors: &errors)
      answer.bytes += subject
      let code = lines.append(decision, errors, to: &answer.bytes)
      func append(_ member: String, _ value: Value) {
        answer.bytes += Array(",\"\(member)\":".utf8)
        JSONWriter.append(value, to: &answer.bytes)
      }
      if let value {
        var explanation = ruleSet.explain(
          name, frame: &frame, state: state, assigner: assigner, clock: clock)
        explanation.addOwnership(from: value, config: config.config)
        explanation.showNulls(of: value)
        let told = explanation.value
        if request.givesReasons, let reason = told["reason"] { append("reason", reason) }
        if request.explains { append("explanation", told) }
      }
      if request.givesProducts,
        let products = products(of: decision, application, config, now: clock.now)
      {
        append("products", products)
      }
      if request.givesTexts,
        let read = textPlan(application, config)?.texts(of: decision, record, at: clock.now)
      {
        append("texts", .map(read.texts))
      }
      answer.bytes.append(UInt8(ascii: "}"))
      if options.keepsState, request.records { answer.effects += decision.effects }
      // What the config does not have is named by whoever asks, as they like.
      answer.outcomes.append((decision.verdict.isPlacementKnown ? name : "(unknown)", code))
      answer.errors += errors.map { (name, $0) }
    }
    answer.bytes += Self.closing
    return answer
  }

  private static let opening = Array(#"{"decisions":["#.utf8)
  private static let closing = Array("]}".utf8)

  /// The products of a paywall with their attributes.
  private func products(
    of decision: Decision, _ application: ServedApplication, _ config: LoadedConfig, now: Instant
  ) -> Value? {
    guard case .paywall(let experiment) = decision.outcome,
      let known = experiment.variant.paywallID.flatMap({ config.config.paywall($0) }),
      let made = try? TextProducts(
        config.config.products(of: known, prices: application.products), profile: nil,
        context: PricingContext(
          now: now, timeZone: options.timeZone, deviceLocale: "en_US",
          history: TrialHistory(entitlements: [], storeEligibility: true)))
    else { return nil }
    return .list(
      made.slotted.map { product in
        .members([
          "slot": .string(product.slot), "productId": product.productID.map { .string($0) },
          "attributes": product.attributes,
        ])
      })
  }

  /// The texts of paywalls for the products of an application, which are compiled once for a config;
  /// nil without `--texts`.
  func textPlan(_ application: ServedApplication, _ config: LoadedConfig) -> TextPlan? {
    options.texts.flatMap { texts in
      config.texts {
        try? textPlan(texts, config, prices: application.products, now: ServiceTime.now())
      }
    }
  }

  /// Texts with the products of a config's paywalls at a time.
  func textPlan(_ texts: TextFile, _ config: LoadedConfig, prices: ProductList?, now: Instant)
    throws(PricingError) -> TextPlan
  {
    let isAgentWallie = config.config.format == .agentWallie
    let dialect = TemplateDialect(named: isAgentWallie ? "agentwallie" : "superwall") ?? .superwall
    return try TextPlan(
      texts, config: config.config, prices: prices,
      profile: isAgentWallie ? .agentWallie : nil,
      environment: TemplateEnvironment(dialect: dialect),
      pricing: PricingContext(
        now: now, timeZone: options.timeZone, deviceLocale: "en_US",
        history: TrialHistory(entitlements: [], storeEligibility: true)),
      options: RenderOptions(escaping: .text, now: now, locale: "en_US", money: .prices))
  }
}

extension ServiceError {
  /// Why a record is no user's.
  init(rejection: UserRecordReader.Rejection) { self.init(RequestError(rejection)) }
}

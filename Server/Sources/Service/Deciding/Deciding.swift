internal import Expressions
internal import GRDB
internal import HTTPTypes
internal import RuleEngine

/// The body of `POST /v1/decide` and what is answered.
extension DecisionService {
  /// What one user gets, as `{"decisions":[..]}`.
  func decide(_ body: [UInt8], _ application: ServedApplication) async throws -> [UInt8] {
    let request = try body.withUnsafeBufferPointer { (bytes) throws(ServiceError) in
      try DecideRequest(bytes, nesting: options.limits.nesting)
    }
    if options.keepsState { return try await decideAndKeep(body, request, application) }
    return try decide(body, request, application, application.current)
  }

  /// Decides by a config, without keeping anything.
  func decide(
    _ body: [UInt8], _ request: DecideRequest, _ application: ServedApplication,
    _ config: LoadedConfig
  ) throws(ServiceError) -> [UInt8] {
    try read(body, config, now: request.now) { (frame, state, record, clock) in
      write(
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

  /// Decides and writes the answer.
  func write(
    _ request: DecideRequest, _ application: ServedApplication, _ config: LoadedConfig,
    _ frame: inout Frame, _ state: DecisionState, record: [UInt8], _ clock: HistoryClock
  ) -> [UInt8] {
    let ruleSet = config.ruleSet
    var output = Array(#"{"decisions":["#.utf8)
    output.reserveCapacity(1_024)
    var counted: [(String, String)] = []
    var failed: [(String, RuleError)] = []
    let value = record.isEmpty ? nil : try? Value.parse(json: record)
    for (number, name) in (request.placements ?? ruleSet.placementNames).enumerated() {
      if number > 0 { output.append(UInt8(ascii: ",")) }
      let decision = ruleSet.decide(name, frame: &frame, state: state, assigner: config.assigner)
      let errors = ruleSet.errors(name, frame: &frame, state: state)
      var line = decision.outcomeLine(subjectID: state.subjectID, errors: errors)
      if request.explains || request.givesReasons {
        var explanation = ruleSet.explain(
          name, frame: &frame, state: state, assigner: config.assigner, clock: clock)
        if let value {
          explanation.addOwnership(from: value, config: config.config)
          explanation.showNulls(of: value)
        }
        let told = explanation.value
        if request.givesReasons { line.append("reason", told["reason"]) }
        if request.explains { line.append("explanation", told) }
      }
      if request.givesProducts, let paywall = line["paywall"]?.text {
        line.append("products", products(of: paywall, application, config, now: clock.now))
      }
      if request.givesTexts {
        line.append("texts", texts(record, name, application, config, clock))
      }
      JSONWriter.append(line, to: &output)
      // What the config does not have is named by whoever asks, as they like.
      let known = ruleSet.placement(named: name) == nil ? "(unknown)" : name
      counted.append((known, decision.outcome.code))
      failed += errors.map { (name, $0) }
    }
    output += Array("]}".utf8)
    metrics.decided(application.id, counted, errors: failed)
    return output
  }

  /// The products of a paywall with their attributes.
  private func products(
    of paywall: String, _ application: ServedApplication, _ config: LoadedConfig, now: Instant
  ) -> Value? {
    guard let known = config.config.paywall(paywall),
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

  /// The texts of the paywall that a placement gives, as outcomes of a batch have them.
  private func texts(
    _ record: [UInt8], _ placement: String, _ application: ServedApplication,
    _ config: LoadedConfig, _ clock: HistoryClock
  ) -> Value? {
    guard let plan = textPlan(application, config, now: clock.now) else { return nil }
    let batch = BatchPlan(
      config.ruleSet, placements: [placement], now: clock.now, assigner: config.assigner,
      clock: clock, texts: plan)
    var worker = BatchWorker(batch)
    // A line of a batch has no newlines inside.
    let line = record.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? 0x20 : $0 }
    let output = worker.process(line)
    return (try? Value.parse(json: output.outcomes))?["texts"]
  }

  /// The texts of paywalls for the products of an application.
  func textPlan(_ application: ServedApplication, _ config: LoadedConfig, now: Instant) -> TextPlan?
  {
    guard let texts = options.texts else { return nil }
    let isAgentWallie = config.config.format == .agentWallie
    let dialect = TemplateDialect(named: isAgentWallie ? "agentwallie" : "superwall") ?? .superwall
    return try? TextPlan(
      texts, config: config.config, prices: application.products,
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
  init(rejection: UserRecordReader.Rejection) {
    var details: [Value.Entry] = []
    if let offset = rejection.offset {
      details.append(.init(key: "offset", value: .int(Int64(offset))))
    }
    if let hint = rejection.hint { details.append(.init(key: "hint", value: .string(hint))) }
    self.init(.badRequest, "bad_user", rejection.reason, details: details)
  }
}

extension Value {
  /// Adds a member to a map.
  mutating func append(_ key: String, _ value: Value?) {
    guard let value, case .map(let entries) = self else { return }
    self = .map(entries + [.init(key: .string(key), value: value)])
  }
}

internal import Expressions
internal import Pricing
internal import RuleEngine

/// What one user gets: a user record with what is asked for, see ``DecideRequest``.
extension PreparedConfig {
  /// `{"decisions":[..]}`
  package func decide(_ body: [UInt8]) throws(RequestError) -> [UInt8] {
    if let answer = decideAtOnce(body) { return answer }
    let request = try body.withUnsafeBufferPointer { (bytes) throws(RequestError) in
      try DecideRequest(bytes, nesting: settings.nesting)
    }
    try check(placements: request.placements ?? [])
    return try read(body, now: request.now) { (frame, state, clock) in
      write(request, &frame, state, record: request.isPlain ? [] : body, clock)
    }
  }

  /// The same in one pass over the body, where nothing has to be known before it is read and there is nothing to
  /// say against it; otherwise nil.
  private func decideAtOnce(_ body: [UInt8]) -> [UInt8]? {
    // What happened to a user is counted while it is read, from a time that the request may say.
    guard !ruleSet.readsEvents, ruleSet.program.limits.dataNesting <= settings.nesting
    else { return nil }
    return body.withUnsafeBufferPointer { bytes in
      withReader(at: nil) { reader, frame in
        do throws(UserRecordReader.Rejection) {
          try reader.read(bytes, into: &frame)
        } catch {
          return nil
        }
        guard let request = DecideRequest(bytes, reader.otherMembers, nesting: settings.nesting),
          (request.placements ?? []).allSatisfy({ ruleSet.placement(named: $0) != nil })
        else { return nil }
        let clock = clock(request.now)
        return write(
          request, &frame, reader.state(now: clock.now), record: request.isPlain ? [] : body, clock)
      }
    }
  }

  /// Calls with a frame that holds the attributes of a user.
  func read<Answer>(
    _ record: [UInt8], now: Instant?,
    _ answer: (inout Frame, DecisionState, HistoryClock) -> Answer
  ) throws(RequestError) -> Answer {
    let clock = clock(now)
    let result = record.withUnsafeBufferPointer { bytes in
      withReader(at: clock) { reader, frame -> Result<Answer, RequestError> in
        do throws(UserRecordReader.Rejection) {
          try reader.read(bytes, into: &frame)
        } catch {
          return .failure(RequestError(error))
        }
        return .success(answer(&frame, reader.state(now: clock.now), clock))
      }
    }
    return try result.get()
  }

  /// Decides for each placement and writes the answer.
  private func write(
    _ request: DecideRequest, _ frame: inout Frame, _ state: DecisionState, record: [UInt8],
    _ clock: HistoryClock
  ) -> [UInt8] {
    var answer: [UInt8] = []
    answer.reserveCapacity(1_024)
    answer += Self.opening
    let subject = lines.opening(state.subjectID)
    let assigner = assigner(seed: request.seed)
    let value =
      request.explains || request.givesReasons ? try? Value.parse(json: record) : nil
    var errors: [RuleError] = []
    for (number, name) in (request.placements ?? ruleSet.placementNames).enumerated() {
      if number > 0 { answer.append(UInt8(ascii: ",")) }
      errors.removeAll(keepingCapacity: true)
      let decision = ruleSet.decide(
        name, frame: &frame, state: state, assigner: assigner, errors: &errors)
      answer += subject
      _ = lines.append(decision, errors, to: &answer)
      func append(_ member: String, _ value: Value) {
        answer += Array(",\"\(member)\":".utf8)
        JSONWriter.append(value, to: &answer)
      }
      if let value {
        var explanation = ruleSet.explain(
          name, frame: &frame, state: state, assigner: assigner, clock: clock)
        explanation.addOwnership(from: value, config: config)
        explanation.showNulls(of: value)
        let told = explanation.value
        if request.givesReasons, let reason = told["reason"] { append("reason", reason) }
        if request.explains { append("explanation", told) }
      }
      if request.givesProducts, let products = products(of: decision, now: clock.now) {
        append("products", products)
      }
      if request.givesTexts, let read = texts?.texts(of: decision, record, at: clock.now) {
        append("texts", .map(read.texts))
      }
      answer.append(UInt8(ascii: "}"))
    }
    answer += Self.closing
    return answer
  }

  private static let opening = Array(#"{"decisions":["#.utf8)
  private static let closing = Array("]}".utf8)

  /// The products of a paywall with their attributes.
  private func products(of decision: Decision, now: Instant) -> Value? {
    guard case .paywall(let experiment) = decision.outcome,
      let known = experiment.variant.paywallID.flatMap({ config.paywall($0) }),
      let made = try? TextProducts(
        config.products(of: known, prices: settings.products), profile: nil,
        context: PricingContext(
          now: now, timeZone: settings.timeZone, deviceLocale: "en_US",
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
}

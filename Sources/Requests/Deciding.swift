internal import Expressions
internal import Pricing
package import RuleEngine

/// A decision of a request, for callers that count it or store its effects.
package struct AnsweredDecision {
  package let placement: String
  package let decision: Decision
  /// The name of the outcome in counts.
  package let code: String
  /// The rules that failed before the outcome.
  package let errors: [RuleError]
  /// The audiences whose conditions were decided by a missing attribute.
  package let missing: [Decision.MissingAttribute]
}

/// Decides for one user. The body is a user record with members of a request, see ``DecideRequest``.
extension PreparedConfig {
  /// Returns the outcomes: `{"decisions":[..]}`.
  ///
  /// - Parameter each: called for each decision in order.
  package func decide(_ body: [UInt8], each: ((AnsweredDecision) -> Void)? = nil)
    throws(RequestError) -> [UInt8]
  {
    if let answer = decideAtOnce(body, each) { return answer }
    return try decide(body, try decideRequest(body), each: each)
  }

  /// The decide request in a body.
  package func decideRequest(_ body: [UInt8]) throws(RequestError) -> DecideRequest {
    // SAFETY: The view of the array stays in the closure, and the request copies its members.
    // Tests: LibraryTests.
    try body.withUnsafeBufferPointer { (bytes) throws(RequestError) in
      try DecideRequest(bytes, nesting: settings.nesting)
    }
  }

  /// Decides a body whose request has already been read.
  package func decide(
    _ body: [UInt8], _ request: DecideRequest, each: ((AnsweredDecision) -> Void)? = nil
  ) throws(RequestError) -> [UInt8] {
    if request.platform != nil || request.sdkVersion != nil {
      let record =
        request.sdkVersion?.readsRecords == true ? try? Value.parse(json: body) : nil
      let config = following(request.platform).following(request.sdkVersion, record: record)
      if config !== self {
        var request = request
        (request.platform, request.sdkVersion) = (nil, nil)
        return try config.decide(body, request, each: each)
      }
    }
    if !settings.answersUnknownPlacements { try check(placements: request.placements ?? []) }
    return try read(body, now: request.now, isDecideRequest: true) { (frame, state, clock) in
      write(request, &frame, state, record: request.isPlain ? [] : body, clock, each)
    }
  }

  /// Decides in one pass over the body. Returns nil if the rules or the request require two passes, or if there is an
  /// error.
  private func decideAtOnce(_ body: [UInt8], _ each: ((AnsweredDecision) -> Void)?) -> [UInt8]? {
    // Reading a user counts events and derives dates, which depend on the time of the request.
    guard !ruleSet.readsEvents, !ruleSet.derivesAttributes,
      ruleSet.program.limits.dataNesting <= settings.nesting
    else { return nil }
    // SAFETY: The frame and the reader point into the array until `withReader` resets them, inside
    // this closure. Tests: LibraryTests, asan.
    return body.withUnsafeBufferPointer { bytes in
      withReader(at: nil) { reader, frame in
        do throws(UserRecordReader.Rejection) {
          try reader.read(bytes, into: &frame)
        } catch {
          return nil
        }
        guard let request = DecideRequest(bytes, reader.otherMembers, nesting: settings.nesting),
          request.platform == nil, request.sdkVersion == nil,
          settings.answersUnknownPlacements
            || (request.placements ?? []).allSatisfy({ ruleSet.placement(named: $0) != nil }),
          wrongMember(reader) == nil
        else { return nil }
        let clock = clock(request.now)
        return write(
          request, &frame, reader.state(now: clock.now), record: request.isPlain ? [] : body,
          clock, each)
      }
    }
  }

  /// Calls the body with a frame that contains the attributes of a user.
  ///
  /// - Parameter isDecideRequest: whether the record is a decide request. Unknown members of decide requests are
  ///   rejected if the settings require it.
  func read<Answer>(
    _ record: [UInt8], now: Instant?, isDecideRequest: Bool = false,
    _ answer: (inout Frame, DecisionState, HistoryClock) -> Answer
  ) throws(RequestError) -> Answer {
    // SAFETY: The frame and the reader point into the array until `withReader` resets them, inside
    // this closure. Tests: LibraryTests, Server's tests, asan.
    let clock = clock(now)
    let result = record.withUnsafeBufferPointer { bytes in
      withReader(at: clock) { reader, frame -> Result<Answer, RequestError> in
        do throws(UserRecordReader.Rejection) {
          try reader.read(bytes, into: &frame)
        } catch {
          return .failure(RequestError(error))
        }
        if isDecideRequest, let error = wrongMember(reader) {
          return .failure(error)
        }
        return .success(answer(&frame, reader.state(now: clock.now), clock))
      }
    }
    return try result.get()
  }

  private func wrongMember(_ reader: borrowing UserRecordReader) -> RequestError? {
    guard settings.rejectsUnknownMembers else { return nil }
    if let name = reader.repeatedKeys.first { return .repeatedMember(name) }
    let others = reader.otherMembers.members
    for (number, member) in others.enumerated() where !member.isRead {
      guard DecideRequest.hasMember(member.key) else {
        return .unknownMember(
          member.key.text, among: DecideRequest.memberNames + UserMember.allCases.map { $0.key })
      }
      // SAFETY: The keys are compared while the body is in place. Tests: Server's tests.
      let isRepeated = others[..<number].contains { $0.key.bytes.elementsEqual(member.key.bytes) }
      if isRepeated { return .repeatedMember(member.key.text) }
    }
    return nil
  }

  /// Decides each placement and writes the answer.
  private func write(
    _ request: DecideRequest, _ frame: inout Frame, _ state: DecisionState, record: [UInt8],
    _ clock: HistoryClock, _ each: ((AnsweredDecision) -> Void)?
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
      var missing: [Decision.MissingAttribute] = []
      let decision = ruleSet.decide(
        name, frame: &frame, state: state, assigner: assigner, errors: &errors,
        missing: each == nil ? nil : { missing.append($0) })
      answer += subject
      let code = lines.append(decision, errors, to: &answer)
      func append(_ member: String, _ value: Value) {
        answer += Array(",\"\(member)\":".utf8)
        JSONWriter.append(value, to: &answer)
      }
      if let value {
        let explanation = ExplainedUser(
          ruleSet: ruleSet, config: config, record: value, state: state, clock: clock,
          assigner: assigner
        ).explanation(of: name, &frame).value
        if request.givesReasons, let reason = explanation["reason"] { append("reason", reason) }
        if request.explains { append("explanation", explanation) }
      }
      if request.givesProducts, let products = products(of: decision, record, now: clock.now) {
        append("products", products)
      }
      if request.givesTexts, let read = texts?.texts(of: decision, record, at: clock.now) {
        append("texts", .map(read.texts))
      }
      answer.append(UInt8(ascii: "}"))
      each?(
        AnsweredDecision(
          placement: name, decision: decision, code: code, errors: errors, missing: missing))
    }
    answer += Self.closing
    return answer
  }

  private static let opening = Array(#"{"decisions":["#.utf8)
  private static let closing = Array("]}".utf8)

  /// The products of a paywall with their attributes.
  private func products(of decision: Decision, _ record: [UInt8], now: Instant) -> Value? {
    guard case .paywall(let experiment) = decision.outcome,
      let known = experiment.variant.paywallID.flatMap({ config.paywall($0) }),
      let made = try? TextProducts(
        config.products(of: known, prices: settings.products), profile: nil,
        context: TextForm(usualZone: settings.timeZone).context(now: now, user: record))
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

internal import Expressions

/// Placements whose caller does not await the outcome.
final class Unawaited: Sendable {
  private struct Registration {
    var handlerID: String?
    var feature: (@MainActor @Sendable () -> Void)?
  }

  private struct Content {
    var count = 0
    var isClosed = false
    var registrations: [Token: Registration] = [:]
    var handlers: [String: PaywallPresentationHandler] = [:]
  }

  private let content = Locked(Content())

  /// Begins a registration.
  ///
  /// - Returns: the token of the call, which no awaited call uses, and the events for the registration's handler.
  func begin(
    _ handler: PaywallPresentationHandler?, _ feature: (@MainActor @Sendable () -> Void)?
  ) -> (token: Token, handlerID: String?) {
    content.withLock { content in
      content.count += 1
      let token = Token(number: -content.count)
      let id = handler.map { _ in "unawaited-\(content.count)" }
      guard !content.isClosed else { return (token, id) }
      if let id { content.handlers[id] = handler }
      content.registrations[token] = Registration(handlerID: id, feature: feature)
      return (token, id)
    }
  }

  func handler(_ id: String) -> PaywallPresentationHandler? { content.withLock { $0.handlers[id] } }

  /// Ends a registration, and runs the feature block if the outcome allows it.
  ///
  /// - Returns: false if the token belongs to another kind of call.
  func end(_ token: Token, _ result: Result<Reply, SDKError>, _ queue: MainQueue) -> Bool {
    guard token.number < 0 else { return false }
    let registration = content.withLock { content in
      let registration = content.registrations.removeValue(forKey: token)
      if let id = registration?.handlerID { content.handlers[id] = nil }
      return registration
    }
    if let feature = registration?.feature, PlacementOutcome(result).featureGranted {
      queue.add(feature)
    }
    return true
  }

  /// Drops all registrations, because no more outcomes will arrive.
  func close() {
    content.withLock { ($0.registrations, $0.handlers, $0.isClosed) = ([:], [:], true) }
  }
}

// MARK: Registering without waiting

extension Tollgate {
  /// Registers a placement and returns immediately, for code that cannot wait, such as a button's
  /// action. Registrations stay in order. In asynchronous code, `await` the function of the same
  /// name.
  ///
  /// - Parameters:
  ///   - placement: the placement's name.
  ///   - params: values that rules and the paywall can read.
  ///   - handler: receives the events of this placement only, including the reason if no paywall is shown.
  ///   - feature: the action of the app to run if the outcome allows it.
  public nonisolated func register(
    placement: String, params: [String: (any AttributeConvertible)?] = [:],
    handler: PaywallPresentationHandler? = nil,
    feature: (@MainActor @Sendable () -> Void)? = nil
  ) {
    let (token, handlerID) = unawaited.begin(handler, feature)
    let request = PlacementRequest(
      placement: placement, params: .members(params.values), handlerID: handlerID,
      isFeatureGatable: feature != nil)
    post(.call(token, .registerPlacement(request)))
  }

  /// Registers a placement with parameters of any type; see ``setUserAttributes(_:)-([String:Sendable])``.
  @_disfavoredOverload
  public nonisolated func register(
    placement: String, params: [String: any Sendable]?, handler: PaywallPresentationHandler? = nil,
    feature: (@MainActor @Sendable () -> Void)? = nil
  ) {
    register(placement: placement, params: readable(params), handler: handler, feature: feature)
  }
}

// MARK: Values of any kind

extension Tollgate {
  /// Registers a placement with parameters of any type, such as `[String: any Sendable]`. Strings, numbers, booleans,
  /// lists, maps and ``AttributeConvertible`` types are used. Other values are dropped and reported in the log.
  @_disfavoredOverload @discardableResult
  public func register(
    placement: String, params: [String: any Sendable]?, handler: PaywallPresentationHandler? = nil,
    feature: (@MainActor @Sendable () -> Void)? = nil
  ) async -> PlacementOutcome {
    await register(
      placement: placement, params: readable(params), handler: handler, feature: feature)
  }

  /// The result for a placement with parameters of any type.
  @_disfavoredOverload
  public func getPresentationResult(
    forPlacement placement: String, params: [String: any Sendable]?
  ) async throws(SDKError) -> PresentationResult {
    try await getPresentationResult(forPlacement: placement, params: readable(params))
  }

  /// Sets attributes of the user from values of any kind. Null and nil remove an attribute.
  @_disfavoredOverload
  public func setUserAttributes(_ attributes: [String: any Sendable]) async throws(SDKError) {
    try await setUserAttributes(readable(attributes))
  }

  /// Converts values of any kind. Values that rules cannot read are dropped and reported.
  private nonisolated func readable(_ values: [String: any Sendable]?)
    -> [String: (any AttributeConvertible)?]
  {
    var readable: [String: (any AttributeConvertible)?] = [:]
    var others: [String] = []
    for (name, any) in values ?? [:] {
      if let value = Value(any: any) {
        readable[name] = .some(value)
      } else {
        others.append("'\(name)' (\(type(of: any)))")
      }
    }
    if !others.isEmpty { post(.unreadable(others.sorted())) }
    return readable
  }
}

extension Value {
  /// Converts a value for rules. Fails if rules cannot read its type. Values that rules cannot read are dropped from
  /// lists and maps.
  init?(any: Any) {
    if let convertible = any as? any AttributeConvertible {
      self = convertible.attributeValue
    } else if let list = any as? [Any] {
      self = .list(list.compactMap { Value(any: $0) })
    } else if let map = any as? [String: Any] {
      self = .members(map.compactMapValues { Value(any: $0) })
    } else {
      return nil
    }
  }
}

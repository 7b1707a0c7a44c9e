// What views read and are told of.

extension Tollgate {
  /// What the SDK is like now. It can be read at any time from any thread, such as in a view's body,
  /// and has what a call changed as soon as the call returns.
  public nonisolated var snapshot: TollgateState { board.state }

  /// How long ago the config that is used was fetched, on the SDK's clock; nil without one, and for one
  /// that the app brings. A clock that was set back makes nothing negative.
  public nonisolated var configAge: Duration? {
    guard let fetched = snapshot.configOrigin?.fetchedAt else { return nil }
    return .milliseconds(max(0, ports.time.now - fetched))
  }

  /// The state now, and each one that follows. It ends with the SDK. Who reads slowly misses states
  /// that are outdated, and never the newest.
  public nonisolated func states() -> AsyncStream<TollgateState> { board.states() }

  /// What the backend says of the customer now: what was saved, until it answers.
  public nonisolated var customerInfo: CustomerInfo { snapshot.customerInfo }

  /// ``customerInfo`` now, and whenever it changes. The stream ends with the SDK.
  public nonisolated var customerInfoStream: AsyncStream<CustomerInfo> {
    let states = board.states()
    return AsyncStream { continuation in
      let task = Task {
        var last: CustomerInfo?
        for await state in states where state.customerInfo != last {
          last = state.customerInfo
          continuation.yield(state.customerInfo)
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Returns when the app has heard of everything until now.
  package nonisolated func untilHeard() async { await mainQueue.settle() }

  /// Tells of each change on the main actor, before the call that caused it returns, and before
  /// delegate and handlers hear of the events that belong to it.
  ///
  /// - Returns: the state now, and what keeps it coming.
  package nonisolated func follow(_ body: @escaping @MainActor @Sendable (TollgateState) -> Void)
    -> (state: TollgateState, token: SubscriptionToken)
  {
    let (isOver, board, queue) = (Locked(false), board, mainQueue)
    let (state, id) = board.add { state in
      queue.add { if !isOver.withLock({ $0 }) { body(state) } }
    }
    let token = SubscriptionToken {
      isOver.withLock { $0 = true }
      board.remove(id)
    }
    return (state, token)
  }

  /// Calls back on the main actor with events, in order and before the call that caused them returns,
  /// for as long as the token is kept.
  ///
  /// With `keepsEvents` events that nobody took are kept, up to 1,000 of them, and given once, to the
  /// first subscriber whom they fit; questions (`onPurchase`, `onPurchaseRestore`, `onBackPressed`,
  /// `onCustomCallback`) are not.
  ///
  /// ```swift
  /// token = await tollgate.subscribe(handlerID: "export", to: [.onPaywallDismiss]) { event in print(event) }
  /// ```
  ///
  /// - Parameters:
  ///   - handlerID: whose events to hear of, beside those of no placement; nil hears of all, but
  ///     answers no custom callbacks.
  ///   - events: what to hear of; nil is everything.
  ///   - onEvent: hears of it. Questions are not asked here, save `onPurchase` and `onPurchaseRestore`,
  ///     which are answered with `didPurchase` and `didRestore`.
  ///   - onCustomCallback: answers what the paywalls of the handler ask. What it throws is a failure.
  ///   - onBackPressed: says whether the app used a press of Android's back button for itself. The
  ///     first subscriber who has it is asked.
  public func subscribe(
    handlerID: String? = nil, to events: Set<ModuleEvent.Name>? = nil,
    onEvent: @escaping @MainActor @Sendable (ModuleEvent) -> Void = { _ in },
    onCustomCallback: (
      @MainActor @Sendable (CustomCallback) async throws -> CustomCallbackResult
    )? =
      nil, onBackPressed: (@MainActor @Sendable (PaywallInfo) async -> Bool)? = nil
  ) -> SubscriptionToken {
    let (isOver, queue) = (Locked(false), mainQueue)
    let subscription = subscribe(
      handlerID: handlerID,
      EventCallbacks(
        events ?? Set(ModuleEvent.Name.allCases),
        onEvent: { event in queue.add { if !isOver.withLock({ $0 }) { onEvent(event) } } },
        onCustomCallback: onCustomCallback, onBackPressed: onBackPressed))
    return SubscriptionToken { [weak self] in
      isOver.withLock { $0 = true }
      Task { await self?.unsubscribe(subscription) }
    }
  }

  /// Registers a placement for somebody who has subscribed to its events.
  package func register(
    placement: String, params: [String: (any AttributeConvertible)?], handlerID: String,
    isFeatureGatable: Bool
  ) async -> PlacementOutcome {
    await registerPlacement(
      PlacementRequest(
        placement: placement, params: .members(params.values), handlerID: handlerID,
        isFeatureGatable: isFeatureGatable))
  }
}

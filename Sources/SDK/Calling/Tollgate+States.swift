// The state for views, and its changes.

extension Tollgate {
  /// The current state of the SDK. It can be read at any time from any thread, such as in a view's
  /// body, and contains the changes of a call as soon as the call returns.
  public nonisolated var snapshot: TollgateState { board.state }

  /// The time since the config in use was fetched, on the SDK's clock; nil without a config, and
  /// for one from the app. Never negative, even after the clock was set back.
  public nonisolated var configAge: Duration? {
    guard let fetched = snapshot.configOrigin?.fetchedAt else { return nil }
    return .milliseconds(max(0, ports.time.now - fetched))
  }

  /// The current state, and each later one. It ends with the SDK. Slow readers miss outdated
  /// states, but never the newest.
  public nonisolated func states() -> AsyncStream<TollgateState> { board.states() }

  /// The backend's data about the customer: the saved data, until the backend answers.
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

  /// Returns when the app has received all events so far.
  package nonisolated func untilHeard() async { await mainQueue.settle() }

  /// Reports each change on the main actor, before the call that caused it returns, and before
  /// delegate and handlers receive the corresponding events.
  ///
  /// - Returns: the current state, and a token that continues the reports.
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

  /// Calls back on the main actor with events, in order and before the call that caused them
  /// returns, while the token exists.
  ///
  /// With `keepsEvents`, up to 1,000 events without a receiver are stored, and delivered once, to
  /// the first subscriber that matches. Questions (`onPurchase`, `onPurchaseRestore`,
  /// `onBackPressed`, `onCustomCallback`) are not stored.
  ///
  /// ```swift
  /// token = await tollgate.subscribe(handlerID: "export", to: [.onPaywallDismiss]) { event in print(event) }
  /// ```
  ///
  /// - Parameters:
  ///   - handlerID: limits the events to those of this handler and those without a placement. Nil
  ///     receives all events, but answers no custom callbacks.
  ///   - events: the events to receive; nil means all.
  ///   - onEvent: receives the events. Questions have their own callbacks, except `onPurchase` and
  ///     `onPurchaseRestore`, which are answered with `didPurchase` and `didRestore`.
  ///   - onCustomCallback: answers questions from the paywalls of the handler. If it throws, the
  ///     answer is a failure.
  ///   - onBackPressed: whether the app consumed a press of Android's back button. Only the first
  ///     subscriber with this callback is asked.
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

  /// Registers a placement for a caller that has subscribed to its events.
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

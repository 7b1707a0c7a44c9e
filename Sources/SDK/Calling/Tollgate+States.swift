// The state for views, and notifications of its changes.

extension Tollgate {
  /// The current state of the SDK. The state can be read from any thread, such as in a view's body. As soon as a call
  /// returns, the state contains its changes.
  public nonisolated var snapshot: TollgateState { board.state }

  /// The time since the config in use was fetched. Nil if the SDK has no config, or uses a config that the app
  /// supplied. The value is never negative, even after the clock was set back.
  public nonisolated var configAge: Duration? {
    guard let fetched = snapshot.configOrigin?.fetchedAt else { return nil }
    return .milliseconds(max(0, ports.time.now - fetched))
  }

  /// A stream of the current state and all later states. The stream ends when the SDK is shut down. A slow reader
  /// misses outdated states, but never the newest.
  public nonisolated func states() -> AsyncStream<TollgateState> { board.states() }

  /// The backend's data about the customer. Until the backend responds, it is the saved data.
  public nonisolated var customerInfo: CustomerInfo { snapshot.customerInfo }

  /// A stream of ``customerInfo``: the current value, and each change. The stream ends when the SDK is shut down.
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

  /// Reports each change on the main actor, before the delegate and handlers receive the corresponding events, and
  /// before the call that caused the change returns.
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

  /// Calls back with events on the main actor for as long as the token exists. Events arrive in order, and before the
  /// call that caused them returns.
  ///
  /// With `keepsEvents`, the SDK stores up to 1,000 events that have no receiver, and delivers each one to the first
  /// subscriber that matches. Questions (`onPurchase`, `onPurchaseRestore`, `onBackPressed`, `onCustomCallback`) are
  /// not stored.
  ///
  /// ```swift
  /// token = await tollgate.subscribe(handlerID: "export", to: [.onPaywallDismiss]) { event in print(event) }
  /// ```
  ///
  /// - Parameters:
  ///   - handlerID: limits the events to events of this handler and events without a placement. With nil, the
  ///     subscriber receives all events, but cannot answer custom callbacks.
  ///   - events: the events to receive; nil means all events.
  ///   - onEvent: receives the events. Questions have their own callbacks, except `onPurchase` and
  ///     `onPurchaseRestore`, which are answered with `didPurchase` and `didRestore`.
  ///   - onCustomCallback: answers questions from the paywalls of the handler. If the callback throws, the answer is a
  ///     failure.
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

// Notifying the app.

extension Tollgate {
  func deliver(_ event: ModuleEvent) {
    if let console = ports.console, case .handleLog(let message) = event,
      consoleLevel.allows(message.level)
    {
      console(message)
    }
    for observer in observers { observer.listen(event) }
    let receivers = hub.publish(event)
    switch event {
    case .onCustomCallback(let id, let callback, let handlerID):
      respond(to: id, callback, handlerID: handlerID, receivers.first)
    case .onBackPressed(let info): respond(toBackPressOn: info, receivers.first)
    default: for id in receivers { callbacks[id]?.onEvent(event) }
    }
    if let id = event.handlerID, let handler = handler(id) {
      mainQueue.add { handler.receive(event) }
    }
    tellDelegate { $0.receive(event) }
  }

  private func handler(_ id: String) -> PaywallPresentationHandler? {
    handlers[id] ?? unawaited.handler(id)
  }

  func tellDelegate(_ tell: @escaping @MainActor @Sendable (any TollgateDelegate) -> Void) {
    if let delegate = appDelegate { mainQueue.add { tell(delegate) } }
  }

  /// Passes a custom callback to its responder. If there is no responder, the callback fails, unless an observer can
  /// answer it with `didHandleCustomCallback`.
  private func respond(
    to id: String, _ callback: CustomCallback, handlerID: String, _ subscriber: Int?
  ) {
    let respondent =
      subscriber.flatMap { callbacks[$0]?.onCustomCallback } ?? handler(handlerID)?.respondent
    guard let respondent else {
      if answersForAbsent || handler(handlerID) != nil {
        handleNext(.call(nextToken(), .didHandleCustomCallback(callbackID: id, .failure())))
      }
      return
    }
    let token = nextToken()
    start { _ in
      let result = (try? await respondent(callback)) ?? .failure()
      return .call(token, .didHandleCustomCallback(callbackID: id, result))
    }
  }

  private func respond(toBackPressOn info: PaywallInfo, _ subscriber: Int?) {
    let token = nextToken()
    guard let answer = subscriber.flatMap({ callbacks[$0]?.onBackPressed }) ?? backPressHandler
    else {
      if answersForAbsent {
        handleNext(.call(token, .didHandleBackPressed(shouldConsume: false)))
      }
      return
    }
    start { _ in .call(token, .didHandleBackPressed(shouldConsume: await answer(info))) }
  }

  /// Calls a listener with every event. Events arrive in order, and before the call that caused them returns. The
  /// listener runs on the SDK's own executor and must return quickly.
  @discardableResult
  public func observe(_ listener: @escaping @Sendable (ModuleEvent) -> Void) -> EventSubscription {
    listeners += 1
    observers.append((listeners, listener))
    return EventSubscription(id: listeners)
  }

  /// Subscribes to the events of one handler or of all handlers.
  ///
  /// - Parameter handlerID: nil receives the events of all handlers, but answers no custom
  ///   callbacks.
  package func subscribe(handlerID: String? = nil, _ callbacks: EventCallbacks) -> EventSubscription
  {
    listeners += 1
    let id = listeners
    self.callbacks[id] = callbacks
    let kept = hub.subscribe(
      EventHub.Subscriber(id: id, handlerID: handlerID, events: callbacks.names))
    for event in kept { callbacks.onEvent(event) }
    return EventSubscription(id: id)
  }

  /// Ends a subscription of ``observe(_:)``.
  public func unsubscribe(_ subscription: EventSubscription) {
    hub.unsubscribe(subscription.id)
    callbacks[subscription.id] = nil
    observers.removeAll { $0.id == subscription.id }
    streams[subscription.id] = nil
  }

  /// All events from now on, in order. The stream ends when the SDK is shut down.
  public func events() -> AsyncStream<ModuleEvent> {
    let (stream, continuation) = AsyncStream<ModuleEvent>.makeStream()
    guard !isShutDown else {
      continuation.finish()
      return stream
    }
    let subscription = observe { continuation.yield($0) }
    streams[subscription.id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { await self?.unsubscribe(subscription) }
    }
    return stream
  }
}

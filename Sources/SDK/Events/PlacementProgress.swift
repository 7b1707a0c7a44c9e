/// The states of a placement that is registered repeatedly, as a value.
package struct PlacementProgress: Hashable, Sendable {
  package private(set) var state = PlacementState.idle
  /// Whether a registration has no outcome yet.
  package var isRegistering: Bool { running != nil }

  private var count = 0
  /// The newest registration, until it has an outcome. Only the newest registration's feature block may run.
  private var running: Int?

  package init() {}

  /// The events that change the progress.
  package static let events: Set<ModuleEvent.Name> = [
    .onPaywallPresent, .onPaywallDismiss, .onPaywallSkip, .onPaywallError,
  ]

  /// Begins a registration. The registration replaces an unfinished registration, whose feature block will not run.
  ///
  /// - Returns: a number for ``end(_:_:)``.
  package mutating func begin() -> Int {
    count += 1
    running = count
    return count
  }

  package mutating func receive(_ event: ModuleEvent) {
    switch event {
    case .onPaywallPresent(let info, _): state = .presented(info)
    case .onPaywallDismiss(_, let result, _): state = .dismissed(result)
    case .onPaywallSkip(let reason, _): state = .skipped(reason)
    case .onPaywallError(let error, _): state = .error(error)
    default: break
    }
  }

  /// Accepts the outcome of a registration.
  ///
  /// - Returns: whether the feature of the registration should run.
  package mutating func end(_ registration: Int, _ outcome: PlacementOutcome) -> Bool {
    guard registration == running else { return false }
    running = nil
    // Some errors have no event, because no events are sent after shutdown. If the call was cancelled, a visible
    // paywall stays.
    if case .error(let error) = outcome.kind {
      if case .presented = state { return false }
      state = .error(error)
    }
    return outcome.featureGranted
  }
}

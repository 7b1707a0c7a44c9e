/// The states of a placement that is registered repeatedly, as a value.
package struct PlacementProgress: Hashable, Sendable {
  package private(set) var state = PlacementState.idle
  /// Whether a registration has no outcome yet.
  package var isRegistering: Bool { running != nil }

  private var count = 0
  /// The registration whose feature may run: the newest, until it has an outcome.
  private var running: Int?

  package init() {}

  /// The events that it depends on.
  package static let events: Set<ModuleEvent.Name> = [
    .onPaywallPresent, .onPaywallDismiss, .onPaywallSkip, .onPaywallError,
  ]

  /// Begins a registration. An unfinished one is superseded: its feature will not run.
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
  /// - Returns: whether its feature should run.
  package mutating func end(_ registration: Int, _ outcome: PlacementOutcome) -> Bool {
    guard registration == running else { return false }
    running = nil
    // Some errors have no event: none are sent after the SDK's shutdown. A visible paywall stays
    // when the call was cancelled.
    if case .error(let error) = outcome.kind {
      if case .presented = state { return false }
      state = .error(error)
    }
    return outcome.featureGranted
  }
}

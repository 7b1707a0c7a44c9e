internal import Expressions
public import Observation
public import SDK

/// A placement that a view registers, with its state for the view to show.
///
/// ```swift
/// @State private var export = PlacementHandle(tollgate)
/// ...
/// Button("Export") { Task { await export.register(placement: "export_pdf") { exportPDF() } } }
///   .disabled(export.isRegistering)
/// if case .error(let error) = export.state { Text(error.message) }
/// ```
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable
public final class PlacementHandle {
  /// Identifies this handle's events.
  /// ``SDK/Tollgate/subscribe(handlerID:to:onEvent:onCustomCallback:onBackPressed:)`` receives
  /// them, and answers the questions of its paywalls.
  public nonisolated let handlerID: String

  private var progress = PlacementProgress()
  @ObservationIgnored private let tollgate: Tollgate
  @ObservationIgnored private var subscription: Task<SubscriptionToken, Never>?

  private static let count = Locked(0)

  public init(_ tollgate: Tollgate) {
    self.tollgate = tollgate
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    let id = "$placement-\(number)"
    handlerID = id
    let receive: @MainActor @Sendable (ModuleEvent) -> Void = { [weak self] event in
      self?.progress.receive(event)
    }
    subscription = Task {
      await tollgate.subscribe(handlerID: id, to: PlacementProgress.events, onEvent: receive)
    }
  }

  /// How far it is.
  public var state: PlacementState { progress.state }

  /// Whether a registration has no outcome yet: its paywall is loading, visible, or waiting for its
  /// turn.
  public var isRegistering: Bool { progress.isRegistering }

  /// Registers the placement: shows a paywall when the user is in an audience of it, and runs the
  /// feature when the outcome allows it.
  ///
  /// Registered again before there is an outcome, the feature of the earlier registration will not run,
  /// whatever its outcome.
  ///
  /// - Returns: the outcome, as from ``SDK/Tollgate/register(placement:params:handler:feature:)``.
  @discardableResult
  public func register(
    placement: String, params: [String: (any AttributeConvertible)?] = [:],
    feature: (@MainActor () -> Void)? = nil
  ) async -> PlacementOutcome {
    let registration = progress.begin()
    _ = await subscription?.value
    let outcome = await tollgate.register(
      placement: placement, params: params, handlerID: handlerID, isFeatureGatable: feature != nil)
    if progress.end(registration, outcome) { feature?() }
    return outcome
  }

  /// Registers the placement and returns at once, for a button's action. In asynchronous code, `await` the
  /// function of the same name.
  public func register(
    placement: String, params: [String: (any AttributeConvertible)?] = [:],
    feature: (@MainActor () -> Void)? = nil
  ) {
    Task { _ = await self.register(placement: placement, params: params, feature: feature) }
  }
}

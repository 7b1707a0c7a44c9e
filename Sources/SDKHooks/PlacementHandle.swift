internal import Expressions
public import Observation
public import SDK

/// A placement that a view registers. The view can show the placement's state.
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
  /// Identifies the events of this handle. Pass the ID to
  /// ``SDK/Tollgate/subscribe(handlerID:to:onEvent:onCustomCallback:onBackPressed:)`` to receive the events, and to
  /// answer the requests of the placement's paywalls.
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

  /// The progress of the placement.
  public var state: PlacementState { progress.state }

  /// Whether a registration is still running: its paywall is loading, visible, or waiting for another paywall.
  public var isRegistering: Bool { progress.isRegistering }

  /// Registers the placement: shows a paywall if the user is in one of its audiences, and runs the feature if the
  /// outcome allows it.
  ///
  /// If the placement is registered again before it has an outcome, the feature of the earlier registration never runs.
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

  /// Registers the placement and returns immediately, for example in a button's action. In asynchronous code, `await`
  /// the function of the same name.
  public func register(
    placement: String, params: [String: (any AttributeConvertible)?] = [:],
    feature: (@MainActor () -> Void)? = nil
  ) {
    Task { _ = await self.register(placement: placement, params: params, feature: feature) }
  }
}

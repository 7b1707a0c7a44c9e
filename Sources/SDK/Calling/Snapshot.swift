package import Expressions

/// What the SDK is like at a moment, for stores of observable state and for tests.
package struct Snapshot: Hashable, Sendable {
  package var lifecycle: Lifecycle.Phase
  package var appUserID: String?
  package var isPaywallPresented: Bool
  package var interfaceStyle: InterfaceStyle?
  package var logLevel: LogLevel
  package var tracking: EventTrackingBehavior
  /// Why there is no config, for a person.
  package var configurationError: String?
  /// The user's attributes once there is a config.
  package var user: Value?
  package var status: SubscriptionStatus

  init(_ state: SDKState) {
    lifecycle = state.startup.phase
    appUserID = state.person.appUserID
    isPaywallPresented = state.presentation?.isVisible ?? false
    interfaceStyle = state.settings.interfaceStyle
    logLevel = state.settings.logging.level
    tracking = state.settings.trackingBehavior
    configurationError = state.startup.error
    user = state.startup.phase == .configured ? state.stored.user : nil
    status = state.ownership.status
  }

  package var isConfigured: Bool { lifecycle == .configured }
  package var isLoading: Bool { lifecycle == .configuring }
}

extension Tollgate {
  /// Returns when the app has heard of everything until now.
  package nonisolated func untilHeard() async { await mainQueue.settle() }
}

internal import Expressions

/// A checkout on the web that began on a paywall. Only one checkout can run at a time.
struct Checkout: Sendable {
  /// The progress of the checkout.
  enum Phase: Hashable, Sendable {
    /// A session is requested from the backend.
    case beginning
    /// The host shows the checkout to the user.
    case shown(CheckoutDirectiveKind)
    /// The user has returned. Since this time, the SDK has polled the backend for the payment.
    case asking(since: Instant)
    /// The user has paid in a drawer, or in a part of the page.
    case confirming
    case completing
    /// The user has paid. Since this time, the SDK has polled the backend for the result.
    case redeeming(since: Instant)
    /// The app was notified that a result is coming, and receives it after a moment.
    case telling([RedemptionResult], covers: Bool)
  }

  let product: StoreProduct
  let presentationID: String
  /// The paywall's state when the checkout began, for use after the paywall is closed.
  let info: PaywallInfo
  let shouldDismiss: Bool
  let identity: Int
  var contextID = ""
  var phase = Phase.beginning

  /// Whether the user may leave the checkout without a report from the host. Another tap then restarts the checkout.
  var isAtUser: Bool { if case .shown = phase { true } else { false } }

  /// The pause between polls, and the total duration, in milliseconds.
  static let pause: Int64 = 1_500
  static let limit: Int64 = 60_000
  /// The time between announcing a result and reporting it, in milliseconds.
  static let moment: Int64 = 200
}

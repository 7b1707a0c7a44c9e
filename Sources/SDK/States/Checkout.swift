internal import Expressions

/// A checkout on the web that was begun on a paywall. There is one at a time.
struct Checkout: Sendable {
  /// How far it is.
  enum Phase: Hashable, Sendable {
    /// The backend was asked for a session.
    case beginning
    /// The host shows it to the user.
    case shown(CheckoutDirectiveKind)
    /// The user is back, and the backend is asked whether they paid; since when.
    case asking(since: Instant)
    /// The user has paid in a drawer, or in a part of the page.
    case confirming
    case completing
    /// It is paid, and the backend is asked what that gives; since when.
    case redeeming(since: Instant)
    /// The app was told that something comes, and hears it after a moment.
    case telling([RedemptionResult], covers: Bool)
  }

  let product: StoreProduct
  let presentationID: String
  /// The paywall as it was when the checkout began, for when it is gone.
  let info: PaywallInfo
  let shouldDismiss: Bool
  let identity: Int
  var contextID = ""
  var phase = Phase.beginning

  /// Whether the user may turn away from it without anybody noticing: another tap begins anew.
  var isAtUser: Bool { if case .shown = phase { true } else { false } }

  /// Pauses between questions, and how long to ask, in milliseconds.
  static let pause: Int64 = 1_500
  static let limit: Int64 = 60_000
  /// Between telling that something comes and what it is, in milliseconds.
  static let moment: Int64 = 200
}

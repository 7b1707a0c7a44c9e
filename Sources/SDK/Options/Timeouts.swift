/// Time limits, on the SDK's clock.
///
/// Every wait that does not depend on the user has a limit, so a port that never responds affects only the calls that
/// need it. Buying, restoring and answering a survey have no limit. A limit of zero or less expires immediately.
public struct Timeouts: Hashable, Sendable {
  /// How long a call waits for `configure`. The wait restarts each time `configure` is called. A full series of config
  /// retries takes about 65 s, so with the default limit a call can time out before `configure` succeeds.
  public var configure: Duration = .seconds(10)
  /// How long placements wait while the subscription status is unknown. All waiting placements share the deadline of
  /// the first placement.
  public var subscriptionStatus: Duration = .seconds(5)
  /// How long a paywall waits for the answer to a custom callback.
  public var customCallback: Duration = .seconds(60)
  /// How long a press of the back button waits for the app.
  public var backPress: Duration = .seconds(3)

  // The network.
  /// How long one attempt of a request may take.
  public var request: Duration = .seconds(30)
  /// How long one attempt to redeem codes may take.
  public var redeem: Duration = .seconds(10)
  /// How long one attempt to fetch web entitlements may take.
  public var entitlements: Duration = .seconds(5)
  /// How long `configure` waits for the server before it uses the stored config, or ``TollgateOptions/fallbackConfig``.
  /// When the server's config arrives, the SDK switches to it.
  public var keptConfig: Duration = .seconds(1)

  // The store.
  /// How long the store may take to return products. After this time, a paywall is shown without products.
  public var products: Duration = .seconds(10)
  /// How long the store may take to report the user's purchases. After this time, the subscription status stays
  /// unchanged until the store responds.
  public var ownedProducts: Duration = .seconds(10)
  /// How long Google Play may take to consume a purchase.
  public var consume: Duration = .seconds(10)
  /// The time after which the log reports that a purchase or a restore is still running. Purchases and restores have no
  /// time limit.
  public var transactionNotice: Duration = .seconds(60)

  // The host.
  /// How long ``PaywallPresenter/canPresent()`` may take. After this time, the SDK treats the presenter as missing.
  public var canPresent: Duration = .seconds(5)
  /// How long a host may take to show a paywall. After this time, the presentation fails. A paywall that appears later
  /// is closed again.
  public var present: Duration = .seconds(10)
  /// How long a host may take to close a paywall. After this time, the SDK treats the paywall as closed.
  public var dismiss: Duration = .seconds(10)
  /// How long a placement waits for an earlier placement that is still loading its paywall or waiting for the host.
  /// Placements that show no paywall do not wait.
  public var turn: Duration = .seconds(1)

  /// How long the storage may take to load or to save. After this time, the SDK continues without the storage.
  public var storage: Duration = .seconds(5)

  public init() {}
}

extension Duration {
  /// The duration in whole milliseconds, limited to 64 bits.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    if overflow { return seconds < 0 ? .min : .max }
    return product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
  }

  /// The duration for messages, such as `10 s` or `250 ms`.
  var words: String {
    let milliseconds = milliseconds
    return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
  }
}

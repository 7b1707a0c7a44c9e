/// Time limits, on the SDK's clock.
///
/// Everything that needs no person has a limit: a port that never answers affects only the call
/// that needs it. User actions have none: buying, restoring and answering a survey take as long as
/// they take. A limit of zero, or below, expires immediately.
public struct Timeouts: Hashable, Sendable {
  /// How long a call waits for `configure`. The wait restarts when `configure` does. A full series
  /// of config retries takes longer (about 65 s), so a call can time out although `configure`
  /// succeeds later.
  public var configure: Duration = .seconds(10)
  /// How long placements wait while the subscription status is unknown. All waiting placements
  /// share one deadline: that of the first.
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
  /// How long an attempt to fetch entitlements of the web may take.
  public var entitlements: Duration = .seconds(5)
  /// How long `configure` waits for the network before it uses the stored config, or the one in
  /// ``TollgateOptions/fallbackConfig``. The network's config replaces it when it arrives.
  public var keptConfig: Duration = .seconds(1)

  // The store.
  /// How long the store may take to return products. After that a paywall is shown without them.
  public var products: Duration = .seconds(10)
  /// How long the store may take to report the user's purchases. After that the status stays
  /// unchanged, until the answer arrives.
  public var ownedProducts: Duration = .seconds(10)
  /// How long Google Play may take to consume a purchase.
  public var consume: Duration = .seconds(10)
  /// The time after which the log reports a purchase or a restore without an answer. Neither has a
  /// limit.
  public var transactionNotice: Duration = .seconds(60)

  // The host.
  /// How long ``PaywallPresenter/canPresent()`` may take. After that the presenter counts as
  /// missing.
  public var canPresent: Duration = .seconds(5)
  /// How long a host may take to show a paywall. After that the presentation has failed. A paywall
  /// that appears later is closed again.
  public var present: Duration = .seconds(10)
  /// How long a host may take to close a paywall. After that it counts as closed.
  public var dismiss: Duration = .seconds(10)
  /// How long a placement waits for an earlier one that loads its paywall, or waits for the host.
  /// Placements that show no paywall do not wait for one that loads.
  public var turn: Duration = .seconds(1)

  /// How long the storage may take to load or to save. After that the SDK continues without it.
  public var storage: Duration = .seconds(5)

  public init() {}
}

extension Duration {
  /// Whole milliseconds, limited to 64 bits.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    if overflow { return seconds < 0 ? .min : .max }
    return product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
  }

  /// For a message: `10 s`, `250 ms`.
  var words: String {
    let milliseconds = milliseconds
    return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
  }
}

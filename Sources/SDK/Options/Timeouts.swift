/// Limits of time, on the SDK's clock.
///
/// What needs nobody has a limit: a port that never answers costs the call that asked it, and no
/// other. What a person does has none: buying, restoring and answering a survey take as long as they
/// take. A limit of zero, or below, is over at once.
public struct Timeouts: Hashable, Sendable {
  /// How long a call waits for `configure`. It begins again when `configure` does.
  /// A whole series of retries of the config takes longer (about 65 s), so a call can time out
  /// although `configure` succeeds later.
  public var configure: Duration = .seconds(10)
  /// How long placements wait while the subscription status is unknown. All that wait have one
  /// deadline: that of the first.
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
  /// How long an attempt to ask for entitlements of the web may take.
  public var entitlements: Duration = .seconds(5)
  /// How long `configure` waits for the network before it uses the config that was kept, or the
  /// one in ``TollgateOptions/fallbackConfig``. The network's is used when it comes.
  public var keptConfig: Duration = .seconds(1)

  // The store.
  /// How long the store may take to tell of products. After that a paywall is shown without them.
  public var products: Duration = .seconds(10)
  /// How long the store may take to say what the user owns. After that it counts as a store that
  /// cannot say: the status stays as it is, until the answer comes after all.
  public var ownedProducts: Duration = .seconds(10)
  /// How long Google Play may take to use up a purchase.
  public var consume: Duration = .seconds(10)
  /// After how long the log tells of a purchase or a restore that has no answer yet. Neither has a
  /// limit.
  public var transactionNotice: Duration = .seconds(60)

  // The host.
  /// How long ``PaywallPresenter/canPresent()`` may take. After that there is no presenter.
  public var canPresent: Duration = .seconds(5)
  /// How long a host may take to show a paywall. After that the presentation has failed; a paywall
  /// that comes later is taken away again.
  public var present: Duration = .seconds(10)
  /// How long a host may take to take a paywall away. After that it counts as gone.
  public var dismiss: Duration = .seconds(10)
  /// How long a placement lets another one go first that loads its paywall, or waits for the host.
  /// Placements that show nothing do not wait for one that loads.
  public var turn: Duration = .seconds(1)

  /// How long the storage may take to load or to save. After that the SDK goes on without it.
  public var storage: Duration = .seconds(5)

  public init() {}
}

extension Duration {
  /// Whole milliseconds, as far as 64 bits go.
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

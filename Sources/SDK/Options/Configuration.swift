/// The arguments of `configure`.
package struct Configuration: Hashable, Sendable {
  package var apiKey: String
  package var options: TollgateOptions
  package var purchases: PurchaseHandling
  /// The name and version of a wrapper around the SDK, such as `Expo`.
  package var wrapper: Wrapper?
  /// A static config from the app; nil requests a config from the network.
  package var given: [UInt8]?

  package struct Wrapper: Hashable, Sendable {
    var name: String
    var version: String
  }
}

/// The part that makes purchases.
package enum PurchaseHandling: Hashable, Sendable {
  /// The SDK makes purchases in the store on the device, and maintains the subscription status.
  case store
  /// A ``PurchaseController`` makes purchases.
  case controller
  /// A listener to `onPurchase` makes purchases and reports them with `didPurchase`.
  case listener
}

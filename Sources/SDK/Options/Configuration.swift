/// What `configure` is told.
package struct Configuration: Hashable, Sendable {
  package var apiKey: String
  package var options: TollgateOptions
  package var purchases: PurchaseHandling
  /// The name and version of a wrapper around the SDK, such as `Expo`.
  package var wrapper: Wrapper?
  /// A static config that the app gives; nil asks the network for one.
  package var given: [UInt8]?

  package struct Wrapper: Hashable, Sendable {
    var name: String
    var version: String
  }
}

/// Who buys.
package enum PurchaseHandling: Hashable, Sendable {
  /// The SDK itself, in the store on the device. It also keeps the subscription status.
  case store
  /// A ``PurchaseController``.
  case controller
  /// Whoever listens to `onPurchase` and answers with `didPurchase`.
  case listener
}

/// The system whose names, factors and rounding a product's attributes follow. Each profile reproduces its system
/// exactly, including its oddities. No profile reuses the strings of another profile.
public enum PricingProfile: String, Hashable, Sendable, CaseIterable {
  /// Superwall's iOS SDK with StoreKit 2.
  case iosStoreKit2 = "ios-sk2"
  /// Superwall's iOS SDK with StoreKit 1.
  case iosStoreKit1 = "ios-sk1"
  /// Superwall's iOS SDK with a product of Stripe.
  case iosStripe = "ios-stripe"
  /// Superwall's iOS SDK with a product of the backend: test mode, custom products.
  case iosAPI = "ios-api"
  /// Superwall's Android SDK with Google Play.
  case androidPlay = "android-play"
  /// Superwall's Android SDK with a product of Stripe or Paddle.
  case androidStripe = "android-stripe"
  /// Superwall's Android SDK in test mode, with a product of the backend.
  case androidTest = "android-test"
  /// AgentWallie's variables.
  case agentWallie = "agentwallie"
  /// The product of a checkout context, with typed values and amounts without symbols.
  case checkout

  /// The names of the profile's attributes, in their order.
  package var schema: AttributeSchema {
    switch self {
    case .iosStoreKit2, .iosStoreKit1, .iosStripe, .iosAPI: .ios
    case .androidPlay, .androidStripe, .androidTest: .android
    case .agentWallie: .agentWallie
    case .checkout: .checkout
    }
  }

  /// The profile of the SDK that usually shows the products of a store.
  ///
  /// - Parameter isAndroid: true for the Android SDK, false for the iOS SDK, and nil for the usual SDK of the store.
  public init(usualFor store: PricedProduct.Store, isAndroid: Bool? = nil) {
    let isAndroid = isAndroid ?? (store == .playStore)
    self =
      switch store {
      case .appStore, .playStore, .other: isAndroid ? .androidPlay : .iosStoreKit2
      case .stripe, .paddle: isAndroid ? .androidStripe : .iosStripe
      case .superwall, .custom: isAndroid ? .androidTest : .iosAPI
      }
  }

  /// Whether the profile belongs to the Android SDK.
  var isAndroid: Bool {
    switch self {
    case .androidPlay, .androidStripe, .androidTest: true
    default: false
    }
  }
}

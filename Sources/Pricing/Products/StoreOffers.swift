/// The type of a product in its store.
package enum ProductKind: String, Hashable, Sendable, CaseIterable {
  /// The product can be used up, and bought again.
  case consumable
  /// The product is bought once, and owned forever.
  case nonConsumable
  /// The product is bought once, for a limited time, and never renews.
  case nonRenewingSubscription
  /// The product is charged repeatedly until it is cancelled.
  case autoRenewableSubscription
}

/// An offer of the App Store in addition to the introductory offer. The app or the store selects the offer's users, so
/// prices never include it.
package struct StoreOffer: Hashable, Sendable {
  /// The users that can get the offer.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// New subscribers, if a file has more than one introductory offer.
    case introductory
    /// Present and former subscribers that the app selects.
    case promotional
    /// Former subscribers that the store selects.
    case winBack
    /// Users that have a code.
    case code
  }

  package var kind: Kind
  /// The store's identifier of the offer.
  package var id: String?
  /// The name in the developer's own lists.
  package var name: String?
  /// The price and duration of the offer.
  package var terms: IntroductoryOffer

  package init(_ kind: Kind, id: String? = nil, name: String? = nil, _ terms: IntroductoryOffer) {
    self.kind = kind
    self.id = id
    self.name = name
    self.terms = terms
  }
}

/// A discount of Stripe on the charges of a subscription.
package struct Coupon: Hashable, Sendable {
  /// The reduction of a charge.
  package enum Discount: Hashable, Sendable {
    /// The reduction in millionths of a percent, 0 to 100 percent: 12.5 % is 12,500,000.
    case percent(micros: Int64)
    /// The reduction in micros of the product's currency.
    case amount(micros: Int64)
  }

  /// The charges that are reduced.
  package enum Duration: Hashable, Sendable {
    /// The first charge is reduced.
    case once
    /// All charges within this number of months are reduced, including a trial.
    case months(Int)
    /// All charges are reduced.
    case forever
  }

  package var discount: Discount
  package var duration: Duration

  package init(_ discount: Discount, _ duration: Duration) {
    self.discount = discount
    self.duration = duration
  }

  /// The charge with the discount. The reduction by a percentage is rounded half up to the currency's minor digits. The result
  /// is never below 0.
  package func reduced(_ price: Money) throws(PricingError) -> Int64 {
    let saved =
      switch discount {
      case .amount(let micros): micros
      case .percent(let micros):
        try ExactPrice.round(
          price.micros, times: micros, over: 100_000_000, digits: price.currency.minorDigits,
          .halfUp)
      }
    return max(price.micros - saved, 0)
  }
}

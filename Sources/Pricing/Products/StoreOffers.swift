/// What a store sells a product as.
package enum ProductKind: String, Hashable, Sendable, CaseIterable {
  /// Used up, and bought again.
  case consumable
  /// Bought once, and owned for ever.
  case nonConsumable
  /// Bought once, and over after a time; it never renews.
  case nonRenewingSubscription
  /// Charged again until it is cancelled.
  case autoRenewableSubscription
}

/// An offer of the App Store beside the introductory one. Who gets it is for the app or the store to
/// decide, so prices never count it.
package struct StoreOffer: Hashable, Sendable {
  /// Whom the offer is for.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// New subscribers, where a file has more than one introductory offer.
    case introductory
    /// Subscribers, present and former, that the app selects.
    case promotional
    /// Former subscribers that the store selects.
    case winBack
    /// Users with a code.
    case code
  }

  package var kind: Kind
  /// The store's identifier of the offer.
  package var id: String?
  /// The name in the developer's own lists.
  package var name: String?
  /// What it costs, and for how long.
  package var terms: IntroductoryOffer

  package init(_ kind: Kind, id: String? = nil, name: String? = nil, _ terms: IntroductoryOffer) {
    self.kind = kind
    self.id = id
    self.name = name
    self.terms = terms
  }
}

/// A discount of Stripe on what a subscription is charged.
package struct Coupon: Hashable, Sendable {
  /// What is taken off a charge.
  package enum Discount: Hashable, Sendable {
    /// Millionths of a percent, 0 to 100 percent: 12.5 % are 12,500,000.
    case percent(micros: Int64)
    /// Micros of the product's currency.
    case amount(micros: Int64)
  }

  /// Which charges are reduced.
  package enum Duration: Hashable, Sendable {
    /// The first one.
    case once
    /// All before so many months are over, a trial included.
    case months(Int)
    /// All.
    case forever
  }

  package var discount: Discount
  package var duration: Duration

  package init(_ discount: Discount, _ duration: Duration) {
    self.discount = discount
    self.duration = duration
  }

  /// The charge with the discount. What a percentage takes off is rounded to the currency's minor
  /// digits, half up; nothing falls below 0.
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

/// One offer of a Google Play subscription: a base plan, perhaps with an offer in front of it.
package struct PlayOffer: Hashable, Sendable {
  /// A span with one price. The last phase is the base plan and goes on.
  package struct Phase: Hashable, Sendable {
    package var micros: Int64
    package var period: ISOPeriod
    /// How many periods; 0 for ever.
    package var cycles: Int

    package init(micros: Int64, _ period: ISOPeriod, cycles: Int) {
      self.micros = micros
      self.period = period
      self.cycles = cycles
    }
  }

  package var basePlanID: String
  /// Empty for the base plan itself.
  package var offerID: String
  package var tags: [String]
  package var phases: [Phase]

  package init(basePlanID: String, offerID: String = "", tags: [String] = [], phases: [Phase]) {
    self.basePlanID = basePlanID
    self.offerID = offerID
    self.tags = tags
    self.phases = phases
  }

  /// The offer that an identifier selects, or nil (RawStoreProduct.kt of the Android SDK).
  ///
  /// Without base plan: the first offer of one phase, whatever the identifier says of offers. With
  /// one: of its offers the one named; automatically, the longest free trial (the first of equals),
  /// else the lowest first paid phase, leaving out those whose tag ends in `-ignore-offer`. Where
  /// nothing fits, or none is wanted, the base plan itself; without a base plan, nothing.
  package static func select(_ id: PlayProductID, from offers: [PlayOffer]) -> PlayOffer? {
    guard case .specific(let basePlanID) = id.basePlan else {
      return offers.first { $0.phases.count == 1 }
    }
    let ofPlan = offers.filter { $0.basePlanID == basePlanID }
    guard let basePlan = ofPlan.first(where: { $0.phases.count == 1 }) else { return nil }
    switch id.offer {
    case .none: return basePlan
    case .specific(let offerID): return ofPlan.first { $0.offerID == offerID } ?? basePlan
    case .automatic:
      let choices = ofPlan.filter { offer in
        offer.phases.count > 1 && !offer.tags.contains { $0.hasSuffix("-ignore-offer") }
      }
      return longestFree(choices) ?? lowestPaid(choices) ?? basePlan
    }
  }

  private static func longestFree(_ offers: [PlayOffer]) -> PlayOffer? {
    var best: (days: Int, offer: PlayOffer)?
    for offer in offers {
      guard let free = offer.phases.first(where: { $0.micros == 0 }) else { continue }
      let period = free.period
      let days = (period.years * 12 + period.months) * 30 + period.weeks * 7 + period.days
      if best.map({ days > $0.days }) ?? true { best = (days, offer) }
    }
    return best?.offer
  }

  private static func lowestPaid(_ offers: [PlayOffer]) -> PlayOffer? {
    var best: (micros: Int64, offer: PlayOffer)?
    for offer in offers {
      guard let paid = offer.phases.dropLast().first(where: { $0.micros != 0 }) else { continue }
      if best.map({ paid.micros < $0.micros }) ?? true { best = (paid.micros, offer) }
    }
    return best?.offer
  }

  /// The phase that goes on: its price and period are those of the product.
  package var basePhase: Phase? { phases.last }

  /// The phase that the Android SDK calls the trial: the first that is free, of all, else the first
  /// paid one before the last.
  package var trialPhase: Phase? {
    phases.first { $0.micros == 0 } ?? phases.dropLast().first { $0.micros != 0 }
  }

  /// Whether anything stands before the base plan.
  package var hasTrial: Bool { phases.count > 1 }
}

/// One way to buy a one-time product of Google Play.
package struct PlayPurchaseOption: Hashable, Sendable {
  package var micros: Int64
  package var optionID: String?
  package var offerID: String?

  package init(micros: Int64, optionID: String?, offerID: String? = nil) {
    self.micros = micros
    self.optionID = optionID
    self.offerID = offerID
  }

  /// The option that an identifier selects, or nil; of several the cheapest, the first of equals.
  ///
  /// No offer wanted: one without offer. An option and an offer: exactly those, else the option. An
  /// offer alone: one with it. Neither: one that has both ids. Where none fits, any of those that the
  /// named option has, or of all.
  package static func select(
    _ id: PlayProductID, from options: [PlayPurchaseOption]
  ) -> PlayPurchaseOption? {
    var choices = options
    if case .specific(let optionID) = id.basePlan {
      choices = choices.filter { $0.optionID == optionID }
      switch id.offer {
      case .none: return cheapest(choices.filter { $0.offerID == nil })
      case .specific(let offerID):
        return cheapest(choices.filter { $0.offerID == offerID })
          ?? cheapest(choices.filter { $0.offerID == nil }) ?? cheapest(choices)
      case .automatic: return cheapest(choices)
      }
    }
    switch id.offer {
    case .none: return cheapest(choices.filter { $0.offerID == nil })
    case .specific(let offerID):
      return cheapest(choices.filter { $0.offerID == offerID }) ?? cheapest(choices)
    case .automatic:
      return cheapest(choices.filter { $0.optionID != nil && $0.offerID != nil })
        ?? cheapest(choices)
    }
  }

  private static func cheapest(_ options: [PlayPurchaseOption]) -> PlayPurchaseOption? {
    options.min { $0.micros < $1.micros }
  }
}

extension PricedProduct {
  /// The offer of Google Play that the full identifier selects.
  package var selectedOffer: PlayOffer? {
    PlayOffer.select(PlayProductID(fullIdentifier ?? identifier), from: offers)
  }
}

/// One offer of a Google Play subscription: a base plan, optionally with an offer before it.
package struct PlayOffer: Hashable, Sendable {
  /// A span with one price. The last phase is the base plan, which has no end.
  package struct Phase: Hashable, Sendable {
    package var micros: Int64
    package var period: ISOPeriod
    /// The number of periods, or 0 for no end.
    package var cycles: Int

    package init(micros: Int64, _ period: ISOPeriod, cycles: Int) {
      self.micros = micros
      self.period = period
      self.cycles = cycles
    }
  }

  package var basePlanID: String
  /// The identifier of the offer, or empty for the base plan itself.
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
  /// If the identifier has no base plan, the first offer with one phase is selected, whatever the identifier's offer.
  /// Otherwise, the base plan's offer with the identifier's name is selected. Automatic selection prefers the longest
  /// free trial (the first of equals), then the lowest first paid phase. Automatic selection ignores offers with a tag
  /// that ends in `-ignore-offer`. If no offer fits or none is wanted, the base plan itself is selected. The result is
  /// nil if the base plan does not exist.
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

  /// The phase without an end. This phase's price and period are those of the product.
  package var basePhase: Phase? { phases.last }

  /// The phase that the Android SDK calls the trial: the first free phase, otherwise the first paid phase before the last.
  package var trialPhase: Phase? {
    phases.first { $0.micros == 0 } ?? phases.dropLast().first { $0.micros != 0 }
  }

  /// Whether there are phases before the base plan.
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

  /// The option that an identifier selects, or nil. Among several options, the first of the cheapest is selected.
  ///
  /// If the identifier names an option, only options with that ID are considered. If the identifier excludes offers, the
  /// option must have no offer. If it names an offer, options with that offer are preferred, then options without an
  /// offer if an option is named, then all others. If it names neither, options that have both IDs are preferred.
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

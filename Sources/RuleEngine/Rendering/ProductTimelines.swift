package import CivilTime
package import Expressions
package import Pricing

/// The charges of a store for a product over time, with the user's offer and with each other offer.
package struct ProductTimelines: Sendable {
  /// A timeline of an offer that the product's prices do not include.
  package struct Other: Sendable {
    /// The type of the offer: `promotional`, `winBack`, `code`, `introductory`, `play` or `purchaseOption`.
    package var type: String
    package var id: String?
    package var name: String?
    package var timeline: PaymentTimeline
  }

  /// The timeline with the user's offer. Nil if the product has no price.
  package let own: PaymentTimeline?
  package let others: [Other]
  package let format: CurrencyFormat

  /// - Parameter start: the day of the purchase.
  package init(_ product: PricedProduct, _ context: PricingContext, from start: CivilDate) {
    let isEligible = context.mayHaveOffer(of: product) ?? true
    own = try? PaymentTimeline(product, isEligible: isEligible, from: start)
    format = PriceLocale(context.locale ?? product.locale ?? "en_US").format(
      for: product.price?.currency ?? product.currency ?? .usd)
    var others: [Other] = []
    for offer in product.storeOffers {
      guard let timeline = try? PaymentTimeline(product, with: offer, from: start) else { continue }
      others.append(
        Other(type: offer.kind.rawValue, id: offer.id, name: offer.name, timeline: timeline))
    }
    let selected = product.selectedOffer
    for offer in product.offers where offer != selected {
      guard let timeline = PaymentTimeline(product, with: offer, from: start) else { continue }
      let id = [offer.basePlanID, offer.offerID].filter { !$0.isEmpty }.joined(separator: ":")
      others.append(Other(type: "play", id: id, timeline: timeline))
    }
    let isAlone = product.purchaseOptions.count < 2
    for option in product.purchaseOptions where !isAlone {
      let id = [option.optionID, option.offerID].compactMap { $0 }.joined(separator: ":")
      others.append(
        Other(
          type: "purchaseOption", id: id.isEmpty ? nil : id,
          timeline: PaymentTimeline(product, with: option, from: start)))
    }
    self.others = others
  }

  // MARK: Text

  /// The lines to print: the offer of the user phase by phase, then the other offers.
  package var lines: [String] {
    var lines: [String] = []
    if let own {
      for phase in own.phases {
        let price = phase.displayPrice ?? format.text(micros: phase.micros)
        lines.append("\(Self.text(phase.start))  \(phase.words(price))")
      }
      lines[lines.count - 1] += ending(of: own)
      if let commitment = own.commitment {
        lines.append("            a commitment to \(commitment.words)")
      }
    }
    for other in others {
      let title = [other.name, other.id].compactMap { $0 }.first.map { " '\($0)'" } ?? ""
      lines.append(
        "\(Self.title(other.type))\(title): \(other.timeline.words(format))"
          + ending(of: other.timeline))
    }
    return lines
  }

  private func ending(of timeline: PaymentTimeline) -> String {
    if timeline.renews { return " until cancelled" }
    guard let end = timeline.regular.end else { return "" }
    return "; ends on \(Self.text(end)), does not renew"
  }

  private static func title(_ type: String) -> String {
    switch type {
    case "winBack": "win-back offer"
    case "code": "offer code"
    case "play": "other offer"
    case "purchaseOption": "purchase option"
    default: "\(type) offer"
    }
  }

  /// A date as `2026-03-13`.
  private static func text(_ date: CivilDate) -> String {
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(count - text.count, 0)) + text
    }
    return "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))"
  }

  // MARK: JSON

  /// `"timeline"` and `"offers"` of a product as JSON.
  package var members: [(name: String, value: Value)] {
    var members: [(name: String, value: Value)] = []
    if let own { members.append(("timeline", Self.json(own))) }
    if !others.isEmpty {
      members.append(
        (
          "offers",
          .list(
            others.map { other in
              .members([
                "type": .string(other.type), "id": other.id.map { .string($0) },
                "name": other.name.map { .string($0) }, "timeline": Self.json(other.timeline),
              ])
            })
        ))
    }
    return members
  }

  private static func json(_ timeline: PaymentTimeline) -> Value {
    .members([
      "currency": .string(timeline.currency.code), "renews": .bool(timeline.renews),
      "chargedToday": .string(PriceText.plain(timeline.chargedToday)),
      "totalInFirstYear": (try? timeline.totalInFirstYear()).map { .string(PriceText.plain($0)) },
      "endOfOffer": timeline.offerEnd.map { .string(text($0)) },
      "commitment": timeline.commitment.map(json),
      "phases": .list(timeline.phases.map(json)),
    ])
  }

  private static func json(_ phase: PaymentPhase) -> Value {
    .members([
      "mode": .string(phase.mode.rawValue), "price": .string(PriceText.plain(phase.micros)),
      "period": phase.period.map(json), "cycles": phase.cycles.map { .int(Int64($0)) },
      "startDate": .string(text(phase.start)), "endDate": phase.end.map { .string(text($0)) },
    ])
  }

  private static func json(_ period: Period) -> Value {
    ["unit": .string(period.unit.name), "count": .int(Int64(period.count))]
  }
}

/// A full identifier of Google Play, as Superwall writes it: `product[:basePlan[:offer]]`.
///
/// Parts beyond the third are ignored; the text is kept.
package struct PlayProductID: Hashable, Sendable {
  /// What a part of the identifier says.
  package enum Choice: Hashable, Sendable {
    /// Empty, missing or `sw-auto`: whatever fits best.
    case automatic
    /// `sw-none` in the place of the offer.
    case none
    case specific(String)
  }

  /// The whole identifier.
  package let text: String
  package let productID: String
  package let basePlan: Choice
  package let offer: Choice

  package init(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    self.text = text
    productID = parts.first.map(String.init) ?? ""
    basePlan = parts.count > 1 ? Self.choice(parts[1]) : .automatic
    offer =
      parts.count > 2 ? parts[2] == "sw-none" ? .none : Self.choice(parts[2]) : .automatic
  }

  private static func choice(_ part: Substring) -> Choice {
    part.isEmpty || part == "sw-auto" ? .automatic : .specific(String(part))
  }
}

/// An identifier of Stripe or Paddle, as Superwall writes it: `environment:price:trial`.
///
/// The parts are opaque. What the last one says of a trial (`no-trial`, `7days-free`) does not count;
/// the product's days do.
package struct CompositeProductID: Hashable, Sendable {
  /// `live`, `test` ...
  package let environment: String
  /// The identifier of the price: `price_123`.
  package let priceID: String
  /// `no-trial`, `7days-free` ...; nil where there is none.
  package let trial: String?

  /// Nil where the text has fewer than two parts. What follows the second colon is one part.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, !parts[1].isEmpty else { return nil }
    environment = String(parts[0])
    priceID = String(parts[1])
    trial = parts.count > 2 ? String(parts[2]) : nil
  }

  /// Whether the last part says that there is no trial.
  package var saysNoTrial: Bool { trial == "no-trial" }
}

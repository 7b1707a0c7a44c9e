/// A full identifier of Google Play, in Superwall's format: `product[:basePlan[:offer]]`.
///
/// Parts after the third are ignored, but `text` contains them.
package struct PlayProductID: Hashable, Sendable {
  /// The meaning of a part of the identifier.
  package enum Choice: Hashable, Sendable {
    /// The part is empty, missing or `sw-auto`, and means the best match.
    case automatic
    /// The identifier contains `sw-none` instead of an offer.
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

/// An identifier of Stripe or Paddle, in Superwall's format: `environment:price:trial`.
///
/// The parts have no meaning to Tollgate. The trial in the last part (`no-trial`, `7days-free`) is ignored, because the
/// product's trial days are used instead.
package struct CompositeProductID: Hashable, Sendable {
  /// The environment: `live`, `test` ...
  package let environment: String
  /// The identifier of the price: `price_123`.
  package let priceID: String
  /// The trial: `no-trial`, `7days-free` ..., or nil if the identifier names no trial.
  package let trial: String?

  /// Parses an identifier. Fails if the string has fewer than two parts. Everything after the second colon is one part.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, !parts[1].isEmpty else { return nil }
    environment = String(parts[0])
    priceID = String(parts[1])
    trial = parts.count > 2 ? String(parts[2]) : nil
  }

  /// Whether the last part excludes a trial.
  package var saysNoTrial: Bool { trial == "no-trial" }
}

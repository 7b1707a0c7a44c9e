package import Expressions
package import Pricing

/// The attributes of products in one profile, with findings about them.
package struct ProductSheet: Sendable {
  package let profile: PricingProfile
  package let products: [PricedProduct]
  package let attributes: [Result<ProductAttributes, PricingError>]
  /// The store's charges and their dates, for each product.
  package let timelines: [ProductTimelines]
  package let diagnostics: [Diagnostic]

  package init(_ products: [PricedProduct], _ profile: PricingProfile, _ context: PricingContext)
    throws(PricingError)
  {
    var producer = try AttributeProducer(profile, context)
    let attributes = producer.attributes(of: products)
    self.profile = profile
    self.products = products
    self.attributes = attributes
    let today = producer.today
    timelines = products.map { ProductTimelines($0, context, from: today) }
    diagnostics =
      zip(products, attributes).flatMap { Self.diagnostics($0, $1, profile) }
      + producer.diagnostics
  }

  private static func diagnostics(
    _ product: PricedProduct, _ result: Result<ProductAttributes, PricingError>,
    _ profile: PricingProfile
  ) -> [Diagnostic] {
    switch result {
    case .failure(let error):
      return [
        Diagnostic(
          .decodeFailure, "'\(product.identifier)' has no attributes: \(error.message)",
          path: product.path,
          suggestion: error == .missingPrice ? "give the prices with --products" : nil)
      ]
    case .success(let attributes):
      return AttributeCaveat.allCases.compactMap { caveat in
        let names = attributes.names(with: caveat)
        if names.isEmpty { return nil }
        return Diagnostic(
          caveat.code,
          "'\(product.identifier)' \(caveat.message): "
            + names.map { "\($0) \(attributes[$0].map(Self.shown) ?? "")" }.joined(separator: ", "),
          severity: caveat == .storeText ? .note : .warning, path: product.path,
          notes: [caveat.note(profile)])
      }
    }
  }

  /// A sheet for each profile, with the profile's products in the order of the list.
  ///
  /// - Parameter profile: nil for the profile that each product's store suggests.
  package static func sheets(
    _ list: ProductList, _ profile: PricingProfile?, _ context: PricingContext
  ) throws(PricingError) -> [ProductSheet] {
    var groups: [(profile: PricingProfile, products: [PricedProduct])] = []
    for product in list.products {
      let own = profile ?? Self.profile(of: product, list.format)
      if let known = groups.firstIndex(where: { $0.profile == own }) {
        groups[known].products.append(product)
      } else {
        groups.append((own, [product]))
      }
    }
    var sheets: [ProductSheet] = []
    for group in groups { sheets.append(try ProductSheet(group.products, group.profile, context)) }
    return sheets
  }

  private static func profile(
    of product: PricedProduct, _ format: ProductList.Format
  ) -> PricingProfile {
    if format == .agentWallieConfig { return .agentWallie }
    return PricingProfile(usualFor: product.store)
  }

  /// A value as it appears in a text. Empty if the value is missing.
  package static func shown(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .string(let text): text
    default: value.json
    }
  }

  // MARK: JSON

  /// The sheets in the JSON that `tollgate products --json` prints.
  package static func json(_ sheets: [ProductSheet], _ diagnostics: [Diagnostic]) -> Value {
    let products = sheets.flatMap { sheet in
      sheet.products.indices.map { place in
        json(
          sheet.products[place], sheet.attributes[place], sheet.timelines[place], sheet.profile)
      }
    }
    return [
      "products": .list(products), "diagnostics": .list(diagnostics.map { $0.json }),
      "localeData": .string("ICU \(PriceLocale.dataVersion)"),
    ]
  }

  private static func json(
    _ product: PricedProduct, _ result: Result<ProductAttributes, PricingError>,
    _ timelines: ProductTimelines, _ profile: PricingProfile
  ) -> Value {
    var entries: [Value.Entry] = []
    func add(_ key: String, _ value: Value) {
      entries.append(Value.Entry(key: .string(key), value: value))
    }
    add("identifier", .string(product.fullIdentifier ?? product.identifier))
    if let slot = product.slot { add("slot", .string(slot)) }
    add("profile", .string(profile.rawValue))
    switch result {
    case .failure(let error): add("error", .string(error.message))
    case .success(let attributes):
      let own = profile.schema.ownCount
      add("attributes", attributes.value(0..<own, withAbsent: true))
      let additions = own..<profile.schema.names.count
      if !additions.isEmpty { add("additions", attributes.value(additions, withAbsent: true)) }
      add("aboveExact", .list(attributes.pricesAboveExact.map { .string($0) }))
      let caveats = AttributeCaveat.allCases.filter { $0 != .aboveExact }.compactMap { caveat in
        let names = attributes.names(with: caveat).map { Value.string($0) }
        return names.isEmpty
          ? nil : Value.Entry(key: .string(caveat.code.rawValue), value: .list(names))
      }
      if !caveats.isEmpty { add("caveats", .map(caveats)) }
    }
    for member in timelines.members { add(member.name, member.value) }
    return .map(entries)
  }
}

extension AttributeCaveat {
  package var code: Diagnostic.Code {
    switch self {
    case .aboveExact: .priceAboveExact
    case .onePeriod: .onePeriodOfOffer
    case .withoutCount: .periodWithoutCount
    case .foreignSign: .foreignCurrencySign
    case .storeText: .storePriceText
    }
  }

  /// The text that follows the product's name.
  fileprivate var message: String {
    switch self {
    case .aboveExact: "shows prices that are rounded up"
    case .onePeriod: "shows only one of the several periods of its offer"
    case .withoutCount: "shows the unit of its period without the count"
    case .foreignSign: "shows prices with the symbol of another currency"
    case .storeText: "formats the store's price differently from the computed prices"
    }
  }

  fileprivate func note(_ profile: PricingProfile) -> String {
    let additions = profile.schema.additions
    switch self {
    case .aboveExact:
      let hasExact = additions.contains { $0.lowercased().hasSuffix("exact") }
      return "\(profile.rawValue) rounds them this way"
        + (hasExact ? "; attributes whose names end in 'exact' are not rounded" : "")
    case .onePeriod:
      return additions.contains("endDateOfOffer")
        ? "trialTotalDays and endDateOfOffer count all periods" : "\(profile.rawValue) counts one"
    case .withoutCount:
      return additions.contains("periodAdverb")
        ? "periodAdverb has the count" : "\(profile.rawValue) names the unit only"
    case .foreignSign: return "\(profile.rawValue) uses the symbol of the locale's own currency"
    case .storeText: return "the store's price stays unchanged; the other prices follow the locale"
    }
  }
}

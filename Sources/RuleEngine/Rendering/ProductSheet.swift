package import Expressions
package import Pricing

/// The attributes of products of one profile, with what is odd about them.
package struct ProductSheet: Sendable {
  package let profile: PricingProfile
  package let products: [PricedProduct]
  package let attributes: [Result<ProductAttributes, PricingError>]
  package let diagnostics: [Diagnostic]

  package init(_ products: [PricedProduct], _ profile: PricingProfile, _ context: PricingContext)
    throws(PricingError)
  {
    var producer = try AttributeProducer(profile, context)
    let attributes = producer.attributes(of: products)
    self.profile = profile
    self.products = products
    self.attributes = attributes
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
      let names = attributes.pricesAboveExact
      guard !names.isEmpty else { return [] }
      return [
        Diagnostic(
          .priceAboveExact,
          "'\(product.identifier)' shows prices higher than they are: "
            + names.map { "\($0) \(attributes[$0].map(Self.shown) ?? "")" }.joined(separator: ", "),
          severity: .warning, path: product.path,
          notes: ["\(profile.rawValue) rounds them so" + hint(profile)])
      ]
    }
  }

  /// The products by profile, in their order.
  ///
  /// - Parameter profile: nil for what each product's store suggests.
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

  /// What to show instead, where there is something.
  private static func hint(_ profile: PricingProfile) -> String {
    profile.schema.additions.contains { $0.lowercased().hasSuffix("exact") }
      ? "; the names that end in 'exact' do not" : ""
  }

  /// A value as it stands in a text; nothing for what is absent.
  package static func shown(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .string(let text): text
    default: value.json
    }
  }

  // MARK: JSON

  /// Sheets as `tollgate products --json` prints them.
  package static func json(_ sheets: [ProductSheet], _ diagnostics: [Diagnostic]) -> Value {
    let products = sheets.flatMap { sheet in
      zip(sheet.products, sheet.attributes).map { json($0, $1, sheet.profile) }
    }
    return [
      "products": .list(products), "diagnostics": .list(diagnostics.map(\.json)),
      "localeData": .string("ICU \(PriceLocale.dataVersion)"),
    ]
  }

  private static func json(
    _ product: PricedProduct, _ result: Result<ProductAttributes, PricingError>,
    _ profile: PricingProfile
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
    }
    return .map(entries)
  }
}

internal import Expressions
internal import Pricing
internal import RuleEngine

/// Attributes of products, for a person and for a machine.
enum ProductsReport {
  /// The products of one profile.
  struct Sheet {
    let profile: PricingProfile
    let products: [PricedProduct]
    let attributes: [Result<ProductAttributes, PricingError>]
    let diagnostics: [Diagnostic]

    init(_ products: [PricedProduct], _ profile: PricingProfile, _ context: PricingContext)
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
              + names.map { "\($0) \(attributes[$0].map(shown) ?? "")" }.joined(separator: ", "),
            severity: .warning, path: product.path,
            notes: ["\(profile.rawValue) rounds them so" + hint(profile)])
        ]
      }
    }
  }

  /// The products by profile, in their order.
  ///
  /// - Parameter profile: nil for what each product's store suggests.
  static func sheets(
    _ list: ProductList, _ profile: PricingProfile?, _ context: PricingContext
  ) throws(PricingError) -> [Sheet] {
    var groups: [(profile: PricingProfile, products: [PricedProduct])] = []
    for product in list.products {
      let own = profile ?? Self.profile(of: product, list.format)
      if let known = groups.firstIndex(where: { $0.profile == own }) {
        groups[known].products.append(product)
      } else {
        groups.append((own, [product]))
      }
    }
    var sheets: [Sheet] = []
    for group in groups { sheets.append(try Sheet(group.products, group.profile, context)) }
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
  static func shown(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .string(let text): text
    default: value.json
    }
  }

  // MARK: JSON

  static func json(_ sheets: [Sheet], _ diagnostics: [Diagnostic]) -> Value {
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

  // MARK: Text

  /// How many products stand side by side, where there is room.
  private static let columns = 3

  static func text(_ sheets: [Sheet], _ style: TextStyle) -> String {
    sheets.flatMap { sheet -> [String] in
      let usable = zip(sheet.products, sheet.attributes).compactMap { product, result in
        (try? result.get()).map { (product: product, attributes: $0) }
      }
      return parts(of: usable, sheet.profile, style).map { part in
        let table = table(sheet.profile, part)
        return table.lines(style).joined(separator: "\n")
      }
    }
    .joined(separator: "\n\n")
  }

  private typealias Shown = (product: PricedProduct, attributes: ProductAttributes)

  /// The products of each table: as many as stand side by side in the width.
  private static func parts(
    of products: [Shown], _ profile: PricingProfile, _ style: TextStyle
  ) -> [[Shown]] {
    var parts: [[Shown]] = []
    for product in products {
      if let last = parts.last, last.count < columns,
        style.width.map({ table(profile, last + [product]).width <= $0 }) ?? true
      {
        parts[parts.count - 1].append(product)
      } else {
        parts.append([product])
      }
    }
    return parts
  }

  private static func table(_ profile: PricingProfile, _ products: [Shown]) -> TextTable {
    let schema = profile.schema
    var rows = [
      [profile.rawValue]
        + products.map {
          DiagnosticText.visible($0.product.slot ?? $0.product.identifier)
        }
    ]
    for name in schema.names {
      let cells = products.map { product in
        DiagnosticText.visible(product.attributes[name].map(shown) ?? "")
          + (product.attributes.pricesAboveExact.contains(name) ? " *" : "")
      }
      rows.append([name] + cells)
    }
    return TextTable(
      rows: rows, left: Set(0...products.count), hasNamesAsHeads: true,
      ruled: schema.ownCount < schema.names.count ? [1 + schema.ownCount] : [])
  }
}

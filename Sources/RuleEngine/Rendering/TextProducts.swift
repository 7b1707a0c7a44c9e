package import Expressions
public import Pricing

/// The products of a paywall with the attributes that texts read, computed once for all users.
package struct TextProducts: Sendable {
  /// The products with their attributes, in the order of the paywall.
  package private(set) var slotted: [TextContext.SlottedProduct] = []
  /// Products without attributes, and locales that the tables lack.
  package private(set) var diagnostics: [Diagnostic] = []

  /// The slots for products if no product names its slot.
  private static let usualSlots = ["primary", "secondary", "tertiary"]

  /// - Parameters:
  ///   - products: the products. If no product has a slot, their slots are `primary`, `secondary` and `tertiary`.
  ///     Otherwise the slot of a product without a slot is its identifier.
  ///   - profile: the profile whose names and rounding apply to the attributes. Nil for the profile that each product's
  ///     store suggests.
  /// - Throws: ``PricingError`` if the time zone does not exist.
  package init(
    _ products: [PricedProduct], profile: PricingProfile? = nil, context: PricingContext
  ) throws(PricingError) {
    let namesSlots = products.contains { $0.slot != nil }
    var producers: [PricingProfile: AttributeProducer] = [:]
    // AgentWallie's savings attributes compare the products of one paywall.
    var savings: [Result<ProductAttributes, PricingError>] = []
    if profile == .agentWallie {
      var producer = try AttributeProducer(.agentWallie, context)
      savings = producer.attributes(of: products)
      producers[.agentWallie] = producer
    }
    for (number, product) in products.enumerated() {
      let usual = !namesSlots && number < TextProducts.usualSlots.count
      let slot = product.slot ?? (usual ? TextProducts.usualSlots[number] : product.identifier)
      let own = profile ?? PricingProfile(usualFor: product.store)
      let result: Result<ProductAttributes, PricingError>
      if own == .agentWallie, number < savings.count {
        result = savings[number]
      } else {
        var producer: AttributeProducer
        if let known = producers[own] {
          producer = known
        } else {
          producer = try AttributeProducer(own, context)
        }
        do throws(PricingError) {
          result = .success(try producer.attributes(of: product))
        } catch {
          result = .failure(error)
        }
        producers[own] = producer
      }
      add(product, slot, result, mayHaveOffer: context.mayHaveOffer(of: product) ?? true)
    }
    for producer in producers.values.sorted(by: { $0.profile.rawValue < $1.profile.rawValue }) {
      for diagnostic in producer.diagnostics where !diagnostics.contains(diagnostic) {
        diagnostics.append(diagnostic)
      }
    }
  }

  private mutating func add(
    _ product: PricedProduct, _ slot: String, _ result: Result<ProductAttributes, PricingError>,
    mayHaveOffer: Bool
  ) {
    var attributes = Value.map([])
    switch result {
    case .success(let computed): attributes = computed.value
    case .failure(let error):
      diagnostics.append(
        Diagnostic(
          .decodeFailure, "'\(product.identifier)' has no attributes: \(error.message)",
          path: product.path,
          suggestion: error == .missingPrice ? "give its price with --products" : nil))
    }
    slotted.append(
      TextContext.SlottedProduct(
        slot: slot, label: product.label, productID: product.configID ?? product.identifier,
        attributes: attributes, mayHaveOffer: mayHaveOffer))
  }

  /// Warnings about missing product values that a text reads.
  package func missing(in analysis: TemplateAnalysis) -> [Diagnostic] {
    TextDeclarations.missing(in: analysis, products: slotted)
  }

  /// The index of the slot with a name, or nil.
  package func index(ofSlot name: String) -> Int? {
    slotted.firstIndex { $0.slot.utf8.elementsEqual(name.utf8) }
  }
}

extension Config {
  /// The products of a paywall, with the prices of a product list.
  public func products(of paywall: Paywall, prices: ProductList?) -> [PricedProduct] {
    let named: [PricedProduct]
    if let schema = paywall.schema {
      named = PricedProduct.resolve(schema.slots, in: self)
    } else {
      named = paywall.products.map { PricedProduct($0) }
    }
    let format: ProductList.Format = paywall.schema == nil ? .superwallConfig : .agentWallieConfig
    let list = ProductList(format: format, products: named)
    return (prices.map { list.taking(pricesFrom: $0) } ?? list).products
  }
}

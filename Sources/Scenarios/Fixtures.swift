package import Expressions
internal import Pricing
internal import RuleEngine
package import SDK

/// The shared config, products and contract that scenarios refer to.
package struct Fixtures: Sendable {
  /// A file with its name for messages.
  package struct Source {
    package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }

    fileprivate func parsed() throws(CaseFileError) -> Value {
      do throws(JSONFault) {
        return try Value.parse(json: bytes)
      } catch {
        throw CaseFileError(message: "\(name): \(error.message) at byte \(error.offset)")
      }
    }
  }

  /// The names of the files in a folder of fixtures.
  package static let configName = "config.std.json"
  package static let productsName = "products.json"

  /// The static config `std`, or nil if there is none.
  package var standardConfig: Value?
  /// The products in the store.
  package var products: [StoreProduct] = []
  /// The schema that every payload is checked against. Nil disables the check.
  package var contract: ContractSchema?

  /// - Parameters:
  ///   - config: the static config `std`.
  ///   - products: the products in the store, by identifier.
  package init(config: Source? = nil, products: Source? = nil) throws(CaseFileError) {
    standardConfig = try config?.parsed()
    guard let products else { return }
    for member in try products.parsed().members ?? [] {
      if let problem = Self.productShape.problem(in: member.value, at: member.key) {
        throw CaseFileError(message: "\(products.name): \(problem.text)")
      }
      guard let product = StoreProduct(fixture: member.key, member.value) else {
        throw CaseFileError(
          message:
            "\(products.name): '\(member.key)' needs a 'price', and a currency code of three letters"
        )
      }
      self.products.append(product)
    }
  }

  private static let productShape = KeyShape(
    """
    price displayPrice currencyCode currencySymbol locale store trialDays basePlanId offerId
    period{unit=(day week month year) value} title entitlements
    """)

  /// Adds products to the store, or replaces products with the same identifiers.
  package mutating func sell(_ added: [StoreProduct]) {
    products = added + products.filter { product in !added.contains { $0.id == product.id } }
  }

  /// The config that a scenario names: `"std"`, a complete config, or a patch of `std`.
  func config(_ value: Value?) throws(CaseFileError) -> Value {
    if let value, value.isObject, value["patch"] == nil { return value }
    guard value == nil || value == "std" || value?.isObject == true else {
      throw CaseFileError(
        message: "'config' is \"std\", a static config, or {\"patch\": {..}}")
    }
    guard let standardConfig else {
      throw CaseFileError(
        message: "the scenario needs the config 'std'; pass it with --config")
    }
    return value?["patch"].map { standardConfig.patched($0) } ?? standardConfig
  }
}

extension Value {
  /// A merge patch in which a key `+name` appends to the list `name`.
  fileprivate func patched(_ patch: Value) -> Value {
    var plain: [Value.Entry] = []
    var additions: [(key: String, value: Value)] = []
    for member in patch.members ?? [] {
      if member.key.hasPrefix("+") {
        additions.append((String(member.key.dropFirst()), member.value))
      } else {
        plain.append(Value.Entry(key: .string(member.key), value: member.value))
      }
    }
    var merged = merging(patch: .map(plain))
    for addition in additions {
      let list = (merged[addition.key]?.elements ?? []) + (addition.value.elements ?? [])
      merged = merged.merging(patch: .map([.init(key: .string(addition.key), value: .list(list))]))
    }
    return merged
  }
}

extension StoreProduct {
  /// Reads a product of the fixtures.
  fileprivate init?(fixture id: String, _ value: Value) {
    guard let amount = value["price"]?.number,
      let currency = Currency(value["currencyCode"]?.text ?? "USD"),
      let price = try? Money(snapping: amount, currency)
    else { return nil }
    let trial = Period(.day, value["trialDays"]?.wholeNumber ?? 0)
    var product = PricedProduct(
      identifier: id,
      store: value["store"]?.text.flatMap { PricedProduct.Store(rawValue: $0) } ?? .appStore,
      price: price, locale: value["locale"]?.text ?? "en_US",
      period: value["period"].flatMap { period in
        period["unit"]?.text.flatMap { Period.Unit($0) }
          .flatMap { Period($0, period["value"]?.wholeNumber ?? 1) }
      },
      intro: trial.flatMap { $0.count > 0 ? IntroductoryOffer(.freeTrial, $0) : nil })
    product.displayPrice = value["displayPrice"]?.text
    if let plan = value["basePlanId"]?.text {
      product.fullIdentifier = "\(id):\(plan):\(value["offerId"]?.text ?? "sw-none")"
    }
    self.init(product)
  }
}

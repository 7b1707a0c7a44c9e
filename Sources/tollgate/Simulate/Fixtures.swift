internal import Expressions
internal import Pricing
internal import RuleEngine
internal import SDK

/// The files that scenarios refer to: those the tool carries, or a folder's.
struct Fixtures {
  /// The static config `std`.
  var standardConfig: Value
  var products: [StoreProduct]

  /// - Parameter folder: with `config.std.json` and `products.json`; nil takes what the tool
  ///   carries.
  init(folder: String? = nil) throws {
    func read(_ name: String, _ carried: String) throws -> Value {
      let bytes = try folder.map { try FileText.read("\($0)/\(name)") } ?? Array(carried.utf8)
      do throws(JSONFault) {
        return try Value.parse(json: bytes)
      } catch {
        throw CommandError(
          "\(folder ?? "")/\(name): \(error.message) at byte \(error.offset)")
      }
    }
    standardConfig = try read("config.std.json", CarriedFixtures.standardConfig)
    let catalogue = try read("products.json", CarriedFixtures.products)
    products = try (catalogue.members ?? []).map { member in
      if let problem = Self.productShape.problem(in: member.value, at: member.key) {
        throw CommandError("\(folder ?? "")/products.json: \(problem.text)")
      }
      guard let product = StoreProduct(fixture: member.key, member.value) else {
        throw CommandError(
          "\(folder ?? "")/products.json: '\(member.key)' needs a 'price', and a currency code of three letters"
        )
      }
      return product
    }
  }

  private static let productShape = KeyShape(
    """
    price displayPrice currencyCode currencySymbol locale store trialDays basePlanId offerId
    period{unit=(day week month year) value} title entitlements
    """)

  /// Sells the products of a StoreKit configuration file, also in place of others.
  mutating func add(storeKit path: String) throws {
    let file = try ProductsFile(path)
    guard file.list.format == .storeKit else {
      throw CommandError("\(path) is not a StoreKit configuration file")
    }
    let problems = file.diagnostics.filter { $0.severity != .note }
    for text in file.render(problems) { FileText.printError(text) }
    let added = file.list.products.map { StoreProduct($0) }
    products = added + products.filter { product in !added.contains { $0.id == product.id } }
  }

  /// The config that a scenario names: `"std"`, a whole config, or a patch of std.
  func config(_ value: Value?) throws -> Value {
    guard let value, value != "std" else { return standardConfig }
    if let patch = value["patch"] { return standardConfig.patched(patch) }
    guard value.isObject else {
      throw CommandError("'config' is \"std\", a static config, or {\"patch\": {..}}")
    }
    return value
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
  /// A product of the catalogue.
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

internal import Expressions
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
          "\(folder ?? "")/products.json: '\(member.key)' needs a 'price'")
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
    let text = try FileText.read(path)
    do throws(StoreKitConfiguration.Fault) {
      let added = try StoreKitConfiguration(text).products
      products = added + products.filter { product in !added.contains { $0.id == product.id } }
    } catch {
      throw CommandError("\(path): \(error)")
    }
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
  /// A product of the catalogue. Its price is read from the number's text, not as a double.
  fileprivate init?(fixture id: String, _ value: Value) {
    guard let price = value["price"]?.number else { return nil }
    let period = value["period"].flatMap { period -> SubscriptionPeriod? in
      guard let unit = period["unit"]?.text.flatMap({ SubscriptionPeriod.Unit(rawValue: $0) })
      else { return nil }
      return SubscriptionPeriod(unit: unit, count: period["value"]?.wholeNumber ?? 1)
    }
    let days = value["trialDays"]?.wholeNumber ?? 0
    let trial = IntroductoryOffer(mode: .freeTrial, period: .init(unit: .day, count: days))
    self.init(
      id: id, store: value["store"]?.text.flatMap { StoreKind(rawValue: $0) } ?? .appStore,
      priceMicros: Self.micros(price), currencyCode: value["currencyCode"]?.text ?? "USD",
      currencySymbol: value["currencySymbol"]?.text, locale: value["locale"]?.text ?? "en_US",
      period: period, introductoryOffer: days > 0 ? trial : nil,
      basePlanID: value["basePlanId"]?.text, offerID: value["offerId"]?.text)
  }

  /// Millionths of an amount: the shortest text that gives the double back is the text that was
  /// read, so nothing is lost on the way.
  private static func micros(_ amount: Double) -> Int64 {
    let parts = "\(amount)".split(separator: ".")
    let digits = parts.count > 1 ? parts[1].prefix(6) : ""
    let fraction = digits + String(repeating: "0", count: 6 - digits.count)
    return (Int64(parts[0]) ?? 0) * 1_000_000 + (Int64(fraction) ?? 0)
  }
}

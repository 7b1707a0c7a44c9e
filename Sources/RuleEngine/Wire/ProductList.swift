public import Expressions
public import Pricing

/// A list of products from a file or from the backend.
///
/// ```swift
/// let list = ProductList.decode(
///   json: #"[{"identifier": "com.example.year", "price": "59.99", "currency": "USD", "period": "P1Y"}]"#.utf8)
/// let product = try list.get().products[0]
/// product.price == Money(micros: 59_990_000, .usd)  // true
/// ```
public struct ProductList: Hashable, Sendable {
  /// The possible sources of products.
  package enum Format: String, Hashable, Sendable, CaseIterable {
    /// Tollgate's own products file.
    case products
    /// A StoreKit configuration file of Xcode.
    case storeKit = "storekit"
    /// The backend's reply to a request for products.
    case reply
    /// The products that a Superwall static config names, without prices.
    case superwallConfig = "superwall-config"
    /// The products and slots of an AgentWallie config.
    case agentWallieConfig = "agentwallie-config"
  }

  package var format: Format
  public var products: [PricedProduct]

  /// Decodes products in any of the formats. The content determines the format.
  ///
  /// An unusable product becomes a diagnostic with its path, and all other products are used. Only input that is not
  /// JSON, or is not in any of the formats, returns no list.
  public static func decode(json: some Sequence<UInt8>) -> Compilation<ProductList> {
    let bytes = Array(json)
    let value: Value
    do throws(JSONFault) {
      value = try Value.parse(json: bytes)
    } catch {
      return Compilation(output: nil, diagnostics: [Diagnostic(error, in: bytes)])
    }
    var decoder = ProductDecoder(numbers: NumberTexts(value, in: bytes))
    let root = ConfigElement(value: value, path: "")
    guard let format = format(of: root) else {
      decoder.log.report(
        "this file has no products",
        at: "",
        suggestion: "write {\"products\": [...]}, or give a StoreKit configuration file, a "
          + "products reply, or a config")
      return Compilation(output: nil, diagnostics: decoder.log.diagnostics)
    }
    var list = ProductList(format: format, products: [])
    list.products =
      switch format {
      case .products: decoder.ownProducts(root)
      case .storeKit: decoder.storeKitProducts(root)
      case .reply: decoder.replyProducts(root)
      case .superwallConfig: decoder.configProducts(bytes, .superwall)
      case .agentWallieConfig: decoder.configProducts(bytes, .agentWallie)
      }
    for product in list.products { decoder.check(product) }
    return Compilation(output: list, diagnostics: decoder.log.diagnostics)
  }

  private static func format(of root: ConfigElement) -> Format? {
    if root.elements != nil { return .products }
    func isList(_ key: String) -> Bool { root.member(key)?.elements != nil }
    if root.has("subscriptionGroups") || root.has("nonRenewingSubscriptions") { return .storeKit }
    if isList("data") { return .reply }
    if root.has("trigger_options") || root.has("paywall_responses") || root.has("products_v3") {
      return .superwallConfig
    }
    if root.has("campaigns") || root.has("paywalls") { return .agentWallieConfig }
    return isList("products") ? .products : nil
  }

  /// The same products with the prices, periods and trials of another list, matched by identifier. For example, a
  /// config names the products and a store supplies the prices.
  public func taking(pricesFrom other: ProductList) -> ProductList {
    var byIdentifier: [[UInt8]: PricedProduct] = [:]
    for product in other.products.reversed() {
      byIdentifier[Array(product.identifier.utf8)] = product
      if let full = product.fullIdentifier { byIdentifier[Array(full.utf8)] = product }
    }
    var list = self
    for (i, product) in products.enumerated() {
      let full = product.fullIdentifier ?? product.identifier
      guard
        let priced = byIdentifier[Array(full.utf8)] ?? byIdentifier[Array(product.identifier.utf8)]
      else { continue }
      list.products[i] = product.taking(pricesFrom: priced)
    }
    return list
  }
}

extension ProductDecoder {
  /// The products of a config. Checking the config reports all other problems.
  fileprivate mutating func configProducts(
    _ json: [UInt8], _ format: Config.Format
  ) -> [PricedProduct] {
    Config.decode(json, format: format).output?.storeProducts ?? []
  }
}

extension PricedProduct {
  fileprivate func taking(pricesFrom other: PricedProduct) -> PricedProduct {
    var product = other
    product.slot = slot ?? other.slot
    product.label = label ?? other.label
    product.identifier = identifier
    product.configID = configID
    product.fullIdentifier = fullIdentifier ?? other.fullIdentifier
    product.displayPeriod = displayPeriod ?? other.displayPeriod
    product.trialDays = trialDays ?? other.trialDays
    if !entitlements.isEmpty { product.entitlements = entitlements }
    product.path = path
    return product
  }
}

/// The source strings of numbers with a fraction. Prices are read from these strings, because a Double would round the
/// price.
struct NumberTexts {
  private var texts: [String: String] = [:]

  init(_ value: Value, in json: [UInt8]) {
    var paths: [String] = []
    Self.collect(value, "", &paths)
    guard !paths.isEmpty else { return }
    for (path, range) in JSONLocation.ranges(of: paths, in: json) {
      texts[path] = String(decoding: json[range], as: UTF8.self)
    }
  }

  private static func collect(_ value: Value, _ path: String, _ paths: inout [String]) {
    switch value {
    case .double, .uint: paths.append(path)
    case .map(let entries):
      for case (.string(let key), let value) in entries.map({ ($0.key, $0.value) }) {
        collect(value, path.isEmpty ? key : "\(path).\(key)", &paths)
      }
    case .list(let values):
      for (i, value) in values.enumerated() { collect(value, "\(path)[\(i)]", &paths) }
    default: break
    }
  }

  /// A number in micros, read from its source string if that is known.
  func micros(_ element: ConfigElement) throws(PricingError) -> Int64? {
    switch element.value {
    case .int(let number): return try ExactPrice.product(number, 1_000_000)
    case .uint, .double:
      if let text = texts[element.path] { return try PriceText.micros(text) }
      guard let number = element.number else { return nil }
      return try Money(snapping: number, .usd).micros
    default: return nil
    }
  }
}

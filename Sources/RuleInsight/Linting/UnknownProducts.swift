internal import Expressions
internal import RuleEngine

/// A paywall sells a product that is not among the products of the config.
enum UnknownProducts: Lint {
  static let page = CodePage(
    .unknownProduct, .warning,
    what: "A paywall names a product that the config does not have.",
    why:
      "SDKs load only the products of the config, so this product has no price and cannot be bought.",
    example: .config(
      """
      {"campaigns": [],
       "products": [{"id": "year", "name": "Year", "store": "apple", "store_product_id": "com.x.year",
                     "entitlements": []}],
       "paywalls": {"pw": {"version": "1", "name": "P", "settings": {}, "components": [],
                           "products": [{"slot": "primary", "product_id": "yaer"}]}}}
      """),
    advice: "Write the ID of a product of the config, or add the product.",
    better: .config(
      """
      {"campaigns": [],
       "products": [{"id": "year", "name": "Year", "store": "apple", "store_product_id": "com.x.year",
                     "entitlements": []}],
       "paywalls": {"pw": {"version": "1", "name": "P", "settings": {}, "components": [],
                           "products": [{"slot": "primary", "product_id": "year"}]}}}
      """))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    let products = subject.config.products
    guard subject.config.format == .superwall, !products.isEmpty else { return [] }
    let known = Set(products.flatMap { [$0.id, $0.storeID] })
    return subject.root.list("paywall_responses").flatMap { paywall in
      let key = ["products_v2", "products_v3"].first { paywall.member($0) != nil }
      return paywall.list(key ?? "").compactMap { product -> Diagnostic? in
        let id = product.member("sw_composite_product_id")
        let storeID = product.member("store_product")?.member("product_identifier")
        let names = [id?.text, storeID?.text].compactMap { $0 }
        guard let place = id ?? storeID, let name = names.first,
          !names.contains(where: known.contains)
        else { return nil }
        return finding(
          "the config has no product '\(name)'", at: place.path,
          suggestion: Suggestion.question(about: name, among: known.sorted()))
      }
    }
  }
}

package import Expressions
package import Pricing

/// The texts of a config's paywalls, compiled, with the products of each paywall: what a batch
/// renders beside its decisions.
///
/// Attributes of products are computed here, once for all users.
package struct TextPlan: Sendable {
  /// The texts of one paywall.
  struct Paywall: Sendable {
    var identifier: String
    /// The names of the texts, in the order of their numbers.
    var names: [String]
    var texts: TemplateSet
    /// What is known before there is a user: products, the theme of a native paywall.
    var known: Value
    /// Whether a record's `userId` is `user.id` as well.
    var hasUserID: Bool
  }

  let paywalls: [Paywall]
  let options: RenderOptions
  /// What is wrong with the texts, by the paths of the file, and with the products.
  package private(set) var diagnostics: [Diagnostic] = []

  /// - Parameters:
  ///   - prices: products whose prices are taken where the config has none.
  ///   - select: the slot of the selected product, on paywalls that have it; else the first product
  ///     is selected.
  ///   - profile: whose names and rounding the attributes follow; nil for what each product's store
  ///     suggests.
  /// - Throws: ``PricingError`` when there is no such time zone.
  package init(
    _ file: TextFile, config: Config, prices: ProductList? = nil, select: String? = nil,
    profile: PricingProfile? = nil, environment: TemplateEnvironment = TemplateEnvironment(),
    pricing: PricingContext, options: RenderOptions
  ) throws(PricingError) {
    self.options = options
    var made: [Paywall] = []
    for entry in file.paywalls {
      guard let paywall = config.paywall(entry.identifier) else {
        diagnostics.append(TextPlan.unknown(entry.identifier, in: config))
        continue
      }
      let products = try TextProducts(
        config.products(of: paywall, prices: prices), profile: profile, context: pricing)
      for var diagnostic in products.diagnostics {
        diagnostic.path = "paywalls.\(entry.identifier)"
        if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
      }
      var builder = TemplateSetBuilder(environment)
      for text in entry.texts {
        for var diagnostic in builder.add(text.template) {
          diagnostic.path = TextFile.path(entry.identifier, text.name)
          diagnostics.append(diagnostic)
        }
      }
      let selected = select.flatMap { products.index(ofSlot: $0) } ?? 0
      made.append(
        Paywall(
          identifier: entry.identifier, names: entry.texts.map(\.name), texts: builder.build(),
          known: TextContext(
            products: products.slotted, selected: selected,
            roots: paywall.schema?.theme.map { [("theme", $0.value)] } ?? []
          ).value,
          hasUserID: config.format == .agentWallie || environment.dialect == .agentwallie))
    }
    paywalls = made
  }

  private static func unknown(_ identifier: String, in config: Config) -> Diagnostic {
    Diagnostic(
      .unknownPaywall, "the config has no paywall '\(identifier)'",
      severity: .warning, path: "paywalls.\(identifier)",
      suggestion: Suggestion.closest(to: identifier, among: config.paywalls.map(\.identifier))
        .map { "did you mean '\($0)'?" })
  }

  /// The place of a paywall's texts, or nil when it has none.
  func index(of identifier: String) -> Int? {
    paywalls.firstIndex { $0.identifier.utf8.elementsEqual(identifier.utf8) }
  }
}

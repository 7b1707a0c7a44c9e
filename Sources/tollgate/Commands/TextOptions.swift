internal import ArgumentParser
internal import Expressions
internal import Pricing
internal import RuleEngine

/// How templates are read.
struct TemplateOptions: ParsableArguments {
  enum DialectName: String, ExpressibleByArgument, CaseIterable {
    case superwall, shopify, agentwallie
  }

  enum ModeName: String, ExpressibleByArgument, CaseIterable {
    case lax, strict
  }

  @Option(
    help: ArgumentHelp(
      "The dialect of the templates: \(DialectName.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: "The default is superwall; of an AgentWallie paywall, agentwallie."))
  var dialect: DialectName?

  @Option(
    help:
      "How strictly to read shopify templates: \(ModeName.allCases.map(\.rawValue).joined(separator: ", "))."
  )
  var mode = ModeName.lax

  @Flag(help: "The templates are HTML: values are escaped, and &lt;&lt; is read as <<.")
  var html = false

  func environment(_ usual: DialectName = .superwall) -> TemplateEnvironment {
    TemplateEnvironment(
      dialect: TemplateDialect(named: (dialect ?? usual).rawValue) ?? .superwall,
      mode: TemplateMode(rawValue: mode.rawValue) ?? .lax, isHTML: html)
  }
}

/// Which products texts are about, and where and when they are shown.
struct TextProductOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The products file, as for the products command.", valueName: "file"))
  var products: String?

  @Option(
    help: ArgumentHelp(
      "The SDK whose names and price rounding to use.",
      discussion: """
        \(PricingProfile.allCases.map(\.rawValue).joined(separator: ", ")). The default follows \
        each product's store, or the dialect where it is agentwallie.
        """, valueName: "profile"))
  var profile: String?

  @Option(help: ArgumentHelp("The locale for prices, dates and plurals.", valueName: "locale"))
  var locale: String?

  @Option(
    help: ArgumentHelp(
      "The time zone in which dates are shown, and in which a trial begins.",
      discussion: "Without it, dates keep the offset they were written with.", valueName: "zone"
    ))
  var zone: String?

  @Option(
    help: ArgumentHelp(
      "The selected product's slot; the default is the first.", valueName: "slot"))
  var select: String?

  func profile(for dialect: TemplateDialect) throws -> PricingProfile? {
    guard let profile else { return dialect == .agentwallie ? .agentWallie : nil }
    if let known = PricingProfile(rawValue: profile) { return known }
    let names = PricingProfile.allCases.map(\.rawValue)
    let close = Suggestion.closest(to: profile, among: names)
    throw ValidationError(
      close.map { "there is no profile '\(profile)'; did you mean '\($0)'?" }
        ?? "there is no profile '\(profile)'; there is \(names.joined(separator: ", "))")
  }

  func context(now: Instant) -> PricingContext {
    PricingContext(
      now: now, timeZone: zone ?? "UTC", deviceLocale: locale ?? "en_US", locale: locale,
      history: TrialHistory(entitlements: [], storeEligibility: true))
  }

  /// Products with their attributes; the diagnostics are theirs.
  func textProducts(_ products: [PricedProduct], _ profile: PricingProfile?, now: Instant) throws
    -> TextProducts
  {
    do throws(PricingError) {
      return try TextProducts(products, profile: profile, context: context(now: now))
    } catch {
      throw ValidationError("'\(zone ?? "")': \(error.message)")
    }
  }

  /// The place of the selected product.
  func selected(in products: TextProducts) throws -> Int? {
    guard let select else { return products.slotted.isEmpty ? nil : 0 }
    if let place = products.index(ofSlot: select) { return place }
    let names = products.slotted.map(\.slot)
    let close = Suggestion.closest(to: select, among: names)
    throw ValidationError(
      "no product has the slot '\(select)'"
        + (close.map { "; did you mean '\($0)'?" }
          ?? (names.isEmpty
            ? "; there are no products" : "; there are \(names.joined(separator: ", "))"))
    )
  }

  func renderOptions(now: Instant, escaping: RenderOptions.Escaping) throws -> RenderOptions {
    var options = RenderOptions(
      escaping: escaping, now: now, locale: locale ?? "en_US", money: .prices)
    if let zone {
      guard let found = TemplateZone(named: zone) else {
        throw ValidationError("there is no time zone '\(zone)'; write Europe/Berlin or +01:00")
      }
      options.zone = found
    }
    return options
  }
}

public import ArgumentParser
internal import Expressions
public import Pricing
internal import RuleEngine

/// How templates are read.
struct TemplateOptions: ParsableArguments {
  enum DialectName: String, ExpressibleByArgument, CaseIterable {
    case superwall, shopify, agentwallie
  }

  enum ModeName: String, ExpressibleByArgument, CaseIterable {
    case lax, strict
  }

  @Option(help: OptionHelp.textDialect)
  var textDialect: DialectName?

  @Option(help: ArgumentHelp("How strictly to read shopify templates.", valueName: "mode"))
  var mode = ModeName.lax

  @Flag(help: OptionHelp.html)
  var html = false

  func environment(_ usual: DialectName = .superwall) -> TemplateEnvironment {
    TemplateEnvironment(
      dialect: TemplateDialect(named: (textDialect ?? usual).rawValue) ?? .superwall,
      mode: TemplateMode(rawValue: mode.rawValue) ?? .lax, isHTML: html)
  }
}

extension PricingProfile: ExpressibleByArgument {}

extension ValidationError {
  /// Why there are no prices for a time zone.
  init(_ error: PricingError, zone: String) {
    self.init(WireTime.zoneProblem(zone) ?? error.message)
  }
}

/// Which products texts are about, and where and when they are shown.
struct TextProductOptions: ParsableArguments {
  @Option(help: OptionHelp.products(), completion: .file())
  var products: String?

  @Option(help: OptionHelp.profile)
  var profile: PricingProfile?

  @Option(help: OptionHelp.locale())
  var locale: String?

  @Option(
    help: ArgumentHelp(
      "The selected product's slot; the default is the first.", valueName: "slot"))
  var select: String?

  func profile(for dialect: TemplateDialect) -> PricingProfile? {
    profile ?? (dialect == .agentwallie ? .agentWallie : nil)
  }

  /// - Parameter zone: the name of the time zone in which a trial begins.
  func context(now: Instant, in zone: String?) -> PricingContext {
    .offline(now: now, timeZone: zone, locale: locale)
  }

  /// Products with their attributes; the diagnostics are theirs.
  func textProducts(
    _ products: [PricedProduct], _ profile: PricingProfile?, now: Instant, in zone: String?
  ) throws -> TextProducts {
    do throws(PricingError) {
      return try TextProducts(products, profile: profile, context: context(now: now, in: zone))
    } catch {
      throw ValidationError(error, zone: zone ?? "UTC")
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

  /// - Parameter zone: in which dates are shown; nil for the offset they were written with.
  func renderOptions(
    now: Instant, in zone: String?, escaping: RenderOptions.Escaping
  ) throws -> RenderOptions {
    var options = RenderOptions(
      escaping: escaping, now: now, locale: locale ?? "en_US", money: .prices)
    if let zone {
      guard let found = TemplateZone(named: zone) else {
        throw ValidationError(WireTime.Fault.unknownZone.message(zone))
      }
      options.zone = found
    }
    return options
  }
}

public import ArgumentParser
internal import Expressions
public import Pricing
internal import Requests
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
  /// Calls the body, and converts errors of requests to errors of options.
  static func asking<Answer>(_ body: () throws(RequestError) -> Answer) throws -> Answer {
    do throws(RequestError) { return try body() } catch { throw ValidationError(error.message) }
  }

  /// Creates the error for a time zone for which there are no prices.
  init(_ error: PricingError, zone: String) {
    self.init(WireTime.zoneProblem(zone) ?? error.message)
  }
}

/// The products of texts, and where and when the texts are shown.
struct TextProductOptions: ParsableArguments {
  @Option(help: OptionHelp.products(), completion: .file())
  var products: String?

  @Option(help: OptionHelp.profile)
  var profile: PricingProfile?

  @Option(help: OptionHelp.locale())
  var locale: String?

  @Option(
    help: ArgumentHelp(
      "The selected product's slot (default: the first).", valueName: "slot"))
  var select: String?

  /// - Parameters:
  ///   - sdkVersion: the versions of the SDKs that show prices.
  ///   - zone: the zone in which dates are shown and trials begin; nil for the offset that dates were written with, or
  ///     UTC.
  func form(in zone: String?, isEligible: Bool? = nil, sdkVersion: SDKSelection = .newest)
    -> TextForm
  {
    TextForm(
      profile: profile, locale: locale, timeZone: zone, select: select, isEligible: isEligible,
      sdkVersion: sdkVersion)
  }

  /// Calls the body, and converts errors of prices to errors of a time zone.
  static func pricing<Answer>(in zone: String?, _ body: () throws(PricingError) -> Answer) throws
    -> Answer
  {
    do throws(PricingError) { return try body() } catch {
      throw ValidationError(error, zone: zone ?? "UTC")
    }
  }
}

/// Whether texts are for users that are eligible for introductory offers.
struct EligibilityOptions: ParsableArguments {
  enum Answer: String, ExpressibleByArgument, CaseIterable {
    case yes, no
  }

  @Option(help: OptionHelp.eligible)
  var eligible: Answer?

  /// Whether users are eligible; nil without the option.
  var isEligible: Bool? { eligible.map { $0 == .yes } }
}

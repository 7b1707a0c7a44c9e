package import Expressions
package import Pricing
package import RuleEngine

/// The format of prices, dates and texts for one request.
package struct TextForm: Sendable {
  package var profile: PricingProfile?
  package var locale: String?
  /// The time zone of dates, or nil if dates keep the offset that they were written with.
  package var timeZone: String?
  /// The slot of the selected product, or nil for the first product.
  package var select: String?
  /// Whether introductory offers are available to the user, or nil if the record decides.
  package var isEligible: Bool?
  /// The versions of the SDKs that show prices. A version without a platform is an iOS version.
  package var sdkVersion = SDKSelection.newest
  /// The zone in which trials begin if ``timeZone`` is nil.
  package var usualZone: String

  package init(
    profile: PricingProfile? = nil, locale: String? = nil, timeZone: String? = nil,
    select: String? = nil, isEligible: Bool? = nil, usualZone: String = "UTC",
    sdkVersion: SDKSelection = .newest
  ) {
    self.sdkVersion = sdkVersion
    self.profile = profile
    self.locale = locale
    self.timeZone = timeZone
    self.select = select
    self.isEligible = isEligible
    self.usualZone = usualZone
  }

  /// Reads the members `"profile"?, "locale"?, "timeZone"?, "select"?, "eligible"?, "sdkVersion"?`
  /// of a request.
  init(_ body: Value, usualZone: String) throws(RequestError) {
    self.init(
      profile: try body.givenText("profile").map(PricingProfile.init(called:)),
      locale: try body.givenText("locale"), timeZone: try body.givenZone("timeZone"),
      select: try body.givenText("select"), isEligible: try body.givenTruth("eligible"),
      usualZone: usualZone, sdkVersion: try body.givenSDKVersion() ?? .newest)
  }

  /// The context for prices. Eligibility comes from the request only, and may be nil.
  package func context(now: Instant) -> PricingContext {
    var context = PricingContext.offline(
      now: now, timeZone: timeZone ?? usualZone, locale: locale, eligibility: eligibility)
    context.follow(sdkVersion)
    return context
  }

  /// - Parameter user: the record of the user that reads the texts, or nil. The record determines the available offers
  ///   if the request does not.
  package func context(now: Instant, user: [UInt8]?) -> PricingContext {
    var context = context(now: now)
    context.eligibility = eligibility ?? OfferEligibility(ofRecord: user)
    return context
  }

  /// The offers that are available to users, or nil if their records decide.
  package var eligibility: OfferEligibility? { isEligible.map { $0 ? .all : .none } }

  /// The profile for texts of a dialect.
  package func profile(for dialect: TemplateDialect) -> PricingProfile? {
    profile ?? (dialect == .agentwallie ? .agentWallie : nil)
  }

  /// Products with their attributes, and their diagnostics.
  package func products(
    _ list: [PricedProduct], for dialect: TemplateDialect, now: Instant, user: [UInt8]? = nil
  ) throws(PricingError) -> TextProducts {
    try TextProducts(list, profile: profile(for: dialect), context: context(now: now, user: user))
  }

  /// The index of the selected product.
  package func selected(in products: TextProducts) throws(RequestError) -> Int? {
    guard let select else { return products.slotted.isEmpty ? nil : 0 }
    if let place = products.index(ofSlot: select) { return place }
    let names = products.slotted.map { $0.slot }
    let hint =
      Suggestion.closest(to: select, among: names).map { "did you mean '\($0)'?" }
      ?? (names.isEmpty
        ? "there are no products" : "there are \(names.joined(separator: ", "))")
    throw .about("select", "no product has the slot '\(select)'; \(hint)")
  }

  package func options(now: Instant, isHTML: Bool) throws(PricingError) -> RenderOptions {
    var options = RenderOptions(
      escaping: isHTML ? .html : .text, now: now, locale: locale ?? "en_US", money: .prices)
    options.words = .tables
    if let timeZone {
      guard let zone = TemplateZone(named: timeZone) else { throw .unknownTimeZone }
      options.zone = zone
    }
    return options
  }
}

extension PricingProfile {
  package init(called name: String) throws(RequestError) {
    if let profile = PricingProfile(rawValue: name) {
      self = profile
      return
    }
    let names = Self.allCases.map { $0.rawValue }
    let hint =
      Suggestion.closest(to: name, among: names).map { "did you mean '\($0)'?" }
      ?? "there is \(names.joined(separator: ", "))"
    throw .about("profile", "there is no profile '\(name)'; \(hint)")
  }
}

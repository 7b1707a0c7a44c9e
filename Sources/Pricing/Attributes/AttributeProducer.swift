public import CivilTime
internal import Expressions

/// Everything that a product's attributes depend on, besides the product. Nothing is read from the machine.
public struct PricingContext: Hashable, Sendable {
  /// The time at which a trial would begin.
  public var now: Instant
  /// The time zone, as a name of the tz database or an offset such as `+02:00`.
  public var timeZone: String
  /// The locale of the device, for dates and words for periods, and on Android also for prices.
  public var deviceLocale: String
  /// The locale of prices, which overrides the locales of the products. With nil, each product uses its own locale.
  public var locale: String?
  /// The rules that decide `isFreeTrialAvailable`. With nil, that attribute is absent.
  public var trialRules: TrialRules?
  public var history: TrialHistory
  /// The offers that are available to the user, unless ``trialRules`` decide this.
  package var eligibility: OfferEligibility?
  /// How prices are divided into units of time, by the SDK for iOS and by the SDK for Android.
  package var iosEra = PriceEra.exact
  package var androidEra = PriceEra.exact

  public init(
    now: Instant, timeZone: String = "UTC", deviceLocale: String = "en_US", locale: String? = nil,
    trialRules: TrialRules? = nil, history: TrialHistory = TrialHistory()
  ) {
    self.now = now
    self.timeZone = timeZone
    self.deviceLocale = deviceLocale
    self.locale = locale
    self.trialRules = trialRules
    self.history = history
  }

  /// Prices without a store: the customer has never had a product, and the store would grant every offer.
  ///
  /// - Parameters:
  ///   - now: when a trial begins.
  ///   - locale: the locale of the prices, and of the device if `deviceLocale` is nil (`en_US` without either).
  package static func offline(
    now: Instant, timeZone: String?, locale: String? = nil, deviceLocale: String? = nil,
    trialRules: TrialRules? = nil, eligibility: OfferEligibility? = nil
  ) -> PricingContext {
    var context = PricingContext(
      now: now, timeZone: timeZone ?? "UTC", deviceLocale: deviceLocale ?? locale ?? "en_US",
      locale: locale, trialRules: trialRules,
      history: TrialHistory(entitlements: [], storeEligibility: true))
    context.eligibility = eligibility
    return context
  }

  /// Whether the product's introductory offer or trial is available to the user, or nil if nothing is known about the user.
  package func mayHaveOffer(of product: PricedProduct) -> Bool? {
    if let trialRules { return trialRules.override ?? trialRules.isAvailable(product, history) }
    return eligibility.map { product.offersTrial && $0.includes(product) }
  }
}

/// Computes the attributes of products for one profile and context.
///
/// The producer caches the formats of locales and currencies, so every product after the first is cheap. Give each
/// thread a separate copy of the producer.
public struct AttributeProducer: Sendable {
  public let profile: PricingProfile
  public let context: PricingContext
  let end: CalendarEnd
  let device: PriceLocale
  private var locales: [(identifier: String, locale: PriceLocale)] = []
  private var formats: [(locale: PriceLocale, currency: Currency, format: CurrencyFormat)] = []
  private var symbols: [(locale: PriceLocale, currency: Currency, symbol: String)] = []
  private(set) var androidDate: ShortDate

  public init(_ profile: PricingProfile, _ context: PricingContext) throws(PricingError) {
    guard let zone = TimeZones.zone(named: context.timeZone) else { throw .unknownTimeZone }
    self.profile = profile
    self.context = context
    end = CalendarEnd(now: context.now, zone: zone)
    device = PriceLocale(context.deviceLocale)
    androidDate = device.dates.android
  }

  /// The day on which a trial would begin.
  package var today: CivilDate { end.today }

  /// The device's locale, and the recently used locales of prices.
  package var knownLocales: [PriceLocale] { [device] + locales.map { $0.locale } }

  /// The attributes of a single product. AgentWallie's savings also depend on the other products, so compute them with
  /// ``attributes(of:)-([PricedProduct])``.
  public mutating func attributes(of product: PricedProduct) throws(PricingError)
    -> ProductAttributes
  {
    switch profile {
    case .agentWallie: try agentWallieAttributes(of: product, baseline: nil)
    case .checkout: try checkoutAttributes(of: product)
    default: try superwallAttributes(of: product)
    }
  }

  /// The attributes of each product of a paywall, or the reason why they could not be computed.
  public mutating func attributes(of products: [PricedProduct])
    -> [Result<ProductAttributes, PricingError>]
  {
    let baseline = profile == .agentWallie ? Self.savingsBaseline(of: products) : nil
    return products.map { product in
      do throws(PricingError) {
        return .success(
          profile == .agentWallie
            ? try agentWallieAttributes(of: product, baseline: baseline)
            : try attributes(of: product))
      } catch {
        return .failure(error)
      }
    }
  }

  // MARK: Cached formats

  /// The maximum number of cached locales, formats and symbols. One more entry clears the cache. A paywall has one or
  /// two entries, and a file with thousands must not make every product slower.
  private static let kept = 64

  /// The locale of a product's prices: the context's, otherwise the product's own, otherwise US English.
  mutating func priceLocale(of product: PricedProduct) -> PriceLocale {
    locale(context.locale ?? product.locale ?? "en_US")
  }

  mutating func locale(_ identifier: String) -> PriceLocale {
    for known in locales where known.identifier == identifier { return known.locale }
    let locale = PriceLocale(identifier)
    if locales.count == Self.kept { locales = [] }
    locales.append((identifier, locale))
    return locale
  }

  mutating func format(_ currency: Currency, _ locale: PriceLocale) -> CurrencyFormat {
    for known in formats where known.locale === locale && known.currency == currency {
      return known.format
    }
    let format = locale.format(for: currency)
    if formats.count == Self.kept { formats = [] }
    formats.append((locale, currency, format))
    return format
  }

  mutating func symbol(_ currency: Currency, _ locale: PriceLocale) -> String {
    for known in symbols where known.locale === locale && known.currency == currency {
      return known.symbol
    }
    let symbol = locale.symbol(of: currency)
    if symbols.count == Self.kept { symbols = [] }
    symbols.append((locale, currency, symbol))
    return symbol
  }
}

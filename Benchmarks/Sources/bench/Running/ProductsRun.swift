internal import Expressions
internal import Pricing
internal import RuleEngine

/// Attributes of products in every profile, and formatted prices in some locales.
struct ProductsRun {
  struct Result {
    var name: String
    var cost: Measurement
  }

  /// By profile: the cost of all attributes of one product.
  private(set) var attributes: [Result] = []
  /// By locale and currency: the cost of formatting one price.
  private(set) var texts: [Result] = []
  /// The cost of creating a locale and the format of a currency in it.
  private(set) var making: [Result] = []
  /// The number of products that take turns.
  let products: Int
  /// The number of attributes of a product.
  private(set) var attributeCounts: [Int] = []

  /// Any time is suitable.
  static let now: Instant = 1_772_366_400_000

  init(stopwatch: Stopwatch) throws {
    let products = Self.madeUpProducts()
    self.products = products.count
    for profile in PricingProfile.allCases {
      var producer = try AttributeProducer(profile, PricingContext(now: Self.now))
      attributes.append(
        Result(
          name: profile.rawValue,
          cost: stopwatch.measure(operations: products.count) { rounds in
            var count = 0
            for _ in 0..<rounds {
              for product in products {
                let made = try? producer.attributes(of: product)
                count &+= made == nil ? 0 : 1
              }
            }
            BlackHole.take(count)
          }))
      attributeCounts.append(profile.schema.names.count)
    }
    let amounts = (0..<256).map { Int64(990_000 + $0 * 4_370_000) }
    for (locale, code) in [
      ("en_US", "USD"), ("de_DE", "EUR"), ("ja_JP", "JPY"), ("hi_IN", "INR"), ("ar_EG", "KWD"),
    ] {
      guard let currency = Currency(code) else { continue }
      let format = PriceLocale(locale).format(for: currency)
      texts.append(
        Result(
          name: "\(locale) \(code)",
          cost: stopwatch.measure(operations: amounts.count) { rounds in
            var bytes = 0
            for _ in 0..<rounds {
              for amount in amounts { bytes &+= format.text(micros: amount).utf8.count }
            }
            BlackHole.take(bytes)
          }))
    }
    making = try Self.making(stopwatch) + Self.texts(of: Array(products.prefix(3)), stopwatch)
  }

  private static func making(_ stopwatch: Stopwatch) -> [Result] {
    let locale = PriceLocale("de_DE")
    let usd = Currency("USD")
    return [
      Result(
        name: "a locale",
        cost: stopwatch.measure { rounds in
          var count = 0
          for _ in 0..<rounds { count &+= PriceLocale("de_DE").language.utf8.count }
          BlackHole.take(count)
        }),
      Result(
        name: "the format of a currency",
        cost: stopwatch.measure { rounds in
          var count = 0
          for _ in 0..<rounds {
            if let usd { count &+= locale.format(for: usd).fractionDigits }
          }
          BlackHole.take(count)
        }),
    ]
  }

  /// The data of products for a paywall's texts: attributes, the map in which texts look them up by name, and the frame with
  /// the values that a text reads. All of this is done once per paywall. A text is written for every user.
  private static func texts(of products: [PricedProduct], _ stopwatch: Stopwatch) throws -> [Result]
  {
    let context = PricingContext(now: now)
    let attributes = try TextProducts(products, profile: .iosStoreKit2, context: context)
    var builder = TemplateSetBuilder(TemplateEnvironment())
    _ = builder.add("{{ products.primary.price }} a {{ products.primary.period }}")
    let texts = builder.build()
    var frame = Frame(for: texts.program)
    let map = TextContext(products: attributes.slotted, selected: 0).value
    try frame.keep(map)
    var text = RenderedText()
    return [
      Result(
        name: "attributes of 3 products, as a map for texts",
        cost: stopwatch.measure { rounds in
          var count = 0
          for _ in 0..<rounds {
            let made = try? TextProducts(products, profile: .iosStoreKit2, context: context)
            count &+= made?.slotted.count ?? 0
          }
          BlackHole.take(count)
        }),
      Result(
        name: "the context of their paywall",
        cost: stopwatch.measure { rounds in
          var count = 0
          for _ in 0..<rounds {
            let made = TextContext(products: attributes.slotted, selected: 0).value
            count &+= made == .null ? 0 : 1
          }
          BlackHole.take(count)
        }),
      Result(
        name: "a frame that keeps what a text reads",
        cost: stopwatch.measure { rounds in
          for _ in 0..<rounds { try? frame.keep(map) }
          BlackHole.take(rounds)
        }),
      Result(
        name: "that text for one user",
        cost: stopwatch.measure { rounds in
          var count = 0
          for _ in 0..<rounds {
            frame.reset()
            texts.render(0, in: &frame, into: &text)
            count &+= text.errors.count
          }
          BlackHole.take(count)
        }),
    ]
  }

  /// Subscriptions with and without trials, in one currency and locale, as on one paywall.
  private static func madeUpProducts() -> [PricedProduct] {
    var products: [PricedProduct] = []
    for (count, unit) in [(1, Period.Unit.week), (1, .month), (3, .month), (1, .year)] {
      for price in ["4.99", "9.99", "59.99", "1299.99"] {
        var product = PricedProduct(identifier: "com.example.app.\(unit.name)\(count)")
        product.price = try? Money(price, .usd)
        product.locale = "en_US"
        product.period = Period(unit, count)
        product.currency = .usd
        if products.count % 2 == 0, let week = Period(.week, 1) {
          product.intro = IntroductoryOffer(.payAsYouGo, week, cycles: 2, micros: 990_000)
        }
        products.append(product)
      }
    }
    return products
  }
}

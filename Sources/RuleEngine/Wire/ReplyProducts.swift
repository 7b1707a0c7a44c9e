internal import Expressions
internal import Pricing

/// The backend's products reply: `{"object":"list","data":[...]}`.
extension ProductDecoder {
  mutating func replyProducts(_ root: ConfigElement) -> [PricedProduct] {
    list("data", of: root).compactMap { replyProduct($0) }
  }

  private mutating func replyProduct(_ element: ConfigElement) -> PricedProduct? {
    guard let identifier = element.member("identifier")?.text else {
      log.report("a product needs an 'identifier'", at: element.path)
      return nil
    }
    var product = PricedProduct(identifier: identifier)
    product.path = element.path
    product.store = store(element.member("platform")) ?? .appStore
    product.storefront = element.member("storefront")?.text
    product.entitlements = entitlements(element.member("entitlements"))
    let before = log.diagnostics.count { $0.severity == .error }
    if let price = element.member("price") {
      let currency = self.currency("currency", of: price) ?? .usd
      product.currency = currency
      product.price = amount(price.member("amount"), currency).map { Money(micros: $0, currency) }
    }
    if let subscription = element.member("subscription") {
      readSubscription(subscription, &product)
    }
    return log.diagnostics.count { $0.severity == .error } == before ? product : nil
  }

  /// Reads an amount in micros. A number with a fraction or an exponent is in units of the currency. A whole number is
  /// in minor units. For dollars, `9.99` and `999` mean the same amount.
  package mutating func amount(_ element: ConfigElement?, _ currency: Currency) -> Int64? {
    guard let element else { return nil }
    guard case .int(let number) = element.value else { return micros(element) }
    do throws(PricingError) {
      guard number >= 0 else {
        log.report("a price must not be negative", at: element.path)
        return nil
      }
      return try Money(minorUnits: number, currency).micros
    } catch {
      log.report(error.message, at: element.path)
      return nil
    }
  }

  private mutating func readSubscription(_ element: ConfigElement, _ product: inout PricedProduct) {
    if let word = element.member("period") {
      guard let unit = word.text.flatMap({ Period.Unit($0) }) else {
        log.report("a period must be day, week, month or year", at: word.path)
        return
      }
      let counted = element.member("period_count")
      guard let period = Period(unit, count(counted, "'period_count'") ?? 1), period.count > 0
      else {
        log.report("a subscription needs at least one period", at: element.path)
        return
      }
      product.period = period
    }
    guard let days = count(element.member("trial_period_days"), "'trial_period_days'") else {
      return
    }
    product.trialDays = days
    let price = element.member("trial_period_price")
    let micros = amount(price?.member("amount") ?? price, product.currency ?? .usd) ?? 0
    if days > 0, let period = Period(.day, days) {
      product.intro = IntroductoryOffer(
        micros == 0 ? .freeTrial : .payUpFront, period, micros: micros)
    }
  }
}

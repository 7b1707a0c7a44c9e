internal import Expressions
internal import RuleEngine

@testable import Pricing

/// Any bytes as a file of products: products or an error. Every profile computes attributes of each product or an error, the
/// same twice, alone and among the others.
public enum ProductsCheck {
  private static let contexts = [("en_US", "UTC"), ("ar_EG", "Pacific/Apia")].map {
    PricingContext(now: 1_772_366_400_000, timeZone: $0.1, deviceLocale: $0.0)
  }

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let decoded = ProductList.decode(json: bytes)
    let isRefused = decoded.diagnostics.contains { $0.severity == .error }
    require(decoded.output != nil || isRefused, "neither products nor an error")
    let products = Array((decoded.output?.products ?? []).prefix(8))
    for profile in PricingProfile.allCases {
      for context in contexts {
        let first = products.map { attributes($0, profile, context) }
        guard var producer = try? AttributeProducer(profile, context) else { continue }
        let among = products.map { told(producer: &producer, $0) }
        require(among == first, "the attributes of a product depend on others")
        _ = producer.attributes(of: products)
      }
    }
    let offers = products.map { Savings.Offer(price: $0.price, period: $0.period) }
    if let baseline = Savings.baseline(offers) {
      require(offers.indices.contains(baseline), "the baseline is no offer")
    }
  }

  private static func attributes(
    _ product: PricedProduct, _ profile: PricingProfile, _ context: PricingContext
  ) -> String {
    guard var producer = try? AttributeProducer(profile, context) else { return "" }
    return told(producer: &producer, product)
  }

  private static func told(producer: inout AttributeProducer, _ product: PricedProduct) -> String {
    do throws(PricingError) {
      return try producer.attributes(of: product).value(withAbsent: true).json
    } catch {
      return error.message
    }
  }
}

internal import Expressions
internal import Pricing
internal import RuleEngine
internal import Scenarios

/// Suite `pricing`: prices, periods, trials and identifiers of products.
enum PricingCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let kind = testCase.content["kind"]?.text,
      let expected = testCase.content["expect"], testCase.content["product"] != nil
    else { throw CaseFileError(message: "case \(testCase.id) needs 'kind', 'product', 'expect'") }
    let product = try self.product(of: testCase)
    let got: Value?
    do throws(PricingCaseError) {
      got = try result(kind, product, testCase)
    } catch {
      got = ["error": .string(error.message)]
    }
    guard let got else { throw CaseFileError(message: "there is no kind '\(kind)'") }
    return .judge(got, against: expected)
  }

  private static func result(_ kind: String, _ product: Value, _ testCase: Case)
    throws(PricingCaseError) -> Value?
  {
    let input = PricingInput(product, testCase)
    switch kind {
    case "attributes", "products_api": return try input.attributes()
    case "checkout_context": return try input.attributes(.checkout)
    case "period_price": return try input.periodPrices()
    case "period_normalize":
      guard let period = input.period("period") else { throw .malformed("product.period") }
      return PricingInput.value(period.normalized)
    case "period_parse": return try input.parsedPeriod()
    case "billing_cycles":
      guard let billing = input.period("billing"), let whole = input.period("commitment") else {
        throw .malformed("product.billing")
      }
      return ["cycles": .int(Int64(Period.billingCycles(of: billing, in: whole)))]
    case "format": return try input.formatted()
    case "price_decode": return try input.decodedPrice()
    case "product_id": return try input.productID()
    case "offer_selection":
      return ["rawPrice": try input.attributes(.androidPlay)["rawPrice"] ?? .null]
    case "trial_eligibility": return try input.eligibility()
    case "resolved_products", "savings": return try input.resolvedProducts()
    case "period_label":
      guard let word = product["period"]?.text else { throw .malformed("product.period") }
      return ["period_label": .string(AgentWallieTerms.label(ofWord: word))]
    case "trial_period":
      guard let period = input.period("period") else { throw .malformed("product.period") }
      return ["trial_period": .string(period.words)]
    default: return nil
    }
  }

  /// The product of a case. A value such as "@android-fixture" is replaced with the companion's product.
  private static func product(of testCase: Case) throws(CaseFileError) -> Value {
    let product = testCase.content["product"] ?? .null
    guard case .map(let entries) = product, testCase.content["fixture"] != nil else {
      return product
    }
    let fixtures = try testCase.companions.value("pricing-fixtures.json")
    var replaced: [Value.Entry] = []
    for var entry in entries {
      if let name = entry.value.text, name.hasPrefix("@") {
        guard let fixture = fixtures[name] else {
          throw CaseFileError(message: "pricing-fixtures.json has no '\(name)'")
        }
        entry.value = fixture
      }
      replaced.append(entry)
    }
    return .map(replaced)
  }
}

/// The reason why a case has no result.
enum PricingCaseError: Error {
  case malformed(String)
  case pricing(PricingError)

  var message: String {
    switch self {
    case .malformed(let what): "the case's \(what) is not understood"
    case .pricing(let error): error.message
    }
  }

  /// Rethrows a pricing error.
  static func wrap<Result>(_ body: () throws(PricingError) -> Result) throws(PricingCaseError)
    -> Result
  {
    do throws(PricingError) {
      return try body()
    } catch {
      throw .pricing(error)
    }
  }
}

import Expressions
import Pricing
import Testing

@testable import RuleEngine
@testable import RuleInsight

/// What texts of paywalls see of their products.
@Suite struct TextContextTests {
  private typealias Product = TextContext.SlottedProduct

  /// Of two products in one place the last one counts.
  @Test func theLastProductOfASlotCounts() {
    let context = TextContext(
      products: [
        Product(slot: "primary", productID: "a", attributes: [:]),
        Product(slot: "primary", productID: "b", attributes: [:]),
      ], selected: nil)
    #expect(context.value["primary"]?["product_id"] == "b")
    #expect(context.value["products"]?["primary"]?["product_id"] == "b")
  }

  @Test(
    arguments: [
      (["trialPeriodDays": "7"], true), (["trialPeriodDays": "0"], false),
      (["trialPeriodDays": ""], false), (["trialPeriodDays": 7], true),
      (["trialPeriodDays": 0], false), (["has_trial": true], true), (["has_trial": false], false),
      ([:], false),
    ] as [(Value, Bool)])
  func introductoryOffers(attributes: Value, expected: Bool) {
    let context = TextContext(
      products: [Product(slot: "primary", attributes: attributes)], selected: nil)
    #expect(context.value["products"]?["hasIntroductoryOffer"] == .bool(expected))
  }

  /// The attributes of a system's own are texts, but for those of AgentWallie and of the checkout.
  @Test(arguments: PricingProfile.allCases)
  func kindsOfAttributes(profile: PricingProfile) {
    let areTexts = profile != .agentWallie && profile != .checkout
    let product = TextDeclarations.Product(slot: "primary", profile: profile)
    guard case .object(let members, _) = product.shape else {
      Issue.record("\(product.shape)")
      return
    }
    for (place, name) in profile.schema.names.enumerated() {
      let shape = members.first { $0.name == name }?.shape
      let isText = if case .scalar(.string)? = shape { true } else { false }
      #expect(isText == (areTexts && place < profile.schema.ownCount), "\(name)")
    }
  }

  /// What is a value of one kind or of another one is of any.
  @Test func kindsOfValues() {
    typealias Kind = ContextSchema.Kind
    #expect(Kind.number.joined(.number) == .number && Kind.number.joined(.bool) == .any)
    #expect(Kind.list(.time).joined(.list(.time)) == .list(.time))
    #expect(Kind.list(.time).joined(.list(.span)) == .list(.any))
    #expect(Kind.text(oneOf: ["a"]).joined(.text(oneOf: ["b", "a"])) == .text(oneOf: ["a", "b"]))
    #expect(Kind.text(oneOf: ["a"]).joined(.anyText) == .anyText)
  }
}

import Expressions
import Pricing
import RuleEngine
import Testing

/// Texts at several times.
@Suite struct TextPlanTests {
  private static let config = #"""
    {"trigger_options":[{"event_name":"p","rules":[
      {"experiment_id":"e","experiment_group_id":"g","expression_cel":null,
       "variants":[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"b"}]}]}],
     "paywall_responses":[{"id":"1","identifier":"a"},{"id":"2","identifier":"b","products_v2":[
       {"sw_composite_product_id":"year","product":"primary","reference_name":"primary",
        "store_product":{"store":"APP_STORE","product_identifier":"year"}}]}]}
    """#
  private static let texts = #"""
    {"paywalls":{"a":{"title":"a"},
      "b":{"title":"{{ user.name }} until << products.primary.trialPeriodEndDate >>"}}}
    """#
  private static let prices = #"""
    {"products":[{"slot":"primary","identifier":"year","store":"APP_STORE","price":"59.99","currency":"USD",
      "locale":"en_US","period":{"unit":"year","count":1},"trialDays":7}]}
    """#
  private static let day: Int64 = 86_400_000

  private func plan(_ config: Config, at now: Instant) throws -> TextPlan {
    try TextPlan(
      TextFile.decode(json: Array(Self.texts.utf8)).get(), config: config,
      prices: ProductList.decode(json: Array(Self.prices.utf8)).get(),
      pricing: PricingContext(
        now: now, history: TrialHistory(entitlements: [], storeEligibility: true)),
      options: RenderOptions(now: now))
  }

  /// A plan at another time says what one says that is made for that time.
  @Test func timesAreThoseThatAreAskedFor() throws {
    let config = try Config.decode(Array(Self.config.utf8)).get()
    let rules = try RuleSet.compile(config).get()
    var frame = Frame(for: rules.program)
    let decision = rules.decide(
      "p", frame: &frame, state: DecisionState(subjectID: "u", now: 0), assigner: .hash(salt: ""))
    let first = try plan(config, at: 0)
    let record = Array(#"{"userId":"u","user":{"name":"Ann"}}"#.utf8)
    var seen: Set<String> = []
    for days in [0, 1, 40] as [Int64] {
      let now = Instant(milliseconds: days * Self.day)
      let expected = try #require(try plan(config, at: now).texts(of: decision, record)).texts
      #expect(expected[0].value.text?.hasPrefix("Ann until ") == true)
      #expect(first.texts(of: decision, record, at: now)?.texts == expected)
      #expect(first.at(now).texts(of: decision, record)?.texts == expected)
      seen.insert(expected[0].value.text ?? "")
    }
    #expect(seen.count == 3)
    let other = rules.decide(
      "q", frame: &frame, state: DecisionState(subjectID: "u", now: 0), assigner: .hash(salt: ""))
    #expect(first.texts(of: other, record) == nil)
  }

  /// Each user reads of the offers that they may have, one after the other, and as the caller says.
  @Test func offersAreThoseThatUsersMayHave() throws {
    let config = try Config.decode(Array(Self.config.utf8)).get()
    let texts = #"""
      {"paywalls":{"b":{"title":
        "{% if products.hasIntroductoryOffer %}free{% else %}{{ products.primary.chargedToday }}{% endif %}"}}}
      """#
    let plan = try TextPlan(
      TextFile.decode(json: Array(texts.utf8)).get(), config: config,
      prices: ProductList.decode(json: Array(Self.prices.utf8)).get(),
      pricing: PricingContext(now: 0), options: RenderOptions(now: 0))
    var renderer = PaywallRenderer(plan.paywalls[0], plan.options)
    for (record, expected) in [
      ("{}", "free"), (#"{"subscriptionStatus":"ACTIVE"}"#, "$59.99"), ("{}", "free"),
      (#"{"subscriptionStatus":"INACTIVE"}"#, "free"),
      (#"{"subscriptionStatus":"\u0041CTIVE"}"#, "$59.99"),
      (#"{"device":{"activeEntitlements":["pro"]}}"#, "$59.99"),
      (#"{"entitlements":[]}"#, "free"), (#"{"user":{"status":"ACTIVE"}}"#, "free"),
    ] {
      let bytes = Array(record.utf8)
      var output: [UInt8] = []
      bytes.withUnsafeBufferPointer { renderer.append($0, to: &output) { _, _ in } }
      renderer.forget()
      #expect(
        String(decoding: output, as: UTF8.self) == #","texts":{"title":"\#(expected)"}"#,
        "\(record)")
      #expect(
        plan.texts(ofPaywall: "b", bytes)?.texts.first?.value == .string(expected), "\(record)")
      #expect(
        plan.texts(ofPaywall: "b", bytes, for: OfferEligibility.none)?.texts.first?.value
          == "$59.99")
      #expect(plan.texts(ofPaywall: "b", bytes, for: .all)?.texts.first?.value == "free")
    }
  }
}

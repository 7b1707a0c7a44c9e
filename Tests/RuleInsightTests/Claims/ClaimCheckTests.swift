import Expressions
import Pricing
import RuleEngine
import Testing

@testable import RuleInsight

/// What decides a claim: control flow, eligibility, locales, words.
@Suite struct ClaimCheckTests {
  private static let year = #"""
    {"products": [{"slot": "primary", "identifier": "year", "price": "59.99", "currency": "USD", "period": "P1Y",
      "intro": {"mode": "freeTrial", "unit": "week", "count": 1}}]}
    """#
  private static let paid = #"""
    {"products": [{"slot": "primary", "identifier": "year", "price": "59.99", "currency": "USD", "period": "P1Y",
      "intro": {"mode": "payUpFront", "unit": "month", "count": 3, "price": "4.99"}}]}
    """#

  private func check(
    _ text: String, _ json: String = year, locales: [String?] = [nil],
    words: ClaimWords = .known, limits: ClaimCheck.Limits = ClaimCheck.Limits()
  ) throws -> ClaimCheck.Result {
    let list = try ProductList.decode(json: json.utf8).get()
    return ClaimCheck(
      products: list.products, profile: nil, locales: locales, now: 1_772_366_400_000,
      words: words, environment: TemplateEnvironment(), limits: limits
    ).check([text], keepsRenderings: true)[0]
  }

  private func codes(_ text: String, _ json: String = year) throws -> [String] {
    ClaimFindings.diagnostics(try check(text, json), in: text).map(\.code.rawValue)
  }

  @Test func saysWhatTheStoreCharges() throws {
    let text = "Free for {{ products.primary.trialPeriodDays }} days"
    let found = ClaimFindings.diagnostics(try check(text, Self.paid), in: text)
    #expect(found.map(\.code) == [.falseClaim])
    #expect(
      found[0].message
        == "says 'Free for 90 days'; 'year' charges $4.99 for 3 months now, then $59.99 every year")
    #expect(found[0].range == SourceRange(from: 0, to: text.utf8.count))
  }

  @Test func modeAloneSaysNothingAboutTheUser() throws {
    #expect(
      try codes("{% if products.primary.isTrialFree %}Free for a week{% endif %}")
        == ["ineligible-claim"])
    #expect(
      try codes("{% if products.hasIntroductoryOffer %}Free for a week{% endif %}").isEmpty)
    #expect(
      try codes("{% unless products.hasIntroductoryOffer %}Free for a week{% endunless %}")
        == ["ineligible-claim"])
  }

  /// A question about the user is answered both ways, and the same question in the same way.
  @Test func asksAboutUsersBothWays() throws {
    #expect(
      try codes("{% if user.vip %}Free trial{% endif %}", Self.paid) == ["false-claim"])
    #expect(
      try codes("{% unless user.vip %}Free trial{% endunless %}", Self.paid) == ["false-claim"])
    #expect(
      try codes("{% if user.a and products.primary.isTrialFree %}Free trial{% endif %}", Self.paid)
        .isEmpty)
    #expect(
      try codes("{% case user.plan %}{% when 'old' %}Free trial{% endcase %}", Self.paid)
        == ["false-claim"])
    #expect(
      try codes(
        "{% if user.a %}{% unless user.a %}Free trial{% endunless %}{% endif %}", Self.paid
      ).isEmpty)
  }

  @Test func followsVariables() throws {
    #expect(
      try codes(
        "{% assign p = products.primary %}{% assign days = p.trialPeriodDays %}Free for {{ days }} days",
        Self.paid) == ["false-claim"])
    #expect(
      try codes(
        "{% capture t %}Start your free trial{% endcapture %}{{ t }}", Self.paid) == ["false-claim"]
    )
  }

  @Test func unknownLanguagesAreCheckedByAttributesAlone() throws {
    let text = "Ilmaista {{ products.primary.trialPeriodDays }} kokonaista viikkoa ystävillesi"
    let result = try check(text, Self.paid)
    #expect(result.isInKnownLanguage == false)
    #expect(ClaimFindings.diagnostics(result, in: text).map(\.code).contains(.uncheckedClaim))
    let words = try ClaimWords.known.extended(
      by: Array(
        #"{"languages": {"fi": {"free": ["ilmaista"], "week": ["viikkoa"], "stop": ["kokonaista", "ystävillesi"]}}}"#
          .utf8)
    ).get()
    let known = try check(text, Self.paid, words: words)
    #expect(known.isInKnownLanguage == true)
    #expect(known.claims.contains { $0.kind == .free && $0.fails })
  }

  @Test func saysWhatALimitLeavesUnchecked() throws {
    let text = "Free for 7 days"
    var limits = ClaimCheck.Limits()
    limits.characters = text.count
    #expect(try check(text, Self.paid, limits: limits).unchecked == nil)
    limits.characters -= 1
    let result = try check(text, Self.paid, limits: limits)
    #expect(result.claims.isEmpty)
    #expect(result.unchecked == "a rendered text has 15 characters: claims are checked up to 14")
    #expect(ClaimFindings.diagnostics(result, in: text).map(\.code) == [.uncheckedClaim])
    limits = ClaimCheck.Limits()
    limits.products = 0
    #expect(
      try check(text, Self.paid, limits: limits).unchecked
        == "claims are checked for the first 0 of 1 products")
  }

  @Test func rejectsWordsOfNoKind() {
    let read = ClaimWords.known.extended(
      by: Array(#"{"languages": {"sv": {"fre": ["gratis"]}}}"#.utf8))
    #expect(read.diagnostics.map(\.code) == [.unknownKey])
    #expect(ClaimWords.known.extended(by: Array("[]".utf8)).output == nil)
    #expect(ClaimWords.known.extended(by: Array("{".utf8)).output == nil)
  }

  /// Hostile texts end, and say nothing wrong.
  @Test(arguments: [
    "", "{{", "\u{E000}1\u{E001}free trial", "{{ products[products] }}", "<s>", "~~", "<",
    "< 5 > free trial",
    "{% for i in (1..1000) %}free trial {{ i }}{% endfor %}",
    "99999999999999999999999999 $ a month",
    "{{ products.primary.price | append: '\u{E000}' }} free trial",
  ])
  func hostileTexts(text: String) throws { _ = try check(text, Self.paid) }

  /// What stands in an attribute of HTML is not read.
  @Test func markupIsNotRead() throws {
    #expect(
      try codes(
        "<a data-days=\"{{ products.primary.trialPeriodText }}\">{{ products.primary.price }} a year</a>",
        #"{"products": [{"slot": "primary", "identifier": "year", "price": "59.99", "currency": "USD", "period": "P1Y"}]}"#
      ).isEmpty)
    #expect(try codes("<b>Free</b> <i>trial</i>", Self.paid) == ["false-claim"])
  }

  @Test func keepsWhatUsersRead() throws {
    let result = try check("{% if products.hasIntroductoryOffer %}Try{% else %}Buy{% endif %}")
    #expect(result.renderings.map(\.text) == ["Try", "Buy"])
    #expect(result.renderings.map(\.isEligible) == [true, false])
  }
}

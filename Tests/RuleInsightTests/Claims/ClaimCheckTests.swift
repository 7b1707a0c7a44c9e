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

  /// The work is counted in characters: it grows with the texts that users read differently, and
  /// not with locales whose texts only differ in the style of prices.
  @Test func workIsLinear() throws {
    let text = "{{ products.primary.price }} a year. Free for a week."
    func work(_ texts: [String], locales: [String?] = [nil], products: Int = 1) throws -> Int {
      let list = (0..<products).map {
        #"{"slot": "\#($0 == 0 ? "primary" : "s\($0)")", "identifier": "p\#($0)", "price": "5\#($0).99", "currency": "USD", "period": "P1Y"}"#
      }
      let json = #"{"products": [\#(list.joined(separator: ", "))]}"#
      let check = ClaimCheck(
        products: try ProductList.decode(json: json.utf8).get().products, profile: nil,
        locales: locales, now: 1_772_366_400_000, environment: TemplateEnvironment())
      return check.check(texts).reduce(0) { $0 + $1.characters }
    }
    let once = try work([text])
    #expect(once > 0)
    #expect(try work(Array(repeating: text, count: 8)) == 8 * once)
    let locales: [String?] = ClaimStorefronts.locales.map { $0 }
    #expect(try work([text], locales: locales) == once)
    #expect(try work([text], products: 8) == once)
    let selected = "{{ products.selected.price }} a year"
    let four = try work([selected], products: 4)
    #expect(try work([selected], products: 8) <= 2 * four)
    #expect(try work([selected], locales: locales, products: 4) == four)
  }

  /// A text that is not fully checked is an entry of its own.
  @Test func jsonSaysWhatIsNotChecked() throws {
    let known = try check("Free for a week")
    #expect(known.gap == nil)
    #expect(known.json().count == known.claims.count)
    let unknown = try check("Pierwsze 7 dni za darmo")
    #expect(unknown.json(path: "a").count == unknown.claims.count + 1)
    let entry = unknown.json(path: "a").last
    #expect(entry?["verdict"]?.text == "unknown")
    #expect(entry?["path"]?.text == "a")
    #expect(entry?["reason"]?.text == unknown.gap)
  }

  /// Tags written with entities are read, and places are those of the source.
  @Test func readsEntities() throws {
    let text = "Tom &amp; Co<br>&lt;&lt; products.primary.price &gt;&gt; per&nbsp;month"
    let list = try ProductList.decode(json: Self.year.utf8).get()
    let result = ClaimCheck(
      products: list.products, profile: nil, locales: [nil], now: 1_772_366_400_000,
      environment: TemplateEnvironment(isHTML: true)
    ).check([text], keepsRenderings: true)[0]
    let claim = try #require(result.claims.first { $0.fails })
    #expect(claim.words == "$59.99 per month")
    let bytes = Array(text.utf8)[claim.range.from..<claim.range.to]
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "&lt;&lt; products.primary.price &gt;&gt; per&nbsp;month")
    #expect(result.renderings[0].text == "Tom & Co\n$59.99 per month")
  }

  /// False words and struck prices are parts of the text that users read.
  @Test func marksFalseWords() throws {
    let result = try check("<s>$99.99</s> {{ products.primary.price }} a month, cancel anytime")
    let pieces = result.renderings[0].pieces
    #expect(pieces.filter(\.isFalse).map(\.text) == ["$99.99", "$59.99 a month"])
    #expect(pieces.filter(\.isStruck).map(\.text) == ["$99.99"])
    #expect(result.renderings[0].isEligible == nil)
  }
}

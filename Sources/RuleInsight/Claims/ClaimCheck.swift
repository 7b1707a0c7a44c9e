package import CivilTime
package import Expressions
package import Pricing
internal import RuleEngine

/// Finds assertions about products in texts and checks them for each product that may be selected,
/// for users with and without eligibility for offers, and for each locale.
///
/// Each text is rendered with the template's own control flow, so a claim only counts where a user
/// can read it. Conditions about the user are tried with both results.
package struct ClaimCheck: Sendable {
  private let environment: TemplateEnvironment
  private let listed: [PricedProduct]
  private let profile: PricingProfile?
  private let locales: [String?]
  private let now: Instant
  private let words: ClaimWords
  private let theme: Value?
  private let isEligible: Bool?
  private let limits: Limits
  private let productCount: Int

  /// The limits of the check.
  package struct Limits: Hashable, Sendable {
    /// The maximum number of products; later ones are not checked.
    package var products = 64
    /// The maximum number of characters of a rendered text. Longer texts are not checked, because
    /// the time is quadratic in the length.
    package var characters = 20_000

    package init() {}
  }

  /// - Parameters:
  ///   - locales: the locales of prices, dates and the device; nil for the products' own locales.
  ///   - theme: the theme of a native paywall.
  ///   - isEligible: whether users are eligible for offers; nil for both.
  ///   - limits: the limits of the check. Everything beyond them is reported as not checked.
  package init(
    products: [PricedProduct], profile: PricingProfile?, locales: [String?], now: Instant,
    words: ClaimWords = .known, environment: TemplateEnvironment, theme: Value? = nil,
    isEligible: Bool? = nil, limits: Limits = Limits()
  ) {
    self.isEligible = isEligible
    self.limits = limits
    productCount = products.count
    listed = Array(products.prefix(limits.products))
    self.profile = profile ?? (environment.dialect == .agentwallie ? .agentWallie : nil)
    self.locales = locales.isEmpty ? [nil] : locales
    self.now = now
    self.words = words
    self.environment = environment
    self.theme = theme
  }

  /// The results for one text.
  package struct Result: Sendable {
    package var claims: [Claim] = []
    /// Whether the text's language is known; nil for a text without words.
    package var isInKnownLanguage: Bool?
    /// The part that a limit left unchecked; nil if everything was checked.
    package var unchecked: String?
    /// The reason why the text, or the words in it, were not checked; nil if everything was checked.
    package var gap: String? {
      unchecked
        ?? (isInKnownLanguage == false
          ? "no claim words are known for the text's language: only its attributes are checked"
          : nil)
    }
    /// The claims as JSON, and an entry for a text that was not fully checked.
    ///
    /// - Parameter path: the path of the text in the file.
    package func json(path: String = "") -> [Value] {
      let all = claims.map { $0.json(path: path) }
      guard let gap else { return all }
      let entry: [(String, Value)] =
        (path.isEmpty ? [] : [("path", .string(path))]) + [
          ("claim", .string("text")), ("verdict", .string("unknown")), ("reason", .string(gap)),
          ("words", .string("")), ("sentence", .string("")), ("locale", .string("")),
          ("from", .int(0)), ("to", .int(0)),
        ]
      return all + [.map(entry.map { Value.Entry(key: .string($0.0), value: $0.1) })]
    }
    /// The number of characters in all judged renderings: a measure of the work that is the same on
    /// every machine.
    package var characters = 0
    /// The distinct renderings of the text, for each selected product and for eligible and
    /// ineligible users.
    package var renderings: [Rendering] = []
  }

  /// A text in the version that some users read, without markup.
  package struct Rendering: Hashable, Sendable {
    /// A part of the text in one style.
    package struct Piece: Hashable, Sendable {
      package var text: String
      package var isStruck: Bool
      /// Whether the piece is part of a false claim.
      package var isFalse: Bool
    }

    package var pieces: [Piece]
    package var selected: String?
    /// Whether only eligible users read this rendering (true) or only ineligible ones (false); nil
    /// if all users read it.
    package var isEligible: Bool?
    package var locale: String

    package var text: String { pieces.map { $0.text }.joined() }
  }

  /// The claims of each text, in the order of the texts.
  ///
  /// - Parameter selected: the selected product; nil for each product in turn.
  package func check(
    _ sources: [String], keepsRenderings: Bool = false, selected: Int? = nil
  ) -> [Result] {
    var run = ClaimRun(
      sources, environment, words, keepsRenderings: keepsRenderings,
      longestText: limits.characters)
    for locale in locales {
      for isEligible in self.isEligible.map({ [$0] }) ?? [true, false] {
        judge(&run, locale, isEligible, selected)
      }
    }
    return run.results.map { result in
      var result = result
      if productCount > limits.products {
        result.unchecked =
          result.unchecked
          ?? "claims are checked for the first \(limits.products) of \(productCount) products"
      }
      return result
    }
  }

  private func judge(
    _ run: inout ClaimRun, _ locale: String?, _ isEligible: Bool, _ only: Int?
  ) {
    let products = isEligible ? listed : listed.map { $0.withoutHiddenOffers }
    var context = PricingContext.offline(now: now, timeZone: nil, locale: locale)
    context.eligibility = isEligible ? OfferEligibility.all : OfferEligibility.none
    guard let made = try? TextProducts(products, profile: profile, context: context) else { return }
    let known = zip(listed, made.slotted).map {
      ClaimProduct($0, slot: $1.slot, locale: locale)
    }
    guard known.contains(where: { $0.micros != nil }) else { return }
    var options = RenderOptions(
      escaping: .text, now: now, locale: locale ?? "en_US", money: .prices)
    options.words = .tables
    let state = ClaimRun.State(
      products: known, isEligible: isEligible, isForOneSelection: only != nil,
      isForBoth: self.isEligible == nil,
      locale: locale ?? "en_US", profile: profile,
      attributesDiffer: listed.contains { $0.withoutHiddenOffers != $0 },
      followsLocale: profile == .iosStripe
        || listed.contains { $0.displayPrice != nil || $0.store.isWeb })
    for selected in made.slotted.indices {
      if let only, only != selected { continue }
      if only == nil, selected > 0, !run.readsSelected { break }
      for round in 0..<run.rounds {
        let value = TextContext(
          products: made.slotted, selected: selected, roots: run.roots(round, theme)
        ).value
        run.render(value, options, state, selected: selected, round: round)
      }
    }
  }
}

extension PricedProduct {
  /// The product as Google Play shows it to users that are not eligible for its offers.
  fileprivate var withoutHiddenOffers: PricedProduct {
    guard store == .playStore else { return self }
    var product = self
    product.intro = nil
    product.trialDays = nil
    product.offers = offers.filter { $0.phases.count == 1 }
    return product
  }
}

internal import Expressions
internal import RuleEngine

/// Pages of diagnostic codes about assertions in paywall texts.
extension CodePage {
  static let ofClaims: [CodePage] = [
    CodePage(
      .falseClaim, .warning,
      what: "A text makes a false claim about a product.",
      why: """
        App Review rejects such paywalls, customers ask for refunds, and in many countries a false claim is \
        misleading advertising.
        """,
      example: .other(
        """
        Free for {{ products.primary.trialPeriodDays }} days
        with an offer of $4.99 for 3 months in the slot primary
        """),
      advice: """
        State the store's price, or test the offer first: 'isTrialFree' is true for offers that cost nothing.
        """,
      better: .other(
        """
        {% if products.primary.isTrialFree and products.hasIntroductoryOffer %}
        Free for {{ products.primary.trialPeriodDays }} days
        {% endif %}
        """)),
    CodePage(
      .ineligibleClaim, .warning,
      what: "A text promises an offer to users that are no longer eligible.",
      why: """
        A store gives each user an introductory offer only once. A product's attributes are the same for \
        every user, so 'trialPeriodDays > 0' and 'isTrialFree' describe the product, not the user.
        """,
      example: .other(
        "{% if products.primary.isTrialFree %}Start your free week{% endif %}"),
      advice: """
        Test 'products.hasIntroductoryOffer', which depends on the user, and show other users the price \
        after 'else'. Google Play hides offers from ineligible users.
        """,
      better: .other(
        """
        {% if products.hasIntroductoryOffer %}Start your free week{% else %}Subscribe{% endif %}
        """)),
    CodePage(
      .noValue, .warning,
      what: "A text shows an attribute that the product does not have.",
      why: "Users read 'n/a a month', '0 days free' or a gap.",
      example: .other(
        "{{ products.primary.monthlyPrice }} a month, with a product that is bought once"),
      advice: "Test the attribute first, or write a different text for this product.",
      better: .other(
        "{% if products.primary.period != \"\" %}{{ products.primary.monthlyPrice }} a month{% endif %}"
      )),
    CodePage(
      .mixedFormats, .warning,
      what: "A text mixes two languages or two price formats.",
      why: """
        Dates follow the device's locale, but texts do not. If a price from the store appears beside a price \
        that the SDK formats, different formats look like a mistake.
        """,
      example: .other(
        "Kostenlos bis {{ products.primary.trialPeriodEndDate }}, with the locale en_US"),
      advice: "Write the text in the language of the locale, or use prices of only one kind.",
      better: .other("Free until {{ products.primary.trialPeriodEndDate }}, with the locale en_US")),
    CodePage(
      .uncheckedClaim, .note,
      what: """
        A text is in a language without claim words, or exceeds a limit: 20,000 characters or 64 products.
        """,
      why: """
        In an unknown language, only attributes are checked, not words such as 'free' or 'a month'. Checking \
        longer texts would take too long.
        """,
      example: .other("Gratis i {{ products.primary.trialPeriodDays }} dagar"),
      advice: """
        Pass the words with --claim-words: {"languages": {"sv": {"free": ["gratis"], "day": ["dagar"]}}}. Split long texts.
        """),
  ]
}

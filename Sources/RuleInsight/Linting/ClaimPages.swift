internal import Expressions
internal import RuleEngine

/// Pages of codes about assertions in paywall texts.
extension CodePage {
  static let ofClaims: [CodePage] = [
    CodePage(
      .falseClaim, .warning,
      what: "A text says something about a product that the store does not do.",
      why: """
        Users buy because of it. App Review rejects such paywalls, customers ask for their money back, \
        and in many countries it is misleading advertising. Every user who gets the text reads it.
        """,
      example: .other(
        """
        Free for {{ products.primary.trialPeriodDays }} days
        with an offer of $4.99 for 3 months in the slot primary
        """),
      advice: """
        Write what the store charges, or ask before: 'isTrialFree' is true for offers that cost nothing. \
        The message has the text as users read it, and the store's price.
        """,
      better: .other(
        """
        {% if products.primary.isTrialFree and products.hasIntroductoryOffer %}
        Free for {{ products.primary.trialPeriodDays }} days
        {% endif %}
        """)),
    CodePage(
      .ineligibleClaim, .warning,
      what: "A text promises an offer to users who may not have it any more.",
      why: """
        A store gives an introductory offer once. Attributes of a product are the same for every user, so \
        'trialPeriodDays > 0' and 'isTrialFree' say what the product has, and nothing about the user.
        """,
      example: .other(
        "{% if products.primary.isTrialFree %}Start your free week{% endif %}"),
      advice: """
        Ask 'products.hasIntroductoryOffer', which follows the user, and write what users pay who had the \
        offer behind 'else'. Google Play hides offers from these users itself.
        """,
      better: .other(
        """
        {% if products.hasIntroductoryOffer %}Start your free week{% else %}Subscribe{% endif %}
        """)),
    CodePage(
      .noValue, .warning,
      what: "A text writes an attribute that the product does not have.",
      why: "Users read 'n/a a month', '0 days free' or a hole.",
      example: .other(
        "{{ products.primary.monthlyPrice }} a month, with a product that is bought once"),
      advice: "Ask for the attribute first, or write another text for this product.",
      better: .other(
        "{% if products.primary.period != \"\" %}{{ products.primary.monthlyPrice }} a month{% endif %}"
      )),
    CodePage(
      .mixedFormats, .warning,
      what: "A text mixes two languages, or two ways of writing prices.",
      why: """
        Dates follow the locale of the device, and texts do not. Where the store's own price stands beside \
        one that the SDK writes, both have to look alike, or customers take one of them for a mistake.
        """,
      example: .other(
        "Kostenlos bis {{ products.primary.trialPeriodEndDate }}, with the locale en_US"),
      advice: "Write the text in the language of the locale, or show one kind of price.",
      better: .other("Free until {{ products.primary.trialPeriodEndDate }}, with the locale en_US")),
    CodePage(
      .uncheckedClaim, .note,
      what: """
        The words of a text are in a language that the tables of claim words lack, or a limit left a part \
        unchecked: 20,000 characters of a text, 64 products.
        """,
      why: """
        In an unknown language only the attributes are checked: 'free' or 'a month' is not understood. Longer \
        texts take too long.
        """,
      example: .other("Gratis i {{ products.primary.trialPeriodDays }} dagar"),
      advice: """
        Give the words with --claim-words: {"languages": {"sv": {"free": ["gratis"], "day": ["dagar"]}}}. Split a long text.
        """),
  ]
}

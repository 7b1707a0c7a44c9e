import Pricing
import Testing

/// Which offer and which option of Google Play an identifier means.
@Suite struct PlayOffersTests {
  private static func offer(
    _ plan: String, _ id: String, _ phases: [(Int64, String)], tags: [String] = []
  ) -> PlayOffer {
    PlayOffer(
      basePlanID: plan, offerID: id, tags: tags,
      phases: phases.map { PlayOffer.Phase(micros: $0.0, ISOPeriod($0.1)!, cycles: 1) })
  }

  private static let price = (Int64(9_990_000), "P1M")
  private static let offers = [
    offer("m", "week", [(0, "P1W"), price]),
    offer("m", "", [price]),
    offer("m", "month", [(0, "P1M"), price]),
    offer("m", "days", [(0, "P30D"), price]),
    offer("m", "year", [(0, "P1Y"), price], tags: ["x", "sw-ignore-offer"]),
    offer("m", "cheap", [(990_000, "P1M"), price]),
    offer("y", "", [(59_990_000, "P1Y")]),
    offer("y", "half", [(29_990_000, "P1Y"), (59_990_000, "P1Y")]),
    offer("y", "third", [(19_990_000, "P1Y"), (59_990_000, "P1Y")]),
    offer("y", "third again", [(19_990_000, "P1Y"), (59_990_000, "P1Y")]),
    offer("no base", "week", [(0, "P1W"), price]),
  ]

  @Test(
    arguments: [
      ("p", "m/"), ("p:", "m/"), ("p:sw-auto", "m/"), ("p:m", "m/month"), ("p:m:", "m/month"),
      ("p:m:sw-auto", "m/month"), ("p:m:sw-none", "m/"), ("p:m:week", "m/week"),
      ("p:m:year", "m/year"), ("p:m:cheap", "m/cheap"), ("p:m:unknown", "m/"), ("p:y", "y/third"),
      ("p:y:half", "y/half"), ("p:y:sw-none", "y/"), ("p:none", "-"), ("p:no base", "-"),
      ("p:no base:week", "-"), ("p:y:half:more", "y/half"),
    ])
  func offers(id: String, wanted: String) {
    let found = PlayOffer.select(PlayProductID(id), from: Self.offers)
    #expect((found.map { "\($0.basePlanID)/\($0.offerID)" } ?? "-") == wanted)
  }

  /// Of free spans the longest counts, whatever they are written in: a week has 7 days, a month 30.
  @Test(arguments: [
    ("P2W", "P13D"), ("P15D", "P2W"), ("P1M", "P4W"), ("P5W", "P1M"), ("P31D", "P1M"),
    ("P1M", "P29D"), ("P1Y", "P11M"), ("P13M", "P1Y"), ("P1M1D", "P1M"), ("P1W1D", "P1W"),
  ])
  func theLongestTrial(long: String, short: String) {
    let plan = Self.offer("m", "", [Self.price])
    let offers = [
      Self.offer("m", "short", [(0, short), Self.price]),
      Self.offer("m", "long", [(0, long), Self.price]),
    ]
    for offers in [offers, offers.reversed()] {
      #expect(PlayOffer.select(PlayProductID("p:m"), from: [plan] + offers)?.offerID == "long")
    }
    // Of equals the first.
    let equals = ["a", "b"].map { Self.offer("m", $0, [(0, short), Self.price]) }
    #expect(PlayOffer.select(PlayProductID("p:m"), from: [plan] + equals)?.offerID == "a")
  }

  /// Without a free one the cheapest, and without any the plan itself.
  @Test func plansWithoutOffers() {
    let alone = [Self.offer("m", "", [Self.price])]
    #expect(PlayOffer.select(PlayProductID("p:m"), from: alone) == alone[0])
    #expect(PlayOffer.select(PlayProductID("p"), from: []) == nil)
    let ignored =
      alone + [Self.offer("m", "a", [(0, "P1W"), Self.price], tags: ["a-ignore-offer"])]
    #expect(PlayOffer.select(PlayProductID("p:m"), from: ignored) == alone[0])
  }

  @Test func phases() {
    func phases(_ all: (Int64, String)...) -> (Int64?, Int64?, Bool) {
      let offer = Self.offer("m", "", all)
      return (offer.basePhase?.micros, offer.trialPhase?.micros, offer.hasTrial)
    }
    #expect(phases((5, "P1M")) == (5, nil, false))
    #expect(phases((0, "P1W"), (5, "P1M")) == (5, 0, true))
    #expect(phases((2, "P1W"), (5, "P1M")) == (5, 2, true))
    #expect(phases((2, "P1W"), (0, "P1W"), (5, "P1M")) == (5, 0, true))
    #expect(phases((2, "P1W"), (3, "P1W"), (5, "P1M")) == (5, 2, true))
    #expect(phases() == (nil, nil, false))
  }

  private static let options = [
    PlayPurchaseOption(micros: 50, optionID: "a", offerID: "x"),
    PlayPurchaseOption(micros: 90, optionID: "a"),
    PlayPurchaseOption(micros: 40, optionID: "a", offerID: "y"),
    PlayPurchaseOption(micros: 80, optionID: "b"),
    PlayPurchaseOption(micros: 45, optionID: "c", offerID: "x"),
    PlayPurchaseOption(micros: 30, optionID: nil, offerID: "z"),
    PlayPurchaseOption(micros: 20, optionID: nil),
  ]

  @Test(
    arguments: [
      ("p", 40), ("p:a", 40), ("p:a:sw-none", 90), ("p:a:x", 50), ("p:a:unknown", 90),
      ("p:c:unknown", 45), ("p:c:sw-none", nil), ("p:none", nil), ("p:none:x", nil),
      ("p::x", 45), ("p::unknown", 20), ("p::sw-none", 20), ("p:sw-auto:sw-auto", 40),
      ("p:b", 80),
    ] as [(String, Int64?)])
  func options(id: String, wanted: Int64?) {
    #expect(PlayPurchaseOption.select(PlayProductID(id), from: Self.options)?.micros == wanted)
  }

  @Test func optionsWithoutOffers() {
    let plain = Self.options.filter { $0.offerID == nil }
    #expect(PlayPurchaseOption.select(PlayProductID("p"), from: plain)?.micros == 20)
    #expect(PlayPurchaseOption.select(PlayProductID("p"), from: []) == nil)
  }
}

/// What the parts of a product's identifier say.
@Suite struct ProductIdentifiersTests {
  @Test func ofPlay() {
    func parts(_ text: String) -> (String, PlayProductID.Choice, PlayProductID.Choice) {
      let id = PlayProductID(text)
      #expect(id.text == text)
      return (id.productID, id.basePlan, id.offer)
    }
    #expect(parts("p") == ("p", .automatic, .automatic))
    #expect(parts("p:m") == ("p", .specific("m"), .automatic))
    #expect(parts("p:sw-none:o") == ("p", .specific("sw-none"), .specific("o")))
    #expect(parts("p::sw-none") == ("p", .automatic, .none))
    #expect(parts("p:sw-auto:sw-auto") == ("p", .automatic, .automatic))
    #expect(parts("p:m:o:rest") == ("p", .specific("m"), .specific("o")))
    #expect(parts("") == ("", .automatic, .automatic))
  }

  @Test func ofStripe() {
    func parts(_ text: String) -> [String?] {
      guard let id = CompositeProductID(text) else { return [] }
      return [id.environment, id.priceID, id.trial, id.saysNoTrial ? "no" : "yes"]
    }
    #expect(parts("live:price_1:no-trial") == ["live", "price_1", "no-trial", "no"])
    #expect(parts("live:price_1") == ["live", "price_1", nil, "yes"])
    #expect(parts("live:price_1:7days-free:more") == ["live", "price_1", "7days-free:more", "yes"])
    #expect(parts(":price_1:") == ["", "price_1", "", "yes"])
    #expect(parts("live").isEmpty && parts("live:").isEmpty && parts("live::x").isEmpty)
  }
}

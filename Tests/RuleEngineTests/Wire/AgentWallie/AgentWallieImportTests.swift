import Expressions
import RuleEngine
import TestSupport
import Testing

/// AgentWallie's config as ours.
@Suite struct AgentWallieImportTests {
  static let whole: Value = [
    "campaigns": [
      [
        "id": "c1", "name": "Spring", "status": "active",
        "placements": [
          ["id": "p1", "name": "export", "type": "custom", "status": "active"],
          ["id": "p2", "name": "home", "type": "standard", "status": "paused"],
        ],
        "audiences": [
          [
            "id": "a1", "name": "Free", "priority_order": 5,
            "filters": [
              ["field": "user.plan", "operator": "is", "value": "free"],
              ["field": "user.n", "operator": "gte", "value": .double(2.0), "conjunction": "or"],
            ],
            "entitlement_check": "pro", "frequency_cap": "once_per_day",
            "experiment": [
              "id": "e1", "status": "running", "holdout_percentage": 30,
              "variants": [
                ["id": "v1", "paywall_id": "pw1", "traffic_percentage": 30],
                ["id": "v2", "paywall_id": "pw1", "traffic_percentage": 40],
              ],
            ],
          ],
          ["id": "a2", "name": "All", "priority_order": 1, "filters": []],
        ],
      ]
    ],
    "paywalls": [
      "pw1": [
        "version": "1.0", "name": "Main", "settings": ["presentation": "sheet"],
        "theme": ["primary": "#FF0000", "corner_radius": 20],
        "products": [
          ["slot": "primary", "label": "Yearly", "product_id": "prod_1"],
          ["slot": "secondary", "product_id": "com.month"], ["slot": "third"],
        ],
        "components": [
          ["type": "hologram", "id": "h", "props": ["deep": [1, ["x": .null]]]],
          ["type": "stack", "id": "s", "children": [["type": "text", "id": "t"]]],
        ],
      ]
    ],
    "products": [
      [
        "id": "prod_1", "name": "Annual", "store": "apple", "store_product_id": "com.year",
        "entitlements": ["pro"], "base_plan_id": "bp", "offer_ids": ["o1"],
        "display_price": "$79.99", "display_period": "year",
      ],
      [
        "id": "prod_2", "name": "Monthly", "store": "google", "store_product_id": "com.month",
        "entitlements": ["pro", "vip"],
      ],
    ],
  ]

  private func decode(_ value: Value = whole) -> Compilation<Config> {
    Config.decode(value.json.utf8)
  }

  @Test func aPeriodIsReadUnderItsOtherName() throws {
    let product: Value = [
      "id": "m", "name": "M", "store": "stripe", "store_product_id": "m", "entitlements": [],
      "display_price": "$9.99", "period": "month",
    ]
    let config = try #require(decode(["campaigns": [], "products": .list([product])]).output)
    #expect(config.products[0].displayPeriod == "month")
  }

  @Test func everythingArrives() throws {
    let decoded = decode()
    // The future component is told and kept.
    #expect(decoded.diagnostics.map(\.path) == ["paywalls.pw1.components[0].type"])
    #expect(decoded.diagnostics.map(\.severity) == [.note])
    let config = try #require(decoded.output)
    #expect(config.format == .agentWallie)
    #expect(config.placements.map(\.name) == ["export"])
    let audiences = config.placements[0].audiences
    #expect(audiences.map(\.id) == ["a2", "a1"] && audiences.map(\.index) == [0, 1])
    #expect(audiences[0].experimentStatus == .absent && audiences[0].isEverybody)
    #expect(audiences[0].path == "campaigns[0].audiences[1]")
    let free = audiences[1]
    #expect(free.name == "Free" && free.campaignID == "c1" && free.experimentID == "e1")
    #expect(free.entitlementGuard == "pro")
    #expect(
      free.occurrenceLimit
        == OccurrenceLimit(key: "c1/a1", maxCount: 1, interval: .minutes(1_440)))
    #expect(free.filters.map(\.text) == [#"user.plan is "free""#, "user.n gte 2"])
    #expect(free.filters.map(\.conjunction) == [nil, .or])
    #expect(
      free.variants == [
        Variant(id: "v1", kind: .treatment, weight: 30, paywallID: "pw1"),
        Variant(id: "v2", kind: .treatment, weight: 40, paywallID: "pw1"),
        Variant(id: "holdout", kind: .holdout, weight: 30, isGap: true),
      ])
  }

  @Test func paywallsAreKeptAsTheyAre() throws {
    let paywall = try #require(decode().output?.paywall("pw1"))
    #expect(paywall.name == "Main" && paywall.presentationStyle == .sheet)
    let schema = try #require(paywall.schema)
    #expect(schema.json == Self.whole["paywalls"]?["pw1"])
    #expect(schema.components[0]["props"] == ["deep": [1, ["x": .null]]])
    #expect(schema.settings.presentation == .sheet && schema.settings.hasCloseButton)
    #expect(schema.theme?.primary == "#FF0000" && schema.theme?.cornerRadius == 20)
    #expect(schema.theme?.background == "#FFFFFF" && schema.theme?.fontFamily == "system")
  }

  @Test func products() throws {
    let config = try #require(decode().output)
    #expect(
      config.product("prod_1")
        == ProductReference(
          id: "prod_1", store: .appStore, storeID: "com.year", name: "Annual", basePlanID: "bp",
          offerIDs: ["o1"], displayPrice: "$79.99", displayPeriod: "year",
          entitlements: [Entitlement(id: "pro")]))
    #expect(config.entitlements(ofProduct: "com.month").map(\.id) == ["pro", "vip"])
    let slots = config.slots(ofPaywall: "pw1")
    #expect(slots.map(\.slot.label) == ["Yearly", "secondary", "third"])
    // By the config's ID, or by the store's.
    #expect(slots.map { $0.product?.id } == ["prod_1", "prod_2", nil])
    #expect(config.paywall("pw1")?.products.map(\.slot) == ["primary", "secondary"])
  }

  /// A bad element is told with its path, and its siblings work.
  @Test(
    arguments: [
      ("\"active\",\"placements\"", "\"draft\",\"placements\"", "campaigns[0].status"),
      (
        "\"operator\":\"is\"", "\"operator\":\"IS\"",
        "campaigns[0].audiences[0].filters[0].operator"
      ),
      ("\"value\":\"free\"", "\"value\":[1]", "campaigns[0].audiences[0].filters[0].value"),
      ("\"once_per_day\"", "\"hourly\"", "campaigns[0].audiences[0].frequency_cap"),
      ("\"running\"", "\"idle\"", "campaigns[0].audiences[0].experiment.status"),
      ("\"store\":\"apple\"", "\"store\":\"moon\"", "products[0].store"),
      (
        "\"presentation\":\"sheet\"", "\"presentation\":\"popup\"",
        "paywalls.pw1.settings.presentation"
      ),
      (
        "\"priority_order\":5", "\"priority_order\":\"x\"",
        "campaigns[0].audiences[0].priority_order"
      ),
      ("\"corner_radius\":20", "\"corner_radius\":\"x\"", "paywalls.pw1.theme.corner_radius"),
    ])
  func tolerance(old: String, new: String, path: String) throws {
    let text = Self.whole.json.replacing(old, with: new)
    #expect(text != Self.whole.json)
    let decoded = Config.decode(text.utf8)
    let found = decoded.diagnostics.filter { $0.path == path }
    #expect(found.count == 1, "\(decoded.diagnostics)")
    // AgentWallie's SDK rejects the whole config because of each of these.
    #expect(found.first?.peerSeverity == .error)
    #expect(decoded.output?.paywalls.count == 1)
  }

  /// References that lead nowhere.
  @Test func references() throws {
    let text = Self.whole.json
      .replacing("\"paywall_id\":\"pw1\"", with: "\"paywall_id\":\"pw2\"")
      .replacing("\"product_id\":\"prod_1\"", with: "\"product_id\":\"prod_9\"")
    let found = Config.decode(text.utf8).diagnostics.filter { $0.severity != .note }
    #expect(found.map(\.code) == [.unknownPaywall, .unknownPaywall, .unknownProduct])
    #expect(found.map(\.severity) == [.error, .error, .warning])
    #expect(found.first?.suggestion?.contains("pw1") == true)
  }

  /// Filters that read well and never hold.
  @Test(
    arguments: [
      ("gt", "\"17\""), ("lte", "true"), ("in", "\"a\""), ("not_in", "5"), ("contains", "1"),
      ("contains", "\"\""), ("is", "[\"a\"]"),
    ])
  func pointlessFilters(name: String, value: String) throws {
    let text = Self.whole.json
      .replacing(
        "\"operator\":\"is\",\"value\":\"free\"",
        with: "\"operator\":\"\(name)\",\"value\":\(value)")
    let decoded = Config.decode(text.utf8)
    let found = decoded.diagnostics.first { $0.code == .constantClause }
    #expect(found?.path == "campaigns[0].audiences[0].filters[0].value")
  }

  /// Percentages: what they leave is the holdout, whatever is said of it; more than a hundred
  /// starves the later ones; dust of decimal fractions is none.
  @Test(
    arguments: [
      ([50, 30], ["50", "30", "20*"]), ([100], ["100"]), ([], ["100*"]), ([0], ["0", "100*"]),
      ([60, 60, 10], ["60", "40", "0"]), ([33.3, 33.3, 33.4], ["33.3", "33.3", "33.4"]),
      ([33.3, 33.3, 33.3], ["33.3", "33.3", "33.3", "0.1*"]), ([-5, 50], ["0", "50", "50*"]),
      ([0.1, 0.2], ["0.1", "0.2", "99.7*"]),
    ] as [([Double], [String])])
  func percentages(traffic: [Double], expected: [String]) throws {
    let variants = traffic.enumerated().map { number, percentage -> Value in
      [
        "id": .string("v\(number)"), "paywall_id": "pw1",
        "traffic_percentage": .double(percentage),
      ]
    }
    let config: Value = [
      "campaigns": [
        [
          "id": "c", "name": "C", "status": "active",
          "placements": [["id": "p", "name": "p", "type": "custom", "status": "active"]],
          "audiences": [
            [
              "id": "a", "name": "A", "priority_order": 0, "filters": [],
              "experiment": [
                "id": "e", "status": "running", "holdout_percentage": 0,
                "variants": .list(variants),
              ],
            ]
          ],
        ]
      ], "paywalls": .map([]),
    ]
    let found = try #require(decode(config).output?.placements.first?.audiences.first?.variants)
    let told = found.map { variant in
      let weight =
        variant.weight == variant.weight.rounded()
        ? String(Int(variant.weight)) : String(variant.weight)
      return weight + (variant.isGap ? "*" : "")
    }
    #expect(told == expected)
  }

  /// Values of every type in every place: no trap, and whatever is left decides.
  @Test(arguments: 0..<10)
  func hostile(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for round in 0..<60 {
      let value = HostileConfigTests.spoiled(Self.whole, &random, 20 + round)
      let decoded = Config.decode(value.json.utf8, format: .agentWallie)
      guard let config = decoded.output else {
        #expect(decoded.diagnostics.contains { $0.severity == .error })
        continue
      }
      let rules = try #require(RuleSet.compile(config).output)
      var frame = Frame(for: rules.program)
      for name in rules.placementNames {
        let explanation = rules.explain(
          name, frame: &frame, state: DecisionState(subjectID: "u", now: 0), assigner: .djb2)
        _ = explanation.text
      }
    }
  }
}

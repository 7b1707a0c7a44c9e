import Expressions
import RuleEngine
import TestSupport
import Testing

/// Everything that a static config says arrives.
@Suite struct WholeConfigTests {
  private func decode(_ path: String, _ value: Value?) -> Compilation<Config> {
    Config.decode(ConfigEdits.replacing(path, by: value).json.utf8)
  }

  @Test func paywalls() throws {
    let config = try #require(Config.decode(ConfigEdits.whole.json.utf8).output)
    let paywall = try #require(config.paywall("x"))
    #expect(paywall.databaseID == "db_x" && paywall.cacheKey == "ck" && paywall.buildID == "b1")
    #expect(paywall.url == "https://paywalls.example/p" && paywall.pageEvent == "W10=")
    #expect(
      paywall.endpoints == [
        Paywall.Endpoint(url: "https://cdn.example/p", timeout: 5_000, weight: 99.5)
      ])
    #expect(paywall.maxAttempts == 2 && paywall.presentationDelay == 250)
    #expect(paywall.presentationStyle == .drawer(height: 70, cornerRadius: 16))
    #expect(paywall.backgroundColor == "#FFFFFF" && paywall.darkBackgroundColor == "#000000")
    #expect(paywall.featureGating == .gated && paywall.isCachedOnDevice)
    #expect(!paywall.isScrollEnabled && paywall.reroutesBackButton)
    #expect(paywall.offerEligibility == .always)
    #expect(
      paywall.computedProperties == [
        ComputedProperty(kind: .daysSince, eventName: "session_start")
      ])
    #expect(
      paywall.surveys == [
        Survey(
          id: "s", assignmentKey: "sk", title: "Why?", message: "Tell us",
          options: [Survey.Option(id: "o", title: "Price")], condition: .onPurchase,
          probability: 0.25, includesOtherOption: true, includesCloseOption: false)
      ])
    #expect(
      paywall.localNotifications == [
        LocalNotification(id: "n", kind: .trialStarted, title: "T", body: "B", delay: 1_000)
      ])
  }

  @Test func products() throws {
    let config = try #require(Config.decode(ConfigEdits.whole.json.utf8).output)
    let product = try #require(config.paywall("x")?.products.first)
    #expect(
      product
        == ProductReference(
          id: "pro.year:sw", store: .appStore, storeID: "pro.year", slot: "primary", trialDays: 7,
          billingPlan: .monthly, entitlements: [Entitlement(id: "pro")]))
    #expect(config.entitlements(ofProduct: "pro.year") == [Entitlement(id: "pro")])
    #expect(config.entitlements(ofProduct: "pro.month:sw") == [Entitlement(id: "pro")])
    #expect(config.entitlements(ofProduct: "other") == [])
    let slots = config.slots(ofPaywall: "x")
    #expect(slots.map(\.slot.slot) == ["primary", "secondary"])
    #expect(slots.map { $0.product?.storeID } == ["pro.year", "pro.month"])
  }

  /// What products give adds up over all places that name them.
  @Test func entitlementsAddUp() throws {
    let other: Value = [
      "store_product": ["store": "STRIPE", "product_identifier": "pro.year"],
      "entitlements": [
        ["identifier": "extra", "type": "SERVICE_LEVEL"],
        ["identifier": "pro", "type": "SERVICE_LEVEL"],
      ],
    ]
    let config = try #require(decode("products", [other]).output)
    #expect(Set(config.entitlements(ofProduct: "pro.year").map(\.id)) == ["pro", "extra"])
    #expect(config.product("pro.year")?.store == .stripe)
  }

  @Test func settings() throws {
    guard case .map(let entries) = ConfigEdits.whole else { return }
    let more: Value = [
      "log_level": 20, "app_session_timeout_ms": 60_000, "ios_app_id": "1", "bundle_id_config": "b",
      "toggles": [
        ["key": "a", "enabled": true], ["key": "b", "enabled": false],
        ["key": "b", "enabled": true],
      ],
      "disable_preload": ["all": true, "triggers": ["p"]],
      "localization": ["locales": [["locale": "de"], ["locale": "en_US"]]],
      "attribution_options": ["apple_search_ads": ["enabled": true]],
      "prioritized_campaign_id": "g",
      "test_mode_user_ids": [
        ["type": "userId", "value": "u"], ["type": "aliasId", "value": "a"],
      ],
      "web2app_config": [
        "entitlements_max_age_ms": 5, "restore_access_url": "https://x.example", "url_schema": "x",
      ],
      "application": ["name": "App", "icon_url": "https://i.example"],
    ]
    guard case .map(let added) = more else { return }
    let names = Set(added.map(\.key))
    let decoded = Config.decode(
      Value.map(entries.filter { !names.contains($0.key) } + added).json.utf8)
    #expect(decoded.diagnostics == [])
    let settings = try #require(decoded.output?.settings)
    #expect(settings.logLevel == 20 && settings.sessionTimeout == 60_000)
    // The first entry with a key counts.
    #expect(settings.isEnabled("a") && !settings.isEnabled("b") && !settings.isEnabled("c"))
    #expect(settings.disabledPreloads == .init(all: true, placements: ["p"]))
    #expect(settings.locales == ["de", "en_US"] && settings.usesAppleSearchAds)
    #expect(settings.prioritizedCampaignID == "g")
    #expect(
      settings.testUsers == [.init(kind: .userID, value: "u"), .init(kind: .aliasID, value: "a")])
    #expect(
      settings.webToApp
        == .init(entitlementsMaxAge: 5, restoreAccessURL: "https://x.example", urlScheme: "x"))
    #expect(settings.applicationName == "App" && settings.iosAppID == "1")
  }

  @Test func defaults() throws {
    let config = try #require(Config.decode("{\"trigger_options\":[]}".utf8).output)
    #expect(config.settings == ConfigSettings())
    #expect(config.settings.sessionTimeout == 3_600_000)
    let paywall = try #require(
      Config.decode(#"{"trigger_options":[],"paywall_responses":[{"identifier":"x"}]}"#.utf8)
        .output?.paywalls.first)
    #expect(paywall == Paywall(identifier: "x", name: "x"))
  }

  private static let paywall = "paywall_responses[0]"

  /// Who suffers from what, where, and what is done about it here.
  @Test(
    arguments: [
      ("\(paywall).id", nil, [[.ios, .android]], paywall),
      ("\(paywall).presentation_style_v2", nil, [[.android]], paywall),
      ("\(paywall).url_config.max_attempts", nil, [[.ios, .android]], "\(paywall).url_config"),
      (
        "\(paywall).presentation_delay", "soon", [[.ios, .android]], "\(paywall).presentation_delay"
      ),
      ("products", nil, [[.android]], ""), ("postback", nil, [[.android]], ""),
      ("toggles", nil, [[.ios, .android]], ""), ("build_id", nil, [[.ios, .android, .web]], ""),
      (
        "\(paywall).computed_properties[0].type", "CENTURIES_SINCE", [[.android], [.ios]],
        "\(paywall).computed_properties[0].type"
      ),
      (
        "\(paywall).products_v2[0].store_product.store", "MOON", [[.ios]],
        "\(paywall).products_v2[0].store_product.store"
      ),
      (
        "\(paywall).products_v2[0].entitlements[0].type", "TRIAL", [[.ios]],
        "\(paywall).products_v2[0].entitlements[0].type"
      ),
      (
        "\(paywall).surveys[0].presentation_condition", "ON_FULL_MOON", [[.ios]],
        "\(paywall).surveys[0].presentation_condition"
      ),
      (
        "\(paywall).local_notifications[0].type", "OTHER", [[.ios]],
        "\(paywall).local_notifications[0].type"
      ),
      (
        "trigger_options[0].rules[0].preload.behavior", "if_true", [[.ios]],
        "trigger_options[0].rules[0].preload.behavior"
      ),
    ] as [(String, Value?, [[Diagnostic.PeerEffect.Peer]], String)])
  func elsewhere(
    path: String, value: Value?, peers: [[Diagnostic.PeerEffect.Peer]], at: String
  ) throws {
    let decoded = decode(path, value)
    let found = decoded.diagnostics.filter { $0.path == at && !$0.peers.isEmpty }
    #expect(found.first?.peers.map(\.peers) == peers, "\(decoded.diagnostics)")
    // What is missing is a warning, a value an error, and both are for those alone who reject it.
    #expect(found.allSatisfy { $0.severity != .error || $0.code == .wouldReject })
    // Everything beside it is there.
    #expect(decoded.output?.paywalls.count == 2 && decoded.output?.placements.count == 2)
  }

  /// What is unknown is told and counts as the default.
  @Test func unknownWords() throws {
    let cases: [(String, (Paywall) -> Bool)] = [
      ("feature_gating", { $0.featureGating == .nonGated }),
      ("on_device_cache", { !$0.isCachedOnDevice }),
      ("introductory_offer_eligibility", { $0.offerEligibility == .automatic }),
      ("presentation_style_v3.type", { $0.presentationStyle == .fullscreen }),
    ]
    for (key, isDefault) in cases {
      let decoded = decode("\(Self.paywall).\(key)", "SOMETHING")
      #expect(decoded.diagnostics.map(\.severity) == [.warning])
      #expect(isDefault(try #require(decoded.output?.paywalls.first)))
    }
  }

  @Test func stylesNeedTheirMeasures() throws {
    let decoded = decode("\(Self.paywall).presentation_style_v3.height", nil)
    #expect(decoded.diagnostics.map(\.path) == ["\(Self.paywall).presentation_style_v3"])
    #expect(decoded.output?.paywalls.first?.presentationStyle == .fullscreen)
  }

  /// The form of products before there were composite identifiers.
  @Test func oldProducts() throws {
    let decoded = decode(
      Self.paywall,
      [
        "identifier": "x", "name": "n", "products": [["product": "primary", "product_id": "old"]],
      ])
    #expect(
      decoded.output?.paywalls.first?.products
        == [ProductReference(id: "old", store: .appStore, storeID: "old", slot: "primary")])
  }

  /// A config can name fewer stores than products can come from.
  @Test(arguments: ["SUPERWALL", "OTHER", "app_store", ""])
  func unknownStores(name: String) {
    let product: Value = [
      "reference_name": "primary", "entitlements": [],
      "store_product": ["store": .string(name), "product_identifier": "p"],
    ]
    let decoded = decode(
      Self.paywall, ["identifier": "x", "name": "n", "products_v2": [product]])
    #expect(decoded.output?.paywalls.first?.products == [])
    let told = decoded.diagnostics.first { $0.message.hasPrefix("'\(name)' is not a store") }
    let isClose = name == "app_store"
    #expect(
      told?.suggestion
        == (isClose
          ? "did you mean APP_STORE?" : "write APP_STORE, PLAY_STORE, STRIPE, PADDLE or CUSTOM"))
  }

  /// Preloads: asking to be evaluated again overrides the behaviour.
  @Test(
    arguments: [
      (#"{"behavior":"NEVER"}"#, Preload.never), (#"{"behavior":"IF_TRUE"}"#, .ifTrue),
      (#"{"behavior":"NEVER","requires_re_evaluation":true}"#, .always),
      (#"{"behavior":"NEVER","requires_re_evaluation":false}"#, .never),
      (#"{"behavior":"SOMETIMES"}"#, .always), ("{}", .always), ("5", .always),
    ])
  func preloads(json: String, expected: Preload) throws {
    let decoded = decode("trigger_options[0].rules[0].preload", try Value.parse(json: json.utf8))
    #expect(decoded.output?.placements[0].audiences[0].preload == expected)
  }

  /// Nothing of either format is mistaken for the other.
  @Test func formats() {
    func format(_ json: String) -> Config.Format? { Config.decode(json.utf8).output?.format }
    #expect(format(#"{"campaigns":[]}"#) == .agentWallie)
    #expect(format(#"{"trigger_options":[]}"#) == .superwall)
    #expect(format(#"{"trigger_options":[],"campaigns":[]}"#) == .superwall)
    #expect(format("{}") == .superwall)
    #expect(format("[]") == nil)
    #expect(Config.decode("{}".utf8, format: .agentWallie).output?.format == .agentWallie)
  }
}

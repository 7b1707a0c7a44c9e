import Expressions
import Foundation
import Requests
import RuleEngine
import TestSupport
import Testing

/// `corpus/schemas/requests.schema.json` says what requests and answers are.
@Suite("Schemas of requests") struct RequestSchemaTests {
  /// The file with the definitions of outcomes that it refers to, and a member for each definition.
  private static let schema: Value = {
    func definitions(_ name: String) -> [Value.Entry] {
      let text = (try? AskedConfig.file("corpus/schemas/\(name)")) ?? ""
      let own = text.replacing("outcome.schema.json#/$defs/", with: "#/$defs/")
      guard case .map(let entries)? = (try? Value.parse(json: own.utf8))?["$defs"] else {
        return []
      }
      return entries
    }
    let all = definitions("requests.schema.json")
    return [
      "$defs": .map(all + definitions("outcome.schema.json")),
      "properties": .map(
        all.map { entry in
          .init(key: entry.key, value: ["$ref": .string("#/$defs/\(entry.key.text ?? "")")])
        }),
    ]
  }()

  private static func definitions(_ name: String) -> [Value.Entry] {
    let text = (try? AskedConfig.file("corpus/schemas/\(name)")) ?? ""
    let own = text.replacing("outcome.schema.json#/$defs/", with: "#/$defs/")
    guard case .map(let entries)? = (try? Value.parse(json: own.utf8))?["$defs"] else { return [] }
    return entries
  }

  private static let questions: [(name: String, question: PreparedConfig.Question)] =
    PreparedConfig.Question.allCases.map { ($0.rawValue.capitalized, $0) }

  /// The definition of a kind of request.
  private static func request(_ name: String) -> Value {
    schema["$defs"]?["\(name)Request"] ?? .null
  }

  /// A member that the one has and the other lacks would be refused, or not described.
  @Test func membersAreThoseOfTheSchema() {
    for (name, question) in Self.questions {
      let members = Self.request(name)["properties"]?.members?.map(\.key) ?? []
      #expect(Set(members) == Set(question.members), "\(name)")
    }
    let decide = Self.request("Decide")["properties"]?.members?.map(\.key) ?? []
    #expect(
      Set(decide).isSubset(of: DecideRequest.memberNames + UserMember.allCases.map(\.key)))
    #expect(Set(decide).isSuperset(of: DecideRequest.memberNames))
  }

  // MARK: Answers

  private static let user = #"{"userId": "u", "user": {"plan": "pro"}}"#

  /// A config with most of what answers have.
  private static let config = #"""
    {"build_id": "b", "trigger_options": [
      {"event_name": "export", "rules": [
        {"experiment_id": "e1", "experiment_group_id": "g",
         "expression_cel": "user.plan == 'free' && user.visits + 1 > 3 && 1 < 2 && has(user.age)",
         "occurrence": {"key": "k", "max_count": 1, "interval": {"type": "MINUTES", "minutes": 60}},
         "variants": [{"variant_id": "v1", "variant_type": "TREATMENT", "percentage": 50,
                       "paywall_identifier": "annual"},
                      {"variant_id": "v2", "variant_type": "HOLDOUT", "percentage": 50}]},
        {"experiment_id": "e2", "experiment_group_id": "g",
         "expression_cel": "user.name.startsWith('A') && user.visits > 3",
         "variants": [{"variant_id": "v3", "variant_type": "HOLDOUT", "percentage": 100}]},
        {"experiment_id": "e3", "experiment_group_id": "g", "expression_cel": "user.plan == 'never'",
         "variants": []}]},
      {"event_name": "rate", "rules": [
        {"experiment_id": "e5", "experiment_group_id": "g",
         "expression_cel": "user.rate > 2.5", "variants": []},
        {"experiment_id": "e9", "experiment_group_id": "g",
         "expression_cel": "device.appVersionPadded >= '003.010.000'", "variants": []},
        {"experiment_id": "e6", "experiment_group_id": "g",
         "expression_cel": "user.plan == 'a' && user.plan == 'b'", "variants": []},
        {"experiment_id": "e7", "experiment_group_id": "g", "expression_cel": "user.visits + 1",
         "variants": []},
        {"experiment_id": "e8", "experiment_group_id": "g",
         "expression_cel": "has(user.model) ? user.model.startsWith('iPad') : false",
         "variants": []}]}],
     "paywall_responses": [{"id": "1", "identifier": "annual", "name": "Annual",
       "url": "https://example.com",
       "products_v2": [{"reference_name": "primary", "store_product": {"store": "APP_STORE",
         "product_identifier": "p"}, "sw_composite_product_id": "p", "entitlements": []}]}]}
    """#

  /// One in which audiences have names, and pass over owners.
  private static let campaigns = #"""
    {"campaigns": [{"id": "c", "name": "Spring", "status": "active",
      "placements": [{"id": "p", "name": "export", "type": "custom", "status": "active"}],
      "audiences": [
        {"id": "a", "name": "Free", "priority_order": 2, "entitlement_check": "pro",
         "frequency_cap": "once_per_session",
         "filters": [{"field": "user.plan", "operator": "is", "value": "free"}],
         "experiment": {"id": "e", "status": "running", "holdout_percentage": 0,
           "variants": [{"id": "v", "paywall_id": "w", "traffic_percentage": 100}]}}]}],
     "paywalls": {"w": {"version": "1", "name": "W", "settings": {}, "theme": {}, "components": [],
       "products": [{"slot": "primary", "product_id": "p"}]}},
     "products": [{"id": "p", "name": "P", "store": "apple", "store_product_id": "s",
       "entitlements": ["pro"]}]}
    """#

  /// Products with all that a timeline can have.
  private static let offers = #"""
    [{"identifier": "p", "price": "5", "currency": "EUR", "period": "P2W", "slot": "primary",
      "intro": {"unit": "week", "count": 1, "cycles": 2, "mode": "payAsYouGo", "price": "1"},
      "storeOffers": [{"offerId": "o", "name": "O", "unit": "week"}]},
     {"identifier": "q", "price": "99", "currency": "EUR", "period": "P1Y",
      "billingPlan": {"type": "MONTHLY", "price": "9", "period": "P1M"}}]
    """#
  private static let products = #"""
    {"products": [{"identifier": "p", "slot": "primary", "price": "5", "currency": "EUR",
      "period": "P1M"}]}
    """#

  private static func asked(_ text: String = config, _ language: RuleLanguage = .standard) throws
    -> AskedConfig
  {
    try AskedConfig(text) {
      $0.language = language
      $0.texts = try TextFile.given(Array(#"{"paywalls": {"annual": {"title": "Hi"}}}"#.utf8))
      $0.products = try ProductList.given(Array(products.utf8))
    }
  }

  private static let free = #""userId": "u", "user": {"plan": "free", "visits": 9, "age": 3}"#
  private static let shown = #""occurrences": {"k": ["2026-03-01T11:59:00Z"]}"#
  private static let named = #"{"userId": "v", "user": {"name": "A", "visits": 5}}"#
  private static let odd = #"{"userId": "w", "user": {"name": 7}}"#

  private static func stored(_ variant: String) -> String {
    #""assignments": [{"experimentId": "e1", "variantId": "\#(variant)"}]"#
  }

  /// Requests of the kinds by name.
  private static let requests: [(name: String, text: String)] = [
    (
      "Decide",
      "{\(free), \"explain\": true, \"reasons\": true, \"texts\": true, \"products\": true}"
    ),
    ("Decide", #"{"userId": "u", "user": {"name": 7}, "reasons": true}"#),
    ("Decide", "{\(free), \(shown), \"reasons\": true}"),
    ("Decide", "{\(free), \(stored("v1")), \"reasons\": true}"),
    ("Explain", "{\"user\": \(user)}"), ("Explain", odd),
    ("Explain", "{\"user\": {\(free)}, \"placement\": \"export\"}"),
    ("Explain", "{\"user\": {\(free), \(shown)}}"),
    (
      "Explain",
      "{\(free), \(stored("v1")), \"subscriptionStatus\": \"ACTIVE\", \"entitlements\": [\"x\"]}"
    ),
    ("Explain", "{\(free), \(stored("v9"))}"),
    ("Explain", "{\(free), \(shown), \"placement\": \"export\", \"audience\": 0}"),
    ("Explain", "{\"user\": \(user), \"placement\": \"export\", \"audience\": \"e2\"}"),
    ("Explain", "{\"user\": \(user), \"placement\": \"rate\", \"audience\": \"e6\"}"),
    (
      "Explain",
      #"""
      {"userId": "u", "device": {"appVersion": "3.9.0", "appVersionPadded": "003.009.000"},
       "placement": "rate", "audience": "e9"}
      """#
    ),
    (
      "Explain",
      "{\"user\": \(user), \"placement\": \"export\", \"set\": {\"user.visits\": 3}}"
    ),
    (
      "Explain",
      "{\(free), \"placement\": \"export\", \"audience\": 0, \"set\": {\"user.visits\": 3}}"
    ),
    (
      "Explain",
      "{\(free), \"placement\": \"export\", \"sweep\": \"user.visits\", \"set\": {\"user.plan\": \"b\"}}"
    ),
    ("Explain", "{\"user\": \(user), \"placement\": \"export\", \"sweep\": \"user.plan\"}"),
    ("Explain", "{\"user\": \(user), \"placement\": \"rate\", \"sweep\": \"user.rate\"}"),
    (
      "Explain",
      #"{"userId": "u", "user": {"model": "iPad8"}, "placement": "rate", "sweep": "user.model"}"#
    ),
    ("Explain", "{\"user\": \(user), \"placement\": \"export\", \"text\": true}"),
    ("Check", "{}"), ("Check", #"{"platform": "all"}"#), ("Check", #"{"platform": "cel"}"#),
    (
      "Check",
      #"""
      {"config": {"trigger_options": [{"event_name": "p",
        "rules": [{"expression_cel": "user.a ="}]}]}}
      """#
    ),
    ("Check", #"{"config": "{", "schema": {"attributes": {"user.plan": {"type": "string"}}}}"#),
    ("Diff", "{\"new\": \(config.replacing("> 3", with: "> 4"))}"),
    (
      "Diff",
      "{\"new\": \(config.replacing("'never'", with: "'ever'").replacing("e2", with: "e4"))}"
    ),
    (
      "Diff",
      """
      {"new": \(config.replacing("visits > 3", with: "visits > 9").replacing("rate\"", with: "r\"")),
       "users": [\(named), {\(free)}, 3]}
      """
    ),
    ("Render", #"{"template": "{{ products.primary.price }} {{ 'x' | divided_by: 0 }}"}"#),
    ("Render", #"{"template": "{{ a"}"#), ("Render", #"{"paywall": "annual"}"#),
    ("Match", "{\"distribution\": true, \"users\": [{\(free)}, \(odd), {}]}"),
    ("Match", "{\"users\": [{\(free), \(shown)}, \(named)]}"), ("Cover", "{}"),
    (
      "Cover",
      "{\"tests\": [{\(free), \"placement\": \"export\", \"expect\": {\"result\": \"paywall\"}}]}"
    ),
    ("Products", "{}"), ("Products", "{\"products\": \(products)}"),
    ("Products", "{\"products\": \(offers), \"eligible\": true}"),
    ("Render", #"{"template": "{{ products.hasIntroductoryOffer }}", "eligible": false}"#),
    ("Render", #"{"template": "{{ products.primary.prise }}"}"#),
  ]

  /// Requests about ``campaigns``.
  private static let ofCampaigns: [(name: String, text: String)] = [
    ("Decide", "{\(free), \"entitlements\": [\"pro\"], \"reasons\": true, \"explain\": true}"),
    (
      "Explain", "{\(free), \"subscriptionStatus\": \"ACTIVE\", \"entitlements\": [\"pro\", \"x\"]}"
    ),
    ("Explain", "{\(free), \"placement\": \"export\", \"audience\": \"Free\"}"),
    ("Match", "{\"users\": [{\(free), \"entitlements\": [\"pro\"]}, {\(free)}]}"), ("Cover", "{}"),
    ("Products", "{}"),
  ]

  /// Requests that are errors.
  private static let wrong: [(name: String, text: String)] = [
    ("Decide", #"{"userId": "u", "user": }"#), ("Decide", #"{"userId": 'u'}"#),
    ("Render", #"{"template": "x", "html": 1}"#), ("Explain", #"{"user": {"userId": 3.5}}"#),
    ("Diff", #"{"new": "{"}"#), ("Cover", #"{"tests": "x"}"#),
  ]

  /// Every answer fits its definition, requests fit theirs, and no definition speaks of what no answer has.
  @Test func answersFit() throws {
    let validator = try SchemaValidator(Self.schema)
    func check(_ member: String, _ value: Value, _ text: String) {
      #expect(validator.accepts(.object([member: value])), "\(member) \(text): \(value.json)")
    }
    for (text, requests, language) in [
      (Self.config, Self.requests, RuleLanguage.standard), (Self.config, Self.requests, .cel),
      (Self.campaigns, Self.ofCampaigns, .standard),
    ] {
      let config = try Self.asked(text, language)
      for (name, text) in requests {
        check("\(name)Request", try Value.parse(json: text.utf8), text)
        let answer = Self.ask(config, name, text)
        #expect(answer["message"] == nil, "\(name) \(text): \(answer.json)")
        check("\(name)Answer", answer, text)
      }
    }
    let config = try Self.asked()
    for (name, text) in Self.wrong { check("RequestError", Self.ask(config, name, text), text) }
    let own = Set(Self.definitions("requests.schema.json").compactMap(\.key.text))
    let unused = validator.unused.filter { name in
      let definition = String(name.prefix { $0 != "." })
      return own.contains(definition) && !definition.hasSuffix("Request")
    }
    #expect(Set(unused) == Self.rare)
  }

  private static func ask(_ config: AskedConfig, _ name: String, _ text: String) -> Value {
    let question = questions.first { $0.name == name }?.question
    return question.map { config.ask($0, text) } ?? config.decide(text)
  }

  /// Members that these requests do not get.
  private static let rare: Set<String> = [
    "Diagnostic.otherRanges", "MissingAttribute.matchedExample", "MatchedPlacement.more",
    "PeerEffect.detail", "ProductSheet.error",
    "Claim.verdict", "Claim.locale", "Claim.product", "Claim.reason", "Claim.selected",
    "Claim.slot",
    "Claim.words", "Claim.path", "Claim.from", "Claim.claim", "Claim.sentence", "Claim.to",
    "RenderedTemplate.claims", "RenderedPaywall.claims", "ClaimsAnswer.claims", "Explanation.sdk",
    "RequestError.hint",
    "RequestError.line",
  ]

  // MARK: Requests

  /// A request that is answered, by kind.
  private static let plain: [String: String] = [
    "Decide": #"{"userId": "u"}"#, "Explain": "{\"user\": \(user)}", "Check": "{}",
    "Diff": "{\"new\": \(AskedConfig.text)}", "Render": #"{"template": "x"}"#,
    "Match": #"{"users": []}"#, "Cover": "{}", "Products": "{}",
  ]

  /// A value of another kind than the schema says is an error, whatever else is asked for.
  @Test(arguments: ["Decide"] + questions.map(\.name)) func wrongKindsAreErrors(name: String) throws
  {
    let config = try Self.asked()
    func ask(_ request: Value) -> Value { Self.ask(config, name, request.json) }
    let plain = try Value.parse(json: #require(Self.plain[name]).utf8)
    let members = plain.members?.map { Value.Entry(key: .string($0.key), value: $0.value) } ?? []
    #expect(ask(.map(members))["code"] == nil, "\(ask(.map(members)).json)")
    let validator = try SchemaValidator(Self.schema, definition: "\(name)Request")
    let properties = try #require(Self.request(name)["properties"]?.members)
    for (property, _) in properties {
      let others = members.filter { $0.key.text != property }
      for value: Value in [.null, true, 3, 2.5, "x", "", [3], ["a": 1]] {
        let request = Value.map(others + [.init(key: .string(property), value: value)])
        if validator.accepts(request) { continue }
        #expect(ask(request)["code"] != nil, "\(name) \(request.json)")
      }
    }
  }

  /// The guide lists the members of every request.
  @Test func theGuideHasTheMembers() throws {
    let guide = try AskedConfig.file("docs/server.md")
    for (name, question) in Self.questions {
      let row = guide.split(separator: "\n").first { $0.hasPrefix("| `/v1/\(question)` |") }
      let cell = try #require(row).split(separator: "|")[1]
      let words = cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 && !$0.element.hasPrefix("-") }.map { String($0.element) }
      var members = Set(Self.request(name)["properties"]?.members?.map(\.key) ?? [])
      members.remove("userId")
      #expect(Set(words) == members, "\(question)")
    }
  }
}

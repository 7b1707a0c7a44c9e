import Expressions
import Requests
import RuleEngine
import RuleInsight
import Testing

/// Questions about a config and a user.
@Suite("Answers") struct AnsweringTests {
  private static let user = #""user": {"userId": "u", "user": {"plan": "pro"}}"#

  // MARK: Explain

  @Test func explains() throws {
    let config = try AskedConfig()
    let one = config.ask(.explain, #"{"placement": "export", \#(Self.user)}"#)
    #expect(one["audiences"]?.elements?.count == 2)
    #expect(config.ask(.explain, "{\(Self.user)}").elements?.count == 2)
    #expect(config.ask(.explain, #"{"all": true, \#(Self.user)}"#).elements?.count == 2)
    let record = config.ask(.explain, #"{"userId": "u", "user": {"plan": "pro"}}"#)
    #expect(record.elements?.first == one)
    // What is null is shown as in the record, not as it is for rules.
    let null = config.ask(
      .explain,
      #"{"placement": "export", "audience": 0, "user": {"userId": "u", "user": {"plan": null}}}"#)
    #expect(null["clauses"]?.elements?[0]["reads"]?.elements?[0]["value"] == .null)
    let text = config.ask(.explain, #"{"placement": "export", "text": true, \#(Self.user)}"#)
    #expect(text["text"]?.text?.hasPrefix("export: ") == true)
    let nulls = config.ask(
      .explain, #"{"placement": "export", "seed": null, "now": null, "set": null, \#(Self.user)}"#)
    #expect(nulls == one, "\(nulls.json)")
    let wrong = config.ask(.explain, #"{"placement": "exprt", \#(Self.user)}"#)
    #expect(wrong["code"] == "unknown_placement")
    #expect(wrong["message"]?.text?.hasSuffix("did you mean 'export'?") == true)
  }

  @Test(arguments: [#""e1""#, "0", #""0""#]) func audiencesByNumberAndID(name: String) throws {
    let config = try AskedConfig()
    let found = config.ask(
      .explain, #"{"placement": "export", "audience": \#(name), \#(Self.user)}"#)
    #expect(found["verdict"] == "found")
    #expect(found["changes"] == [["path": "user.plan", "from": "pro", "to": "free"]])
  }

  @Test(arguments: [
    (#""placement": "export", "audience": "e3""#, "has no audience 'e3'; did you mean 'e1'?"),
    (#""placement": "export", "audience": 7"#, "it has 0 (e1), 1 (e2)"),
    (#""audience": 0"#, "'audience' needs one 'placement'"),
    (#""sweep": "user.plan""#, "'sweep' needs one 'placement'"),
    (#""placement": "export", "all": true"#, "give 'placement' or 'all', not both"),
    (
      #""placement": "export", "sweep": "user.plan", "audience": 0"#,
      "give 'sweep' or 'audience', not both"
    ),
    (#""placement": "export", "sweep": "user.plna""#, "did you mean 'user.plan'?"),
    (#""placement": "export", "sweep": "user.zebra""#, "it reads user.plan, user.visits"),
    (#""set": {"user.plna": 1}"#, "no rule reads 'user.plna'; did you mean 'user.plan'?"),
    (#""set": {"user..plan": 1}"#, "'user..plan' is not the path of an attribute"),
    (#""set": {"now": 1}"#, "the option 'now' gives the time"),
  ])
  func questionsThatCannotBeAnswered(members: String, message: String) throws {
    let error = try AskedConfig().ask(.explain, "{\(members), \(Self.user)}")
    #expect(error["message"]?.text?.contains(message) == true, "\(error.json)")
  }

  /// Other values of attributes, with what the user gets without them.
  @Test func settings() throws {
    let config = try AskedConfig()
    let set = #""set": {"user.plan": "free"}"#
    let one = config.ask(.explain, #"{"placement": "export", \#(set), \#(Self.user)}"#)
    #expect(one["paywall"] == "annual")
    #expect(one["set"] == [["path": "user.plan", "from": "pro", "to": "free"]])
    #expect(one["without"]?["result"] == "noAudienceMatch")
    let all = config.ask(.explain, "{\(set), \(Self.user)}")
    #expect(
      all.elements?.map { $0["without"]?["result"] } == ["noAudienceMatch", "noAudienceMatch"])
    let audience = config.ask(
      .explain, #"{"placement": "export", "audience": 0, \#(set), \#(Self.user)}"#)
    #expect(audience["changes"] == [] && audience["without"] == one["without"])
    // Without settings nothing of it is there.
    let plain = config.ask(.explain, #"{"placement": "export", "set": {}, \#(Self.user)}"#)
    #expect(plain["set"] == nil && plain["without"] == nil)
  }

  @Test func sweeps() throws {
    let config = try AskedConfig()
    let sweep = config.ask(
      .explain, #"{"placement": "export", "sweep": "user.visits", \#(Self.user)}"#)
    #expect(sweep["path"] == "user.visits")
    #expect(
      sweep["stretches"]?.elements?.map { $0["outcome"]?["result"] } == [
        "noAudienceMatch", "holdout",
      ], "\(sweep.json)")
    let text = config.ask(
      .explain, #"{"placement": "export", "sweep": "user.visits", "text": true, \#(Self.user)}"#)
    #expect(text["text"]?.text?.contains("from 4") == true, "\(text.json)")
  }

  // MARK: Render

  /// Names of users are not markup in texts for pages.
  @Test(arguments: [("true", "&lt;b&gt;"), ("false", "<b>")])
  func rendersForPages(html: String, text: String) throws {
    let found = try AskedConfig().ask(
      .render,
      "{\"template\": \"{{ user.name }}\", \"html\": \(html), "
        + "\"user\": {\"user\": {\"name\": \"<b>\"}}}")
    #expect(found["text"]?.text == text, "\(found.json)")
  }

  @Test func rendersTextsOfPaywalls() throws {
    let config = try AskedConfig {
      $0.texts = try TextFile.given(
        Array(#"{"paywalls": {"annual": {"title": "Hello {{ user.name }}"}}}"#.utf8))
    }
    let found = config.ask(
      .render, #"{"paywall": "annual", "user": {"user": {"name": "Ann"}}}"#)
    #expect(found["texts"]?["title"] == "Hello Ann", "\(found.json)")
    let template = config.ask(
      .render, #"{"template": "Bye {{ user.name }}", "user": {"user": {"name": "Ann"}}}"#)
    #expect(template["text"] == "Bye Ann")
    let wrong = config.ask(.render, #"{"paywall": "anual"}"#)
    #expect(wrong["message"]?.text?.hasSuffix("did you mean 'annual'?") == true)
    let none = try AskedConfig().ask(.render, #"{"paywall": "annual"}"#)
    #expect(none["message"]?.text?.contains("has no 'texts'") == true)
  }

  /// Offers follow the request, then the record; what is missing is told beside the text.
  @Test func rendersForUsersWithAndWithoutOffers() throws {
    let config = try AskedConfig()
    let products =
      #""products": [{"identifier": "a", "price": "5", "currency": "USD", "period": "P1M", "trialDays": 7}]"#
    func ask(_ template: String, _ more: String) -> Value {
      config.ask(.render, #"{"template": "\#(template)", \#(more)}"#)
    }
    let template = "{{ products.hasIntroductoryOffer }} {{ products.primary.chargedToday }}"
    let subscriber = #", "user": {"subscriptionStatus": "ACTIVE"}"#
    #expect(ask(template, products)["text"] == "true $0.00")
    #expect(ask(template, products + #", "eligible": false"#)["text"] == "false $5.00")
    #expect(ask(template, products + subscriber)["text"] == "false $5.00")
    #expect(ask(template, products + subscriber + #", "eligible": true"#)["text"] == "true $0.00")
    let missing = ask("{{ products.primary.prise }}", products)
    #expect(missing["isComplete"] == false)
    #expect(missing["errors"]?.elements?.first?["suggestion"] == "did you mean 'price'?")
    let unusable = ask("x", #""products": [{"identifier": "a", "price": "x", "currency": "USD"}]"#)
    #expect(unusable["code"] != nil)
    #expect(unusable["text"] == nil)
  }

  @Test func readsTemplatesByTheirMode() throws {
    let config = try AskedConfig()
    func ask(_ mode: String) -> Value {
      config.ask(
        .render, #"{"template": "{{ a ! b }}", "dialect": "shopify", "mode": "\#(mode)"}"#)
    }
    #expect(ask("lax")["isComplete"] == true && ask("strict")["isComplete"] == false)
    #expect(ask("strict")["text"] == .null)
    #expect(ask("strict")["errors"]?.elements?.isEmpty == false)
  }

  @Test(arguments: [
    (#""select": "secondary""#, "no product has the slot 'secondary'; there are no products"),
    (#""timeZone": "Mars/Base""#, "the time zone 'Mars/Base' does not exist"),
    (#""profile": "agentwalie""#, "did you mean 'agentwallie'?"),
    (#""dialect": "php""#, "'dialect' must be superwall, shopify or agentwallie"),
    (#""mode": "loose""#, "'mode' must be lax or strict"),
    (#""products": "[""#, "'products' cannot be read"),
    (#""user": 3"#, "must be a JSON object"),
  ])
  func textsThatCannotBeRendered(member: String, message: String) throws {
    let error = try AskedConfig().ask(.render, #"{"template": "x", \#(member)}"#)
    #expect(error["message"]?.text?.contains(message) == true, "\(error.json)")
  }

  // MARK: Check, diff, match, cover

  @Test func checks() throws {
    let config = try AskedConfig()
    #expect(config.ask(.check, "{}")["counts"]?["error"] == 0)
    let schema = #"{"attributes": {"user.plan": {"type": "string", "enum": ["basic", "pro"]}}}"#
    let known = config.ask(.check, #"{"schema": \#(schema)}"#)
    #expect(known["diagnostics"]?.elements?.isEmpty == false, "\(known.json)")
    let broken = AskedConfig.text.replacing("user.visits > 3", with: "user.visits >")
    let given = config.ask(.check, #"{"config": \#(broken)}"#)
    #expect(given["counts"]?["error"] == 1)
    let finding = given["diagnostics"]?.elements?.first
    #expect(finding?["code"] == "syntax-error")
    // Places count in the config as it is in the request.
    let line = broken.split(separator: "\n").firstIndex { $0.contains("user.visits >") }
    #expect(finding?["line"]?.wholeNumber == line.map { $0 + 1 })
    let text = Value.object(["config": .string(broken)]).json
    #expect(config.ask(.check, text) == given)
  }

  /// What differs between platforms is found by checking for all of them.
  @Test func checksForPlatforms() throws {
    let text = AskedConfig.text.replacing(
      "user.plan == 'free'", with: "has(user.nick) && user.plan == 'free'")
    let config = try AskedConfig(text)
    func codes(_ platform: String) -> Set<String> {
      let found = config.ask(.check, #"{"platform": "\#(platform)"}"#)
      return Set(found["diagnostics"]?.elements?.compactMap { $0["code"]?.text } ?? [])
    }
    #expect(codes("all").contains("platform-difference"))
    #expect(!codes("ios").contains("platform-difference"))
    #expect(config.ask(.check, #"{"platform": "cel"}"#)["counts"]?["error"] == 0)
  }

  @Test func compares() throws {
    let config = try AskedConfig()
    let next = AskedConfig.text.replacing("user.visits > 3", with: "user.visits > 4")
    let users = #""users": [{"userId": "u", "user": {"visits": 4}}]"#
    let moved = config.ask(.diff, #"{"new": \#(next), \#(users)}"#)
    #expect(moved["moved"] == 1)
    #expect(moved["placements"]?["export"]?["kinds"]?.elements?[0]["example"] == "u")
    let back = config.ask(.diff, #"{"old": \#(next), "new": \#(AskedConfig.text), \#(users)}"#)
    #expect(back["placements"]?["export"]?["moved"] == 1)
    let same = config.ask(.diff, #"{"new": \#(AskedConfig.text)}"#)
    #expect(same["placements"]?["export"]?["verdict"] == "same" && same["changes"] == [])
    let one = config.ask(.diff, #"{"new": \#(next), "placements": ["open"]}"#)
    #expect(one["placements"]?.members?.map(\.key) == ["open"])
    let hidden = try AskedConfig { $0.redaction = Redaction(paths: [["userId"]]) }
    #expect(!hidden.ask(.diff, #"{"new": \#(next), \#(users)}"#).json.contains(#""u""#))
  }

  /// Each config draws by its own seed, unless the request has one.
  @Test func comparesSeeds() throws {
    let users = (0..<40).map { #"{"userId": "u\#($0)", "user": {"plan": "free"}}"# }
    let records = #""placements": ["export"], "users": [\#(users.joined(separator: ","))]"#
    let first = try AskedConfig(AskedConfig.halves) { $0.seed = "a" }
    func moved(_ seed: String, _ more: String = "") throws -> Value? {
      let other = try AskedConfig(AskedConfig.halves) { $0.seed = seed }
      let request = try JSONRequest(Array("{\(records)\(more)}".utf8), nesting: 128)
      return try first.config.difference(to: other.config, request)["moved"]
    }
    #expect(try moved("a") == 0)
    #expect(try moved("b") != 0)
    #expect(try moved("b", #", "seed": "c""#) == 0)
  }

  @Test func matches() throws {
    let config = try AskedConfig(AskedConfig.halves)
    let lines = (0..<20).map { #"{"userId": "u\#($0)", "user": {"plan": "free"}}"# }
    let users = #""users": [\#(lines.joined(separator: ","))]"#
    let found = config.ask(.match, "{\(users)}")
    #expect(found["users"] == 20 && found["rejected"] == 0)
    let variant = found["placements"]?["export"]?["audiences"]?.elements?[0]["variants"]?
      .elements?[0]
    #expect(variant != nil && variant?["share"] == nil)
    let expected = config.ask(
      .match, #"{"distribution": true, "placements": ["export"], \#(users)}"#)
    #expect(expected["placements"]?.members?.map(\.key) == ["export"])
    #expect(
      expected["placements"]?["export"]?["audiences"]?.elements?[0]["variants"]?.elements?[0][
        "share"] == 0.5)
    let unknown = config.ask(.match, #"{"placements": ["exprt"], \#(users)}"#)
    #expect(unknown["code"] == "unknown_placement")
  }

  @Test func covers() throws {
    let config = try AskedConfig()
    let tests = """
      [{"userId": "u", "placement": "export", "expect": {"result": "holdout"}, "user": {"visits": 9}}]
      """
    let covered = config.ask(.cover, #"{"tests": \#(tests)}"#)
    #expect(covered["tests"] == 1 && covered["audiences"]?.elements?[1]["taken"] == 1)
    let texts = #"{"paywalls": {"annual": {"title": "Hello"}}}"#
    let given = config.ask(.cover, #"{"tests": \#(tests), "render": \#(texts)}"#)
    #expect(given["texts"]?.elements?.map { $0["shown"] } == [0])
    // Texts that came with the config count without others.
    let own = try AskedConfig { $0.texts = try TextFile.given(Array(texts.utf8)) }
    #expect(own.ask(.cover, #"{"tests": \#(tests)}"#) == given)
    let broken = AskedConfig.text.replacing("user.visits > 3", with: "user.visits >")
    #expect(config.ask(.cover, #"{"config": \#(broken)}"#)["code"] == "invalid_config")
  }

  /// Limits end a request with an error; without them it may be as large as it is.
  @Test func limits() throws {
    let config = try AskedConfig {
      $0.limits.users = 2
      $0.limits.tests = 0
    }
    #expect(config.ask(.match, #"{"users": "{}\n{}\n"}"#)["code"] == "too_many_users")
    #expect(config.ask(.match, #"{"users": "{}\n"}"#)["rejected"] == 1)
    let test = #"{"userId": "u", "placement": "export", "expect": {"result": "holdout"}}"#
    #expect(config.ask(.cover, #"{"tests": [\#(test)]}"#)["code"] == "too_many_tests")
    for change in [{ $0.audiences = 1 }, { $0.patience = .zero }]
      as [(inout PreparedConfig.Limits) -> Void]
    {
      let config = try AskedConfig { change(&$0.limits) }
      #expect(config.ask(.cover, "{}")["code"] == "too_much")
    }
  }

  @Test func productsAreDescribed() throws {
    let config = try AskedConfig()
    let products = #"{"products": [{"identifier": "p", "price": "5", "currency": "EUR"}]}"#
    let found = config.ask(.products, #"{"products": \#(products), "locale": "de_DE"}"#)
    #expect(found["products"]?.elements?.count == 1)
    #expect(
      config.ask(.products, "{}")["message"]?.text?.hasPrefix("'products' is missing") == true)
  }

  // MARK: Requests and settings

  @Test(arguments: ["[]", "3", "null"]) func requestsAreObjects(text: String) throws {
    let error = try AskedConfig().ask(.check, text)
    #expect(error["code"] == "bad_request")
    #expect(error["message"]?.text?.hasPrefix("the body must be an object of JSON, not ") == true)
  }

  @Test(arguments: ["", "{", #"{"a":}"#]) func requestsThatAreNotJSON(text: String) throws {
    #expect(try AskedConfig().ask(.check, text)["code"] == "not_json")
  }

  @Test func zonesAreNamed() {
    #expect(throws: RequestError.self) {
      try AskedConfig { $0.timeZone = "Mars/Base" }
    }
  }
}

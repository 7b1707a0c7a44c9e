import Expressions
import Foundation
import RuleEngine
import RuleInsight
import Scenarios
import TestSupport
import Testing

/// What the JSON Schemas of Tollgate's own files say is what the readers say.
@Suite("JSON Schemas of files")
struct FileSchemaTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "corpus")

  private func text(_ file: String) throws -> Data {
    try Data(contentsOf: Self.corpus.appending(path: file))
  }

  private func lines(_ file: String) throws -> [Value] {
    try text(file).split(separator: 0x0A).map { try Value.parse(json: $0) }
  }

  /// The files of the corpus are what the command prints.
  @Test func carried() throws {
    for (file, schema) in [
      ("user", JSONSchema.userRecord), ("products", .productsFile),
    ] {
      let carried = String(decoding: try text("schemas/\(file).schema.json"), as: UTF8.self)
      #expect(carried == schema.text + "\n", "tollgate schema --for \(file) says it anew")
    }
  }

  // MARK: Users

  private let user = #"""
    {"userId":"u","user":{"plan":"free"},"device":{},"params":{},"subscriptionStatus":"ACTIVE",
     "entitlements":["pro"],"assignments":[{"experimentId":"e","variantId":"v","isSentToServer":true}],
     "occurrences":{"k":["2026-03-01T09:00:00Z"]},"events":{"e":["2026-03-01T09:00:00.5+02:00"]},
     "sessionStart":"2026-03-01T09:00:00Z"}
    """#

  /// A record is refused by the schema where the reader refuses it.
  @Test func users() throws {
    let rules = try RuleSet.compile(Config(placements: [Placement(name: "p", audiences: [])])).get()
    var frame = Frame(for: rules.program)
    var reader = UserRecordReader(rules, at: HistoryClock(now: 0))
    func isRead(_ value: Value) -> Bool {
      (try? reader.read(json: Array(value.json.utf8), into: &frame)) != nil
    }
    let validator = try SchemaValidator(JSONSchema.userRecord.value)
    let record = try Value.parse(json: user.utf8)
    #expect(validator.accepts(record) && isRead(record))
    var refused = 0
    for (path, changed) in Mutations.all(of: record) {
      #expect(validator.accepts(changed) == isRead(changed), "\(path)")
      if !validator.accepts(changed) { refused += 1 }
    }
    #expect(refused > 30)
    #expect(validator.unused.isEmpty)
  }

  // MARK: Products, texts, attributes

  private func isFaulty(_ diagnostics: [Diagnostic]) -> Bool {
    diagnostics.contains { $0.code == .decodeFailure }
  }

  private let products = #"""
    {"products":[{"slot":"primary","label":"L","name":"N","id":"i","identifier":"x",
     "productId":"x","storeProductId":"x","store_product_id":"x","fullIdentifier":"x:y:z",
     "store":"APP_STORE","price":"59.99","rawPrice":5999,"currency":"USD","locale":"en_US",
     "period":{"unit":"year","count":1},"displayPeriod":"a year","display_period":"a year",
     "displayPrice":"$59.99","display_price":"$59.99","storefront":"USA","entitlements":["pro",
     {"identifier":"a"},{"id":"b"}],"trialDays":7,"trialPeriodDays":7,
     "intro":{"mode":"freeTrial","unit":"day","count":7,"cycles":1,"price":"0","displayPrice":"$0"},
     "offers":[{"basePlanId":"b","offerId":"o","tags":["t"],
      "phases":[{"price":"1","iso8601":"P1M","cycles":1}]}],
     "purchaseOptions":[{"price":"1","purchaseOptionId":"p","offerId":"o"}],
     "billingPlan":{"type":"MONTHLY","price":"1","period":"P1M"},
     "billingPlans":[{"type":"UP_FRONT","price":"1"}],"type":"autoRenewableSubscription",
     "coupon":{"percentOff":"5","amountOff":"1","duration":"once","months":1},
     "storeOffers":[{"type":"promotional","offerId":"o","name":"n","mode":"freeTrial","unit":"day",
      "count":7,"cycles":1,"price":"0","displayPrice":"$0"}]}]}
    """#

  /// What the reader of products complains of, the schema refuses. (It also refuses texts that are
  /// none, which the reader passes over.)
  @Test func productKinds() throws {
    let validator = try SchemaValidator(JSONSchema.productsFile.value)
    let file = try Value.parse(json: products.utf8)
    func complains(_ value: Value) -> Bool {
      isFaulty(ProductList.decode(json: Array(value.json.utf8)).diagnostics)
    }
    #expect(validator.accepts(file) && !complains(file))
    var refused = 0
    // That a currency is missing is a warning about what is taken in its place, and no fault of the file.
    func hasCurrency(_ value: Value) -> Bool {
      (value["products"]?.elements?.first).map { $0["currency"] ?? .null != .null } ?? true
    }
    for (path, changed) in Mutations.all(of: file) where complains(changed) && hasCurrency(changed)
    {
      #expect(!validator.accepts(changed), "\(path)")
      refused += 1
    }
    #expect(refused > 25, "\(refused)")
  }

  @Test func carriedProducts() throws {
    let validator = try SchemaValidator(JSONSchema.productsFile.value)
    #expect(validator.accepts(try Value.parse(json: try text("demo/products.json"))))
    #expect(
      validator.accepts(try Value.parse(json: #"[{"identifier":"x","store":"google"}]"#.utf8)))
    #expect(
      !validator.accepts(try Value.parse(json: #"[{"identifier":"x","store":"amazon"}]"#.utf8)))
    #expect(!validator.accepts(try Value.parse(json: #"[{"price":"1"}]"#.utf8)))
  }

  @Test func texts() throws {
    let validator = try SchemaValidator(JSONSchema.paywallTexts.value)
    #expect(validator.accepts(try Value.parse(json: try text("demo/texts.json"))))
    let file: Value = ["paywalls": ["pw": ["title": "Hello"]]]
    for (path, changed) in Mutations.all(of: file) {
      let read = TextFile.decode(json: changed.json.utf8)
      #expect(validator.accepts(changed) == read.diagnostics.isEmpty, "\(path)")
    }
  }

  /// Every word of a type is one, and what is none the reader tells.
  @Test func attributes() throws {
    let validator = try SchemaValidator(JSONSchema.attributeSchema.value)
    let file = try Value.parse(
      json: #"""
        {"learned":{"users":3},"user":{"age":"int","roles":{"list":"string"},
         "plan":{"enum":["free","pro"]},"visits":{"type":"int","required":true}},
         "device":{"os":"text"},"params":{"format":{"type":{"list":{"list":"any"}}}}}
        """#.utf8)
    for (path, changed) in [("as it is", file)] + Mutations.all(of: file) {
      let found = ContextSchema.decode(Array(changed.json.utf8)).diagnostics
      #expect(validator.accepts(changed) != isFaulty(found), "\(path): \(found)")
    }
    #expect(validator.unused.isEmpty)
    let learned = try BuiltTool.run("schema", Self.corpus.appending(path: "demo/users.ndjson").path)
    #expect(validator.accepts(try Value.parse(json: learned.output.utf8)))
  }

  // MARK: Scenarios

  /// Scenarios that can be run are valid, and a word that does not exist makes them invalid.
  @Test func scenarios() throws {
    let validator = try SchemaValidator(ScenarioSchema.document.value)
    let fixtures = try Fixtures()
    var valid = 0
    for file in ["own/sdk-scenarios.jsonl", "regressions/sdk-scenarios.jsonl"] {
      for scenario in try lines(file)
      where ScenarioCheck.problem(in: scenario, fixtures: fixtures) == nil {
        #expect(validator.accepts(scenario), "\(scenario["id"]?.text ?? "")")
        valid += 1
      }
    }
    #expect(valid > 100)
    let scenario = try Value.parse(
      json: #"""
        {"suite":"sdk-scenarios","id":"a","platform":"ios","steps":[
         {"do":"call","method":"identify","args":{"userId":"u"},"expect":{"value":null}},
         {"do":"advance","ms":10,"events":[{"ev":"handleLog"}]},
         {"do":"presenter","action":"purchase","with":{"productId":"x"}}]}
        """#.utf8)
    #expect(validator.accepts(scenario))
    for (from, to) in [
      ("identify", "identfy"), ("purchase", "buy"), ("advance", "wait"), ("ios", "symbian"),
      ("userId", "userID"), ("handleLog", "handleLogs"), (":10", ":-1"), ("\"args\"", "\"arg\""),
    ] {
      let text = scenario.json.replacing(from, with: to)
      #expect(text != scenario.json)
      let changed = try Value.parse(json: text.utf8)
      #expect(!validator.accepts(changed), "\(to)")
      #expect(ScenarioCheck.problem(in: changed, fixtures: fixtures) != nil, "\(to)")
    }
  }

  // MARK: The command

  @Test func command() throws {
    for (option, kind, title) in [
      ("--for", "superwall", "Superwall static config"),
      ("--for", "agentwallie", "AgentWallie config"), ("--for", "user", "User record"),
      ("--for", "products", "Products"), ("--for", "texts", "Paywall texts"),
      ("--for", "attributes", "Attributes"), ("--for", "scenario", "Scenario"),
    ] {
      let result = try BuiltTool.run("schema", option, kind)
      #expect(result.code == 0)
      let schema = try Value.parse(json: result.output.utf8)
      #expect(schema["title"]?.text == title)
      #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema")
    }
  }

  @Test func wrongUse() throws {
    for (arguments, says) in [
      ([], "pass users to learn from, or --for KIND"),
      (["--for", "superwall", "--for", "user"], "--for is given twice"),
      (["--for", "superwall", "u.ndjson"], "remove 'u.ndjson'"),
      (["--for", "user", "--users-format", "csv"], "remove --users-format"),
      (["--for", "revenuecat"], "superwall"),
    ] {
      let result = try BuiltTool.run(["schema"] + arguments)
      #expect(result.code == 2)
      #expect(result.errors.contains(says), "\(result.errors)")
    }
  }
}

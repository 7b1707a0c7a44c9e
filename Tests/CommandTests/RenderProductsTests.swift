import Expressions
import Foundation
import Testing

/// What `render` says of products that are not what the text takes them for, and of users that may
/// not have their offers.
@Suite("Products of the command render")
struct RenderProductsTests {
  private let products = TestFolder.demo + "/products.json"
  private let now = "2026-03-01T12:00:00Z"

  private func render(_ template: String, _ options: String...) throws -> BuiltTool.Result {
    try BuiltTool.run(["render", template, "--now", now] + options)
  }

  private func json(_ result: BuiltTool.Result) throws -> Value {
    try Value.parse(json: result.output.utf8)
  }

  // MARK: What is missing

  @Test(arguments: [
    ("{{ products.primary.prise }} a year", "has no 'prise'", "did you mean 'price'?"),
    ("<< primary.monthyPrice >>", "has no 'monthyPrice'", "did you mean 'monthlyPrice'?"),
    ("{{ products.primry.price }}", "no product fills the slot 'primry'", "'primary'"),
    ("{{ products.primary.phases[0].prise }}", "has no 'prise'", "did you mean 'price'?"),
  ])
  func warnsOfMisspeltAttributes(template: String, message: String, hint: String) throws {
    let result = try render(template, "--products", products)
    #expect(result.code == 0)
    #expect(result.errors.contains("warning["))
    #expect(result.errors.contains(message))
    #expect(result.errors.contains(hint))
    let value = try json(render(template, "--products", products, "--json"))
    #expect(value["isComplete"] == false)
    #expect(value["errors"]?.elements?.count == 1)
  }

  @Test(arguments: [
    "{{ products.primary.prise | default: 'free' }}", "{{ products.primary.price }}",
    "{% if products.primary.prise %}{{ products.primary.prise }}{% endif %}",
    "{{ user.nick }} {{ anything.else }}",
  ])
  func leavesAloneWhatIsGuarded(template: String) throws {
    let result = try render(template, "--products", products, "--json")
    #expect(result.code == 0)
    #expect(try json(result)["isComplete"] == true)
    #expect(try json(result)["errors"] == [])
  }

  @Test(arguments: ["{{ products.primary.price }}", "{{ primary.price }}"])
  func warnsWithoutProducts(template: String) throws {
    let result = try render(template)
    #expect(result.code == 0)
    #expect(
      result.errors.contains(
        "warning[unknown-product]: the text reads a product, but no products are given"))
    #expect(try json(render(template, "--json"))["isComplete"] == false)
    #expect(try json(render("{{ user.name }}", "--json"))["isComplete"] == true)
  }

  @Test func endsWithProductsThatCannotBeUsed() throws {
    let folder = try TestFolder()
    let file = folder.path("p.json")
    try Data(#"[{"identifier": "a", "price": "x", "currency": "USD"}]"#.utf8)
      .write(to: URL(filePath: file))
    let result = try render("Only {{ products.primary.price }}", "--products", file)
    #expect(result.code == 1)
    #expect(result.output == "")
    #expect(result.errors.contains("this is not a price"))
    let check = try BuiltTool.run(
      ["check-template", "-", "--products", file], input: Data("x".utf8))
    #expect(check.code == 1)
    #expect(check.errors.contains("this is not a price"))
    // A run writes no texts with holes, also where other products can be used.
    try Data(
      #"[{"identifier": "a", "price": "x", "currency": "USD"}, {"identifier": "b"}]"#.utf8
    ).write(to: URL(filePath: file))
    let run = try BuiltTool.run(
      "precompute", TestFolder.config, "--users", TestFolder.demo + "/users.ndjson", "--render",
      TestFolder.demo + "/texts.json", "--products", file, "--out", "none")
    #expect(run.code == 1)
    #expect(run.errors.contains("this is not a price"))
    // A config has no prices.
    let config = try render("{{ products.primary.price }}", "--products", TestFolder.config)
    #expect(config.code == 1)
    #expect(config.errors.contains("has no attributes: the product has no price"))
  }

  @Test func warnsOfTextsOfNativePaywalls() throws {
    let folder = try TestFolder()
    let file = folder.path("paywall.json")
    try Data(
      #"""
      {"products": [{"slot": "primary"}], "components": [
        {"type": "text", "props": {"text": "{{ products.primary.prise }}"}}]}
      """#.utf8
    ).write(to: URL(filePath: file))
    let result = try BuiltTool.run(
      "render", "--paywall-schema", file, "--products", products)
    #expect(result.errors.contains("products.primary has no 'prise'"))
    #expect(result.errors.contains("components[0].props.text"))
  }

  // MARK: Who may have an offer

  private let facts =
    "{{ products.hasIntroductoryOffer }} {{ products.primary.isFreeTrialAvailable }} "
    + "{{ products.primary.trialPhases }} {{ products.primary.chargedToday }} "
    + "{{ products.primary.trialPeriodDays }}"

  @Test func followsTheOption() throws {
    let yes = "true true 1 $0.00 7\n"
    let no = "false false 0 $59.99 7\n"
    #expect(try render(facts, "--products", products).output == yes)
    #expect(try render(facts, "--products", products, "--eligible", "yes").output == yes)
    #expect(try render(facts, "--products", products, "--eligible", "no").output == no)
    #expect(try render(facts, "--products", products, "--eligible", "maybe").code != 0)
    for profile in ["ios-sk1", "android-play", "agentwallie"] {
      for (answer, expected) in [("yes", "true\n"), ("no", "false\n")] {
        let result = try render(
          "{{ products.hasIntroductoryOffer }}", "--products", products, "--profile", profile,
          "--eligible", answer)
        #expect(result.output == expected)
      }
    }
  }

  @Test(arguments: [
    (#"{"subscriptionStatus": "INACTIVE"}"#, true), (#"{"subscriptionStatus": "ACTIVE"}"#, false),
    (#"{"entitlements": ["pro"]}"#, false), (#"{"entitlements": ["other"]}"#, true),
    (#"{"device": {"subscriptionStatus": "ACTIVE", "activeEntitlements": ["pro"]}}"#, false),
    (#"{"subscriptionStatus": "INACTIVE", "entitlements": ["pro"]}"#, true), ("{}", true),
  ])
  func followsTheRecord(record: String, isEligible: Bool) throws {
    let template = "{{ products.primary.isFreeTrialAvailable }}"
    #expect(
      try render(template, "--products", products, "--user", record).output == "\(isEligible)\n")
    // The option goes before the record.
    let forced = try render(
      template, "--products", products, "--user", record, "--eligible", isEligible ? "no" : "yes")
    #expect(forced.output == "\(!isEligible)\n")
  }

  @Test func isKnownToChecks() throws {
    let template =
      "{% if products.primary.isFreeTrialAvailable %}{{ products.primary.phases[0].price }}{% endif %}"
    for answer in ["yes", "no"] {
      let result = try BuiltTool.run(
        ["check-template", "-", "--products", products, "--eligible", answer],
        input: Data(template.utf8))
      #expect(result.code == 0)
      #expect(!result.output.contains("unknown-attribute"))
    }
  }
}

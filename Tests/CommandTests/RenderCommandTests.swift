import Expressions
import Foundation
import Testing

private let demo = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .appending(path: "corpus/demo").path

@Suite("The command render")
struct RenderCommandTests {
  private let products = demo + "/products.json"
  private let user = demo + "/user.json"
  private let now = "2026-03-01T12:00:00Z"

  private func render(_ template: String, _ options: String...) throws -> BuiltTool.Result {
    try BuiltTool.run(["render", template] + options)
  }

  @Test func printsPricesForAUser() throws {
    let template =
      "{{ user.firstName }}: free until << products.primary.trialPeriodEndDate >>, then << products.primary.price >>"
    let result = try render(template, "--products", products, "--user", user, "--now", now)
    #expect(result.code == 0)
    #expect(result.errors == "")
    #expect(result.output == "Mara: free until Mar 8, 2026, then $59.99\n")
  }

  /// Products without slots have the usual ones, as far as these go; where one has a slot the others
  /// are called by their identifiers.
  @Test func slotsOfProducts() throws {
    let folder = try TestFolder()
    func products(_ slot: String) -> String {
      let all = ["a", "b", "c", "d"].enumerated().map { number, id in
        #"{\#(id == "d" ? slot : "")"identifier":"\#(id)","price":"\#(number + 1)","currency":"USD"}"#
      }
      return #"{"products":[\#(all.joined(separator: ","))]}"#
    }
    try folder.write("usual.json", products(""))
    try folder.write("named.json", products(#""slot":"offer","#))
    let usual =
      "{{ products.primary.price }} {{ products.secondary.price }} {{ products.tertiary.price }} "
      + "{{ products.d.price }}"
    #expect(
      try folder.tollgate("render", usual, "--products", "usual.json").output
        == "$1.00 $2.00 $3.00 $4.00\n")
    #expect(
      try folder.tollgate(
        "render",
        "{{ products.a.price }} {{ products.offer.price }} [{{ products.primary.price }}]",
        "--products", "named.json"
      ).output == "$1.00 $4.00 []\n")
  }

  @Test func readsFilesAndStandardInput() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).liquid")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("{{ products.secondary.price }}".utf8).write(to: file)
    #expect(try render(file.path, "--products", products).output == "$9.99\n")
    let input = try BuiltTool.run(
      "render", "-", "--products", products, input: "<< products.selected.price >>")
    #expect(input.output == "$59.99\n")
    let missing = try render(file.path + "/none")
    #expect(missing.code == 2)
    #expect(missing.errors.contains("none"))
    #expect(try BuiltTool.run("render", "-", "--user", "-", input: "x").code != 0)
    #expect(try BuiltTool.run("render").code != 0)
  }

  @Test func selectsAProduct() throws {
    let template = "{{ products.selected.price }} {{ products.selectedIndex }}"
    #expect(
      try render(template, "--products", products, "--select", "secondary").output == "$9.99 1\n")
    let unknown = try render(template, "--products", products, "--select", "secundary")
    #expect(unknown.code != 0)
    #expect(unknown.errors.contains("did you mean 'secondary'?"))
  }

  @Test func writesForALocaleAndAZone() throws {
    let german = try render(
      "{{ products.primary.price }}", "--products", products, "--locale", "de_DE")
    #expect(german.output == "59,99\u{A0}$\n")
    let money = try render("{{ 1234.5 | money: 'EUR' }}", "--locale", "de_DE")
    #expect(money.output == "1.234,50\u{A0}€\n")
    let template = "{{ 'now' | date: '%H:%M' }}"
    #expect(try render(template, "--now", now, "--time-zone", "Asia/Tokyo").output == "21:00\n")
    #expect(
      try render(template, "--time-zone", "Mars/Olympus").errors.contains(
        "the time zone 'Mars/Olympus' does not exist"))
    #expect(try render(template, "--now", "yesterday").code != 0)
  }

  @Test func keepsErrorsOutOfTheText() throws {
    let result = try render("a{{ 3 | divided_by: 0 }}b", "--text-dialect", "shopify")
    #expect(result.code == 0)
    #expect(result.output == "ab\n")
    #expect(result.errors.contains("warning[render-error]: division by zero"))
    #expect(result.errors.contains("--> template:1:5"))
    let broken = try render("a {% if %}")
    #expect(broken.code == 1)
    #expect(broken.output == "")
    #expect(broken.errors.contains("error[syntax-error]"))
    let endless = try render("a{% for i in (1..100000000) %}{% endfor %}b")
    #expect(endless.code == 1)
    #expect(endless.output == "a\n")
    #expect(endless.errors.contains("error[limit-exceeded]"))
  }

  /// What is too large is called by the name of the limit.
  @Test func namesTheLimitThatDataPass() throws {
    let record = #"{"userId":"u","user":{"x":""# + String(repeating: "y", count: 40 << 20) + #""}}"#
    let result = try BuiltTool.run(
      "render", "{{ user.x }}", "--user", "-", input: record)
    #expect(result.code == 2)
    #expect(
      result.errors == "error: the products and the user record cannot be read: limit-exceeded\n")
  }

  @Test func knowsDialectsAndModes() throws {
    #expect(try render("{{ 4 | times: 1.5 }}").output == "6\n")
    #expect(try render("{{ 4 | times: 1.5 }}", "--text-dialect", "shopify").output == "6.0\n")
    #expect(try render("{{ user.a }}", "--text-dialect", "agentwallie").output == "{{ user.a }}\n")
    #expect(try render("{{ a b c }}", "--text-dialect", "shopify").code == 0)
    #expect(try render("{{ a b c }}", "--text-dialect", "shopify", "--mode", "strict").code == 1)
  }

  /// What rules take from the top level of a record, texts have as well.
  @Test func readsTheTopLevelOfARecord() throws {
    func render(_ template: String, _ user: String, _ options: String...) throws -> String {
      try BuiltTool.run(
        ["render", template, "--user", "-"] + options, input: Data(user.utf8)
      ).output
    }
    let template =
      "{{ device.subscriptionStatus }} {{ device.activeEntitlements | join: '+' }}|{{ user.id }}"
    let top = #"{"userId":"u1","subscriptionStatus":"ACTIVE","entitlements":["pro","max"]}"#
    #expect(try render(template, top) == "ACTIVE pro+max|\n")
    #expect(
      try render(
        template,
        #"{"subscriptionStatus":"ACTIVE","entitlements":[],"device":{"subscriptionStatus":"#
          + #""INACTIVE","activeEntitlements":["pro"]}}"#) == "INACTIVE pro|\n")
    #expect(try render(template, #"{"userId":"u1","device":{"os":"iOS"}}"#) == " |\n")
    let identity = "{{ user.id }} {{ user.name }}"
    #expect(
      try render(
        identity, #"{"userId":"u1","user":{"name":"Ann"}}"#, "--text-dialect", "agentwallie")
        == "u1 Ann\n")
    #expect(
      try render(
        identity, #"{"userId":"u1","user":{"name":"Ann","id":"own"}}"#, "--text-dialect",
        "agentwallie")
        == "own Ann\n")
  }

  @Test func escapesForHTML() throws {
    let result = try render("<b>&lt;&lt; '<i>' &gt;&gt;</b>", "--html")
    #expect(result.output == "<b>&lt;i&gt;</b>\n")
  }

  @Test func printsJSON() throws {
    let result = try render("a{{ 3 | divided_by: 0 }}", "--text-dialect", "shopify", "--json")
    let value = try Value.parse(json: result.output.utf8)
    #expect(value["text"] == "a")
    #expect(value["isComplete"] == true)
    guard case .list(let errors)? = value["errors"] else {
      Issue.record("no errors")
      return
    }
    #expect(errors.count == 1)
    #expect(errors.first?["code"] == "render-error")
    #expect(errors.first?["range"]?["from"] == 4)
  }

  /// A template that cannot be compiled has no text, in JSON too.
  @Test func templatesWithErrorsAsJSON() throws {
    let result = try render("a{{ b", "--json")
    #expect(result.code == 1)
    let value = try Value.parse(json: result.output.utf8)
    #expect(value["text"] == .null && value["isComplete"] == false)
    #expect(value["errors"]?.elements?.map { $0["code"] } == ["syntax-error"])
    #expect(try render("a{{ b").output == "")
  }

  @Test func resolvesANativePaywall() throws {
    let result = try BuiltTool.run(
      "render", "--paywall-schema", demo + "/native-paywall.json", "--products", products, "--user",
      user,
      "--now", now)
    #expect(result.code == 0)
    #expect(result.errors == "")
    let value = try Value.parse(json: result.output.utf8)
    #expect(value["hidden"] == ["runners"])
    #expect(result.output.contains(#""text":"Hi Mara, go further with Pro""#))
    #expect(result.output.contains(#""text":"7 days for Free""#))
    #expect(result.output.contains(#""text":"$59.99/yr, that is $5.00 a month""#))
    #expect(result.output.contains(#""text":"Save 50%""#))
    // What does not resolve stays as it is written.
    #expect(result.output.contains(#""subtext":"{{ user.unknown }}""#))
    #expect(!result.output.contains("condition"))
    let monthly = try BuiltTool.run(
      "render", "--paywall-schema", demo + "/native-paywall.json", "--products", products, "--user",
      user,
      "--select", "secondary")
    #expect(try Value.parse(json: monthly.output.utf8)["hidden"] == ["trial", "runners"])
  }
}

@Suite("The command check-template")
struct CheckTemplateCommandTests {
  private let config = demo + "/config.json"
  private let products = demo + "/products.json"

  private func check(_ template: String, _ options: String...) throws -> BuiltTool.Result {
    try BuiltTool.run(["check-template", "-"] + options, input: Data(template.utf8))
  }

  @Test func acceptsTheDemo() throws {
    let result = try BuiltTool.run(
      "check-template", demo + "/texts.json", "--config", config, "--products", products)
    #expect(result.code == 0)
    #expect(result.output.hasPrefix("5 texts, 12 paths: 0 errors, 0 warnings; "))
    #expect(result.output.hasSuffix(" true, 0 false, 0 not checkable\n"))
    let native = try BuiltTool.run(
      "check-template", demo + "/native-paywall.json", "--products", products)
    #expect(native.code == 0)
    #expect(native.output.contains("0 errors, 0 warnings"))
    #expect(try check("{{ user.name }}").output.hasPrefix("1 text, 1 path: 0 errors, "))
  }

  @Test func findsPathsAndSlots() throws {
    let result = try check(
      "{{ products.primary.prise }} {{ products.third.price }} {{ usr.name }}", "--config", config,
      "--paywall", "winback")
    #expect(result.code == 1)
    #expect(result.output.contains("error[unknown-attribute]: products.primary has no 'prise'"))
    #expect(result.output.contains("did you mean 'price'?"))
    #expect(result.output.contains("error[unknown-product]: no product fills the slot 'third'"))
    #expect(result.output.contains("there are primary, secondary\n"))
    #expect(result.output.contains("error[unknown-attribute]: 'usr' is not declared"))
    #expect(result.output.contains("1 text, 3 paths: 3 errors, 1 warning"))
    // Nothing speaks of the other product.
    #expect(result.output.contains("warning[unused-product]"))
    #expect(result.output.contains("slot 'secondary'"))
  }

  /// What only stands behind a condition that says no with these products is not missing: not in a
  /// template, and not in a component of a native paywall.
  @Test func leavesAloneWhatConditionsKeepOut() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    func list(_ more: String) throws {
      try Data(
        """
        {"products":[{"slot":"primary","identifier":"a","price":"9.99","period":"month"\(more)}]}
        """.utf8
      ).write(to: file)
    }
    func native(_ condition: String) -> String {
      """
      {"version":"1","name":"n","settings":{},"products":[{"slot":"primary","product_id":"a"}],
       "components":[{"type":"stack","id":"s","children":[{"type":"text","id":"t",
        "props":{"content":"{{ products.selected.trial_period }}"}}],"condition":\(condition)}]}
      """
    }
    func field(_ name: String) -> String {
      #"{"field":"\#(name)","operator":"is","value":true}"#
    }
    let guarded =
      "{% if products.selected.has_trial %}{{ products.selected.trial_period }}{% endif %}"
      + "{{ products.primary.price }}"
    try list("")
    for template in [guarded, native(field("products.selected.has_trial"))] {
      let result = try check(template, "--products", file.path)
      #expect(result.code == 0, "\(result.output)")
      #expect(result.output.contains("0 errors, 0 warnings"))
    }
    // Who has such an attribute sees the text.
    for template in [
      "{% if user.x %}{{ products.selected.trial_period }}{% endif %}", native(field("user.x")),
      native("null"),
    ] {
      let result = try check(template, "--products", file.path)
      #expect(result.code == 1)
      #expect(result.output.contains("products.selected has no 'trial_period'"))
    }
    try list(#","intro":{"mode":"freeTrial","unit":"week","count":1}"#)
    #expect(
      try check(native(field("products.selected.has_trial")), "--products", file.path).code == 0)
  }

  @Test func knowsThatNotEveryPaywallHasEverySlot() throws {
    let bare = try check(
      "{{ products.primary.price }} {{ products.tertiary.price }}", "--config", config)
    #expect(bare.code == 0)
    #expect(
      bare.output.contains("warning[unknown-attribute]: products.tertiary.price may be absent"))
    for guarded in [
      "{{ products.tertiary.price | default: '-' }}",
      "{% if products.tertiary.price %}{{ products.tertiary.price }}{% endif %}",
      "{% unless products.tertiary.price == blank %}{{ products.tertiary.price }}{% endunless %}",
    ] {
      #expect(
        try check("{{ products.primary.price }} " + guarded, "--config", config, "--strict").code
          == 0)
    }
    #expect(try check("{{ products.tertiary.price }}", "--config", config, "--strict").code == 1)
  }

  @Test func findsWrongTypes() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(
      #"{"user":{"age":"int","name":"string?","tags":{"list":"string"},"plan":{"enum":["free"]}}}"#
        .utf8
    )
    .write(to: file)
    let result = try check(
      "{{ user.tags | plus: 1 }}{{ user.age.years }}{{ user.name }}{{ user.plann }}{{ user }}",
      "--schema",
      file.path, "--json")
    #expect(result.code == 1)
    let found = try result.lines.map { try Value.parse(json: $0.utf8) }
    #expect(
      found.map { $0["code"] } == [
        "type-error", "type-error", "unknown-attribute", "unknown-attribute", "type-error",
      ])
    #expect(found.map { $0["severity"] } == ["warning", "warning", "warning", "error", "warning"])
    try Data(#"{"user":{"age":"integr"}}"#.utf8).write(to: file)
    let wrong = try check("x", "--schema", file.path)
    #expect(wrong.code == 2)
    #expect(wrong.errors.contains("'integr' is not a type"))
    // The same words as for check.
    for type in ["integer", "int?", "TEXT", "boolean", "duration?"] {
      try Data(#"{"user":{"age":"\#(type)"}}"#.utf8).write(to: file)
      #expect(try check("x", "--schema", file.path).code == 0, "\(type)")
      #expect(try BuiltTool.run("check", config, "--schema", file.path).errors == "", "\(type)")
    }
  }

  /// Declared or not, a record says these at its top level.
  @Test func knowsTheTopLevelOfARecord() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(#"{"user":{"age":"int"},"device":{"os":"string"}}"#.utf8).write(to: file)
    let status =
      "{{ device.subscriptionStatus }} {% for e in device.activeEntitlements %}{{ e }}{% endfor %}"
    #expect(try check(status, "--schema", file.path, "--strict").code == 0)
    let wrong = try check("{{ device.subscriptionState }}", "--schema", file.path)
    #expect(wrong.code == 1)
    #expect(wrong.output.contains("did you mean 'subscriptionStatus'?"))
    #expect(try check("{{ user.id }}", "--schema", file.path).code == 1)
    #expect(
      try check("{{ user.id }}", "--schema", file.path, "--text-dialect", "agentwallie").code == 0)
  }

  @Test func placesWhatItFindsInAFileOfTexts() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(
      """
      {"paywalls": {
        "winback": {
          "title": "{{ products.primary.price }}",
          "price": "{{ products.secondary.prise }}"
        },
        "wonback": {}
      }}
      """.utf8
    ).write(to: file)
    let result = try BuiltTool.run("check-template", file.path, "--config", config)
    #expect(result.code == 1)
    #expect(result.output.contains("\(file.path):4:18: paywalls.winback.price"))
    #expect(result.output.contains("the config has no paywall 'wonback'"))
    #expect(result.output.contains("did you mean 'winback'?"))
  }

  @Test func saysWhatItCannotDo() throws {
    #expect(try check("x", "--paywall", "winback").errors.contains("--paywall needs --config"))
    let unknown = try check("x", "--config", config, "--paywall", "winbak")
    #expect(unknown.code == 2)
    #expect(unknown.errors.contains("did you mean 'winback'?"))
    #expect(try check("x", "--config", demo + "/none.json").code == 2)
  }
}

@Suite("Texts in precompute")
struct PrecomputeTextsTests {
  private let config = demo + "/config.json"

  private func precompute(_ options: String..., users: String) throws -> BuiltTool.Result {
    try BuiltTool.run(
      ["precompute", config, "--users", "-", "--now", "2026-03-01T12:00:00Z", "--seed", "demo"]
        + options,
      input: Data(users.utf8))
  }

  private let mara =
    #"{"userId":"mara","user":{"goal":"sleep"},"device":{"subscriptionStatus":"INACTIVE"},"assignments":[{"experimentId":"onboarding-sleep","variantId":"onboarding-sleep-annual"}]}"#

  @Test func givesOutcomesTheirTexts() throws {
    for users in [mara, mara + "\n{}\n\n" + mara] {
      let result = try precompute(
        "--placement", "onboarding_done", "--render", demo + "/texts.json", "--products",
        demo + "/products.json", users: users)
      #expect(result.code == 0)
      for line in result.lines {
        let outcome = try Value.parse(json: line.utf8)
        #expect(outcome["paywall"] == "onboarding-annual")
        #expect(
          outcome["texts"] == [
            "title": "Sleep better", "price": "7 days free, then $59.99 a year",
            "compare": "That is $4.99 a month instead of $9.99.",
          ])
      }
      #expect(result.lines.count == (users == mara ? 1 : 2))
    }
  }

  /// Users that are decided in blocks and alone get what `render` gives.
  @Test func agreesWithRender() throws {
    let texts = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: texts) }
    let template =
      "{{ user.plan }}|{{ device.regionCode }}|{{ products.secondary.price }}|{{ params.pages }}"
    try Data(
      #"{"paywalls":{"export-trial":{"t":"\#(template)"},"onboarding-annual":{"t":"\#(template)"}}}"#
        .utf8
    )
    .write(to: texts)
    let all = try String(contentsOfFile: demo + "/users.ndjson", encoding: .utf8)
    let users = all.split(separator: "\n").prefix(700).joined(separator: "\n")
    var plain = try precompute(users: users)
    let options = ["--render", texts.path, "--products", demo + "/products.json"]
    for (layout, threads) in [("long", "1"), ("long", "3"), ("wide", "2")] {
      plain = try precompute("--layout", layout, users: users)
      let result = try precompute(
        "--layout", layout, "--threads", threads, options[0], options[1], options[2], options[3],
        users: users)
      #expect(result.code == 0)
      #expect(result.lines.count == plain.lines.count)
      var rendered = 0
      let records = users.split(separator: "\n").compactMap { line -> (id: Value, record: Value)? in
        guard let record = try? Value.parse(json: line.utf8), let id = record["userId"] else {
          return nil
        }
        return (id, record)
      }
      let byID = Dictionary(records.map { ($0.id.json, $0.record) }) { first, _ in first }
      for (line, other) in zip(result.lines, plain.lines) where line != other {
        let outcome = try Value.parse(json: line.utf8)
        let record = try #require(byID[(outcome["userId"] ?? .null).json])
        func text(_ value: Value?) -> String {
          switch value {
          case .string(let text)?: text
          case .int(let number)?: "\(number)"
          default: ""
          }
        }
        // Only the plan's paywalls have texts, and the annual one has a second product.
        let parts = layout == "long" ? [outcome] : members(of: outcome)
        for part in parts {
          guard let texts = part["texts"] else { continue }
          let price = part["paywall"] == "onboarding-annual" ? "$9.99" : ""
          let wanted =
            "\(text(record["user"]?["plan"]))|\(text(record["device"]?["regionCode"]))|\(price)|\(text(record["params"]?["pages"]))"
          #expect(texts["t"] == .string(wanted))
          rendered += 1
        }
      }
      #expect(rendered > 100)
    }
  }

  private func members(of outcome: Value) -> [Value] {
    guard case .map(let entries) = outcome else { return [] }
    return entries.map(\.value)
  }

  /// A record cannot bring prices of its own, not even to a template that computes names.
  @Test func takesProductsFromTheConfigOnly() throws {
    let texts = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: texts) }
    let user =
      #"{"userId":"u","user":{"goal":"sleep","slot":"primary"},"products":{"primary":{"price":"$0"}},"primary":{"price":"$0"},"device":{"subscriptionStatus":"INACTIVE"},"assignments":[{"experimentId":"onboarding-sleep","variantId":"onboarding-sleep-annual"}]}"#
    for template in [
      "{{ products.primary.price }} {{ primary.price }}",
      "{{ products[user.slot].price }} {{ [user.slot].price }}",
    ] {
      try Data(#"{"paywalls":{"onboarding-annual":{"t":"\#(template)"}}}"#.utf8).write(to: texts)
      let result = try precompute(
        "--placement", "onboarding_done", "--render", texts.path, "--products",
        demo + "/products.json",
        users: user)
      let outcome = try Value.parse(json: (result.lines.first ?? "").utf8)
      #expect(outcome["texts"] == ["t": "$59.99 $59.99"], "\(template)")
    }
  }

  /// What rules take from the top level of a record, texts have as well.
  @Test func readsTheTopLevelOfARecord() throws {
    let texts = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: texts) }
    let assigned =
      #""assignments":[{"experimentId":"onboarding-sleep","variantId":"onboarding-sleep-annual"}]"#
    let users = [
      #"{"userId":"u","user":{"goal":"sleep"},"subscriptionStatus":"INACTIVE","#
        + #""entitlements":["pro","max"],\#(assigned)}"#,
      #"{"entitlements":["pro"],"userId":"v","subscriptionStatus":"ACTIVE","user":{"goal":"sleep"},"#
        + #""device":{"subscriptionStatus":"INACTIVE"},\#(assigned)}"#,
      #"{"userId":"w","user":{"goal":"sleep"},"device":{"subscriptionStatus":"INACTIVE"},"#
        + #"\#(assigned)}"#,
    ]
    for template in [
      "{{ device.subscriptionStatus }} {{ device.activeEntitlements | join: '+' }}|{{ user.id }}",
      // A name that is computed, and a whole root.
      "{{ device[params.name] }}{{ device.subscriptionStatus }} "
        + "{{ device['activeEntitlements'] | join: '+' }}|{{ user.id }}",
      "{% assign d = device %}{{ d.subscriptionStatus }} "
        + "{{ d.activeEntitlements | join: '+' }}|{{ user.id }}",
    ] {
      try Data(#"{"paywalls":{"onboarding-annual":{"t":"\#(template)"}}}"#.utf8).write(to: texts)
      let result = try precompute(
        "--placement", "onboarding_done", "--render", texts.path, "--products",
        demo + "/products.json", users: users.joined(separator: "\n"))
      let found = try result.lines.map { try Value.parse(json: $0.utf8)["texts"]?["t"] }
      #expect(found == ["INACTIVE pro+max|", "INACTIVE pro|", "INACTIVE |"], "\(template)")
    }
    // In the other dialect the identity is an attribute.
    try Data(#"{"paywalls":{"onboarding-annual":{"t":"{{ user.id }}"}}}"#.utf8).write(to: texts)
    let result = try precompute(
      "--placement", "onboarding_done", "--render", texts.path, "--text-dialect", "agentwallie",
      "--products", demo + "/products.json", users: users[0])
    #expect(result.output.contains(#""texts":{"t":"u"}"#))
  }

  /// A manifest holds all that texts depend on: they are rendered again.
  @Test func isReplayedWithItsTexts() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appending(path: name).path }
    func copy(_ name: String) throws {
      try FileManager.default.copyItem(atPath: demo + "/" + name, toPath: path(name))
    }
    try Data((mara + "\n").utf8).write(to: folder.appending(path: "users.ndjson"))
    try copy("texts.json")
    try copy("products.json")
    let arguments = [
      "precompute", config, "--users", path("users.ndjson"), "--out", path("out.ndjson"), "--now",
      "2026-03-01T12:00:00Z", "--products", path("products.json"), "--locale", "de_DE",
      "--time-zone",
      "Asia/Tokyo", "--select", "secondary", "--text-dialect", "superwall", "--html", "--render",
    ]
    #expect(try BuiltTool.run(arguments + [path("texts.json")]).code == 0)
    let written = try String(contentsOfFile: path("out.ndjson"), encoding: .utf8)
    #expect(written.contains("Sleep better"))
    #expect(written.contains("59,99"))
    let manifest = path("out.ndjson.manifest.json")
    let settings = try Value.parse(json: try Data(contentsOf: URL(filePath: manifest)))["settings"]
    #expect(settings?["texts"]?["render"]?["path"] == .string(path("texts.json")))
    #expect(settings?["texts"]?["locale"] == "de_DE")
    #expect(settings?["texts"]?["html"] == true)
    let replay = try BuiltTool.run("replay", manifest)
    #expect(replay.code == 0, "\(replay.output)\(replay.errors)")
    #expect(replay.output.contains("outcomes: the same"))
    // The hash of the outcomes depends on how they are rendered.
    let text = try String(contentsOfFile: manifest, encoding: .utf8)
    try Data(text.replacingOccurrences(of: #""locale":"de_DE""#, with: #""locale":"en_US""#).utf8)
      .write(to: URL(filePath: path("english.json")))
    let english = try BuiltTool.run("replay", path("english.json"))
    #expect(english.code == 1)
    #expect(english.output.contains("outcomes: different"))
    // Other files are not taken for the same.
    for name in ["texts.json", "products.json"] {
      let before = try Data(contentsOf: URL(filePath: path(name)))
      try (before + Data("\n".utf8)).write(to: URL(filePath: path(name)))
      let changed = try BuiltTool.run("replay", manifest)
      #expect(changed.code == 1)
      #expect(changed.errors.contains("\(name) is another file"))
      try before.write(to: URL(filePath: path(name)))
    }
    try Data(#"{"paywalls":{}}"#.utf8).write(to: folder.appending(path: "other.json"))
    let resumed = try BuiltTool.run(arguments + [path("other.json"), "--resume"])
    #expect(resumed.code != 0)
    #expect(resumed.errors.contains("texts was"))
    let streamed = try BuiltTool.run(arguments + ["-"], input: Data(#"{"paywalls":{}}"#.utf8))
    #expect(streamed.errors.contains("--render takes a file"))
  }

  @Test func tellsWhatGoesWrong() throws {
    let texts = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: texts) }
    func run(_ json: String) throws -> BuiltTool.Result {
      try Data(json.utf8).write(to: texts)
      return try precompute(
        "--placement", "onboarding_done", "--render", texts.path, "--products",
        demo + "/products.json",
        users: mara + "\n" + mara)
    }
    let zero = try run(#"{"paywalls":{"onboarding-annual":{"t":"a{{ 1 | divided_by: 0 }}b"}}}"#)
    #expect(zero.code == 0)
    #expect(zero.output.contains(#""texts":{"t":"ab"}}"#))
    #expect(zero.errors.contains("paywalls.onboarding-annual.t: "))
    #expect(zero.errors.contains("(2 times)"))
    let broken = try run(#"{"paywalls":{"onboarding-annual":{"t":"{% if %}"}}}"#)
    #expect(broken.code == 1)
    #expect(broken.output == "")
    #expect(broken.errors.contains("error[syntax-error]"))
    let unknown = try run(#"{"paywalls":{"onboarding-anual":{"t":"x"}}}"#)
    #expect(unknown.code == 0)
    #expect(unknown.errors.contains("did you mean 'onboarding-annual'?"))
    #expect(!unknown.output.contains("texts"))
    #expect(try precompute("--products", demo + "/products.json", users: mara).code != 0)
  }
}

import Expressions
import Foundation
import Testing

/// What `check-template` says of claims, of a template and of a whole config.
@Suite("Claims in check-template") struct CheckTemplateClaimsTests {
  private static let products = #"""
    {"products": [
      {"slot": "primary", "identifier": "com.app.year", "price": "59.99", "currency": "USD", "period": "P1Y",
       "intro": {"mode": "payUpFront", "unit": "month", "count": 3, "price": "4.99"}}
    ]}
    """#
  private static let config = #"""
    {"build_id": "b", "trigger_options": [], "products": [],
     "paywall_responses": [{"id": "1", "identifier": "pro", "name": "Pro", "url": "https://a.example/p",
       "products_v2": [{"reference_name": "primary", "store_product": {"store": "APP_STORE", "product_identifier": "com.app.year"}, "sw_composite_product_id": "com.app.year", "entitlements": []}]}]}
    """#

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write("products.json", Self.products)
    try folder.write("a.liquid", "Go Pro\nFree for {{ products.primary.trialPeriodDays }} days")
    return folder
  }

  @Test func findsTheLineAndTheProduct() throws {
    let folder = try folder()
    let result = try folder.tollgate("check-template", "a.liquid", "--products", "products.json")
    #expect(result.code == 0)
    #expect(
      result.output.contains(
        "warning[false-claim]: says 'Free for 90 days'; 'com.app.year' charges $4.99"))
    #expect(result.output.contains("--> a.liquid:2:1"))
    #expect(result.output.contains(" 0 true, "))
    let strict = try folder.tollgate(
      "check-template", "a.liquid", "--products", "products.json", "--strict")
    #expect(strict.code == 1)
  }

  @Test func takesATemplateInPlace() throws {
    let result = try folder().tollgate(
      "check-template", "Free for {{ products.primary.trialPeriodDays }} days", "--products",
      "products.json")
    #expect(result.output.contains("--> template:1:1"))
    #expect(result.output.contains("false-claim"))
  }

  @Test func printsClaimsAsJSON() throws {
    let result = try folder().tollgate(
      "check-template", "a.liquid", "--products", "products.json", "--json")
    let values = try result.lines.map { try Value.parse(json: $0.utf8) }
    #expect(values.contains { $0["code"] == "false-claim" && $0["line"] == 2 })
    #expect(
      values.contains {
        $0["claim"] == "free" && $0["verdict"] == "false" && $0["product"] == "com.app.year"
      })
  }

  @Test func takesAWholeConfig() throws {
    let folder = try folder()
    try folder.write("config.json", Self.config)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/texts/pro", withIntermediateDirectories: true)
    try folder.write("texts/pro/title.liquid", "Start your free trial")
    try folder.write(
      "texts/texts.json",
      #"{"paywalls": {"pro": {"price": "{{ products.primary.price }} a month"}}}"#)
    let arguments = [
      "check-template", "config.json", "--texts", "texts", "--products", "products.json",
    ]
    let result = try BuiltTool.run(try BuiltTool.tool(), arguments, in: folder.path)
    #expect(result.output.contains("--> texts/texts.json:1:"))
    #expect(result.output.contains("--> texts/pro/title.liquid:1:1"))
    let sarif = try BuiltTool.run(try BuiltTool.tool(), arguments + ["--sarif"], in: folder.path)
    let document = try Value.parse(json: sarif.output.utf8)
    #expect(document["version"] == "2.1.0")
    #expect(sarif.output.contains("texts/pro/title.liquid"))
    let page = try BuiltTool.run(
      try BuiltTool.tool(), arguments + ["--report", "claims.html"], in: folder.path)
    #expect(page.code == 0)
    #expect(folder.text("claims.html")?.contains("Start your free trial") == true)
    let empty = try BuiltTool.run(
      try BuiltTool.tool(), ["check-template", "config.json", "--texts", "none"], in: folder.path)
    #expect(empty.code == 2)
    #expect(empty.errors.contains("none contains no paywall texts"))
  }

  @Test func checksSeveralLocales() throws {
    let folder = try folder()
    try folder.write(
      "b.liquid",
      "Ends {{ products.primary.trialPeriodEndDate }}, then {{ products.primary.price }} a year")
    func codes(_ locales: String...) throws -> String {
      try BuiltTool.run(
        try BuiltTool.tool(),
        ["check-template", "b.liquid", "--products", "products.json"]
          + locales.flatMap { ["--locale", $0] }, in: folder.path
      ).output
    }
    #expect(try !codes("en_US").contains("mixed-formats"))
    #expect(try codes("en_US", "fr_FR").contains("mixed-formats"))
    #expect(try codes("all").contains("mixed-formats"))
  }

  @Test func takesClaimWords() throws {
    let folder = try folder()
    try folder.write("fi.liquid", "Ilmaista {{ products.primary.trialPeriodDays }} päivää")
    try folder.write(
      "fi.json", #"{"languages": {"fi": {"free": ["ilmaista"], "day": ["päivää"]}}}"#)
    let arguments = ["check-template", "fi.liquid", "--products", "products.json"]
    #expect(
      try BuiltTool.run(try BuiltTool.tool(), arguments, in: folder.path).output.contains(
        "note[unchecked-claim]"))
    let known = try BuiltTool.run(
      try BuiltTool.tool(), arguments + ["--claim-words", "fi.json"], in: folder.path)
    #expect(known.output.contains("warning[false-claim]"))
    try folder.write("fi.json", "[]")
    #expect(
      try BuiltTool.run(
        try BuiltTool.tool(), arguments + ["--claim-words", "fi.json"], in: folder.path
      ).code == 2)
  }
}

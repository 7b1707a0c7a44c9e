import Expressions
import Foundation
import Testing

@testable import tollgate

@Suite("The command products")
struct ProductsCommandTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "corpus").path

  private let products = corpus + "/demo/products.json"
  private let config = corpus + "/demo/config.json"
  private let now = "2026-03-06T12:00:00Z"

  @Test func printsATable() throws {
    let result = try BuiltTool.run("products", products, "--now", now)
    #expect(result.code == 0)
    #expect(
      result.lines.first
        == "ios-sk2                  primary                        secondary                       tertiary"
    )
    #expect(
      result.output.contains(
        "\nmonthlyPrice             $4.99                          $9.99                           $9.99\n"
      ))
    #expect(result.output.contains("trialPeriodEndDate       Mar 13, 2026"))
    // One period of three: a star, and why.
    #expect(result.output.contains("\ntrialPeriodDays          30 *"))
    #expect(result.errors.contains("warning[one-period-of-offer]"))
    #expect(
      result.output.contains(
        """

        com.example.stride.student.annual
          2026-03-06  $0.99 every month for 3 months
          2026-06-06  $29.99 every year until cancelled
        com.example.stride.offer.annual
          2026-03-06  $4.99 for 3 months
          2026-06-06  $41.99 every year until cancelled

        """))
    // Three products side by side, the others below.
    #expect(result.lines.filter { $0.hasPrefix("ios-sk2") }.count == 2)
  }

  @Test func printsJSON() throws {
    let result = try BuiltTool.run(
      "products", products, "--profile", "agentwallie", "--locale", "de_DE", "--now", now, "--json")
    #expect(result.code == 0)
    #expect(result.lines.count == 1)
    let value = try Value.parse(json: result.output.utf8)
    guard case .list(let products)? = value["products"] else {
      Issue.record("no products")
      return
    }
    #expect(products.count == 5)
    #expect(products[0]["slot"] == "primary")
    #expect(products[0]["attributes"]?["price_per_month"] == "5,00\u{A0}$")
    #expect(products[0]["attributes"]?["savings_percentage"] == 50)
    #expect(products[0]["additions"]?["savings_percentage_floor"] == 49)
    #expect(products[0]["aboveExact"] == ["price_per_month"])
    #expect(products[1]["attributes"]?["savings_percentage"] == .null)
    #expect(value["localeData"] != nil)
  }

  @Test func readsStandardInput() throws {
    let result = try BuiltTool.run(
      ["products", "-", "--json"], input: try Data(contentsOf: URL(filePath: products)))
    #expect(result.code == 0)
  }

  @Test func joinsAConfigWithPrices() throws {
    let alone = try BuiltTool.run("products", config)
    #expect(alone.code == 1)
    #expect(alone.errors.contains("give the prices with --products"))
    #expect(alone.errors.contains("'com.example.stride.pro.annual' has no attributes"))
    let joined = try BuiltTool.run(
      "products", config, "--products", products, "--now", now, "--trials", "automatic")
    #expect(joined.code == 0)
    #expect(joined.output.contains("isFreeTrialAvailable"))
    #expect(joined.output.contains("com.example.stride.offer.annual"))
  }

  @Test func saysWhatIsShownTooHigh() throws {
    let rupiah =
      #"[{"identifier":"p","price":149000,"currency":"IDR","locale":"id_ID","period":"P1Y"}]"#
    let result = try BuiltTool.run("products", "-", input: rupiah)
    #expect(result.code == 0)
    #expect(result.output.contains("monthlyPrice             Rp12.417 *"))
    #expect(result.errors.contains("warning[price-above-exact]"))
    #expect(result.errors.contains("standard input:1:1: [0]"))
  }

  @Test func saysWhatIsWrong() throws {
    let bad = try BuiltTool.run(
      "products", "-", input: #"{"products":[{"identifier":"p","price":"1,99"}]}"#)
    #expect(bad.code == 1)
    #expect(bad.errors.contains("error[decode-failure]: this is not a price"))
    let broken = try BuiltTool.run("products", "-", input: #"{"products":["#)
    #expect(broken.code == 2)
    #expect(broken.errors.contains("the JSON ends too early"))
    let profile = try BuiltTool.run("products", products, "--profile", "ios-sk3")
    #expect(profile.code != 0)
    #expect(profile.errors.contains("Please provide one of"))
    let zone = try BuiltTool.run("products", products, "--time-zone", "Mars/Olympus")
    #expect(zone.code != 0)
    #expect(zone.errors.contains("the time zone 'Mars/Olympus' does not exist"))
    let locale = try BuiltTool.run("products", products, "--locale", "xx_YY")
    #expect(locale.code == 0)
    #expect(locale.errors.contains("en_001 is used instead"))
  }

  @Test func checkLooksAtProductsToo() throws {
    let fine = try BuiltTool.run("check", config, "--products", products)
    #expect(fine.code == 0)
    #expect(fine.output.contains("5 products: 0 findings"))
    #expect(try BuiltTool.run("check", config, "--products", products, "--quiet").output == "")
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let rupiah =
      #"[{"identifier":"p","price":149000,"currency":"IDR","locale":"id_ID","period":"P1Y"}]"#
    try Data(rupiah.utf8).write(to: folder)
    let warned = try BuiltTool.run("check", config, "--products", folder.path)
    #expect(warned.code == 0)
    #expect(warned.output.contains("warning[price-above-exact]"))
    #expect(try BuiltTool.run("check", config, "--products", folder.path, "--strict").code == 1)
  }

  /// A text of the file never reaches a terminal as a command.
  @Test func hidesControlCharacters() throws {
    let product = "[{\"identifier\":\"p\",\"price\":\"1\",\"displayPrice\":\"\\u001b[2J\"}]"
    let result = try BuiltTool.run("products", "-", input: product)
    #expect(result.code == 0)
    #expect(!result.output.contains("\u{1B}"))
  }

  /// All phases, and the offers that prices do not count.
  @Test func printsTimelinesOfOffers() throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "p.json").path
    try Data(
      #"""
      [{"identifier": "a", "price": "9.99", "currency": "USD", "period": "P1M",
        "intro": {"unit": "week", "count": 1}, "billingPlans": [{"type": "UP_FRONT", "price": "99"}],
        "storeOffers": [{"type": "winBack", "offerId": "back", "mode": "payUpFront", "unit": "month",
          "count": 2, "price": "3"}]},
       {"identifier": "b", "store": "PLAY_STORE", "fullIdentifier": "b:m:none", "currency": "USD",
        "offers": [{"basePlanId": "m", "phases": [{"price": "9.99", "iso8601": "P1M"}]},
          {"basePlanId": "m", "offerId": "cheap", "phases": [{"price": "1", "iso8601": "P1M",
            "cycles": 2}, {"price": "9.99", "iso8601": "P1M"}]}]},
       {"identifier": "c", "price": "5", "currency": "USD", "type": "nonRenewingSubscription",
        "duration": "P1M"}]
      """#.utf8
    ).write(to: URL(filePath: file))
    let result = try BuiltTool.run("products", file, "--now", now)
    #expect(
      result.output.contains(
        """

        a
          2026-03-06  free for 1 week
          2026-03-13  $9.99 every month until cancelled
          win-back offer 'back': $3.00 for 2 months, then $9.99 every month until cancelled
        c
          2026-03-06  $5.00 once, access for 1 month; ends on 2026-04-06, does not renew
        b:m:none
          2026-03-06  $9.99 every month until cancelled
          other offer 'm:cheap': $1.00 every month for 2 months, then $9.99 every month until cancelled

        """))
    let json = try BuiltTool.run("products", file, "--now", now, "--json")
    let value = try Value.parse(json: json.output.utf8)
    let first = value["products"]?.elements?[0]
    #expect(first?["timeline"]?["phases"]?.elements?.count == 2)
    #expect(first?["timeline"]?["chargedToday"] == "0")
    #expect(first?["offers"]?.elements?[0]["type"] == "winBack")
    #expect(first?["additions"]?["phases"]?.elements?.count == 2)
  }
}

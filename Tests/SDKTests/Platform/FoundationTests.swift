import Foundation
import Pricing
import RuleEngine
import SDKLive
import Testing

@testable import SDK

/// Dates, addresses and decimal numbers beside the SDK's own types.
@Suite("Foundation's types")
struct FoundationTests {
  private let noon = Date(timeIntervalSince1970: 1_767_268_800)

  @Test func dates() {
    let origin = ConfigOrigin(source: .network, buildID: "b", fetchedAt: Instant(noon))
    #expect(origin.fetchedDate == noon)
    #expect(ConfigOrigin(source: .given, buildID: "b").fetchedDate == nil)
    var info = PaywallInfo(identifier: "p", url: "https://example.com/p?a=1")
    #expect(info.presentedDate == nil && info.pageURL?.host() == "example.com")
    info.presentedAt = Instant(noon)
    #expect(info.presentedDate == noon)
    var transaction = StoreTransaction(transactionDate: "2026-01-01T12:00:00Z")
    transaction.expirationDate = "2026-01-01T12:00:00.500Z"
    transaction.revocationDate = "yesterday"
    #expect(transaction.date == noon && transaction.originalDate == nil)
    #expect(transaction.expiry == noon + 0.5 && transaction.revocation == nil)
    let product = TransactionProduct(
      Samples.month, on: .ios, in: PricingContext(now: Instant(noon)))
    #expect(product.trialEndDate == noon + 7 * 86_400)
  }

  @Test func amounts() throws {
    let price = try Money(try #require(Decimal(string: "9.99")), .usd)
    #expect(price.micros == 9_990_000 && price.decimal == Decimal(string: "9.99"))
    #expect(Money(micros: -1, .usd).decimal == Decimal(string: "-0.000001"))
    #expect(Money(micros: .max, .usd).decimal == Decimal(string: "9223372036854.775807"))
    #expect(try Money(Decimal(string: "0.00000049")!, .usd).micros == 0)
    #expect(throws: PricingError.self) { try Money(Decimal.nan, .usd) }
    #expect(throws: PricingError.self) { try Money(Decimal.greatestFiniteMagnitude, .usd) }
  }

  @Test func addressesAndSpans() throws {
    let reports = Recorder<PresentationReport>()
    let handle = PresentationHandle(report: { reports.add($0) }, pressBack: { false })
    handle.openURL(try #require(URL(string: "https://example.com/a b")), external: true)
    handle.openDeepLink(try #require(URL(string: "app://x")))
    #expect(
      reports.all == [
        .openURL("https://example.com/a%20b", external: true), .openDeepLink("app://x"),
      ])
    let page = PageView(decoding: ["timeOnPreviousPageMs": 1_500])
    #expect(page.timeOnPreviousPage == .milliseconds(1_500))
    #expect(page.value["timeOnPreviousPageMs"] == 1_500)
  }
}

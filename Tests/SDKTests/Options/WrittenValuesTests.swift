import Expressions
import Foundation
import Pricing
import RuleEngine
import SDKLive
import Testing

@testable import SDK

/// What the SDK makes of values that others give it, and what it gives to others.
@Suite("Values")
struct WrittenValuesTests {
  @Test func levelsAllowThemselves() {
    #expect(LogLevel.warn.allows(.warn) && LogLevel.warn.allows(.error))
    #expect(!LogLevel.warn.allows(.info))
  }

  /// Names that nobody knows leave what is there without them.
  @Test func scopesThatNobodyKnows() {
    let unknown: Value = ["logging": ["scopes": ["noSuchScope"]]]
    #expect(TollgateOptions(decoding: unknown).logging.scopes == [.all])
    let known: Value = ["logging": ["scopes": ["noSuchScope", "network"]]]
    #expect(TollgateOptions(decoding: known).logging.scopes == [.network])
  }

  /// Sharing less than all is never more than what was asked for.
  @Test func externalDataCollection() {
    func tracking(_ behavior: Value) -> EventTrackingBehavior {
      TollgateOptions(
        decoding: ["eventTrackingBehavior": behavior, "isExternalDataCollectionEnabled": false]
      ).eventTrackingBehavior
    }
    #expect(tracking("all") == .superwallOnly)
    #expect(tracking("none") == .none)
  }

  @Test func numbersThatAreLarge() {
    #expect(UInt64.max.attributeValue == .uint(.max))
  }

  @Test func permissionsAreGrantedOrDenied() {
    func status(_ isGranted: Bool) -> Value? {
      PaywallMessage.permissionResult(name: "camera", isGranted: isGranted).value["status"]
    }
    #expect(status(true) == "granted" && status(false) == "denied")
  }

  @Test func timesOnPages() {
    let view = PageView(decoding: ["timeOnPreviousPageMs": 1_500])
    #expect(view.timeOnPreviousPage == .milliseconds(1_500))
    #expect(view.value["timeOnPreviousPageMs"] == 1_500)
  }

  /// A period of nothing is none; only Google Play's identifiers have base plans.
  @Test func oddProducts() {
    var priced = PricedProduct(identifier: "pro", store: .stripe, period: Period(.month, 0))
    priced.fullIdentifier = "pro:monthly:intro"
    let product = StoreProduct(priced)
    #expect(product.period == nil)
    #expect(product.basePlanID == nil)
    priced.store = .playStore
    priced.period = Period(.month, 1)
    #expect(StoreProduct(priced).period == Period(.month, 1))
    #expect(StoreProduct(priced).basePlanID == "monthly")
  }

  /// Of several states the last is written.
  @Test func batchesAddUp() {
    var first = StorageBatch()
    first.save("A")
    var second = StorageBatch()
    first.add(second)
    #expect(first.state == "A")
    second.save("B")
    first.add(second)
    #expect(first.state == "B")
  }

  @Test func stylesThatAreSetAgain() {
    var settings = Settings()
    let changes = [InterfaceStyle.dark, .dark, nil, nil].map { settings.set($0) }
    #expect(changes == [true, false, true, false])
  }

  /// Dates between two milliseconds are the earlier one.
  @Test func datesBetweenMilliseconds() {
    #expect(Instant(Date(timeIntervalSince1970: 0.0017)) == Instant(milliseconds: 1))
  }

  /// Who is not known has no header, and a style that an app sets is the one that counts.
  @Test func headersOfRequests() async throws {
    let app = TestApp()
    try await app.tollgate.configure(apiKey: "pk")
    let first = try #require(app.requests.all.first)
    #expect(!first.headers.contains(.init("X-App-User-ID", "")))
    #expect(!first.headers.contains(.init("X-Entitlements", "")))
    await app.tollgate.setInterfaceStyle(.dark)
    try await app.tollgate.identify(userID: "u1", options: .init(restorePaywallAssignments: true))
    let assignments = try #require(app.requests.all.last { $0.path == "/api/v1/assignments" })
    #expect(
      assignments.headers.contains(
        .init("X-Device-Interface-Style", InterfaceStyle.dark.rawValue)))
  }

  @Test func surveysThatAreNeverAsked() {
    func survey(_ probability: Value) -> Survey? {
      Paywall.decode(superwall: [
        "identifier": "annual",
        "surveys": [
          [
            "id": "s1", "assignment_key": "why", "title": "Why not?", "message": "",
            "presentation_condition": "ON_MANUAL_CLOSE", "presentation_probability": probability,
            "options": [["id": "1", "title": "Too expensive"]],
          ]
        ],
      ])?.surveys.first
    }
    #expect(survey(0)?.isAsked(draw: 0) == false)
    #expect(survey(1)?.isAsked(draw: 0.999) == true)
    #expect(survey(0.5)?.isAsked(draw: 0.5) == false)
  }

  @Test func onlyTheStatusTimesOut() {
    #expect(PresentationRequestReason.subscriptionStatusTimeout.status == .timeout)
    #expect(PresentationRequestReason.noAudienceMatch.status == .noPresentation)
  }
}

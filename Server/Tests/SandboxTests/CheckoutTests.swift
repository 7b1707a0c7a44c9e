import Expressions
import Foundation
import Testing

@testable import Sandbox

@Suite struct CheckoutTests {
  private static func context(_ reply: SandboxServer.Reply) throws -> String {
    try #require(reply.body["checkoutContextId"]?.text, "\(reply.text)")
  }

  /// A product is what an app says it is.
  @Test func productsAreNotMarkup() async throws {
    try await SandboxServer.run { server in
      let begun = try await server.beginCheckout("test:\u{0600}<i id='x\u{0600}'>:7")
      let url = try #require(begun.body["directive"]?["checkoutUrl"]?.text)
      let path = try #require(URLComponents(string: url)?.path)
      let page = try await server.get(path, headers: [:]).text
      #expect(page.contains("Checkout"))
      #expect(
        !page.utf8.split(separator: UInt8(ascii: "<")).contains { $0.starts(with: "i id".utf8) })
    }
  }

  @Test func aRedirectIsPaidOnItsPage() async throws {
    try await SandboxServer.run { server in
      let begun = try await server.beginCheckout()
      let context = try Self.context(begun)
      #expect(begun.body["directive"]?["directive"] == "redirect")
      #expect(try await server.checkout("status", context).body["status"] == "pending")
      #expect(try await server.poll(context).body["status"] == "pending")
      let url = try #require(begun.body["directive"]?["checkoutUrl"]?.text)
      let path = try #require(URLComponents(string: url)?.path)
      #expect(try await server.get(path, headers: [:]).text.contains("Pay"))
      #expect(try await server.send("POST", path + "/pay", headers: [:]).text.contains("Paid"))
      let status = try await server.checkout("status", context).body
      #expect(status["status"] == "completed" && status["paymentStatus"] == "succeeded")
      let link = try #require(status["redemptionUrl"]?.text)
      #expect(link.hasPrefix("tollgate://superwall/redeem?code="))
      let poll = try await server.poll(context).body
      #expect(poll["status"] == "complete")
      let code = try #require(poll["codes"]?.elements?.first)
      #expect(code["status"] == "SUCCESS" && link.hasSuffix(code["code"]?.text ?? "?"))
      let info = try #require(code["redemptionInfo"])
      #expect(info["purchaserInfo"]?["email"] == "user@example.com")
      #expect(info["paywallInfo"]?["placementName"] == "web_checkout")
      #expect(info["paywallInfo"]?["placementParams"] == ["from": "home"])
      // Asked again, the same.
      #expect(try await server.poll(context).body["codes"] == poll["codes"])
      #expect(poll["customerInfo"]?["entitlements"]?.elements?.first?["id"] == "pro")
      // It is theirs when it is redeemed.
      #expect(try await server.entitlements(of: SandboxServer.user) == [])
      let redeemed = try await server.redeem([try #require(code["code"]?.text)])
      #expect(redeemed["codes"]?.elements?.first == code)
      #expect(try await server.entitlements(of: SandboxServer.user) == ["pro"])
      #expect(
        try await server.poll(context, user: "user_2").body["codes"]?.elements?.first?["status"]
          == "ERROR")
    }
  }

  @Test(arguments: ["drawer", "embedded"])
  func aPaymentInTheAppIsConfirmedFirst(directive: String) async throws {
    try await SandboxServer.run { server in
      let begun = try await server.beginCheckout("test:price_month:7", [directive])
      let context = try Self.context(begun)
      #expect(begun.body["directive"]?["publishableKey"]?.text?.isEmpty == false)
      let early = try await server.checkout("complete", context)
      #expect(early.status == 409 && early.code == "checkout_not_confirmed")
      let confirmed = try await server.checkout(
        "confirm", context, ["setupIntentId": "seti_1", "email": "other@example.com"])
      #expect(confirmed.body["customerId"]?.text?.hasPrefix("cus_") == true)
      let again = try await server.checkout(
        "confirm", context, ["setupIntentId": "seti_2", "email": "x@example.com"])
      #expect(again.body == confirmed.body)
      let status = try await server.checkout("status", context).body
      #expect(status["status"] == "pending" && status["paymentStatus"] == "processing")
      let done = try await server.checkout("complete", context)
      #expect(done.body["redemptionUrl"] == confirmed.body["redemptionUrl"])
      #expect(try await server.checkout("complete", context).body == done.body)
      #expect(
        try await server.poll(context).body["codes"]?.elements?.first?["redemptionInfo"]?[
          "purchaserInfo"]?["email"] == "other@example.com")
    }
  }

  @Test func anAbandonedOneGivesNothing() async throws {
    try await SandboxServer.run { server in
      let begun = try await server.beginCheckout()
      let context = try Self.context(begun)
      let id = try #require(begun.body["directive"]?["checkoutSessionId"]?.text)
      _ = try await server.post("/sandbox/checkouts/\(id)/abandon", headers: SandboxServer.owner)
      #expect(try await server.checkout("status", context).body["status"] == "abandoned")
      let poll = try await server.poll(context).body
      #expect(poll["status"] == "failed" && poll["codes"] == [])
      #expect(try await server.checkout("complete", context).code == "checkout_abandoned")
    }
  }

  @Test func oneThatNobodyPaysExpires() async throws {
    try await SandboxServer.run { server in
      let context = try Self.context(try await server.beginCheckout())
      server.clock.advance(WallTime.day - 1)
      #expect(try await server.checkout("status", context).body["status"] == "pending")
      server.clock.advance(1)
      #expect(try await server.checkout("status", context).body["status"] == "abandoned")
      #expect(try await server.checkout("complete", context).code == "checkout_expired")
    }
  }

  @Test func productsSayHowPayingEnds() async throws {
    try await SandboxServer.run { server in
      let paid = try Self.context(
        try await server.beginCheckout("test:price_month_paid:no-trial"))
      #expect(try await server.checkout("status", paid).body["status"] == "completed")
      let left = try Self.context(
        try await server.beginCheckout("test:price_month_abandoned:no-trial"))
      #expect(try await server.poll(left).body["status"] == "failed")
      let declined = try Self.context(
        try await server.beginCheckout("test:price_month_declined:no-trial", ["drawer"]))
      let reply = try await server.checkout("confirm", declined, ["setupIntentId": "seti_1"])
      #expect(reply.status == 402 && reply.code == "payment_declined")
      let page = try await server.beginCheckout("test:price_month_declined:no-trial", ["redirect"])
      let context = try Self.context(page)
      let completed = try await server.checkout("complete", context)
      #expect(completed.status == 402 && completed.code == "payment_declined")
      let url = try #require(page.body["directive"]?["checkoutUrl"]?.text)
      let path = try #require(URL(string: url)).path
      let answer = try await server.post("\(path)/pay", headers: [:])
      #expect(answer.status == 200 && answer.text.contains("The payment was declined"))
      #expect(!answer.text.contains("redemption_"))
      #expect(try await server.poll(context).body["status"] == "pending")
    }
  }

  @Test func whatIsWrongHasATypedError() async throws {
    try await SandboxServer.run { server in
      #expect(try await server.beginCheckout("com.example.month").code == "invalid_product_format")
      #expect(try await server.beginCheckout("live:price:-1").code == "invalid_product_format")
      #expect(
        try await server.beginCheckout("test:p:7", ["popup"]).code == "unexpected_directive")
      #expect(try await server.beginCheckout("test:p:7", []).code == "unexpected_directive")
      let paddle = try await server.post(
        "\(SandboxServer.base)/checkout/session",
        [
          "productIdentifier": "test:p:7", "store": "paddle",
          "allowedCheckoutDirectives": ["redirect"], "context": .map([]),
        ])
      #expect(paddle.code == "missing_store_application_id")
    }
  }

  /// Every single bit of the sealed part counts.
  @Test func aChangedContextIsRefused() async throws {
    try await SandboxServer.run { server in
      let context = try Self.context(try await server.beginCheckout())
      let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
      let start = try #require(context.lastIndex(of: ":")).utf16Offset(in: context) + 1
      var forged = [
        "", "v1:k:zzzz", "not-sealed", context + "A", context + "=", "V" + context.dropFirst(),
      ]
      for place in stride(from: start, to: context.count, by: 7) + [context.count - 1] {
        var characters = Array(context)
        let index = try #require(alphabet.firstIndex(of: characters[place]))
        characters[place] = alphabet[index ^ 1]
        forged.append(String(characters))
      }
      for text in forged {
        let reply = try await server.checkout("status", text)
        #expect(reply.status == 400, "\(text): \(reply.text)")
        #expect(["missing_checkout_session", "invalid_body"].contains(reply.code))
      }
    }
  }

  @Test func anotherServersContextIsRefused() async throws {
    let context = try await SandboxServer.value { server in
      try Self.context(try await server.beginCheckout())
    }
    try await SandboxServer.run { server async throws in
      #expect(try await server.checkout("status", context).code == "missing_checkout_session")
    }
  }

  @Test func aContextOutlivesTheServerWithItsDatabase() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let context = try await SandboxServer.value(folder: folder) { server in
      let context = try Self.context(try await server.beginCheckout())
      _ = try await server.checkout("complete", context)
      return context
    }
    try await SandboxServer.run(folder: folder) { server async throws in
      #expect(try await server.checkout("status", context).body["status"] == "completed")
      #expect(try await server.poll(context).body["status"] == "complete")
    }
  }

  @Test func theSameRequestBeginsOneCheckout() async throws {
    try await SandboxServer.run { server in
      var headers = SandboxServer.app
      headers["Idempotency-Key"] = "k-1"
      let first = try await server.beginCheckout(headers: headers)
      let again = try await server.beginCheckout(headers: headers)
      #expect(first.body["directive"] == again.body["directive"])
      #expect(
        try await server.beginCheckout().body["directive"] != first.body["directive"])
    }
  }

  /// Otherwise a reused key would return another customer's checkout.
  @Test func aKeyIsForOneRequest() async throws {
    try await SandboxServer.run { server in
      var headers = SandboxServer.app
      headers["Idempotency-Key"] = "k-1"
      _ = try await server.beginCheckout(headers: headers)
      for (product, kinds) in [("test:other:7", ["redirect"]), ("test:other:7", ["drawer"])] {
        let other = try await server.beginCheckout(product, kinds, headers: headers)
        #expect(other.status == 409 && other.code == "idempotency_key_reused")
      }
    }
  }
}

extension SandboxServer {
  /// What a test finds out with a server.
  static func value<Result: Sendable>(
    folder: String? = nil, _ test: @escaping @Sendable (SandboxServer) async throws -> Result
  ) async throws -> Result {
    let box = Locked<Result?>(nil)
    try await run(folder: folder) { server in
      let result = try await test(server)
      box.withLock { $0 = result }
    }
    return try #require(box.withLock { $0 })
  }
}

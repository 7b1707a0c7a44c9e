internal import Expressions
internal import GRDB
internal import HTTPTypes
internal import Service

extension SandboxBackend {
  /// The endpoints of the console, which require the application's secret key or the admin token.
  var consoleEndpoints: [Endpoint] {
    let base = SandboxBackend.console
    return [
      .get("\(base)/events", .owner) { exchange in
        let limit = try exchange.number("limit", 1...1_000) ?? 100
        let after = try exchange.number("after", 0...Int(Int64.max))
        let events = try await store.events(
          of: exchange.application.id, after: after.map { Int64($0) },
          source: exchange.query("source"), name: exchange.query("name"),
          limit: limit)
        return Answer(.object(["events": .list(events)]))
      },
      .get("\(base)/checkouts", .owner) { exchange in
        Answer(.object(["checkouts": .list(try await store.checkouts(exchange.application.id))]))
      },
      .act("\(base)/checkouts/{id}/complete") { exchange in
        try await self.change(exchange) { checkout in try checkout.complete() }
      },
      .act("\(base)/checkouts/{id}/abandon") { exchange in
        try await self.change(exchange) { checkout in try checkout.abandon() }
      },
      .get("\(base)/codes", .owner) { exchange in
        Answer(.object(["codes": .list(try await store.codes(exchange.application.id))]))
      },
      .post("\(base)/codes", .owner) { try await self.addCode($0) },
      .act("\(base)/codes/{code}/expire") { exchange in
        let now = now()
        return Answer(
          try await store.changeCode(exchange.parameter("code"), exchange.application.id, now) {
            $0.expiresAt = now
          })
      },
      .get("\(base)/subscriptions", .owner) { exchange in
        let list = try await store.subscriptionList(exchange.application.id, now())
        return Answer(.object(["subscriptions": .list(list)]))
      },
      .act("\(base)/subscriptions/{id}/revoke") { exchange in
        try await self.end(exchange, isRevoked: true)
      },
      .act("\(base)/subscriptions/{id}/expire") { exchange in
        try await self.end(exchange, isRevoked: false)
      },
      .get("\(base)/faults", .ownerOrServer) { Answer(faults.value(of: $0.scope)) },
      Endpoint(method: .put, path: "\(base)/faults", access: .ownerOrServer) { exchange in
        do throws(FaultScript.Problem) {
          try faults.replace(exchange.body, of: exchange.scope)
        } catch {
          throw ServiceError(.badRequest, "invalid_faults", error.message)
        }
        return Answer(faults.value(of: exchange.scope))
      },
      .act("\(base)/reset") { exchange in
        faults.remove(of: exchange.application.id)
        try await store.reset(exchange.application, now: now())
        return Answer(.object(["status": "ok"]))
      },
      .act("\(base)/receipts") { exchange in
        var receipt = SandboxReceipt()
        receipt.product = try exchange.optionalText("product")
        receipt.transactionID = try exchange.optionalText("transactionId")
        receipt.originalTransactionID = try exchange.optionalText("originalTransactionId")
        if let days = exchange.body["days"] {
          guard days == .null || days.wholeNumber.map(SandboxReceipt.dayRange.contains) == true
          else { throw invalid("'days' must be null or a number from -36500 to 36500") }
          receipt.days = days.wholeNumber
        }
        receipt.isRevoked = exchange.body["revoked"]?.truth ?? false
        let text = try receipt.signed(application: exchange.application)
        return Answer(.object(["signed_transaction_info": .string(text)]))
      },
    ]
  }

  private func change(
    _ exchange: Exchange, _ change: @escaping @Sendable (inout Checkout) throws -> Void
  ) async throws -> Answer {
    let id = exchange.parameter("id")
    guard
      let checkout = try await store.checkout(id, in: exchange.application, now: now(), change)
    else { throw ServiceError.notFound("there is no checkout '\(id)'") }
    return Answer(checkout.value)
  }

  private func addCode(_ exchange: Exchange) async throws -> Answer {
    guard let code = FixtureCode(decoding: exchange.body) else {
      throw invalid("'code' is missing, or not a string")
    }
    let known = try await store.add(code, to: exchange.application, now: now())
    guard known else {
      throw ServiceError(.conflict, "code_exists", "the code '\(code.code)' already exists")
    }
    return Answer(.object(["code": .string(code.code)]), status: .created)
  }

  /// Ends a purchase, which is named by the ID of its subscription or transaction.
  private func end(_ exchange: Exchange, isRevoked: Bool) async throws -> Answer {
    let id = exchange.parameter("id")
    guard try await store.end(id, exchange.application.id, now(), isRevoked: isRevoked) else {
      throw ServiceError.notFound("there is no subscription '\(id)'")
    }
    return Answer(
      .object(["id": .string(id), "status": .string(isRevoked ? "revoked" : "expired")]))
  }
}

extension Endpoint {
  /// The action of a button.
  fileprivate static func act(_ path: String, _ run: @escaping Handler) -> Endpoint {
    Endpoint(method: .post, path: path, access: .owner, needsBody: false, run: run)
  }
}

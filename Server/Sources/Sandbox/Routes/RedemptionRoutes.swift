internal import Expressions
internal import HTTPTypes
internal import Pricing
internal import Service

extension SandboxBackend {
  /// The endpoints for codes, entitlements and products.
  var redemptionEndpoints: [Endpoint] {
    let base = SandboxBackend.subscriptions
    return [
      .post("\(base)/redeem", .key) { try await self.redeem($0) },
      // User names can contain slashes, which iOS does not encode. An empty name means the device.
      Endpoint(
        method: .get, path: "\(base)/users/{user}/entitlements", route: "\(base)/users/**",
        access: .key
      ) { exchange in
        let parts = exchange.parameter(Endpoint.rest).split(separator: "/")
        guard parts.last == "entitlements" else {
          throw ServiceError.notFound("only a user's entitlements are available here")
        }
        let user = parts.dropLast().map { String($0).percentDecoded }.joined(separator: "/")
        return try await self.entitlements(of: user, exchange)
      },
      .get("\(base)/products", .key) { exchange in
        let isDecimal =
          (exchange.query("amounts") ?? exchange.application.entry["productAmounts"]?.text)
          == "decimal"
        let products = exchange.application.products.map {
          Self.productValue($0, isDecimal: isDecimal)
        }
        return Answer(.object(["object": "list", "data": .list(products)]))
      },
    ]
  }

  private func entitlements(of name: String, _ exchange: Exchange) async throws -> Answer {
    let holder = Self.holder(name, device: exchange.query("deviceId"))
    let holdings = try await store.holdings(of: holder, in: exchange.application, now: now())
    return Answer(
      .object([
        "entitlements": .list(holdings.entitlements), "customerInfo": holdings.customerInfo,
      ]))
  }

  /// The owner that a path names: the app's user, or the device if the user is unknown. Clients also send aliases,
  /// which own nothing.
  private static func holder(_ name: String, device: String?) -> Holder {
    let device = device.flatMap { $0.isEmpty ? nil : $0 }
    if name.isEmpty { return Holder(user: nil, device: device) }
    if name.hasPrefix("$SuperwallAlias:") { return Holder(user: nil, device: device) }
    if name.hasPrefix("$SuperwallDevice:") { return Holder(user: nil, device: device ?? name) }
    return Holder(user: name, device: device ?? name)
  }

  private func redeem(_ exchange: Exchange) async throws -> Answer {
    let device = try exchange.text("deviceId")
    let codes = try exchange.list("codes")
    guard codes.count <= 1_000 else { throw invalid("'codes' has more than 1000 codes") }
    var texts: [String] = []
    for (i, element) in codes.enumerated() {
      guard let code = element["code"]?.text else {
        throw invalid("'codes[\(i)]' lacks 'code' as a string")
      }
      texts.append(code)
    }
    let holder = Holder(user: try exchange.optionalText("appUserId"), device: device)
    await keepReceipts(of: exchange.body["receipts"], holder, exchange.application)
    let redemption = try await store.redeem(
      texts, for: holder, in: exchange.application, now: now())
    return Answer(Self.redemptionValue(redemption, status: nil))
  }

  static func redemptionValue(_ redemption: SandboxStore.Redemption, status: String?) -> Value {
    let holdings = redemption.holdings
    return .members([
      "status": status.map { .string($0) }, "codes": .list(redemption.results),
      // The codes that the web SDK redeems next time.
      "allCodes": .list(
        holdings.codes.map { .object(["code": .string($0), "firstRedemption": false]) }),
      "entitlements": .list(holdings.entitlements), "customerInfo": holdings.customerInfo,
    ])
  }

  /// Stores the App Store transactions in a request. A device cannot correct an invalid transaction, so errors are
  /// ignored. The documentation shows an object, but clients send a list.
  private func keepReceipts(
    of value: Value?, _ holder: Holder, _ application: SandboxApplication
  ) async {
    for receipt in (value?.elements ?? []).prefix(100) where receipt["type"]?.text == "IOS" {
      guard let text = receipt["jwsRepresentation"]?.text,
        let transaction = try? await transaction(text, application)
      else { continue }
      try? await store.add(
        transaction, user: holder.user, device: holder.device, in: application.id)
    }
  }

  static func productValue(_ product: PricedProduct, isDecimal: Bool) -> Value {
    let platform =
      switch product.store {
      case .appStore: "ios"
      case .playStore: "android"
      case .stripe: "stripe"
      case .paddle: "paddle"
      case .superwall: "superwall"
      case .custom, .other: "custom"
      }
    let price = product.price.map { price -> Value in
      let amount: Value =
        isDecimal ? .double(Double(price.micros) / 1e6) : .int(price.minorUnits)
      return .object(["amount": amount, "currency": .string(price.currency.code)])
    }
    let trialDays = product.trialDays ?? product.intro.flatMap { $0.trialDays }
    let subscription = product.period.map { period in
      Value.members([
        "period": .string(period.unit.name), "period_count": .whole(period.count),
        "trial_period_days": trialDays.map { .whole($0) },
      ])
    }
    return .object([
      "object": "product", "identifier": .string(product.identifier),
      "platform": .string(platform), "price": price ?? .null,
      "subscription": subscription ?? .null,
      "entitlements": .list(
        product.entitlements.map { name in
          .object([
            "id": .string(name), "identifier": .string(name), "type": "SERVICE_LEVEL",
            "isActive": false, "productIds": .list([.string(product.identifier)]),
          ])
        }),
      "storefront": .string(product.storefront ?? "USA"),
    ])
  }
}

extension Money {
  /// The amount in the smallest unit of the currency, rounded down.
  fileprivate var minorUnits: Int64 {
    var unit: Int64 = 1_000_000
    for _ in 0..<min(currency.minorDigits, 6) { unit /= 10 }
    return micros / unit
  }
}

extension IntroductoryOffer {
  fileprivate var trialDays: Int? {
    mode == .freeTrial ? period.length(in: .day) * cycles : nil
  }
}

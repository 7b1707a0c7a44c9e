internal import Expressions
internal import RuleEngine

/// The data that survives the end of the process, as one JSON object.
package struct StoredState: Hashable, Sendable {
  var status: SubscriptionStatus = .unknown
  /// The end dates of the entitlements from the store, by ID.
  var expiries: [String: Instant] = [:]
  /// Whether a subscription has ended, and no other subscription has begun since then.
  var hasExpired = false
  var appUserID: String?
  var aliasID = ""
  var deviceID = ""
  /// A number from 0 to 99, for rules that split users.
  var seed = 0
  /// The user attributes that the app has set.
  var userAttributes = AttributeTable()
  var integrationAttributes: [String: String] = [:]
  var assignments: [Assignment] = []
  /// Keys of the surveys for which the user was selected or rejected.
  var surveys: Set<String> = []
  /// The redeemed codes.
  var codes: [String] = []
  /// The redeemed codes that grant something to the app's user.
  var userCodes: Set<String> = []
  var webEntitlements: [WebEntitlement] = []
  /// The backend's data about the customer.
  var customer = CustomerInfo()
  /// The last time that web entitlements were requested from the backend.
  var webRefreshedAt: Instant?
  var pendingCheckout: PendingCheckout?
  /// Purchases that await approval.
  var pendingPurchases: [PendingPurchase] = []
  /// The time of the SDK's first run, or nil before the first run.
  var installedAt: Instant?
  var totalPaywallViews = 0
  var lastPaywallView: Instant?
  /// The last time that the app entered the background.
  var closedAt: Instant?

  init() {}

  /// Reads a state that `value` wrote. Missing and invalid parts get their initial values.
  init(decoding value: Value) {
    if let status = value["status"] {
      self.status = SubscriptionStatus(coercing: status)
      for entitlement in status["entitlements"]?.elements ?? [] {
        if let id = entitlement["id"]?.text { expiries[id] = entitlement["expiresAt"]?.instant }
      }
    }
    hasExpired = value["hasExpired"]?.truth ?? false
    appUserID = value["appUserId"]?.text
    aliasID = value["aliasId"]?.text ?? ""
    deviceID = value["deviceId"]?.text ?? ""
    seed = value["seed"]?.wholeNumber ?? 0
    for member in value["userAttributes"]?.members ?? [] {
      userAttributes[member.key] = member.value
    }
    for member in value["integrationAttributes"]?.members ?? [] {
      integrationAttributes[member.key] = member.value.text
    }
    assignments = (value["assignments"]?.elements ?? []).compactMap { Assignment(decoding: $0) }
    surveys = Set((value["surveys"]?.elements ?? []).compactMap(\.text))
    codes = (value["codes"]?.elements ?? []).compactMap(\.text)
    userCodes = Set((value["userCodes"]?.elements ?? []).compactMap(\.text))
    webEntitlements = WebEntitlement.list(value["webEntitlements"])
    customer = CustomerInfo(decoding: value["customerInfo"] ?? .null)
    webRefreshedAt = value["webRefreshedAt"]?.instant
    if let pending = value["pendingCheckout"], let context = pending["contextId"]?.text {
      pendingCheckout = PendingCheckout(
        contextID: context, attempts: pending["attempts"]?.wholeNumber ?? 0)
    }
    pendingPurchases = (value["pendingPurchases"]?.elements ?? [])
      .compactMap { PendingPurchase(decoding: $0) }
    installedAt = value["installedAt"]?.instant
    totalPaywallViews = value["totalPaywallViews"]?.wholeNumber ?? 0
    lastPaywallView = value["lastPaywallView"]?.instant
    closedAt = value["closedAt"]?.instant
  }

  var value: Value {
    .members([
      "status": statusValue, "hasExpired": hasExpired ? true : nil,
      "appUserId": appUserID.map { .string($0) },
      "aliasId": .string(aliasID), "deviceId": .string(deviceID), "seed": .whole(seed),
      "userAttributes": userAttributes.value,
      "integrationAttributes": .members(integrationAttributes.mapValues { .string($0) }),
      "assignments": .list(assignments.map(\.value)), "surveys": .texts(surveys.sorted()),
      "codes": .texts(codes), "userCodes": .texts(userCodes.sorted()),
      "pendingCheckout": pendingCheckout.map {
        ["contextId": .string($0.contextID), "attempts": .whole($0.attempts)]
      },
      "pendingPurchases": pendingPurchases.isEmpty
        ? nil : .list(pendingPurchases.map(\.value)),
      "customerInfo": customer.isEmpty ? nil : customer.value,
      "webRefreshedAt": webRefreshedAt.map { .int($0.milliseconds) },
      "webEntitlements": .list(webEntitlements.map(\.value)),
      "installedAt": installedAt.map { .int($0.milliseconds) },
      "totalPaywallViews": .whole(totalPaywallViews),
      "lastPaywallView": lastPaywallView.map { .int($0.milliseconds) },
      "closedAt": closedAt.map { .int($0.milliseconds) },
    ])
  }
}

extension StoredState {
  /// The status, with the end dates of its entitlements.
  private var statusValue: Value {
    guard !expiries.isEmpty else { return status.value }
    let entitlements = status.entitlements.map { entitlement -> Value in
      .members([
        "id": .string(entitlement.id), "type": .string(entitlement.type),
        "expiresAt": expiries[entitlement.id].map { .int($0.milliseconds) },
      ])
    }
    return .members([
      "status": .string(status.name),
      "entitlements": entitlements.isEmpty ? nil : .list(entitlements),
    ])
  }
}

extension Assignment {
  init?(decoding value: Value) {
    guard let experiment = value["experimentId"]?.text, let variant = value["variant"],
      let id = variant["id"]?.text
    else { return nil }
    let paywall = variant["paywallId"]?.text ?? ""
    self.init(
      experimentID: experiment,
      variant: Variant(
        id: id, kind: variant["type"]?.text.flatMap { Variant.Kind(rawValue: $0) } ?? .treatment,
        weight: 0, paywallID: paywall.isEmpty ? nil : paywall),
      isSentToServer: value["isSentToServer"]?.truth ?? false)
  }
}

extension Value {
  /// The number as a time in milliseconds since 1970.
  var instant: Instant? { wholeNumber.map { Instant(milliseconds: Int64($0)) } }
}

/// An unfinished checkout. The result of the checkout is requested when the app enters the foreground.
package struct PendingCheckout: Hashable, Sendable {
  package var contextID: String
  /// The number of requests for the result so far.
  package var attempts = 0

  /// The number of requests after which the SDK gives up.
  static let mostAttempts = 5
}

internal import CivilTime
internal import Expressions
internal import GRDB

/// A code that can be redeemed, and its purchase.
struct RedeemCode: Sendable {
  var code: String
  var entitlements: [String]
  var product: String?
  var store: String
  var email: String?
  /// The app's user that paid, or nil if the user was unknown.
  var purchaser: String?
  var customer: String
  var subscription: String
  /// Whether several people may have the code.
  var isShared: Bool
  /// The error that redeeming the code returns instead of a result.
  var error: String?
  /// The paywall of the payment, as JSON.
  var paywall: String?
  var boughtAt: Instant
  /// The time until which the code can first be redeemed.
  var expiresAt: Instant?
  var resentAt: Instant?
  /// The end of the subscription, or nil for a permanent purchase.
  var endsAt: Instant?
  var revokedAt: Instant?

  func isActive(_ now: Instant) -> Bool {
    (endsAt ?? .distantFuture) > now && (revokedAt ?? .distantFuture) > now
  }
}

extension RedeemCode {
  /// Creates a code from the fixtures or the console.
  init(_ code: FixtureCode, _ application: SandboxApplication, _ now: Instant) {
    let given = code.product.map { application.entitlements(ofProduct: $0) } ?? []
    self.init(
      code: code.code, entitlements: code.entitlements.isEmpty ? given : code.entitlements,
      product: code.product, store: "STRIPE", email: code.email, purchaser: nil,
      customer: "cus_\(code.code)", subscription: "sub_\(code.code)", isShared: code.isShared,
      error: code.error, paywall: nil, boughtAt: now, expiresAt: code.expiresAt,
      endsAt: code.subscriptionEndsAt)
  }

  init(_ row: Row) {
    code = row["code"]
    let names: String = row["entitlements"]
    entitlements = ((try? Value.parse(json: names.utf8))?.elements ?? []).compactMap(\.text)
    product = row["product"]
    store = row["store"]
    email = row["email"]
    purchaser = row["purchaser"]
    customer = row["customer"]
    subscription = row["subscription"]
    isShared = row["is_shared"]
    error = row["error"]
    paywall = row["paywall"]
    boughtAt = row["bought_at"]
    expiresAt = row["expires_at"]
    resentAt = row["resent_at"]
    endsAt = row["ends_at"]
    revokedAt = row["revoked_at"]
  }

  static func find(_ code: String, _ application: String, in database: Database) throws
    -> RedeemCode?
  {
    try Row.fetchOne(
      database, sql: "SELECT * FROM sandbox_codes WHERE application = ? AND code = ?",
      arguments: [application, code]
    ).map { RedeemCode($0) }
  }

  /// Stores the code. A known code is not changed.
  func insert(_ application: String, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT OR IGNORE INTO sandbox_codes (application, code, entitlements, product, store, email,
        purchaser, customer, subscription, is_shared, error, paywall, bought_at, expires_at, ends_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        application, code, Value.texts(entitlements).json, product, store, email, purchaser,
        customer, subscription, isShared, error, paywall, boughtAt, expiresAt, endsAt,
      ])
  }

  /// The code as JSON for the console.
  var value: Value {
    .members([
      "code": .string(code), "entitlements": .texts(entitlements),
      "product": product.map { .string($0) }, "store": .string(store),
      "email": email.map { .string($0) }, "customer": .string(customer),
      "subscription": .string(subscription), "shared": .bool(isShared),
      "error": error.map { .string($0) }, "boughtAt": .time(boughtAt),
      "expiresAt": expiresAt.map { .time($0) }, "endsAt": endsAt.map { .time($0) },
      "revokedAt": revokedAt.map { .time($0) },
    ])
  }
}

/// The owner of a code's entitlements.
enum CodeOwner: Hashable, Sendable {
  case user(String)
  case device(String)

  var kind: String { if case .user = self { "APP_USER" } else { "DEVICE" } }
  var name: String {
    switch self {
    case .user(let name), .device(let name): name
    }
  }

  var value: Value {
    switch self {
    case .user(let name): .object(["type": "APP_USER", "appUserId": .string(name)])
    case .device(let name): .object(["type": "DEVICE", "deviceId": .string(name)])
    }
  }
}

/// The owners in a request: a user, and the device in use.
struct Holder: Hashable, Sendable {
  var user: String?
  var device: String?

  var owners: [CodeOwner] {
    (user.map { [.user($0)] } ?? []) + (device.map { [.device($0)] } ?? [])
  }
  /// The owner of redeemed codes.
  var owner: CodeOwner? { owners.first }
}

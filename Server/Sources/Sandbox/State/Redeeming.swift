internal import CivilTime
internal import Expressions
internal import GRDB

extension SandboxStore {
  /// The result of redeeming codes, in the JSON form of the contract.
  struct Redemption: Sendable {
    var results: [Value]
    var holdings: Holdings
  }

  /// The minimum time between two messages with a new code.
  private static let resendInterval = WallTime.day

  /// Redeems codes for a user, each separately: a code that fails does not affect the others. Repeated requests have
  /// the same answer.
  func redeem(
    _ codes: [String], for holder: Holder, in application: SandboxApplication, now: Instant
  ) async throws -> Redemption {
    try await write(application.id) { database in
      try Self.redeem(codes, for: holder, in: application, now, database)
    }
  }

  /// The result of redeeming codes for a user, without redeeming them.
  func tryRedeeming(
    _ codes: [String], for holder: Holder, in application: SandboxApplication, now: Instant
  ) async throws -> Redemption {
    try await database.write { database in
      var redemption = Redemption(results: [], holdings: Holdings())
      try database.inSavepoint {
        redemption = try Self.redeem(codes, for: holder, in: application, now, database)
        return .rollback
      }
      return redemption
    }
  }

  private static func redeem(
    _ codes: [String], for holder: Holder, in application: SandboxApplication, _ now: Instant,
    _ database: Database
  ) throws -> Redemption {
    try move(holder, application.id, database)
    var results: [Value] = []
    for code in codes {
      results.append(try redeem(code, holder, application, now, database))
    }
    return Redemption(
      results: results, holdings: try holdings(of: holder, application, now, database))
  }

  /// Whether a device has something that a known user takes over.
  static func canMove(_ holder: Holder, _ application: String, _ database: Database) throws -> Bool
  {
    guard let user = holder.user, let device = holder.device, user != device else { return false }
    return try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (SELECT 1 FROM sandbox_redemptions
        WHERE application = ? AND kind = 'DEVICE' AND owner = ?)
        """, arguments: [application, device]) ?? false
  }

  /// A known user takes over the device's codes, which were redeemed when the user was unknown.
  static func move(_ holder: Holder, _ application: String, _ database: Database) throws {
    guard let user = holder.user, let device = holder.device, user != device else { return }
    try database.execute(
      sql: """
        UPDATE OR IGNORE sandbox_redemptions SET kind = 'APP_USER', owner = ?
        WHERE application = ? AND kind = 'DEVICE' AND owner = ?
        """, arguments: [user, application, device])
    try database.execute(
      sql: """
        DELETE FROM sandbox_redemptions WHERE application = ? AND kind = 'DEVICE' AND owner = ?
        """, arguments: [application, device])
  }

  private static func redeem(
    _ code: String, _ holder: Holder, _ application: SandboxApplication, _ now: Instant,
    _ database: Database
  ) throws -> Value {
    guard let known = try RedeemCode.find(code, application.id, in: database),
      let owner = holder.owner
    else { return .object(["status": "INVALID_CODE", "code": .string(code)]) }
    if let error = known.error { return failure(code, error) }
    let holders = try Row.fetchAll(
      database,
      sql: "SELECT kind, owner FROM sandbox_redemptions WHERE application = ? AND code = ?",
      arguments: [application.id, code])
    let isHeld = holders.contains { $0["kind"] == owner.kind && $0["owner"] == owner.name }
    if !isHeld {
      if !known.isShared && !holders.isEmpty {
        return failure(code, "the code was redeemed by another user")
      }
      if let expiry = known.expiresAt, expiry <= now {
        return try expired(known, application.id, now, database)
      }
      try database.execute(
        sql: """
          INSERT INTO sandbox_redemptions (application, code, kind, owner, redeemed_at)
          VALUES (?, ?, ?, ?, ?)
          """, arguments: [application.id, code, owner.kind, owner.name, now])
    }
    return .object([
      "status": known.isActive(now) ? "SUCCESS" : "EXPIRED_SUBSCRIPTION", "code": .string(code),
      "redemptionInfo": info(known, owner, application, now),
    ])
  }

  private static func failure(_ code: String, _ message: String) -> Value {
    .object([
      "status": "ERROR", "code": .string(code), "error": .object(["message": .string(message)]),
    ])
  }

  /// The result for an expired code. A new code is sent to the user that paid, but not for every request.
  private static func expired(
    _ code: RedeemCode, _ application: String, _ now: Instant, _ database: Database
  ) throws -> Value {
    var isResent = false
    if code.email != nil, now - (code.resentAt ?? 0) >= resendInterval {
      isResent = true
      try database.execute(
        sql: "UPDATE sandbox_codes SET resent_at = ? WHERE application = ? AND code = ?",
        arguments: [now, application, code.code])
      let body = Value.object(["code": .string(code.code)])
      try database.record("redemption_email_sent", body.json, of: nil, application, now)
    }
    return .object([
      "status": "CODE_EXPIRED", "code": .string(code.code),
      "expired": .members([
        "resent": .bool(isResent),
        "obfuscatedEmail": code.email.map { .string(obfuscated($0)) },
      ]),
    ])
  }

  /// An obfuscated address: `u***@example.com` for `user@example.com`.
  private static func obfuscated(_ email: String) -> String {
    let parts = email.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return "***" }
    return "\(parts[0].prefix(1))***@\(parts[1])"
  }

  private static func info(
    _ code: RedeemCode, _ owner: CodeOwner, _ application: SandboxApplication, _ now: Instant
  ) -> Value {
    let isActive = code.isActive(now)
    let entitlements = code.entitlements.map { name in
      Holdings.entitlement(
        name, isActive: isActive, until: code.endsAt,
        products: code.product.map { [$0] } ?? application.products(granting: name),
        store: code.store)
    }
    var user = code.purchaser ?? ""
    if user.isEmpty, case .user(let name) = owner { user = name }
    let store: Value =
      code.store == "PADDLE"
      ? .object([
        "store": "PADDLE", "paddleCustomerId": .string(code.customer),
        "paddleSubscriptionIds": .list([.string(code.subscription)]),
      ])
      : .object([
        "store": "STRIPE", "stripeCustomerId": .string(code.customer),
        "stripeSubscriptionIds": .list([.string(code.subscription)]),
      ])
    return .object([
      "ownership": owner.value,
      "purchaserInfo": .members([
        "appUserId": .string(user), "email": code.email.map { .string($0) },
        "storeIdentifiers": store,
      ]),
      "paywallInfo": code.paywall.flatMap { try? Value.parse(json: $0.utf8) } ?? .null,
      "entitlements": .list(entitlements),
    ])
  }
}

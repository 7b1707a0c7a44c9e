internal import Expressions
internal import Pricing
package import Service

/// The transaction that `tollgate-server sandbox-jws` signs.
package struct SandboxReceipt: Sendable {
  /// The identifier of the product; nil for the first product of AgentWallie's config.
  package var product: String?
  package var transactionID: String?
  package var originalTransactionID: String?
  /// The number of days until the purchase expires. Nil if the purchase does not expire, negative if it has already
  /// expired.
  package var days: Int? = 365
  package var isRevoked = false

  /// The valid number of days: up to a hundred years.
  package static let dayRange = -36_500...36_500

  package init() {}

  /// The transaction, signed by the sandbox's own root.
  package func signed(fixtures: Fixtures?) throws -> String {
    try signed(application: try fixtures?.applications.first.map { try SandboxApplication($0) })
  }

  func signed(application: SandboxApplication?) throws -> String {
    let wallie = application?.wallieConfig?["products"]?.elements ?? []
    let known =
      wallie.first { $0["store"]?.text == "apple" }?["store_product_id"]?.text
      ?? application?.products.first { $0.store == .appStore }?.identifier
    var transaction = TestTransaction(
      product: product ?? known ?? "com.myapp.pro.yearly",
      bundle: application?.entry["bundleId"]?.text ?? "com.myapp")
    if let transactionID { transaction.id = transactionID }
    transaction.originalID = originalTransactionID
    transaction.duration = days.map { Int64($0) * WallTime.day }
    transaction.isRevoked = isRevoked
    return try SandboxAuthority().sign(transaction.payload(now: ServiceTime.now()))
  }
}

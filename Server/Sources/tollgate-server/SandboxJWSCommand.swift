internal import ArgumentParser
internal import Sandbox
internal import Service

struct SandboxJWSCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sandbox-jws",
    abstract: "Print a receipt that the sandbox accepts, signed by its own root.",
    discussion: """
      The receipt is an App Store transaction in its compact form. Only sandboxes accept it, because they \
      trust the root certificate that signs it.
      """)

  @Option(
    help: ArgumentHelp(
      "Take the product and the bundle of the first application in these fixtures.",
      valueName: "file"), completion: .file())
  var fixtures: String?

  @Option(help: "The product that was bought.")
  var product: String?

  @Option(help: "The transaction's ID (default: a new ID).")
  var transactionID: String?

  @Option(help: "The ID of the first transaction of its subscription.")
  var originalTransactionID: String?

  @Option(
    parsing: .unconditional,
    help: "The number of days until the purchase expires; negative if it has already expired.")
  var days = 365

  @Flag(help: "The purchase does not expire.")
  var lifetime = false

  @Flag(help: "The store has revoked the purchase.")
  var revoked = false

  func validate() throws {
    guard SandboxReceipt.dayRange.contains(days) else {
      throw ValidationError("--days must be a number from -36500 to 36500")
    }
  }

  func run() async throws {
    var receipt = SandboxReceipt()
    receipt.product = product
    receipt.transactionID = transactionID
    receipt.originalTransactionID = originalTransactionID
    receipt.days = lifetime ? nil : days
    receipt.isRevoked = revoked
    do {
      print(try receipt.signed(fixtures: try fixtures.map { try Fixtures(file: $0) }))
    } catch let error as ServiceError {
      throw ValidationError(error.message)
    }
  }
}

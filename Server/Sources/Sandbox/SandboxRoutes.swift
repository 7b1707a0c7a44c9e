package import GRDB
package import Hummingbird
package import Logging
package import Service

/// What the sandbox backend stands in for.
package struct SandboxOptions: Sendable {
  package var fixtures: Fixtures
  package var limits: RequestLimits
  /// Whether receipts have to be signed by a chain to a root that is known.
  package var verifiesReceipts: Bool
  package var log: Logger

  package init(
    fixtures: Fixtures, limits: RequestLimits = RequestLimits(), verifiesReceipts: Bool = true,
    log: Logger
  ) {
    self.fixtures = fixtures
    self.limits = limits
    self.verifiesReceipts = verifiesReceipts
    self.log = log
  }
}

/// Adds the routes of the backend that apps talk to.
package func addSandboxRoutes(
  to router: Router<ServiceContext>, database: any DatabaseWriter, options: SandboxOptions
) throws {}

/// A receipt for `tollgate-server sandbox-jws`, signed by the sandbox's own root.
package func sandboxReceipt(fixtures: Fixtures, arguments: [String]) throws -> String {
  throw ServiceError.notFound("the sandbox signs no receipts yet")
}

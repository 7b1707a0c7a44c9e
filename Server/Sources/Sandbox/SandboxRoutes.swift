package import CivilTime
internal import Expressions
package import GRDB
internal import HTTPTypes
package import Hummingbird
package import Logging
package import Service

/// The options of the sandbox backend.
package struct SandboxOptions: Sendable {
  package var fixtures: Fixtures
  package var limits: RequestLimits
  /// Whether receipts must be signed by a chain to a known root.
  package var verifiesReceipts: Bool
  /// Roots for receipts in addition to the sandbox's own.
  package var receiptRoots = ReceiptRoots()
  /// The current config of an application and its number, or nil for the config of the fixtures.
  package var currentConfig: @Sendable (_ application: String) -> (number: Int, bytes: [UInt8])? = {
    _ in nil
  }
  /// The token that gives access to everything in the console. Without a token, no request has access.
  package var adminToken: String?
  /// Faults for testing clients.
  package var faults = FaultScript()
  /// The amount of stored data.
  package var kept = KeptRows()
  package var log: Logger
  /// The prefixes of paths that web apps of any origin may request.
  package static let openPaths = ["/api/", "/config-api/", "/subscriptions-api/", "/v2/paywalls/"]
  /// Returns the current time.
  package var now: @Sendable () -> Instant = { ServiceTime.now() }

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

/// The number of rows stored for each application. The oldest rows are deleted when new rows are added.
package struct KeptRows: Sendable {
  /// The number of events. An event that is sent again after it was deleted counts as new.
  package var events = 20_000
  /// The number of checkouts, with their codes that no user has redeemed.
  package var checkouts = 10_000
  /// The number of aliases, of assignments, of redemptions and of transactions.
  package var people = 100_000

  package init() {}
}

/// Adds the routes of the backend that apps use.
///
/// - Returns: the descriptions of the routes.
@discardableResult package func addSandboxRoutes(
  to router: Router<ServiceContext>, database: any DatabaseWriter, options: SandboxOptions
) throws -> [APIOperation] {
  let backend = try SandboxBackend(database: database, options: options)
  let routes = router.group().add(middleware: RequestIDMiddleware())
    .add(middleware: FaultMiddleware(script: options.faults))
  for endpoint in backend.endpoints {
    routes.on(RouterPath(endpoint.route ?? endpoint.path), method: endpoint.method) {
      request, context in
      try await backend.respond(endpoint, request, context)
    }
  }
  backend.addPages(to: routes)
  return backend.operations
}

/// Adds the ID of the request to every response, which clients log.
struct RequestIDMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  private static let name = HTTPField.Name("X-Request-Id")!

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    let id = request.headers[Self.name].flatMap { $0.isEmpty ? nil : $0 } ?? SandboxBackend.secret()
    var response: Response
    do {
      response = try await next(request, context)
    } catch let error as ServiceError {
      response = try error.response(from: request, context: context)
    }
    response.headers[Self.name] = id
    return response
  }
}

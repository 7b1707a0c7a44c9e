internal import Expressions
package import GRDB
internal import HTTPTypes
package import Hummingbird
package import Logging
package import Service

/// What the sandbox backend stands in for.
package struct SandboxOptions: Sendable {
  package var fixtures: Fixtures
  package var limits: RequestLimits
  /// Whether receipts have to be signed by a chain to a root that is known.
  package var verifiesReceipts: Bool
  /// Roots beside the sandbox's own that receipts may be signed under.
  package var receiptRoots = ReceiptRoots()
  /// The config that an application has now, and its number; nil for that of the fixtures.
  package var currentConfig: @Sendable (_ application: String) -> (number: Int, bytes: [UInt8])? = {
    _ in nil
  }
  /// Who holds it may do everything in the console; nobody may without one.
  package var adminToken: String?
  /// What goes wrong on purpose.
  package var faults = FaultScript()
  /// How much is kept.
  package var kept = KeptRows()
  package var log: Logger
  /// How paths begin that web apps ask, whatever their origin.
  package static let openPaths = ["/api/", "/config-api/", "/subscriptions-api/", "/v2/paywalls/"]
  /// Milliseconds since 1970.
  package var now: @Sendable () -> Int64 = { WallTime.now() }

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

/// How much of what comes in is kept of each application. The oldest goes when more comes.
package struct KeptRows: Sendable {
  /// Events; one that is sent again after it is gone counts as new.
  package var events = 20_000
  /// Checkouts, and codes of theirs that nobody has redeemed.
  package var checkouts = 10_000
  /// Aliases, assignments, redemptions and transactions, each.
  package var people = 100_000

  package init() {}
}

/// Adds the routes of the backend that apps talk to.
///
/// - Returns: what there is to say of them.
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

/// Gives every answer the ID of its request, which clients log.
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

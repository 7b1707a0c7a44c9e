internal import CivilTime
internal import Expressions
internal import GRDB
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Service

/// The backend that apps use, for trying out and for tests: every endpoint of the contract, with fictional people,
/// payments and stores.
struct SandboxBackend: Sendable {
  /// The base path of the API of subscriptions.
  static let subscriptions = "/subscriptions-api/public/v1"
  /// The path of a checkout's page.
  static let page = "/sandbox/checkout"
  /// The path of the console.
  static let console = "/sandbox"

  private let served: ServedConfigs
  let store: SandboxStore
  let seal: CheckoutSeal
  let authority: SandboxAuthority
  let verifier: ReceiptVerifier
  let verifiesReceipts: Bool
  let limits: RequestLimits
  let access: Access
  let faults: FaultScript
  let now: @Sendable () -> Instant

  init(database: any DatabaseWriter, options: SandboxOptions) throws {
    served = try ServedConfigs(options)
    store = try SandboxStore(database, keeping: options.kept)
    seal = CheckoutSeal(secret: try store.checkoutSecret())
    authority = try SandboxAuthority()
    verifier = ReceiptVerifier(roots: [authority.root] + options.receiptRoots.certificates)
    verifiesReceipts = options.verifiesReceipts
    limits = options.limits
    access = Access(options.fixtures, adminToken: options.adminToken)
    faults = options.faults
    now = options.now
    try store.seed(applications, now: now())
  }

  /// The applications, each with its current config.
  var applications: [SandboxApplication] { served.applications }

  var endpoints: [Endpoint] {
    configEndpoints + assignmentEndpoints + eventEndpoints + checkoutEndpoints
      + redemptionEndpoints + artifactEndpoints + wallieEndpoints + consoleEndpoints
  }

  // MARK: Authorization

  func application(_ id: String?) -> SandboxApplication? {
    applications.first { $0.id == id }
  }

  func application(publicKey key: String) -> SandboxApplication? {
    guard case .app(let id)? = access.caller(key) else { return nil }
    return application(id)
  }

  /// The application of a request. Throws if the request is not authorized.
  func application(
    _ access: Endpoint.Access, _ request: Request, _ parameters: [String: String]
  ) throws(ServiceError) -> SandboxApplication {
    switch access {
    case .open:
      // The path identifies the application. If the path names no application, any application will do.
      guard let first = applications.first else { throw .unauthorized }
      return first
    case .key: return try bearer(request)
    case .queryKey:
      guard let key = request.uri.queryParameters["pk"] else { return try bearer(request) }
      return try keyed(String(key))
    case .pathKey:
      let key = parameters["key"] ?? ""
      if let application = applications.first(where: { $0.wallieKey == key }) {
        return application
      }
      return try keyed(key)
    case .owner, .ownerOrServer: return try owned(request, parameters, access)
    }
  }

  private func keyed(_ key: String) throws(ServiceError) -> SandboxApplication {
    guard let application = application(publicKey: key) else {
      throw ServiceError(.unauthorized, "unauthorized", "the server does not know this key")
    }
    return application
  }

  private func bearer(_ request: Request) throws(ServiceError) -> SandboxApplication {
    let caller = try access.caller(authorization: request.headers[.authorization])
    guard let application = application(caller.application) else { throw .unauthorized }
    return application
  }

  /// The application of a secret key or, with the admin token, the application that the query or path names.
  private func owned(
    _ request: Request, _ parameters: [String: String], _ access: Endpoint.Access
  ) throws(ServiceError) -> SandboxApplication {
    let named =
      request.uri.queryParameters["application"].map(String.init) ?? parameters["project"]
    switch try self.access.caller(authorization: request.headers[.authorization]) {
    case .owner(let id):
      guard named == nil || named == id, let application = application(id) else {
        throw ServiceError(.forbidden, "forbidden", "the key is of another application")
      }
      return application
    case .admin:
      if named == nil, applications.count > 1, access != .ownerOrServer {
        throw .badRequest("name the application with ?application=ID")
      }
      guard let application = named == nil ? applications.first : application(named) else {
        throw .notFound("there is no application '\(named ?? "")'")
      }
      return application
    case .app:
      throw ServiceError(.forbidden, "forbidden", "this request needs the application's secret key")
    case .nobody: throw .unauthorized
    }
  }

  // MARK: Answering

  func respond(_ endpoint: Endpoint, _ request: Request, _ context: ServiceContext) async throws
    -> Response
  {
    var parameters: [String: String] = [:]
    for (name, value) in context.parameters {
      parameters[String(name)] = String(value).percentDecoded
    }
    if endpoint.route != nil {
      parameters[Endpoint.rest] = context.parameters.getCatchAll().joined(separator: "/")
    }
    let application = try application(endpoint.access, request, parameters)
    if endpoint.hasFaults,
      let fault = faults.next(request.method.rawValue, request.uri.path, of: application.id),
      let response = try await fault.happen(context)
    {
      return response
    }
    var body = Value.null
    if endpoint.method != .get {
      let bytes = try await request.bytes(limits)
      // Requests that only trigger an action, such as the console's buttons, need no body.
      if !bytes.isEmpty || endpoint.needsBody {
        body = try Request.json(bytes, limits)
        guard body.isObject else { throw invalid("the body is \(body.kindInJSON), not an object") }
      }
    }
    var exchange = Exchange(
      application: application, request: request, parameters: parameters, body: body)
    if endpoint.access == .ownerOrServer, request.uri.queryParameters["application"] == nil {
      let caller = try access.caller(authorization: request.headers[.authorization])
      exchange.isForServer = caller == .admin
    }
    let answer = try await endpoint.run(exchange)
    if answer.status == .notModified {
      return Response(status: answer.status, headers: answer.headers)
    }
    return Response(json: answer.json, status: answer.status, headers: answer.headers)
  }
}

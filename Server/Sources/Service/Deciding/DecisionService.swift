internal import Expressions
internal import HTTPTypes
package import Hummingbird
internal import RuleEngine

/// The decision service: the applications, their callers, and the metrics.
package final class DecisionService: Sendable {
  package let options: ServiceOptions
  package let applications: [ServedApplication]
  package let metrics = ServiceMetrics()
  let access: Access
  let store: any StateStore
  let turns = UserTurns()
  /// The last time that the store reported the newest configs.
  let newsTime = Locked(ContinuousClock.now)

  package init(_ options: ServiceOptions, store: any StateStore) async throws {
    self.options = options
    self.store = store
    access = Access(options.fixtures, adminToken: options.adminToken)
    var applications: [ServedApplication] = []
    for application in options.fixtures.applications {
      applications.append(try await ServedApplication(application, options, store))
    }
    self.applications = applications
  }

  /// The current config of an application, and its number.
  package func currentConfig(of application: String) -> (number: Int, bytes: [UInt8])? {
    applications.first { $0.id == application }.map { ($0.current.number, $0.current.bytes) }
  }

  /// How long ago the store answered which configs are the newest, in seconds; nil if no other server publishes any.
  var configAge: Double? {
    guard store.isShared else { return nil }
    let (seconds, attoseconds) = newsTime.withLock { ContinuousClock.now - $0 }.components
    return Double(seconds) + Double(attoseconds / 1_000_000_000_000_000) / 1_000
  }

  // MARK: Access

  /// The caller and the application of a request.
  package func application(
    _ request: Request, for need: Need
  ) throws(ServiceError) -> (application: ServedApplication, caller: Caller) {
    let caller = try access.caller(request)
    switch (caller, need) {
    case (.nobody, .decide) where !options.requiresKeys: break
    case (.nobody, _): throw .unauthorized
    case (.app, .administer):
      throw ServiceError(
        .forbidden, "forbidden",
        "a public key may only decide; this request needs the application's secret key or the admin token"
      )
    case (.app, _), (.owner, _), (.admin, _): break
    }
    let asked = request.uri.queryParameters["application"].map { String($0) }
    if let own = caller.application, let asked, asked != own {
      throw ServiceError(.forbidden, "forbidden", "the key works only for application \(own)")
    }
    guard let id = caller.application ?? asked else {
      if applications.count == 1 { return (applications[0], caller) }
      throw .badRequest("name the application with ?application=ID")
    }
    guard let application = applications.first(where: { $0.id == id }) else {
      throw .notFound("there is no application '\(id)'")
    }
    return (application, caller)
  }

  /// The application that a request administers, or nil for all applications if a request with the admin token names
  /// none.
  func administered(_ request: Request) throws(ServiceError) -> ServedApplication? {
    if request.uri.queryParameters["application"] == nil,
      try access.caller(request) == .admin
    {
      return nil
    }
    return try application(request, for: .administer).application
  }

  /// The purpose of a request.
  package enum Need {
    case decide
    case administer
  }
}

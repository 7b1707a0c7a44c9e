package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
package import ServiceLifecycle
internal import UnixSignals

/// The address and the limits of a server.
package struct ServerSettings: Sendable {
  package var host = "127.0.0.1"
  package var port = 0
  /// The maximum time without data on a connection, in seconds.
  package var idleTimeout = 60
  /// The maximum length of a body in bytes, except for streams.
  package var maxBody = RequestLimits().body
  /// The maximum time for the rest of a body that arrives after its answer and is not read.
  package var patience = RequestLimits().patience
  /// The maximum number of concurrent connections.
  package var connections = 10_000
  /// The maximum number of requests per second from one address, or nil for no limit.
  package var rateLimit: Int?
  /// Allowed web pages: origins such as `https://example.com`, or `*`.
  package var origins: [String] = []
  /// The prefixes of paths that pages of any origin may request if `origins` is empty.
  package var openPaths: [String] = []
  /// Further ports of the same address.
  package var otherPorts: [Int] = []

  package init() {}
}

/// An HTTP server around a router.
package struct Server {
  package let router: Router<ServiceContext>
  private let settings: ServerSettings
  private let known = KnownMethods()
  private let log: Logger

  package init(_ settings: ServerSettings, metrics: ServiceMetrics? = nil, log: Logger) {
    self.settings = settings
    self.log = log
    router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: TraceMiddleware())
    if let metrics { router.add(middleware: ObservingMiddleware(metrics: metrics)) }
    router.add(
      middleware: OriginMiddleware(
        origins: settings.origins, openPaths: settings.openPaths))
    router.add(middleware: ErrorMiddleware())
    if let rate = settings.rateLimit {
      router.add(middleware: RateLimitMiddleware(perSecond: rate))
    }
    router.add(middleware: MethodMiddleware(known: known))
  }

  /// Answers requests until the process receives a signal to stop, or the task is cancelled.
  ///
  /// - Parameters:
  ///   - services: services that run as long as the server does.
  ///   - heedingSignals: whether SIGTERM and SIGINT end the server.
  ///   - ready: called with the port and the address.
  package func run(
    beside services: [any ServiceLifecycle.Service] = [], heedingSignals: Bool = true,
    _ ready: @escaping @Sendable (_ port: Int, _ url: String) -> Void
  ) async throws {
    let settings = settings
    known.take(router)
    let others = settings.otherPorts.map { port -> any ServiceLifecycle.Service in
      application(at: port, beside: []) { _ in }
    }
    let first = application(at: settings.port, beside: others + services) { channel in
      let port = channel.localAddress?.port ?? settings.port
      let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
      ready(port, "http://\(host):\(port)")
    }
    try await first.runService(
      gracefulShutdownSignals: heedingSignals ? [.sigterm, .sigint] : [])
  }

  private func application(
    at port: Int, beside services: [any ServiceLifecycle.Service],
    _ ready: @escaping @Sendable (any Channel) -> Void
  ) -> some ApplicationProtocol {
    let settings = settings
    return Application(
      router: router,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [
            BodyHandler(mostBytes: settings.maxBody, patience: settings.patience)
          ],
          idleTimeout: .seconds(Int64(settings.idleTimeout)))),
      configuration: .init(
        address: .hostname(settings.host, port: port), serverName: "tollgate", backlog: 1_024,
        availableConnectionsDelegate: MaximumAvailableConnections(settings.connections)),
      services: services, onServerRunning: { ready($0) }, logger: log)
  }
}

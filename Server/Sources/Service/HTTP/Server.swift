package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
package import ServiceLifecycle
internal import UnixSignals

/// Where a server listens, and what it takes.
package struct ServerSettings: Sendable {
  package var host = "127.0.0.1"
  package var port = 0
  /// How long a connection may be silent.
  package var idleTimeout = 60
  /// The largest body that is taken, in bytes, but of streams.
  package var maxBody = RequestLimits().body
  /// Connections at once.
  package var connections = 10_000
  /// Requests in a second from one address; nil for as many as come.
  package var rateLimit: Int?
  /// Web pages that may ask: origins such as `https://example.com`, or `*`.
  package var origins: [String] = []

  package init() {}
}

/// An HTTP server around a router.
package struct Server {
  package let router: Router<ServiceContext>
  private let settings: ServerSettings
  private let log: Logger

  package init(_ settings: ServerSettings, metrics: ServiceMetrics? = nil, log: Logger) {
    self.settings = settings
    self.log = log
    router = Router(context: ServiceContext.self)
    if let metrics { router.add(middleware: ObservingMiddleware(metrics: metrics)) }
    if !settings.origins.isEmpty {
      router.add(middleware: OriginMiddleware(origins: settings.origins))
    }
    router.add(middleware: ErrorMiddleware())
    if let rate = settings.rateLimit {
      router.add(middleware: RateLimitMiddleware(perSecond: rate))
    }
  }

  /// Answers requests until the process is told to stop, or the task is cancelled.
  ///
  /// - Parameters:
  ///   - services: what runs as long as the server does.
  ///   - heedingSignals: whether it ends by SIGTERM and SIGINT.
  ///   - ready: called with the port, and where to look.
  package func run(
    beside services: [any ServiceLifecycle.Service] = [], heedingSignals: Bool = true,
    _ ready: @escaping @Sendable (_ port: Int, _ url: String) -> Void
  ) async throws {
    let settings = settings
    let application = Application(
      router: router,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ContinueHandler(mostBytes: settings.maxBody)],
          idleTimeout: .seconds(Int64(settings.idleTimeout)))),
      configuration: .init(
        address: .hostname(settings.host, port: settings.port), serverName: "tollgate",
        backlog: 1_024,
        availableConnectionsDelegate: MaximumAvailableConnections(settings.connections)),
      services: services,
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? settings.port
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        ready(port, "http://\(host):\(port)")
      },
      logger: log)
    try await application.runService(
      gracefulShutdownSignals: heedingSignals ? [.sigterm, .sigint] : [])
  }
}

internal import Expressions
internal import Service

/// The applications of the fixtures with their current configs. A config can be replaced while the server runs.
struct ServedConfigs: Sendable {
  private struct Served: Sendable {
    var number: Int?
    var application: SandboxApplication
  }

  private let fixtures: [Fixtures.Application]
  private let currentConfig: @Sendable (String) -> (number: Int, bytes: [UInt8])?
  private let served: Locked<[Served]>

  init(_ options: SandboxOptions) throws {
    fixtures = options.fixtures.applications
    currentConfig = options.currentConfig
    served = Locked(
      try fixtures.map { Served(number: nil, application: try SandboxApplication($0)) })
  }

  var applications: [SandboxApplication] {
    served.withLock { served in
      for i in served.indices {
        guard let current = currentConfig(served[i].application.id),
          current.number != served[i].number
        else { continue }
        var fixture = fixtures[i]
        fixture.config = current.bytes
        // The decision service has accepted the config, so reading it here succeeds too. Otherwise the previous config
        // stays.
        if let application = try? SandboxApplication(fixture) {
          served[i].application = application
        }
        served[i].number = current.number
      }
      return served.map(\.application)
    }
  }
}

internal import Foundation
package import Logging
internal import ServiceLifecycle

/// Checks periodically whether the files of configs have changed, and loads them. An invalid file changes nothing, and
/// is reported once.
package struct ConfigWatch: ServiceLifecycle.Service {
  private let service: DecisionService
  private let log: Logger
  private let interval: Duration

  package init(_ service: DecisionService, interval: Duration = .seconds(1), log: Logger) {
    self.service = service
    self.interval = interval
    self.log = log
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown {
      var seen: [String: String] = [:]
      for application in service.options.fixtures.applications {
        seen[application.id] = LoadedConfig.hash(of: application.config)
      }
      while !Task.isCancelled {
        for application in service.applications { await look(application, &seen) }
        try? await Task.sleep(for: interval)
      }
    }
  }

  private func look(_ application: ServedApplication, _ seen: inout [String: String]) async {
    guard let path = application.configPath, let data = FileManager.default.contents(atPath: path)
    else { return }
    let bytes = Array(data)
    let hash = LoadedConfig.hash(of: bytes)
    guard seen[application.id] != hash else { return }
    seen[application.id] = hash
    do {
      let text = try await Background.run { try application.candidate(bytes) }
      let loaded = try await application.put(text, by: "file", source: "file", note: path)
      log.info(
        "a config was read again",
        metadata: ["application": "\(application.id)", "version": "\(loaded.number)"])
    } catch {
      let message = (error as? ServiceError)?.message ?? "\(error)"
      log.error(
        "a config file was changed, but the new config cannot be used",
        metadata: ["application": "\(application.id)", "problem": "\(message)"])
    }
  }
}

internal import Expressions
package import Logging
internal import ServiceLifecycle

/// Loads the configs that other servers publish in a shared store. If the store does not answer, the server continues
/// with its current configs.
package struct ConfigFollower: ServiceLifecycle.Service {
  private let service: DecisionService
  private let log: Logger
  /// The maximum delay of a config if its notice is lost.
  private let interval: Duration

  /// - Returns: nil if the store belongs to this server alone.
  package init?(_ service: DecisionService, interval: Duration = .milliseconds(500), log: Logger) {
    guard service.store.isShared else { return nil }
    self.service = service
    self.interval = interval
    self.log = log
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          let newest = try await service.store.newestVersions(waiting: interval)
          for application in service.applications {
            guard let number = newest[application.id] else { continue }
            await take(number, application)
          }
          service.newsTime.withLock { $0 = .now }
        } catch {
          // The pause is random, so that not all servers query a restarted database at the same moment.
          try? await Task.sleep(for: .milliseconds(Int.random(in: 100...500)))
        }
      }
    }
  }

  private func take(_ number: Int, _ application: ServedApplication) async {
    do {
      guard try await application.follow(to: number) else { return }
      log.info(
        "a config was published by another server",
        metadata: ["application": "\(application.id)", "version": "\(number)"])
    } catch {
      log.error(
        "a config that another server published cannot be used",
        metadata: [
          "application": "\(application.id)", "version": "\(number)",
          "problem": "\((error as? ServiceError)?.message ?? "\(error)")",
        ])
    }
  }
}

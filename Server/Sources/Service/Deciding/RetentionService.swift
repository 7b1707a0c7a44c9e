internal import Expressions
package import Logging
internal import ServiceLifecycle

/// Deletes data that is no longer needed, in small batches, and measures the tables. If servers share a database, only
/// one server deletes at a time.
package struct RetentionService: ServiceLifecycle.Service {
  private let service: DecisionService
  private let log: Logger
  private let interval: Duration

  /// The maximum number of batches in one round.
  private static let mostBatches = 50
  /// The pause between batches, in which other transactions can write.
  private static let pause = Duration.milliseconds(50)

  package init(_ service: DecisionService, interval: Duration = .seconds(15), log: Logger) {
    self.service = service
    self.interval = interval
    self.log = log
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          service.metrics.measured(try await service.store.sizes())
          for _ in 0..<Self.mostBatches {
            guard try await deleteOld() else { break }
            try await Task.sleep(for: Self.pause)
          }
        } catch is CancellationError {
        } catch {
          log.warning(
            "expired data could not be deleted",
            metadata: ["problem": "\((error as? ServiceError)?.message ?? "\(error)")"])
        }
        // The pause is random, so that not all servers query a database at the same moment.
        try? await Task.sleep(for: interval * Double.random(in: 0.8...1.2))
      }
    }
  }

  func deleteOld() async throws -> Bool {
    // A server that has received no news of configs may know a smaller limit.
    if let age = service.configAge, age > 5 { return false }
    let now = ServiceTime.now().milliseconds
    return try await service.store.deleteOld(
      Retention(
        oldestAnswer: Instant(milliseconds: now - service.options.keptRequests),
        mostOccurrences: service.applications.reduce(into: [:]) {
          $0[$1.id] = Retention.mostOccurrences(for: $1.current.largestLimit)
        }))
  }
}

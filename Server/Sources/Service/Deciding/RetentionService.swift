internal import Expressions
package import Logging
internal import ServiceLifecycle

/// Deletes what is no longer needed, in small batches, and measures the tables. Of servers with one database, one
/// deletes at a time.
package struct RetentionService: ServiceLifecycle.Service {
  private let service: DecisionService
  private let log: Logger
  private let interval: Duration

  /// Batches of one round.
  private static let mostBatches = 50
  /// The pause between batches, in which others write.
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
        // Not all servers ask a database at one moment.
        try? await Task.sleep(for: interval * Double.random(in: 0.8...1.2))
      }
    }
  }

  func deleteOld() async throws -> Bool {
    // A server that has heard nothing of configs may know a smaller limit.
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

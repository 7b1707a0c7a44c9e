internal import Expressions
internal import RuleEngine

/// Uploads events in batches: `POST /api/v1/events`.
package final class BatchingCollector: EventCollector {
  /// How many events one request carries at most.
  package static let batchSize = 50

  private struct State {
    var waiting: [CollectedEvent] = []
    var isScheduled = false
  }

  private let transport: any Transport
  private let time: any TimeSource
  private let apiKey: String
  private let environment: NetworkEnvironment
  private let interval: Int64
  private let limit: Int
  private let state = Locked(State())

  /// - Parameters:
  ///   - interval: milliseconds for which events are gathered.
  ///   - limit: how many events wait at most while there is no network; the oldest go first.
  package init(
    transport: any Transport, apiKey: String, environment: NetworkEnvironment = .release,
    time: any TimeSource = SystemTime(), interval: Int64 = 20_000, limit: Int = 1_000
  ) {
    self.transport = transport
    self.time = time
    self.apiKey = apiKey
    self.environment = environment
    self.interval = interval
    self.limit = limit
  }

  package func add(_ event: CollectedEvent) {
    let isFirst = state.withLock { state in
      state.waiting.append(event)
      if state.waiting.count > limit { state.waiting.removeFirst(state.waiting.count - limit) }
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { schedule() }
  }

  private func schedule() {
    Task {
      try? await time.sleep(milliseconds: interval)
      state.withLock { $0.isScheduled = false }
      await flush()
    }
  }

  /// Uploads everything that waits. What cannot be sent waits for the next event.
  package func flush() async {
    while true {
      let batch = state.withLock { state -> [CollectedEvent] in
        let batch = Array(state.waiting.prefix(Self.batchSize))
        state.waiting.removeFirst(batch.count)
        return batch
      }
      if batch.isEmpty { return }
      if await !send(batch) {
        return state.withLock { $0.waiting.insert(contentsOf: batch, at: 0) }
      }
    }
  }

  private func send(_ batch: [CollectedEvent]) async -> Bool {
    let events = batch.map { event -> Value in
      .object([
        "event_id": .string(event.id), "event_name": .string(event.name),
        "parameters": event.parameters,
        "created_at": .string(event.createdAt.text ?? ""),
      ])
    }
    var request = HTTPRequest(
      .post, host: .collector, "/api/v1/events",
      headers: [.init("Authorization", "Bearer \(apiKey)")],
      body: .object(["events": .list(events)]))
    request.environment = environment
    let response = try? await transport.send(request)
    return response.map { (200..<300).contains($0.status) } ?? false
  }
}

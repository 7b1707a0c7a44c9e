/// Events that are not uploaded yet, oldest first.
package struct Uploads: Sendable {
  /// The maximum number of events in a request.
  package static let batchSize = 50
  /// The maximum number of waiting events. The oldest events are dropped first.
  package static let limit = 1_000
  /// The time for which events are collected, and the maximum pause after failures.
  private static let interval: Int64 = 20_000
  private static let longestPause: Int64 = 600_000

  /// Whether uploads are enabled.
  let isOn: Bool
  private(set) var waiting: [CollectedEvent]
  private var next: Int
  /// The numbers of the events that are being uploaded.
  private(set) var sending: [Int] = []
  /// The number of consecutive failed uploads.
  private(set) var failures = 0
  /// The maximum number of events in the next request.
  private var size = Uploads.batchSize

  package init(isOn: Bool = false, waiting: [CollectedEvent] = []) {
    self.isOn = isOn
    self.waiting = waiting.sorted { $0.number < $1.number }
    next = (self.waiting.last?.number ?? 0) + 1
  }

  /// The time to wait before the next request, in milliseconds.
  var pause: Int64 {
    failures == 0 ? Self.interval : min(Self.interval << min(failures, 10), Self.longestPause)
  }

  /// Whether enough events wait to upload immediately.
  var isFull: Bool { waiting.count >= Self.batchSize && failures == 0 }

  mutating func newNumber() -> Int {
    next += 1
    return next - 1
  }

  /// - Returns: the numbers of the events that were dropped to make room.
  mutating func add(_ event: CollectedEvent) -> [Int] {
    waiting.append(event)
    guard waiting.count > Self.limit else { return [] }
    let dropped = waiting.prefix(waiting.count - Self.limit).map(\.number)
    waiting.removeFirst(dropped.count)
    return dropped
  }

  mutating func begin() -> [CollectedEvent] {
    let batch = Array(waiting.prefix(size))
    sending = batch.map(\.number)
    return batch
  }

  /// - Returns: the numbers of the events that the backend has accepted.
  mutating func succeed() -> [Int] {
    let sent = Set(sending)
    waiting.removeAll { sent.contains($0.number) }
    defer { (sending, failures, size) = ([], 0, Self.batchSize) }
    return sending
  }

  mutating func fail() {
    sending = []
    failures += 1
  }

  /// Handles a rejection by the backend. The next request has half as many events. A single rejected event is dropped,
  /// so that other events can follow.
  ///
  /// - Returns: the number of the dropped event, if any.
  mutating func refuse() -> [Int] {
    if sending.count <= 1 { return succeed() }
    size = sending.count / 2
    fail()
    return []
  }

  /// - Returns: the numbers of the removed events.
  mutating func remove(where isLeftOut: (CollectedEvent) -> Bool) -> [Int] {
    defer { waiting.removeAll(where: isLeftOut) }
    return waiting.filter(isLeftOut).map(\.number)
  }
}

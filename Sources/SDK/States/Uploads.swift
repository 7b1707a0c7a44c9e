/// Events that the backend has not got yet, oldest first.
package struct Uploads: Sendable {
  /// How many events one request carries at most.
  package static let batchSize = 50
  /// How many wait at most; the oldest go first.
  package static let limit = 1_000
  /// How long events are collected, and the maximum pause after failures.
  private static let interval: Int64 = 20_000
  private static let longestPause: Int64 = 600_000

  /// Whether anything is uploaded.
  let isOn: Bool
  private(set) var waiting: [CollectedEvent]
  private var next: Int
  /// The numbers of those that are on their way.
  private(set) var sending: [Int] = []
  /// How often in a row the backend has not taken them.
  private(set) var failures = 0
  /// How many events the next request carries at most.
  private var size = Uploads.batchSize

  package init(isOn: Bool = false, waiting: [CollectedEvent] = []) {
    self.isOn = isOn
    self.waiting = waiting.sorted { $0.number < $1.number }
    next = (self.waiting.last?.number ?? 0) + 1
  }

  /// How long to wait before the next request, in milliseconds.
  var pause: Int64 {
    failures == 0 ? Self.interval : min(Self.interval << min(failures, 10), Self.longestPause)
  }

  /// Whether a request is worth it now.
  var isFull: Bool { waiting.count >= Self.batchSize && failures == 0 }

  mutating func newNumber() -> Int {
    next += 1
    return next - 1
  }

  /// - Returns: the numbers of those that are given up for it.
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

  /// - Returns: the numbers of those that the backend has now.
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

  /// The backend rejects the events. Half as many are sent next, down to a single event. That one
  /// is dropped, so that the others can follow.
  ///
  /// - Returns: the number of the one that is given up.
  mutating func refuse() -> [Int] {
    if sending.count <= 1 { return succeed() }
    size = sending.count / 2
    fail()
    return []
  }

  /// - Returns: the numbers of those that are left out.
  mutating func remove(where isLeftOut: (CollectedEvent) -> Bool) -> [Int] {
    defer { waiting.removeAll(where: isLeftOut) }
    return waiting.filter(isLeftOut).map(\.number)
  }
}

internal import RuleEngine

/// What happened, as far as rules can ask for it. Times are milliseconds since 1970, oldest first.
package struct EventHistory: Hashable, Sendable {
  /// By key of the occurrence limit.
  private(set) var occurrences: [String: [Int64]] = [:]
  /// By name of the placement or of the SDK's event.
  private(set) var events: [String: [Int64]] = [:]
  /// How many times of one name are kept; the oldest go first.
  var limit = 1_000

  /// Events that a reset of the user does not forget: they are about the app.
  static let keptAtReset: Set<String> = ["app_install", "app_launch"]

  init() {}

  init(_ entries: some Sequence<EventLogEntry>) {
    for entry in entries { add(entry) }
  }

  mutating func add(_ entry: EventLogEntry) {
    switch entry {
    case .event(let name, let time): append(time, to: &events[name, default: []])
    case .occurrence(let key, let time): append(time, to: &occurrences[key, default: []])
    }
  }

  private func append(_ time: Int64, to times: inout [Int64]) {
    times.append(time)
    if times.count > limit { times.removeFirst(times.count - limit) }
  }

  mutating func reset() {
    occurrences = [:]
    events = events.filter { EventHistory.keptAtReset.contains($0.key) }
  }

  /// In the engine's form.
  var forDeciding: [DecisionState.Occurrences] {
    occurrences.map { DecisionState.Occurrences(key: $0.key, times: $0.value) }
  }
}

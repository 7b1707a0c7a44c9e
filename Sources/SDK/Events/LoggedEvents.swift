package import CivilTime
internal import RuleEngine

/// What happened, as far as rules can ask for it, oldest first.
package struct LoggedEvents: Hashable, Sendable {
  /// By key of the occurrence limit.
  package private(set) var occurrences: [String: [Instant]] = [:]
  /// By name of the placement or of the SDK's event.
  package private(set) var events: [String: [Instant]] = [:]
  /// How many times of one name are kept; the oldest go first.
  private static let limit = 1_000

  package init() {}

  init(_ entries: some Sequence<EventLogEntry>) {
    for entry in entries { add(entry) }
  }

  package mutating func add(_ entry: EventLogEntry) {
    switch entry {
    case .event(let name, let time): Self.append(time, to: &events[name, default: []])
    case .occurrence(let key, let time): Self.append(time, to: &occurrences[key, default: []])
    }
  }

  /// Static, so that nothing else holds the dictionary while it grows: it would be copied.
  private static func append(_ time: Instant, to times: inout [Instant]) {
    times.append(time)
    if times.count > limit { times.removeFirst(times.count - limit) }
  }

  /// Forgets a user: occurrences, and all events but those named.
  package mutating func reset(keeping names: [String]) {
    occurrences = [:]
    events = events.filter { names.contains($0.key) }
  }

  /// In the engine's form, for what rules ask about events.
  var eventHistory: EventHistory { EventHistory(events) }

  /// In the engine's form.
  var forDeciding: [DecisionState.Occurrences] {
    occurrences.map { DecisionState.Occurrences(key: $0.key, times: $0.value) }
  }
}

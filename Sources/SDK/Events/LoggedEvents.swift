internal import CivilTime
internal import RuleEngine

/// The part of the event history that rules need. The storage contains the complete history.
package struct LoggedEvents: Sendable {
  private struct Told: Sendable {
    var name: String
    var log = StorageLog()
  }

  /// The events by the name of their log in the storage.
  private var events: [String: Told] = [:]
  private var occurrences: [String: Told] = [:]
  /// The logs that are loaded or being loaded; nil means all logs.
  private var known: Set<String>?
  /// The logs that survive a reset while they are being loaded; nil means all logs.
  private var kept: Set<String>?
  private(set) var isLoading = false

  /// - Parameter isComplete: false if the storage may contain earlier events.
  package init(isComplete: Bool = true) { known = isComplete ? nil : [] }

  package mutating func add(_ entry: EventLogEntry) {
    switch entry {
    case .event(let name, let time):
      let key = StorageKey.event(name)
      if known?.contains(key) ?? true { events[key, default: Told(name: name)].log.append(time) }
    case .occurrence(let name, let time):
      let key = StorageKey.occurrence(name)
      if known?.contains(key) ?? true {
        occurrences[key, default: Told(name: name)].log.append(time)
      }
    }
  }

  /// Deletes a user's occurrences and events, except events with the given names.
  package mutating func reset(keeping names: [String]) {
    let names = Set(names.map { StorageKey.event($0) })
    occurrences = [:]
    events = events.filter { names.contains($0.key) }
    if isLoading { kept = names }
  }

  /// The number of events of this name.
  package func count(ofEvent name: String) -> Int {
    events[StorageKey.event(name)]?.log.times.count ?? 0
  }

  package func count(ofOccurrence key: String) -> Int {
    occurrences[StorageKey.occurrence(key)]?.log.times.count ?? 0
  }

  // MARK: Loading

  /// The logs that must be loaded before rules can run.
  func missing(for needs: HistoryNeeds) -> HistoryNeeds {
    guard let known else { return HistoryNeeds(logs: []) }
    guard let logs = needs.logs else { return needs }
    return HistoryNeeds(logs: logs.filter { !known.contains($0) })
  }

  /// Begins to load logs. Later events are not part of the loaded logs.
  mutating func beginLoading(_ needs: HistoryNeeds) {
    (isLoading, kept) = (true, nil)
    guard let logs = needs.logs else {
      known = nil
      return
    }
    known?.formUnion(logs)
  }

  mutating func finishLoading(_ logs: [String: StorageLog]) {
    isLoading = false
    for (key, log) in logs where kept?.contains(key) ?? true {
      if key.hasPrefix(StorageKey.event) {
        put(log, key, StorageKey.event, &events)
      } else if key.hasPrefix(StorageKey.occurrence) {
        put(log, key, StorageKey.occurrence, &occurrences)
      }
    }
    kept = nil
  }

  private func put(
    _ log: StorageLog, _ key: String, _ prefix: String, _ all: inout [String: Told]
  ) {
    var log = log
    if let since = all[key]?.log { log.append(since) }
    all[key] = Told(name: StorageKey.unescape(key.dropFirst(prefix.count)), log: log)
  }

  // MARK: Asking

  /// The event history in the rule engine's form, for expressions about events.
  func eventHistory(of needs: HistoryNeeds) -> EventHistory {
    let told = needs.logs.map { $0.compactMap { events[$0] } } ?? Array(events.values)
    return EventHistory(told.map { ($0.name, $0.log.times, $0.log.earlier) })
  }

  /// The occurrences in the rule engine's form.
  var forDeciding: [DecisionState.Occurrences] {
    occurrences.values.map { DecisionState.Occurrences(key: $0.name, times: $0.log.times) }
  }
}

/// The logs that a config's rules read. Nil means all logs.
package struct HistoryNeeds: Hashable, Sendable {
  package var logs: [String]?

  init(logs: [String]?) { self.logs = logs }

  init(of rules: RuleSet, in config: Config) {
    guard rules.readsEvents else {
      logs = Self.limits(of: config)
      return
    }
    logs = rules.eventNames.map { $0.map { StorageKey.event($0) } + Self.limits(of: config) }
  }

  private static func limits(of config: Config) -> [String] {
    var keys: [String] = []
    var seen: Set<String> = []
    for audience in config.placements.lazy.flatMap(\.audiences) {
      guard let limit = audience.occurrenceLimit else { continue }
      let key = StorageKey.occurrence(limit.key)
      if seen.insert(key).inserted { keys.append(key) }
    }
    return keys
  }

  var isEmpty: Bool { logs?.isEmpty ?? false }
}

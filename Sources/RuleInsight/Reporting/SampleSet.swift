internal import Expressions
internal import RuleEngine

/// Values for testing an expression.
struct Sample {
  /// The values of attributes by path; nil for a missing attribute.
  var values: [(path: AttributePath, value: Value?)] = []
  var events: Events = []

  typealias Events = [(name: String, minutesAgo: [Int])]

  /// The fixed time at which samples are evaluated.
  static let clock = HistoryClock(now: 1_767_225_600_000)

  /// The roots that every sample has.
  static let roots = ["user", "device", "params"]

  /// The attributes as a map of roots.
  var attributes: Value {
    let context = ContextTree()
    for root in Sample.roots { context.set([root], to: .map([])) }
    for (path, value) in values {
      if let value { context.set(path.names[...], to: value) }
    }
    return context.value
  }

  /// The sample with the same events and only the values at some indices.
  func keeping(_ places: [Int]) -> Sample {
    Sample(values: places.map { values[$0] }, events: events)
  }

  var history: EventHistory {
    var history = EventHistory()
    for (name, ages) in events {
      history.record(name, at: ages.map { Sample.clock.now - Int64($0) * 60_000 })
    }
    return history
  }

  /// Whether the sample sets an attribute, a nested attribute, or one that contains it.
  func settles(_ path: AttributePath) -> Bool {
    values.contains {
      $0.path.names.starts(with: path.names) || path.names.starts(with: $0.path.names)
    }
  }

  /// The sample with a value for an attribute that it does not set yet.
  func changed(_ path: AttributePath, to value: Value) -> Sample {
    var changed = self
    changed.values.append((path, value))
    return changed
  }

  /// The sample with the additional attributes of a context.
  func joined(behind context: Value) -> Sample {
    var joined = self
    joined.values = []
    for (root, value) in context.members ?? [] {
      if case .map = value {
        joined.values += (value.members ?? []).map { (AttributePath([root, $0.key]), $0.value) }
      } else {
        joined.values.append((AttributePath([root]), value))
      }
    }
    joined.values += values
    return joined
  }
}

/// A map that is built path by path. Adding a path takes time proportional to its length.
private final class ContextTree {
  /// The value that was set here; nil for a map of children.
  private var leaf: Value?
  private var children: [(name: String, tree: ContextTree)] = []
  private var places: [String: Int] = [:]

  /// Sets a value at a path of names. Existing values that are not maps stay unchanged.
  func set(_ names: ArraySlice<String>, to value: Value) {
    guard let name = names.first else {
      setHere(value)
      return
    }
    guard leaf == nil else { return }
    if let place = places[name] {
      children[place].tree.set(names.dropFirst(), to: value)
    } else {
      let child = ContextTree()
      child.set(names.dropFirst(), to: value)
      places[name] = children.count
      children.append((name, child))
    }
  }

  private func setHere(_ value: Value) {
    leaf = nil
    children = []
    places = [:]
    guard case .map(let entries) = value else {
      leaf = value
      return
    }
    for entry in entries {
      if let name = entry.key.text { set([name], to: entry.value) }
    }
  }

  var value: Value {
    leaf
      ?? .map(children.map { Value.Entry(key: .string($0.name), value: $0.tree.value) })
  }
}

/// The samples for a part of an expression: combinations of values of its attributes and of events.
struct SampleSet {
  private(set) var all: [Sample] = []

  /// - Parameter values: the values of an attribute, the simplest first.
  init(
    attributes: [AttributePath], histories: [Sample.Events], limit: Int,
    values: (AttributePath) -> [Value]
  ) {
    // A map that contains another path is created by that path.
    let leaves = SampleSet.leaves(of: attributes)
    let most = max(limit / histories.count, 1)
    // Values beyond the limit are never used.
    let choices = leaves.map { Array(values($0).prefix(most)) }
    let combinations =
      choices.count > 1
      ? SampleSet.combinations(of: choices.map(SampleSet.interleaved), limit: most)
      : [choices.map { _ in nil }] + (choices.first ?? []).map { [$0] }
    for events in histories {
      for chosen in combinations where all.count < limit {
        all.append(Sample(values: zip(leaves, chosen).map { ($0, $1) }, events: events))
      }
    }
  }

  /// The attributes that are not a prefix of another path, in order.
  static func leaves(of attributes: [AttributePath]) -> [AttributePath] {
    var inner: Set<ArraySlice<String>> = []
    for path in attributes {
      for count in 0..<path.names.count { inner.insert(path.names[..<count]) }
    }
    return attributes.filter { !inner.contains($0.names[...]) }
  }

  /// The values, reordered so that the first value of each type comes before the second value of
  /// any type.
  static func interleaved(_ values: [Value]) -> [Value] {
    var counts: [Int: Int] = [:]
    var places: [Int] = []
    for value in values {
      places.append(counts[value.kind, default: 0])
      counts[value.kind, default: 0] += 1
    }
    return values.indices.sorted { (places[$0], $0) < (places[$1], $1) }.map { values[$0] }
  }

  /// Combinations of values for several attributes; nil means a missing attribute. Combinations of
  /// early values with few attributes come first. If there are too many, half of them are replaced
  /// with combinations in which all attributes, or all but one, have the same value, because
  /// conditions may compare attributes with each other.
  static func combinations(of choices: [[Value]], limit: Int) -> [[Value?]] {
    let count = choices.reduce(1) { count, values in
      count > limit ? count : count * (values.count + 1)
    }
    let most = count > limit ? limit / 2 + 1 : limit
    var found: [[Value?]] = []
    var chosen: [Value?] = Array(repeating: nil, count: choices.count)
    for rank in 0...choices.reduce(0, { $0 + $1.count }) where found.count < most {
      add(rank, 0, &chosen, choices, most, &found)
    }
    let present = found.map { values in values.count { $0 != nil } }
    found = found.indices.sorted { (present[$0], $0) < (present[$1], $1) }.map { found[$0] }
    guard count > limit, let values = choices.max(by: { $0.count < $1.count }) else { return found }
    for value in values where found.count < limit - limit / 4 {
      found.append(choices.map { _ in value })
    }
    for other in values {
      for (place, values) in choices.enumerated() {
        for value in values where value != other && found.count < limit {
          var chosen: [Value?] = choices.map { _ in other }
          chosen[place] = value
          found.append(chosen)
        }
      }
    }
    return found
  }

  /// Adds the combinations in which the indexes of the values have a certain sum.
  private static func add(
    _ rank: Int, _ attribute: Int, _ chosen: inout [Value?], _ choices: [[Value]], _ limit: Int,
    _ found: inout [[Value?]]
  ) {
    guard found.count < limit else { return }
    if rank == 0 || attribute == choices.count {
      if rank == 0 { found.append(chosen) }
      return
    }
    for place in stride(from: min(rank, choices[attribute].count), through: 0, by: -1) {
      chosen[attribute] = place > 0 ? choices[attribute][place - 1] : nil
      add(rank - place, attribute + 1, &chosen, choices, limit, &found)
    }
    chosen[attribute] = nil
  }

  // MARK: Events

  /// Histories in which the events of the questions never happened, or happened some time ago, or
  /// happened a number of times that the expression mentions.
  static func histories(for questions: [HostQuestion], _ constants: [Value]) -> [Sample.Events] {
    var names: [String] = []
    for case .text(let name) in questions.map({ $0.argument }) where !name.isEmpty {
      if !names.contains(name) { names.append(name) }
    }
    guard !names.isEmpty else { return [[]] }
    let ages = [5, 125, 26 * 60, 8 * 1_440, 40 * 1_440, 400 * 1_440]
    var histories: [Sample.Events] = [[]]
    histories += ages.map { age in names.map { ($0, [age]) } }
    for case .int(let count) in constants where 1...100 ~= count {
      histories.append(names.map { ($0, Array(repeating: 5, count: Int(count))) })
      histories.append(names.map { ($0, Array(repeating: 5, count: Int(count) + 1)) })
    }
    histories.append([("trigger_fire", [5])])
    return histories
  }
}

extension Value {
  /// The type of a value, if languages treat types differently.
  fileprivate var kind: Int {
    switch self {
    case .int, .uint: 0
    case .double: 1
    case .string: 2
    case .bool: 3
    case .list: 4
    case .map: 5
    default: 6
    }
  }
}

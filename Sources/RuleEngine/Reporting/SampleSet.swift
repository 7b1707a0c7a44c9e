internal import Expressions

/// Values to try an expression with.
struct Sample {
  /// Values by path; nil for an attribute that is not there.
  var values: [(path: AttributePath, value: Value?)] = []
  var events: [(name: String, minutesAgo: [Int])] = []

  /// Samples are taken at a fixed time.
  static let clock = HistoryClock(now: 1_767_225_600_000)

  /// The attributes as a map of roots.
  var attributes: Value {
    let context = ContextTree()
    for root in ["user", "device", "params"] { context.set([root], to: .map([])) }
    for (path, value) in values {
      if let value { context.set(path.names[...], to: value) }
    }
    return context.value
  }

  /// The same events and only some of the values, by their places.
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

  /// Whether the sample says something of an attribute.
  func sets(_ path: AttributePath) -> Bool { values.contains { $0.path == path } }

  func joined(with other: Sample) -> Sample {
    Sample(values: values + other.values, events: events + other.events)
  }
}

/// A map that is built path by path, each in the time that the path takes.
private final class ContextTree {
  /// What was set here; nil for a map of children.
  private var leaf: Value?
  private var children: [(name: String, tree: ContextTree)] = []
  private var places: [String: Int] = [:]

  /// Puts a value under a path of names; values that are not maps stay as they are.
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

/// The samples for an expression: combinations of what its constants suggest for every attribute
/// and every question about events.
struct SampleSet {
  private(set) var all: [Sample] = []

  init(
    attributes: [AttributePath], questions: [HostQuestion], constants: [Value], limit: Int
  ) {
    // A map that another path leads through is made by that path.
    let leaves = SampleSet.leaves(of: attributes)
    // The first attribute alone takes as many samples as there are values: more than the limit are
    // never used.
    let values = SampleSet.values(for: constants, limit: limit)
    let histories = SampleSet.histories(for: questions, constants)
    let count = leaves.reduce(histories.count) { count, _ in
      count > limit ? count : count * (values.count + 1)
    }
    for history in histories where all.count < limit {
      let base = Sample(values: leaves.map { ($0, nil) }, events: history)
      if count <= limit {
        addProduct(base, leaves.count, values)
      } else {
        addVariations(base, leaves.count, values, limit)
      }
    }
    if all.count > limit { all.removeLast(all.count - limit) }
  }

  /// The attributes that no other path leads through, in their order.
  static func leaves(of attributes: [AttributePath]) -> [AttributePath] {
    var inner: Set<ArraySlice<String>> = []
    for path in attributes {
      for count in 0..<path.names.count { inner.insert(path.names[..<count]) }
    }
    return attributes.filter { !inner.contains($0.names[...]) }
  }

  /// Combinations of values with which clauses may hold: for every attribute the constants that it
  /// is compared with, their neighbours, and its not being there.
  static func combinations(
    of attributes: [(path: AttributePath, constants: [Value])], limit: Int
  ) -> [Sample] {
    var samples = [Sample()]
    for (path, constants) in attributes {
      var values: [Value?] = constants.prefix(3).map { $0 }
      values += constants.prefix(2).flatMap { twins(of: $0).suffix(2) }.map { $0 }
      values.append(nil)
      let most = max(1, limit / max(samples.count, 1))
      if most == 1 {
        for i in samples.indices { samples[i].values.append((path, values[0])) }
        continue
      }
      samples = values.prefix(most).flatMap { value in
        samples.map { $0.joined(with: Sample(values: [(path, value)])) }
      }
    }
    return Array(samples.prefix(limit))
  }

  /// All combinations; those with few attributes come first.
  private mutating func addProduct(_ base: Sample, _ count: Int, _ values: [Value]) {
    var samples = [base]
    for i in 0..<count {
      samples += samples.flatMap { sample in
        values.map { value in
          var next = sample
          next.values[i].value = value
          return next
        }
      }
    }
    all += samples
  }

  /// One attribute at a time, beside others that are missing, or that all have one value.
  private mutating func addVariations(
    _ base: Sample, _ count: Int, _ values: [Value], _ limit: Int
  ) {
    all.append(base)
    let others: [Value?] = [nil] + values.map { $0 }
    for other in others {
      for i in 0..<count {
        for value in values {
          guard all.count < limit else { return }
          var sample = base
          for j in 0..<count { sample.values[j].value = j == i ? value : other }
          all.append(sample)
        }
      }
    }
  }

  // MARK: Values

  /// Values that constants suggest, and those that languages take in different ways, each once;
  /// none of the latter when there are more constants than the limit.
  private static func values(for constants: [Value], limit: Int) -> [Value] {
    var values: [Value] = []
    var seen: Set<Value> = []
    func add(_ more: [Value]) {
      for value in more where seen.insert(value).inserted { values.append(value) }
    }
    add(Array(constants.prefix(limit + 1)))
    for constant in constants where values.count <= limit { add(twins(of: constant)) }
    guard values.count <= limit else { return values }
    add([.null, "", 0, 1.5, true, false, "true", "a", 3_000_000_000])
    add([.list([]), .list(Array(constants.prefix(3))), .map([])])
    return values
  }

  /// The same number or text in another form, and its neighbours.
  private static func twins(of constant: Value) -> [Value] {
    switch constant {
    case .int(let number):
      [
        .double(Double(number)), .string(String(number)), .double(Double(number) + 0.5),
        .int(number &+ 1), .int(number &- 1),
      ]
    case .double(let number):
      [.string("\(number)"), .double(number + 1), .double(number - 1)]
        + (Int64(exactly: number).map { [.int($0)] } ?? [])
    case .string(let text):
      [.string("$" + text), .string(text + "x")]
        + (Int64(text).map { [.int($0)] } ?? Double(text).map { [.double($0)] } ?? [])
    case .bool(let flag): [.string(flag ? "true" : "false"), .int(flag ? 1 : 0)]
    default: []
    }
  }

  // MARK: Events

  /// Histories in which the events of the questions never happened, or happened some time ago, or
  /// as often as a constant says.
  private static func histories(for questions: [HostQuestion], _ constants: [Value])
    -> [[(name: String, minutesAgo: [Int])]]
  {
    var names: [String] = []
    for case .text(let name) in questions.map(\.argument) where !name.isEmpty {
      if !names.contains(name) { names.append(name) }
    }
    guard !names.isEmpty else { return [[]] }
    let ages = [5, 125, 26 * 60, 8 * 1_440, 40 * 1_440, 400 * 1_440]
    var histories: [[(name: String, minutesAgo: [Int])]] = [[]]
    histories += ages.map { age in names.map { ($0, [age]) } }
    for case .int(let count) in constants where 1...100 ~= count {
      histories.append(names.map { ($0, Array(repeating: 5, count: Int(count))) })
      histories.append(names.map { ($0, Array(repeating: 5, count: Int(count) + 1)) })
    }
    histories.append([("trigger_fire", [5])])
    return histories
  }
}

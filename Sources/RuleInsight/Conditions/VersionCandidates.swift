internal import Expressions
internal import RuleEngine

/// Values that versions of an SDK may treat differently: the values in a placement's conditions and
/// their neighbors, each as a string and as a number.
struct VersionCandidates {
  private var paths: [[String]] = []
  /// For each path, the values near the constants of the conditions that read the path.
  private var values: [[Value]] = []

  private static let mostPaths = 64
  private static let mostValues = 48
  private static let mostRecords = 8
  private static let mostUsers = 3_000

  init(_ ruleSets: [RuleSet], at placement: String) {
    var places: [[String]: Int] = [:]
    for part in ruleSets.compactMap({ $0.part(placement) }) {
      let storage = part.program.storage
      for entry in part.rules.compactMap({ $0.entry }) {
        let root = storage.rootNodes[entry.source]
        let constants = storage.graph.nodes(below: root)
          .compactMap { storage.graph.constant($0) }.filter { $0.isValue }.map { Value($0) }
        for path in part.program.attributes(of: entry) where path.names.count > 1 {
          let place = places[path.names] ?? paths.count
          if place == paths.count {
            guard place < Self.mostPaths else { continue }
            places[path.names] = place
            paths.append(path.names)
            values.append([])
          }
          for constant in constants { add(constant, to: &values[place]) }
        }
      }
    }
    for place in values.indices {
      for value in [0, "0", "true", "false", "", .null] as [Value] {
        add(one: value, to: &values[place])
      }
    }
  }

  private func add(_ constant: Value, to values: inout [Value]) {
    switch constant {
    case .int(let number):
      for near in [number, number &+ 1, number &- 1] {
        add(one: .string("\(near)"), to: &values)
        add(one: .int(near), to: &values)
      }
      // Equal to the number only for versions that read strings of digits as numbers.
      add(one: .string("0\(number)"), to: &values)
    case .double(let number):
      for near in [number, number + 1, number - 1] {
        add(one: .string("\(near)"), to: &values)
        add(one: .double(near), to: &values)
      }
    case .string(let text):
      add(one: constant, to: &values)
      if let number = Int64(text) {
        add(.int(number), to: &values)
      } else if let number = Double(text) {
        add(.double(number), to: &values)
      }
    case .list(let elements): for element in elements { add(element, to: &values) }
    default: break
    }
  }

  private func add(one value: Value, to values: inout [Value]) {
    if values.count < Self.mostValues, !values.contains(value) { values.append(value) }
  }

  /// Users that differ from the given users in one attribute.
  func users(near records: [Value]) -> [Value] {
    let users = records.prefix(Self.mostRecords).lazy.flatMap { record in
      zip(paths, values).lazy.flatMap { path, values in
        values.lazy.map { record.setting(path[...], to: $0) }
      }
    }
    return Array(users.prefix(Self.mostUsers))
  }

  /// Random users that may differ from a user in any attributes. Every call returns the same users.
  func randomUsers(_ count: Int, from record: Value) -> [Value] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    return (0..<count).map { _ in
      zip(paths, values).reduce(record) { user, next in
        random(4) == 0 ? user : user.setting(next.0[...], to: next.1[random(next.1.count)])
      }
    }
  }
}

internal import Expressions
internal import RuleEngine

/// Values that versions of an SDK may treat differently: the values in a placement's conditions,
/// their neighbors, and all of them as strings and as numbers.
struct VersionCandidates {
  private var paths: [[String]] = []
  private var values: [Value] = []

  private static let mostPaths = 24
  private static let mostValues = 48
  private static let mostRecords = 8

  init(_ ruleSets: [RuleSet], at placement: String) {
    for part in ruleSets.compactMap({ $0.part(placement) }) {
      for path in part.program.requirements
      where path.names.count > 1 && !paths.contains(path.names) && paths.count < Self.mostPaths {
        paths.append(path.names)
      }
      for cell in part.program.storage.graph.constants.cells where cell.isValue { add(Value(cell)) }
    }
    for value in [0, "0", "true", "false", "", .null] as [Value] { add(one: value) }
  }

  private mutating func add(_ constant: Value) {
    switch constant {
    case .int(let number):
      for near in [number, number &+ 1, number &- 1] {
        add(one: .string("\(near)"))
        add(one: .int(near))
      }
    case .double(let number):
      for near in [number, number + 1, number - 1] {
        add(one: .string("\(near)"))
        add(one: .double(near))
      }
    case .string(let text):
      add(one: constant)
      if let number = Int64(text) {
        add(.int(number))
      } else if let number = Double(text) {
        add(.double(number))
      }
    case .list(let elements): for element in elements { add(element) }
    default: break
    }
  }

  private mutating func add(one value: Value) {
    if values.count < Self.mostValues, !values.contains(value) { values.append(value) }
  }

  /// Users that differ from the given users in one attribute.
  func users(near records: [Value]) -> [Value] {
    records.prefix(Self.mostRecords).flatMap { record in
      paths.flatMap { path in values.map { record.setting(path[...], to: $0) } }
    }
  }

  /// Random users that may differ from a user in any attributes. Every call returns the same users.
  func randomUsers(_ count: Int, from record: Value) -> [Value] {
    guard !values.isEmpty else { return [] }
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    return (0..<count).map { _ in
      paths.reduce(record) { user, path in
        random(4) == 0 ? user : user.setting(path[...], to: values[random(values.count)])
      }
    }
  }
}

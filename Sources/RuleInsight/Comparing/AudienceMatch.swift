internal import Expressions
internal import RuleEngine

/// Which audience of a placement in one config corresponds to which audience in another config.
struct AudienceMatch {
  /// The new position of each audience of the old placement; nil for a removed audience.
  private(set) var newOf: [Int?]
  /// The old position of each audience of the new placement; nil for an added audience.
  private(set) var oldOf: [Int?]

  /// Matches audiences by ID, then by experiment, by name, and by condition.
  init(_ old: some Collection<Audience>, _ new: some Collection<Audience>) {
    newOf = Array(repeating: nil, count: old.count)
    oldOf = Array(repeating: nil, count: new.count)
    let (old, new) = (Array(old), Array(new))
    match(old, new) { $0.id.map { Array($0.utf8) } }
    match(old, new) { $0.experimentID.isEmpty ? nil : Array($0.experimentID.utf8) }
    match(old, new) { $0.name.map { Array($0.utf8) } }
    match(old, new) { Condition($0) }
  }

  /// Matches audiences of both sides that have the same key, in order, if neither is matched yet.
  private mutating func match<Key: Hashable>(
    _ old: [Audience], _ new: [Audience], by key: (Audience) -> Key?
  ) {
    var open: [Key: [Int]] = [:]
    for (i, audience) in new.enumerated().reversed() where oldOf[i] == nil {
      if let key = key(audience) { open[key, default: []].append(i) }
    }
    for (i, audience) in old.enumerated() where newOf[i] == nil {
      guard let key = key(audience), let found = open[key]?.popLast() else { continue }
      newOf[i] = found
      oldOf[found] = i
    }
  }

  /// A condition as written.
  private struct Condition: Hashable {
    var expression: [UInt8]?
    var filters: [Filter]

    init(_ audience: Audience) {
      expression = audience.expression.map { Array($0.utf8) }
      filters = audience.filters
    }
  }

  /// Old positions of the audiences that moved: the smallest set without which the order is
  /// unchanged. If there is a choice, later audiences count as unmoved.
  var moved: Set<Int> {
    let kept = newOf.indices.filter { newOf[$0] != nil }
    var before: [Int?] = Array(repeating: nil, count: kept.count)
    // The last position, for each length, of the run that ends earliest in the new order.
    var ends: [Int] = []
    for i in kept.indices {
      let place = newOf[kept[i]] ?? 0
      let length = ends.firstIndex { (newOf[kept[$0]] ?? 0) > place } ?? ends.count
      before[i] = length > 0 ? ends[length - 1] : nil
      if length == ends.count { ends.append(i) } else { ends[length] = i }
    }
    var moved = Set(kept)
    var last = ends.last
    while let i = last {
      moved.remove(kept[i])
      last = before[i]
    }
    return moved
  }
}

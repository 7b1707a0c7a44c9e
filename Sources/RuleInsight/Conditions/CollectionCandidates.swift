internal import Expressions

/// Lists and maps that cover everything that atoms distinguish about collections: the constants
/// that a collection contains, and its number of elements.
struct CollectionCandidates {
  private(set) var lists: [Value] = []
  private(set) var maps: [Value] = []
  /// Whether every combination is covered.
  private(set) var isComplete = true

  private static let mostMembers = 5
  private static let mostElements = 24

  init(_ demands: AttributeDemands) {
    var members = demands.members.map { Value($0) }
    if members.count > Self.mostMembers {
      members.removeLast(members.count - Self.mostMembers)
      isComplete = false
    }
    let largest = demands.sizes.map { $0.nearestDouble.rounded(.up) }.max() ?? 0
    if largest > Double(Self.mostElements) { isComplete = false }
    let most = max(0, Int(min(largest, Double(Self.mostElements)))) + 1
    let fillers = fillers(most + 1, besides: demands.members)
    for choice in 0..<(1 << members.count) {
      let chosen = members.indices.filter { choice >> $0 & 1 == 1 }.map { members[$0] }
      add(chosen, upTo: demands.sizes.isEmpty ? chosen.isEmpty ? 1 : 0 : most, fillers)
    }
    for i in members.indices.dropFirst(Self.mostMembers) { lists.append(.list([members[i]])) }
  }

  /// Adds collections of some members, filled with other elements up to a size.
  private mutating func add(_ members: [Value], upTo size: Int, _ fillers: [Value]) {
    for count in 0...max(size - members.count, 0) {
      let elements = members + fillers.prefix(count)
      lists.append(.list(elements))
      // Map keys are always strings.
      let keys = elements.filter { if case .string = $0 { true } else { false } }
      if keys.count == elements.count {
        maps.append(.map(keys.map { Value.Entry(key: $0, value: true) }))
      }
    }
    // If the members already exceed the size, one longer list is added.
    if members.count > size, size > 0 { lists.append(.list(members + fillers.prefix(1))) }
  }

  /// Strings that are not among the members.
  private func fillers(_ count: Int, besides members: [Cell]) -> [Value] {
    let texts = Set(members.filter { $0.isText }.map { Array($0.text.utf8) })
    var fillers: [Value] = []
    var number = 1
    while fillers.count < count {
      let text = "other\(number)"
      if !texts.contains(Array(text.utf8)) { fillers.append(.string(text)) }
      number += 1
    }
    return fillers
  }
}

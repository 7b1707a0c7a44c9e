internal import Expressions

/// The position of a string relative to constants: the prefix that it shares with some of them, the
/// constants around it after it diverges, and the constants that are its prefixes.
struct ConstantOrder {
  private struct Node {
    /// The children of a node by letter, in order.
    var children: [(letter: UInt32, node: Int)] = []
    /// The constants that begin with this prefix, as a range in sorted order.
    var constants = 0..<0
    var isConstant = false
    /// The node of the longest constant that this prefix begins with; -1 for none.
    var beginning = -1
  }

  /// A string that is not a prefix of a constant.
  private struct Place: Hashable {
    /// The number of constants that sort before the string.
    var rank: Int
    var beginning: Int
  }

  private var nodes = [Node()]
  private let asksOrder: Bool
  private var numbers: [Place: Int32] = [:]
  private var places: [Place] = []

  /// - Parameter asksOrder: whether more than equality matters.
  init(_ constants: [[UInt32]], asksOrder: Bool) {
    self.asksOrder = asksOrder
    let sorted = Set(constants).sorted { $0.lexicographicallyPrecedes($1) }
    for (rank, constant) in sorted.enumerated() { add(constant, rank) }
    for node in nodes.indices {
      if nodes[node].isConstant { nodes[node].beginning = node }
      for (_, child) in nodes[node].children { nodes[child].beginning = nodes[node].beginning }
    }
  }

  private mutating func add(_ constant: [UInt32], _ rank: Int) {
    var node = 0
    nodes[0].constants = 0..<rank + 1
    for letter in constant {
      // Constants are added in sorted order, so only the last child can match.
      if let last = nodes[node].children.last, last.letter == letter {
        node = last.node
        nodes[node].constants = nodes[node].constants.lowerBound..<rank + 1
      } else {
        nodes[node].children.append((letter, nodes.count))
        node = nodes.count
        nodes.append(Node(constants: rank..<rank + 1))
      }
    }
    nodes[node].isConstant = true
  }

  /// The state after one more letter. The initial state is 0.
  mutating func step(_ state: Int32, _ letter: UInt32) -> Int32 {
    guard Int(state) < nodes.count else { return state }
    let node = nodes[Int(state)]
    var place = Place(
      rank: node.constants.lowerBound + (node.isConstant ? 1 : 0), beginning: node.beginning)
    for (own, child) in node.children {
      if own == letter { return Int32(child) }
      if own > letter { break }
      place.rank = nodes[child].constants.upperBound
    }
    // The string can no longer equal a constant.
    if !asksOrder { place = Place(rank: 0, beginning: -1) }
    if let number = numbers[place] { return number }
    let number = Int32(nodes.count + places.count)
    places.append(place)
    numbers[place] = number
    return number
  }

  /// The properties of a string that ends in a state.
  func ending(_ state: Int32) -> [Int32] {
    guard Int(state) < nodes.count else {
      let place = places[Int(state) - nodes.count]
      return [Int32(place.rank), Int32(place.beginning), 0]
    }
    let node = nodes[Int(state)]
    if node.isConstant || asksOrder {
      return [
        Int32(node.constants.lowerBound), Int32(node.beginning), node.isConstant ? 1 : 0,
      ]
    }
    return [0, -1, 0]
  }
}

internal import Expressions

/// Attributes that cannot be chosen separately: the attributes within one member of a root, such as
/// `user.address` and `user.address.city`, or a host's answer to one question.
struct AttributeGroup {
  /// A name below the group's first node, and its attribute.
  struct Node {
    var name: String
    var slot: Int?
    var children: [Node] = []
  }

  /// The names of the group's first node: a root and its member, a variable, or an undeclared root.
  var path: [String]
  var tree: Node
  var question: HostQuestion?

  /// The groups of a program's attributes, and each slot's group. Whole roots are in no group.
  static func all(of program: Program, _ environment: ExpressionEnvironment)
    -> (groups: [AttributeGroup], groupOf: [Int?])
  {
    var groups: [AttributeGroup] = []
    var places: [[String]: Int] = [:]
    let contents = program.storage.graph.slots.contents
    var groupOf: [Int?] = Array(repeating: nil, count: contents.count)
    for (slot, content) in contents.enumerated() {
      switch content {
      case .everything: continue
      case .question(let question):
        groupOf[slot] = groups.count
        groups.append(
          AttributeGroup(path: [], tree: Node(name: "", slot: slot), question: question))
      case .attribute(let path):
        let isRoot = environment.roots.contains(path.names[0])
        if isRoot, path.names.count == 1 { continue }
        let own = Array(path.names.prefix(isRoot ? 2 : 1))
        let place = places[own] ?? groups.count
        if place == groups.count {
          places[own] = place
          groups.append(AttributeGroup(path: own, tree: Node(name: own[own.count - 1], slot: nil)))
        }
        groupOf[slot] = place
        groups[place].tree.add(path.names.dropFirst(own.count), slot)
      }
    }
    return (groups, groupOf)
  }
}

extension AttributeGroup.Node {
  /// The node at names below this one.
  func node(at path: some Collection<String>) -> AttributeGroup.Node? {
    guard let name = path.first else { return self }
    return children.first { $0.name.utf8.elementsEqual(name.utf8) }?.node(at: path.dropFirst())
  }

  fileprivate mutating func add(_ names: ArraySlice<String>, _ slot: Int) {
    guard let name = names.first else {
      self.slot = slot
      return
    }
    let known = children.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    let place = known ?? children.count
    if known == nil { children.append(AttributeGroup.Node(name: name, slot: nil)) }
    children[place].add(names.dropFirst(), slot)
  }
}

package import Expressions

/// The columns of a table that a program's attributes are read from, and the values for rows in
/// which a column, or a struct that contains it, is NULL.
///
/// The path of an attribute is the column's name, or a path that the caller chooses. The members of
/// a struct are attributes below it. A binding is created once per schema, and batches are read as
/// ``ArrowRows``.
package struct ArrowBinding: Sendable {
  /// The roles of a table's columns.
  package struct Places {
    /// The paths of a column of the table; empty for a column that is not read.
    package var paths: (_ column: String) -> [[String]]
    /// Roots that must be structs, whether or not the program reads them.
    package var objects: [String]
    /// Roots that the caller reads itself.
    package var captures: [String]

    package init(
      objects: [String] = [], captures: [String] = [],
      paths: @escaping (_ column: String) -> [[String]] = { [[$0]] }
    ) {
      self.paths = paths
      self.objects = objects
      self.captures = captures
    }
  }

  /// The source of a value.
  struct Source: Sendable {
    enum Content: Sendable {
      /// A column with its schema.
      case column(ArrowField)
      /// A column of maps or of JSON, and the index in the attribute's path where the names within it begin.
      case below(ArrowField, at: Int)
      /// A map that is made of the columns below one name.
      case group([(name: String, source: Source)])
      /// A constant, because no column has the value, or all its values are NULL.
      case constant(Cell)

      /// Whether the content is the last column of the path, or a value inside this column.
      var isLeaf: Bool {
        switch self {
        case .column, .below: true
        case .group, .constant: false
        }
      }
    }

    /// The name of the value in messages.
    var name: String
    var content: Content
    /// The path to the column, or to the last existing struct on the way, as indices of children.
    var indexes: [Int] = []
    /// The values for NULL at each level: the row, each struct on the way, and the column itself.
    /// There is one more than there are indices.
    var whenNull: [Cell] = [.missing]
    /// The maximum nesting below the value.
    var nesting = 0
    /// The slot that the value fills, and whether the slot only tests presence.
    var slot = -1
    var isPresenceOnly = false
    /// The path of the attribute, if the value is below a column.
    var path: [String] = []
    /// Whether the value is in a JSON record. Rows with JSON records are decided alone.
    var isInRecord = false

    /// The value if the column itself is NULL.
    var valueOfNull: Cell { whenNull[whenNull.count - 1] }
  }

  let program: Program
  let null: ArrowNull
  let table: ArrowField
  let sources: [Source]
  let captures: [Source?]
  /// Roots that are columns of JSON, with their columns.
  let objects: [(key: String, source: Source)]
  /// The columns of the captures; nil for a missing column.
  package let captureFields: [ArrowField?]
  /// Attributes that the program reads and no column has.
  package let missing: [String]
  /// Columns that are not read.
  package let unused: [String]

  package init(
    _ table: ArrowField, for program: Program, null: ArrowNull = .missing, _ places: Places
  ) throws(ArrowError) {
    guard table.type == .structure, table.codes == nil else {
      throw ArrowError("", "is \(table.type.name), and must be a struct of columns")
    }
    self.program = program
    self.null = null
    self.table = table
    var tree = ArrowTree(table, places)
    var objects: [(key: String, source: Source)] = []
    for key in places.objects {
      guard let column = try tree.checkObject(key), column.field.type.isText else { continue }
      objects.append(
        (
          key,
          Source(
            name: column.field.name, content: .column(column.field), indexes: [column.index],
            whenNull: [.missing, .missing], nesting: program.storage.limits.dataNesting)
        ))
    }
    self.objects = objects
    let running = program.storage.prepared()
    var sources: [Source] = []
    var missing: [String] = []
    for (slot, names) in running.attributes {
      let resolved = try tree.resolve(names, null)
      if resolved.isMissing { missing.append(program.name(ofSlot: slot)) }
      sources.append(ArrowBinding.source(resolved, slot, names, program, running, null, places))
    }
    self.sources = sources
    var captures: [Source?] = []
    var fields: [ArrowField?] = []
    for key in places.captures {
      let resolved = try tree.resolve([key], .missing)
      switch resolved.content {
      case .column(let field):
        captures.append(
          Source(
            name: resolved.name, content: resolved.content, indexes: resolved.indexes,
            whenNull: Array(repeating: .missing, count: resolved.indexes.count + 1),
            nesting: program.storage.limits.dataNesting))
        fields.append(field)
      case .group:
        throw ArrowError(key, "must be one column; there are columns below it")
      case .constant, .below:
        captures.append(nil)
        fields.append(nil)
      }
    }
    self.captures = captures
    captureFields = fields
    self.missing = missing
    unused = tree.unused
  }

  /// The source for a slot.
  private static func source(
    _ resolved: ArrowTree.Resolved, _ slot: Int, _ names: [String], _ program: Program,
    _ running: Program.Running, _ null: ArrowNull, _ places: Places
  ) -> Source {
    let binding = program.storage.binding
    let isPresenceOnly = program.storage.graph.slots.slots[slot].isPresenceOnly
    let last = names.count - 1
    var source = Source(name: resolved.name, content: resolved.content, indexes: resolved.indexes)
    source.slot = slot
    source.isPresenceOnly = isPresenceOnly
    source.nesting = program.storage.limits.dataNesting - last
    if case .below = resolved.content { source.path = names }
    /// The value if the container at a depth is missing.
    func absent(_ depth: Int) -> Cell {
      if depth == 0 { return running.defaults[slot] }
      return depth == last ? .missing : .unreachable
    }
    /// The value for null.
    func nullCell(_ depth: Int) -> Cell {
      if depth == 0, places.objects.contains(names[0]) { return running.defaults[slot] }
      if depth < last {
        if depth == last - 1 { return binding.isLenient ? .behindValue : .notAMap }
        return binding.isLenient ? .unreachable : .notAMap
      }
      if isPresenceOnly { return binding.null == .dropped ? .missing : .true }
      var arena = Arena(limit: 0)
      let bound = binding.bound(.null, in: &arena)
      return bound.isValue ? bound : last == 0 ? running.defaults[slot] : .missing
    }
    func whenNull(_ depth: Int) -> Cell { null == .null ? nullCell(depth) : absent(depth) }
    source.whenNull = [running.defaults[slot]]
    for level in resolved.indexes.indices {
      source.whenNull.append(whenNull(resolved.firstDepth + level))
    }
    switch resolved.state {
    case .found: break
    case .absent(let depth): source.content = .constant(absent(depth))
    case .alwaysNull(let depth): source.content = .constant(whenNull(depth))
    case .inRecord:
      source.content = .constant(running.defaults[slot])
      source.isInRecord = true
    }
    return source
  }
}

/// The columns of a table by their paths.
struct ArrowTree {
  /// The result of resolving a path.
  struct Resolved {
    enum State {
      case found
      /// The name at this depth does not exist.
      case absent(Int)
      /// All rows are NULL at this depth.
      case alwaysNull(Int)
      /// The root is a column of JSON.
      case inRecord
    }

    var name: String
    var content = ArrowBinding.Source.Content.constant(.missing)
    var state = State.found
    var indexes: [Int] = []
    /// The depth of the column at the first index.
    var firstDepth = 0

    var isMissing: Bool { if case .absent = state { true } else { false } }
  }

  private struct Node {
    var children: [(name: String, node: Node)] = []
    /// The index of each child by name. The index is needed because tables may have thousands of columns.
    var places: [[UInt8]: Int] = [:]
    /// The columns of the table at this node. More than one column at a node is an error.
    var columns: [Int] = []

    func child(_ name: String) -> Node? { places[Array(name.utf8)].map { children[$0].node } }
  }

  private let table: ArrowField
  /// Roots that may be columns of JSON.
  private let objects: [String]
  private var root = Node()
  private var used: Set<Int> = []

  init(_ table: ArrowField, _ places: ArrowBinding.Places) {
    self.table = table
    objects = places.objects
    for (number, column) in table.children.enumerated() {
      for path in places.paths(column.name) where !path.isEmpty {
        ArrowTree.insert(number, path[...], &root)
      }
    }
  }

  /// Names of columns that were not requested.
  var unused: [String] {
    table.children.indices.filter { !used.contains($0) }.map { table.children[$0].name }
  }

  private static func insert(_ column: Int, _ path: ArraySlice<String>, _ node: inout Node) {
    guard let name = path.first else {
      node.columns.append(column)
      return
    }
    let place = node.places[Array(name.utf8), default: node.children.count]
    if place == node.children.count {
      node.children.append((name, Node()))
      node.places[Array(name.utf8)] = place
    }
    insert(column, path.dropFirst(), &node.children[place].node)
  }

  /// The column at a node; nil if the node is a group of columns.
  private func column(of node: Node, _ path: ArraySlice<String>) throws(ArrowError) -> Int? {
    let name = path.joined(separator: ".")
    guard let column = node.columns.first else { return nil }
    guard node.columns.count == 1 else {
      throw ArrowError(
        name, "matches \(node.columns.count) columns of the table; remove all but one")
    }
    guard node.children.isEmpty else {
      throw ArrowError(name, "is a column, and has columns below it")
    }
    return column
  }

  /// Checks that a root is a struct, a map or JSON.
  ///
  /// - Returns: the root's column; nil if there is none.
  mutating func checkObject(_ name: String) throws(ArrowError) -> (index: Int, field: ArrowField)? {
    guard let node = root.child(name), let column = try column(of: node, [name]) else { return nil }
    let field = table.children[column]
    used.insert(column)
    if field.type == .map, field.codes == nil, let problem = field.problem(field.name) {
      throw problem
    }
    // A root cannot be a plain string, so a string column must contain JSON.
    guard field.canHaveMembers || field.type.isText || field.type == .null && field.codes == nil
    else {
      throw ArrowError(field.name, "must be a struct, a map or JSON, not \(field.kind)")
    }
    return (column, field)
  }

  /// Resolves a path.
  mutating func resolve(_ path: [String], _ null: ArrowNull) throws(ArrowError) -> Resolved {
    var resolved = Resolved(name: path.joined(separator: "."))
    var node = root
    var depth = 0
    while depth < path.count {
      if let column = try column(of: node, path[..<depth]) {
        return try resolve(below: column, path, depth, resolved)
      }
      guard let child = node.child(path[depth]) else {
        resolved.state = .absent(depth)
        return resolved
      }
      node = child
      depth += 1
    }
    if let column = try column(of: node, path[...]) {
      return try resolve(below: column, path, depth, resolved)
    }
    resolved.content = .group(try group(node, path, null))
    return resolved
  }

  /// Resolves the rest of a path, below a column of the table.
  private mutating func resolve(
    below column: Int, _ path: [String], _ start: Int, _ begun: Resolved
  ) throws(ArrowError) -> Resolved {
    var resolved = begun
    var field = table.children[column]
    used.insert(column)
    resolved.indexes = [column]
    resolved.firstDepth = start - 1
    if start == 1, field.type.isText, objects.contains(path[0]) {
      resolved.state = .inRecord
      return resolved
    }
    var name = field.name
    for depth in start..<path.count {
      if field.type == .null {
        resolved.state = .alwaysNull(depth - 1)
        return resolved
      }
      guard field.canHaveMembers else {
        throw ArrowError(
          name,
          "must be a struct, a map or JSON, not \(field.kind): "
            + "rules read '\(path.joined(separator: "."))'"
            + (field.type.isText ? "; if it is JSON, cast it to the type JSON" : ""))
      }
      guard field.type == .structure else {
        if let problem = field.problem(name) { throw problem }
        resolved.name = name
        resolved.content = .below(field, at: depth)
        return resolved
      }
      let found = field.indexes(of: path[depth])
      guard let index = found.first else {
        resolved.state = .absent(depth)
        return resolved
      }
      name += ".\(path[depth])"
      guard found.count == 1 else { throw ArrowError(name, "occurs \(found.count) times") }
      resolved.indexes.append(index)
      field = field.children[index]
    }
    resolved.name = name
    if field.type == .null {
      resolved.state = .alwaysNull(path.count - 1)
    } else if let problem = field.problem(name) {
      throw problem
    } else {
      resolved.content = .column(field)
    }
    return resolved
  }

  /// The columns below a name, as the content of a map.
  private mutating func group(
    _ node: Node, _ path: [String], _ null: ArrowNull
  ) throws(ArrowError) -> [(name: String, source: ArrowBinding.Source)] {
    var members: [(name: String, source: ArrowBinding.Source)] = []
    for child in node.children {
      var resolved = try resolve(path + [child.name], null)
      if case .alwaysNull = resolved.state {
        // A member that is missing in all maps is omitted.
        if null == .missing { continue }
        resolved.content = .constant(.null)
      }
      members.append(
        (
          child.name,
          ArrowBinding.Source(
            name: resolved.name, content: resolved.content, indexes: resolved.indexes,
            whenNull: Array(repeating: .missing, count: resolved.indexes.count + 1))
        ))
    }
    return members
  }
}

extension ArrowField {
  /// Whether rules can read attributes below values of the type.
  fileprivate var canHaveMembers: Bool {
    isJSON || codes == nil && (type == .structure || type == .map)
  }

  /// The name of the type in messages.
  package var kind: String {
    codes == nil ? type.name : "a dictionary of values that are \(type.name)"
  }
}

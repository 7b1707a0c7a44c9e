internal import Expressions

/// Some conditions of a model, and all possible values of their attributes, divided into classes.
/// The space answers questions about the conditions.
package final class ConditionSpace {
  /// A required outcome of a formula node.
  package struct Goal {
    package var node: Int
    package var wanted: OutcomeSet

    package init(_ node: Int, _ wanted: OutcomeSet) {
      self.node = node
      self.wanted = wanted
    }
  }

  /// A search request: find a context that meets the goals, and for which the conditions in
  /// ``sparing`` are false.
  package struct Question {
    package var goals: [Goal]
    /// The numbers of conditions that must be false, without duplicates, the most useful first.
    package var sparing: [Int]

    package init(_ goals: [Goal], sparing: [Int] = []) {
      self.goals = goals
      self.sparing = sparing
    }
  }

  struct Node {
    var kind: ConditionModel.Node.Kind
    var value: Int
    /// The index of the node's first operand in ``operands``.
    var first: Int
    var count: Int
  }

  /// The data for finding the outcome of an atom.
  struct Atom {
    /// The variable, or -1 when the atom has several or none.
    var variable: Int
    var masks: [ClassMask]
    /// Whether the classes of the atom's variable cover all values.
    var isPrecise: Bool
    var possible: OutcomeSet
    /// The size of the masks.
    var words = 0
  }

  let model: ConditionModel
  private(set) var nodes: [Node] = []
  private(set) var operands: [Int] = []
  private(set) var atoms: [Atom] = []
  /// The number of each atom in the model.
  private(set) var modelAtoms: [Int] = []
  /// The groups of attributes that atoms read.
  private(set) var variables: [(group: Int, classes: AttributeClasses)] = []
  private var places: [Int: Int] = [:]
  /// For each node, its number in the last result of ``places(below:)``.
  private(set) var local: [Int] = []
  private var stamps: [Int] = []
  private var stamp = 0
  let tables = OutcomeTables.shared
  /// The number of steps that questions have taken.
  package var steps = 0
  /// The context that fixes everything except the variables; nil if everything is open.
  private(set) var base: AnalysisWitness?
  /// The number of contexts that a question has tried because classes were not enough.
  var tries = 0
  /// The maximum number of contexts that a question about a context tries.
  package var mostTries = 4_000
  /// The allowed classes of each variable; nil for all.
  var limits: [ClassMask?] = [] {
    didSet { isLimited = limits.contains { $0 != nil } }
  }
  /// Whether any variable is limited.
  private(set) var isLimited = false
  /// Variables that have a value in the simplest context.
  private(set) lazy var standing: [Int] = variables.indices.filter { number in
    guard let first = variables[number].classes.values.first else { return false }
    return first != nil
  }
  /// The facts that are known about each condition in this space.
  var settled: [Int: SettledCondition?] = [:]
  /// The last exclusion.
  var excluded = Exclusion()

  /// - Parameter roots: nodes of the model's formula. Questions are about these nodes and the nodes
  ///   below them.
  package convenience init(_ model: ConditionModel, roots: [Int]) {
    self.init(model, roots: roots) { model.classes(of: $0, for: $1) }
  }

  /// - Parameter classes: returns the classes of a group for some of its atoms.
  init(_ model: ConditionModel, roots: [Int], classes: (Int, [Int]) -> AttributeClasses) {
    self.model = model
    var needed: Set<Int> = []
    var open = roots
    while let node = open.popLast() {
      if needed.insert(node).inserted { open += model.nodes[node].operands }
    }
    for number in needed.sorted() { add(number) }
    addVariables(classes)
  }

  /// Creates a space in which everything is fixed as in a context.
  init(_ model: ConditionModel, roots: [Int], around base: AnalysisWitness) {
    self.model = model
    self.base = base
    var needed: Set<Int> = []
    var open = roots
    while let node = open.popLast() {
      if needed.insert(node).inserted { open += model.nodes[node].operands }
    }
    for number in needed.sorted() { add(number) }
    let outcomes = model.outcomes(ofAtoms: modelAtoms, for: base)
    atoms = modelAtoms.indices.map { i in
      Atom(
        variable: -1, masks: [], isPrecise: false,
        possible: outcomes?[i] ?? model.atoms[modelAtoms[i]].possible)
    }
  }

  /// Creates a space like another one, in which some groups are variables too.
  ///
  /// - Parameter open: atoms of this space that may have any outcome.
  init(_ other: ConditionSpace, _ variables: [(group: Int, classes: AttributeClasses)], open: [Int])
  {
    model = other.model
    base = other.base
    nodes = other.nodes
    operands = other.operands
    atoms = other.atoms
    modelAtoms = other.modelAtoms
    places = other.places
    self.variables = variables
    for atom in open { atoms[atom].possible = model.atoms[modelAtoms[atom]].possible }
    let placeOf = Dictionary(uniqueKeysWithValues: modelAtoms.enumerated().map { ($1, $0) })
    for (number, variable) in variables.enumerated() {
      for (i, atom) in variable.classes.atoms.enumerated() {
        guard let place = placeOf[atom] else { continue }
        atoms[place].possible = model.atoms[atom].possible
        atoms[place].variable = number
        atoms[place].masks = variable.classes.masks[i]
        atoms[place].isPrecise = variable.classes.isPrecise[i]
        atoms[place].words = variable.classes.values.count >> 6 + 1
      }
    }
  }

  private func add(_ number: Int) {
    let node = model.nodes[number]
    places[number] = nodes.count
    var value = node.value
    if node.kind == .atom {
      value = modelAtoms.count
      modelAtoms.append(node.value)
    }
    nodes.append(
      Node(
        kind: node.kind, value: value, first: operands.count, count: node.operands.count))
    operands += node.operands.map { places[$0] ?? 0 }
  }

  private func addVariables(_ classesOf: (Int, [Int]) -> AttributeClasses) {
    var byGroup: [Int: [Int]] = [:]
    for number in modelAtoms {
      if let group = model.atoms[number].group {
        byGroup[group, default: []].append(number)
      } else {
        // Atoms that read several attributes need a value for each.
        for group in model.atoms[number].slots.compactMap({ model.groupOf[$0] }) {
          byGroup[group, default: []] += []
        }
      }
    }
    for number in modelAtoms {
      atoms.append(
        Atom(variable: -1, masks: [], isPrecise: false, possible: model.atoms[number].possible))
    }
    let placeOf = Dictionary(uniqueKeysWithValues: modelAtoms.enumerated().map { ($1, $0) })
    for group in byGroup.keys.sorted() {
      let numbers = (byGroup[group] ?? []).sorted()
      let classes = classesOf(group, numbers)
      for (i, number) in numbers.enumerated() {
        guard let place = placeOf[number] else { continue }
        atoms[place].variable = variables.count
        atoms[place].masks = classes.masks[i]
        atoms[place].isPrecise = classes.isPrecise[i]
        atoms[place].words = classes.values.count >> 6 + 1
      }
      variables.append((group, classes))
    }
    limits = variables.map { _ in nil }
  }

  /// The place of a node of the model's formula.
  func place(of node: Int) -> Int { places[node] ?? 0 }

  /// Whether ``local`` has a number for a node, since the last call of ``places(below:)``.
  func isLocal(_ place: Int) -> Bool { stamps[place] == stamp }

  /// Nodes and all their dependencies, operands first.
  func places(below roots: [Int]) -> [Int] {
    if stamps.count < nodes.count {
      stamps = Array(repeating: 0, count: nodes.count)
      local = Array(repeating: 0, count: nodes.count)
      stamp = 0
    }
    stamp += 1
    var open = roots
    var found: [Int] = []
    while let place = open.popLast() {
      guard stamps[place] != stamp else { continue }
      stamps[place] = stamp
      found.append(place)
      let node = nodes[place]
      open += operands[node.first..<node.first + node.count]
    }
    found.sort()
    for (number, place) in found.enumerated() { local[place] = number }
    return found
  }

  /// The classes of a variable that are possible.
  func domain(of variable: Int, excluding exclusion: Exclusion?) -> ClassMask {
    let limit = variable < limits.count ? limits[variable] : nil
    return limit ?? exclusion?.domains[variable]
      ?? ClassMask(first: variables[variable].classes.values.count)
  }

  /// Whether the classes cover all values for all atoms below some nodes, so that a search without
  /// a result is a proof.
  func isPrecise(below roots: [Int]) -> Bool {
    places(below: roots).allSatisfy { place in
      guard nodes[place].kind == .atom else { return true }
      let atom = atoms[nodes[place].value]
      return atom.isPrecise || atom.possible.isSingle
    }
  }

  /// The groups of attributes that atoms use together with other groups.
  private(set) lazy var joint: Set<Int> = Set(
    atoms.indices.filter { atoms[$0].variable < 0 && !atoms[$0].possible.isSingle }
      .flatMap { model.atoms[modelAtoms[$0]].slots }.compactMap { model.groupOf[$0] })

  /// Whether the classes cover all values for all atoms.
  var isPrecise: Bool { isPrecise(below: Array(nodes.indices)) }
}

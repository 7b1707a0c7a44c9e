package import Expressions

/// What conditions come to for one context when some of its attributes are changed.
package final class ChangeSpace {
  /// An attribute that may be changed.
  package struct Place {
    /// All its names, the root first.
    package var path: AttributePath
    var group: Int
    /// Its names below the group's first.
    var below: [String]
  }

  /// What may be changed, in the order in which conditions mention it.
  package let places: [Place]
  /// Whether conditions read what has no name, such as the number of a user's attributes.
  package let readsAnything: Bool
  private let model: ConditionModel
  private let base: AnalysisWitness
  private let fixed: ConditionSpace
  private struct Key: Hashable {
    var group: Int
    var paths: [[String]]
    var atoms: [Int]
  }

  private var known: [Key: AttributeClasses] = [:]
  /// Groups whose classes are those of the model.
  private var shared: Set<Int> = []

  /// - Parameters:
  ///   - roots: the formula nodes that are asked about.
  ///   - context: the attributes and answers as they are.
  ///   - isFixed: whether an attribute stays what it is, whatever is done to the context.
  ///   - sharesClasses: whether what the context does not have gets the values of the model, which
  ///     are worked out once for many contexts, and not those nearest to the context.
  package init(
    _ model: ConditionModel, roots: [Int], around context: AnalysisWitness,
    isFixed: (AttributePath) -> Bool, sharesClasses: Bool = false
  ) {
    self.model = model
    let slots = Set(ChangeSpace.atoms(of: model, roots).flatMap { model.atoms[$0].slots })
    readsAnything = slots.contains { model.groupOf[$0] == nil }
    var base = context
    if !readsAnything {
      // Every run reads the context; what conditions do not ask for is left out.
      base.attributes = .map([])
      for group in model.groups where group.question == nil {
        guard let value = context.attributes.value(at: group.path) else { continue }
        base.attributes = base.attributes.setting(group.path[...], to: value)
      }
    }
    self.base = base
    fixed = ConditionSpace(model, roots: roots, around: base)
    var places: [Place] = []
    let groups = Set(slots.compactMap { model.groupOf[$0] })
    for (number, group) in model.groups.enumerated()
    where groups.contains(number) && group.question == nil {
      ChangeSpace.add(group.tree, number, group, [], base, &places)
    }
    self.places = places.filter { !isFixed($0.path) }
    guard sharesClasses else { return }
    let fixed = Set(places.filter { isFixed($0.path) }.map(\.group))
    shared = groups.subtracting(fixed).filter {
      base.attributes.value(at: model.groups[$0].path) == nil
    }
  }

  private static func atoms(of model: ConditionModel, _ roots: [Int]) -> [Int] {
    var open = roots
    var seen: Set<Int> = []
    var atoms: [Int] = []
    while let node = open.popLast() {
      guard seen.insert(node).inserted else { continue }
      if model.nodes[node].kind == .atom { atoms.append(model.nodes[node].value) }
      open += model.nodes[node].operands
    }
    return atoms
  }

  /// What conditions name is a place, and what stands in its way: `user.address`, where it is no map,
  /// for `user.address.city`.
  private static func add(
    _ node: AttributeGroup.Node, _ number: Int, _ group: AttributeGroup, _ below: [String],
    _ base: AnalysisWitness, _ places: inout [Place]
  ) {
    let path = group.path + below
    var isInTheWay = false
    if !node.children.isEmpty, let own = base.attributes.value(at: path) {
      isInTheWay = !own.isObject
    }
    if node.slot != nil || isInTheWay {
      places.append(Place(path: AttributePath(path), group: number, below: below))
    }
    if isInTheWay { return }
    for child in node.children {
      add(child, number, group, below + [child.name], base, &places)
    }
  }

  // MARK: Spaces

  /// The space in which some places may have any value.
  package func space(changing chosen: [Int]) -> ConditionSpace {
    var paths: [Int: [[String]]] = [:]
    for place in chosen.map({ places[$0] }) { paths[place.group, default: []].append(place.below) }
    for (group, all) in paths {
      // Who changes the whole has changed its parts.
      paths[group] = all.filter { path in
        !all.contains { $0.count < path.count && path.starts(with: $0) }
      }
    }
    var open: [Int] = []
    var byGroup: [Int: [Int]] = [:]
    for (place, atom) in fixed.modelAtoms.enumerated() {
      let slots = model.atoms[atom].slots
      let groups = Set(slots.map { model.groupOf[$0] })
      if groups.contains(nil) {
        open.append(place)
        continue
      }
      let touched = groups.compactMap { $0 }.filter { paths[$0] != nil }
      if touched.count == 1 { byGroup[touched[0], default: []].append(atom) }
      if touched.count > 1 { open.append(place) }
    }
    let variables = paths.keys.sorted().map { group in
      (group, classes(group, paths[group] ?? [], (byGroup[group] ?? []).sorted()))
    }
    return ConditionSpace(fixed, variables, open: open)
  }

  private func classes(_ group: Int, _ paths: [[String]], _ atoms: [Int]) -> AttributeClasses {
    let key = Key(group: group, paths: paths, atoms: atoms)
    if let classes = known[key] { return classes }
    if shared.contains(group), atoms.allSatisfy({ model.atoms[$0].group == group }) {
      return model.classes(of: group, for: atoms)
    }
    let made = AttributeClasses(
      changing: paths, of: model.groups[group], atoms, demands(of: atoms, on: group),
      around: base, in: model)
    known[key] = made
    return made
  }

  /// What atoms ask of a group, when all other groups are as they are.
  private func demands(of atoms: [Int], on group: Int) -> [AttributeDemands?] {
    let slots = Set(atoms.flatMap { model.atoms[$0].slots }.filter { model.groupOf[$0] != group })
    let cells = model.cells(of: slots, for: base)
    return atoms.map { atom in
      if model.atoms[atom].group != nil { return model.atoms[atom].demands }
      var demands = AttributeDemands()
      demands.known = cells
      let storage = model.program.storage
      let patterns = PatternReader(storage.environment)
      let isKnown = demands.take(model.atoms[atom].node, storage.graph) { patterns.automaton($0) }
      demands.known = [:]
      return isKnown ? demands : nil
    }
  }

  // MARK: Values

  /// The value of a place as it is.
  package func own(_ place: Int) -> Value? {
    base.attributes.value(at: places[place].path.names)
  }

  /// Values of a place between which conditions may tell, all others being as they are, with how
  /// ordinary they are.
  package func values(of place: Int) -> [RankedValue] {
    let (group, below) = (places[place].group, places[place].below)
    let atoms = fixed.modelAtoms.filter { atom in
      model.atoms[atom].slots.contains { model.groupOf[$0] == group }
        && !model.atoms[atom].slots.contains { model.groupOf[$0] == nil }
    }
    var trees = TreeCandidates(
      model.groups[group], atoms, demands(of: atoms, on: group), around: base, in: model)
    guard let node = model.groups[group].tree.node(at: below) else { return [] }
    return trees.ordinary(node, below)
  }

  /// The constants that conditions compare a place with, and whether they ask for its order.
  package func constants(of place: Int) -> (values: [Value], isOrdered: Bool) {
    let (group, below) = (places[place].group, places[place].below)
    guard let slot = model.groups[group].tree.node(at: below)?.slot else { return ([], false) }
    let atoms = fixed.modelAtoms.filter { model.atoms[$0].slots.contains(slot) }
    var all = AttributeDemands()
    for demands in demands(of: atoms, on: group) { if let demands { all.add(demands) } }
    let texts = all.texts.map { Value.string(String(decoding: $0, as: UTF8.self)) }
    return (
      all.numbers.map { Value($0) } + texts,
      all.asksOrder && all.aspects.isDisjoint(with: [.parts, .sizes, .patterns])
    )
  }

  /// Whether all that conditions ask of a place is understood.
  package func isUnderstood(_ place: Int) -> Bool {
    let space = space(changing: [place])
    return space.isPrecise
  }
}

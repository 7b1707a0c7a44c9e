package import Expressions

/// The possible results of conditions for one context when some of its attributes change.
package final class ChangeSpace {
  /// An attribute that may change.
  package struct Place {
    /// All names of the attribute, starting with the root.
    package var path: AttributePath
    var group: Int
    /// The names of the attribute below the group's first node.
    var below: [String]
  }

  /// The attributes that may change, in the order in which conditions mention them.
  package let places: [Place]
  /// Whether conditions read something without a name, such as the number of a user's attributes.
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

  /// Which atoms of the fixed space read what.
  private struct Readers {
    /// The groups that each atom reads.
    var groups: [[Int]] = []
    /// The atoms that read each group, and that read nothing without a name.
    var places: [Int: [Int]] = [:]
    /// Atoms that read something without a name.
    var unnamed: [Int] = []

    init(_ atoms: [Int], _ model: ConditionModel) {
      for (place, atom) in atoms.enumerated() {
        let all = Set(model.atoms[atom].slots.map { model.groupOf[$0] })
        groups.append(all.compactMap { $0 })
        if all.contains(nil) {
          unnamed.append(place)
        } else {
          for group in groups[place] { places[group, default: []].append(place) }
        }
      }
    }
  }

  private let readers: Readers
  /// Groups that share the classes of the model.
  private var shared: Set<Int> = []

  /// - Parameters:
  ///   - roots: the formula nodes of the conditions.
  ///   - context: the current attributes and answers.
  ///   - isFixed: whether an attribute keeps its value under all changes of the context.
  ///   - sharesClasses: whether attributes that the context lacks get the values of the model,
  ///     which are computed once for many contexts, instead of values close to the context.
  package init(
    _ model: ConditionModel, roots: [Int], around context: AnalysisWitness,
    isFixed: (AttributePath) -> Bool, sharesClasses: Bool = false
  ) {
    self.model = model
    let slots = Set(ChangeSpace.atoms(of: model, roots).flatMap { model.atoms[$0].slots })
    readsAnything = slots.contains { model.groupOf[$0] == nil }
    var base = context
    if !readsAnything {
      // Unused parts are removed, because every run reads the whole context.
      base.attributes = .map([])
      for group in model.groups where group.question == nil {
        guard let value = context.attributes.value(at: group.path) else { continue }
        base.attributes = base.attributes.setting(group.path[...], to: value)
      }
    }
    self.base = base
    fixed = ConditionSpace(model, roots: roots, around: base)
    readers = Readers(fixed.modelAtoms, model)
    var places: [Place] = []
    let groups = Set(slots.compactMap { model.groupOf[$0] })
    for (number, group) in model.groups.enumerated()
    where groups.contains(number) && group.question == nil {
      ChangeSpace.add(group.tree, number, group, [], base, &places)
    }
    self.places = places.filter { !isFixed($0.path) }
    guard sharesClasses else { return }
    let fixed = Set(places.filter { isFixed($0.path) }.map { $0.group })
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

  /// Adds the attributes that conditions name as places. Values that obstruct them are added too:
  /// `user.address` obstructs `user.address.city` if it is not a map.
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

  /// The work of the machine for the classes of all spaces.
  var work: Int { model.work }

  /// The space in which some places may have any value.
  package func space(changing chosen: [Int]) -> ConditionSpace {
    var paths: [Int: [[String]]] = [:]
    for place in chosen.map({ places[$0] }) { paths[place.group, default: []].append(place.below) }
    for (group, all) in paths {
      // Changing an attribute includes changing its parts.
      paths[group] = all.filter { path in
        !all.contains { $0.count < path.count && path.starts(with: $0) }
      }
    }
    var open = readers.unnamed
    var byGroup: [Int: [Int]] = [:]
    // Some atoms read several of the groups.
    var shared: Set<Int> = []
    for group in paths.keys {
      for place in readers.places[group] ?? [] {
        let touched = readers.groups[place].filter { paths[$0] != nil }
        if touched.count == 1 {
          byGroup[group, default: []].append(fixed.modelAtoms[place])
        } else if shared.insert(place).inserted {
          open.append(place)
        }
      }
    }
    open.sort()
    let variables = paths.keys.sorted().map { group in
      (group: group, classes: classes(group, paths[group] ?? [], (byGroup[group] ?? []).sorted()))
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

  /// The demands of atoms on a group, when all other groups are fixed.
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

  /// The current value of a place.
  package func own(_ place: Int) -> Value? {
    base.attributes.value(at: places[place].path.names)
  }

  /// The values of a place that conditions may distinguish while all other attributes are fixed,
  /// with their ranks.
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

  /// The constants that conditions compare a place with, and whether they use its order.
  package func constants(of place: Int) -> (values: [Value], isOrdered: Bool) {
    let (group, below) = (places[place].group, places[place].below)
    guard let slot = model.groups[group].tree.node(at: below)?.slot else { return ([], false) }
    let atoms = fixed.modelAtoms.filter { model.atoms[$0].slots.contains(slot) }
    var all = AttributeDemands()
    all.add(demands(of: atoms, on: group).compactMap { $0 })
    let texts = all.texts.map { Value.string(String(decoding: $0, as: UTF8.self)) }
    return (
      all.numbers.map { Value($0) } + texts,
      all.asksOrder && all.aspects.isDisjoint(with: [.parts, .sizes, .patterns])
    )
  }

  /// Whether the analysis understands every use of a place in conditions.
  package func isUnderstood(_ place: Int) -> Bool {
    let space = space(changing: [place])
    return space.isPrecise
  }
}

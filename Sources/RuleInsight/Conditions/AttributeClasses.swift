internal import Expressions
internal import Regex

/// The values of a group of attributes, divided into classes. All values of a class have the same
/// outcome for each of some atoms. The machine computes the outcomes.
final class AttributeClasses {
  /// The atoms, as numbers of the model.
  let atoms: [Int]
  /// The simplest value of each class; nil for a missing attribute.
  private(set) var values: [Value?] = []
  /// Further values of each class, for conditions that depend on more than the class.
  private(set) var samples: [[Value?]] = []
  /// For each atom and outcome, the classes with that outcome.
  private(set) var masks: [[ClassMask]]
  /// For each atom, whether the classes cover all values.
  private(set) var isPrecise: [Bool]
  /// For each class, a label that distinguishes its values beyond the atoms; empty without labels.
  private(set) var labels: [[UInt8]] = []
  /// Whether every label that values can have appears with every outcome of the atoms.
  private(set) var hasAllLabels = true

  private static let mostSamples = 24

  init(
    _ group: AttributeGroup, _ atoms: [Int], in model: ConditionModel,
    _ answers: (HostQuestion) -> HostAnswers, labels: ValueLabels? = nil
  ) {
    self.atoms = atoms
    masks = Array(
      repeating: Array(repeating: .none, count: OutcomeSet.count), count: atoms.count)
    let demands = atoms.map { model.atoms[$0].demands }
    isPrecise = demands.map { $0 != nil }
    var trees = TreeCandidates(group, atoms, demands, in: model)
    trees.labels = labels
    var values: [Value?]
    if let question = group.question {
      values = trees.answers(answers(question))
    } else {
      values = trees.all()
    }
    values = trees.limited(values)
    classify(values, trees, demands)
  }

  /// Creates the class of one value alone.
  init(_ group: AttributeGroup, _ atoms: [Int], being value: Value?, in model: ConditionModel) {
    self.atoms = atoms
    masks = Array(
      repeating: Array(repeating: .none, count: OutcomeSet.count), count: atoms.count)
    isPrecise = atoms.map { _ in true }
    classify([value], TreeCandidates(group, atoms, atoms.map { _ in nil }, in: model), [])
  }

  /// Creates classes of a group's values in a context in which some of its attributes are open and
  /// the others are fixed.
  ///
  /// - Parameters:
  ///   - paths: the attributes, as names below the group's first.
  ///   - demands: each atom's demands on the group, given the rest of the context.
  init(
    changing paths: [[String]], of group: AttributeGroup, _ atoms: [Int],
    _ demands: [AttributeDemands?], around base: AnalysisWitness, in model: ConditionModel
  ) {
    self.atoms = atoms
    masks = Array(
      repeating: Array(repeating: .none, count: OutcomeSet.count), count: atoms.count)
    isPrecise = demands.map { $0 != nil }
    var trees = TreeCandidates(group, atoms, demands, around: base, in: model)
    let values = trees.limited(trees.changes(at: paths))
    classify(values, trees, demands)
  }

  private func classify(
    _ values: [Value?], _ trees: TreeCandidates, _ demands: [AttributeDemands?]
  ) {
    let rows = ValueRows(values, trees)
    var masks = masks
    var classOf: [Int: Int] = [:]
    for (place, value) in values.enumerated() {
      let number = rows.numbers[place]
      if let known = classOf[number] {
        if samples[known].count < Self.mostSamples { samples[known].append(value) }
        continue
      }
      guard self.values.count < ClassMask.capacity else {
        isPrecise = atoms.map { _ in false }
        hasAllLabels = false
        break
      }
      let own = self.values.count
      classOf[number] = own
      self.values.append(value)
      labels.append(trees.labels?.row(value) ?? [])
      samples.append([value])
      let row = rows.distinct[number]
      for i in atoms.indices { masks[i][OutcomeSet(rawValue: row[i]).number].insert(own) }
    }
    self.masks = masks
    let isTooMany = trees.incomplete == .all
    let asked = trees.labels?.demands.aspects ?? []
    if isTooMany || !asked.isDisjoint(with: trees.incomplete) { hasAllLabels = false }
    for i in demands.indices {
      let aspects = demands[i]?.aspects ?? []
      if isTooMany || !aspects.isDisjoint(with: trees.incomplete) { isPrecise[i] = false }
    }
  }
}

/// Values of a group that matter to atoms, including nested values.
struct TreeCandidates {
  let runner: AtomRunner
  /// A function that distinguishes values beyond the atoms.
  var labels: ValueLabels?
  /// The aspects for which the candidates may be incomplete.
  private(set) var incomplete: AttributeDemands.Aspects = []
  private let group: AttributeGroup
  private let model: ConditionModel
  private let atoms: [Int]
  /// The demands of each atom on the group.
  private let atomDemands: [AttributeDemands?]
  /// The group's value in the context, if it has one.
  private let own: Value?
  private let isAround: Bool
  private static let mostTrees = 2_000
  private static let mostNumbers = 2_000
  /// The most atoms to run for the values of a group.
  private static let mostRuns = 1_000_000
  /// By slot, the indices of the atoms that read it.
  private let readersOfSlots: [Int: [Int]]

  init(
    _ group: AttributeGroup, _ atoms: [Int], _ demands: [AttributeDemands?],
    around base: AnalysisWitness? = nil, in model: ConditionModel
  ) {
    self.group = group
    self.model = model
    self.atoms = atoms
    atomDemands = demands
    own = base?.attributes.value(at: group.path)
    isAround = base != nil
    var readers: [Int: [Int]] = [:]
    for (i, atom) in atoms.enumerated() {
      for slot in Set(model.atoms[atom].slots) { readers[slot, default: []].append(i) }
    }
    readersOfSlots = readers
    runner = AtomRunner(group, atoms, demands, around: base, in: model)
  }

  /// Values at even distances, if running all atoms for all values is too much work.
  mutating func limited(_ values: [Value?]) -> [Value?] {
    let most = max(64, Self.mostRuns / max(runner.runsPerValue, 1))
    guard values.count > most else { return values }
    incomplete = .all
    return (0..<most).map { values[$0 * values.count / most] }
  }

  /// Values for the group's first node.
  mutating func all() -> [Value?] { candidates(group.tree, []) }

  /// The possible answers of a host.
  mutating func answers(_ possible: HostAnswers) -> [Value?] {
    var values: [Value?] = []
    if possible.canBeNumber { values += numbers(demands(of: group.tree.slot), []) }
    if possible.canBeBool { values += [Value.bool(true), Value.bool(false)] }
    if possible.canBeNull { values.insert(Value.null, at: 0) }
    return values.filter { value in
      if case .double? = value { return false }
      return true
    }
  }

  /// The group's values with some attributes open.
  mutating func changes(at paths: [[String]]) -> [Value?] {
    var values = [own]
    for path in paths {
      guard let node = group.tree.node(at: path) else { continue }
      let found = ordinary(node, path).map { $0.value }
      guard values.count * found.count <= Self.mostTrees else {
        incomplete = .all
        continue
      }
      var more: [Value?] = []
      for value in found {
        for other in values { more.append(Self.placed(value, path, in: other)) }
      }
      values = more
    }
    return values
  }

  /// Values of one attribute with their rank, 0 for the most ordinary.
  mutating func ordinary(_ node: AttributeGroup.Node, _ path: [String])
    -> [RankedValue]
  {
    let found = candidates(node, path)
    let near = NearbyValues(
      demands(of: node.slot), mentioned(with: node.slot),
      own: path.isEmpty ? own : own?.value(at: path))
    return near.ranked(found)
  }

  /// The demands of all atoms on a slot, and the constants in opaque atoms.
  func demands(of slot: Int?) -> AttributeDemands {
    var all = AttributeDemands()
    guard let slot else { return all }
    var parts: [AttributeDemands] = []
    if let labels, slot == group.tree.slot { parts.append(labels.demands) }
    for i in readersOfSlots[slot] ?? [] {
      if let demands = atomDemands[i] { parts.append(demands) }
    }
    all.add(parts)
    return all
  }

  /// Constants of opaque atoms that read a slot.
  private func mentioned(with slot: Int?) -> [Cell] {
    guard let slot else { return [] }
    let storage = model.program.storage
    // The constants are limited, too.
    var opaque = Array(
      (readersOfSlots[slot] ?? []).lazy.filter { atomDemands[$0] == nil }.map { atoms[$0] }
        .prefix(64))
    opaque += (model.jointAtoms[slot] ?? []).prefix(8)
    var cells: [Cell] = []
    for atom in opaque {
      for id in storage.graph.nodes(below: model.atoms[atom].node) {
        guard let cell = storage.graph.constant(id) else { continue }
        cells += cell.tag == Tag.list ? Array(cell.elements) : [cell]
      }
    }
    return Array(cells.prefix(12))
  }

  private mutating func candidates(_ node: AttributeGroup.Node, _ path: [String]) -> [Value?] {
    var values: [Value?] = [nil]
    if node.slot != nil {
      values += scalars(demands(of: node.slot), mentioned(with: node.slot), path)
    } else {
      values.append(Value.string("text"))
    }
    if node.children.isEmpty {
      let collections = CollectionCandidates(demands(of: node.slot))
      if !collections.isComplete { incomplete.formUnion([.members, .sizes]) }
      for collection in collections.lists + collections.maps { values.append(collection) }
      // Conditions on elements, such as exists(), compare them with the constants in the condition.
      let elements = mentioned(with: node.slot).filter { $0.tag != Tag.list }.map { Value($0) }
      for element in elements { values.append(.list([element])) }
      if elements.count > 1 { values.append(.list(elements)) }
      return values
    }
    // The size and the other members of a map with declared members are not explored.
    let demands = demands(of: node.slot)
    if !demands.aspects.isDisjoint(with: [.members, .sizes]) {
      incomplete.formUnion([.members, .sizes])
    }
    for value in [Value.null, Value.list([]), Value.list(["text"])] { values.append(value) }
    for value in maps(node, path) { values.append(value) }
    return values
  }

  /// Values that are neither lists nor maps, the most ordinary first.
  private mutating func scalars(_ demands: AttributeDemands, _ mentioned: [Cell], _ path: [String])
    -> [Value?]
  {
    let environment = model.program.storage.environment
    var demands = demands
    if environment.binding.readsBooleanTexts {
      demands.texts += [Array("true".utf8), Array("false".utf8)]
    }
    let texts = TextCandidates(demands, environment.binding)
    incomplete.formUnion(texts.incomplete)
    var samples: [Value?] = []
    if environment.binding.readsNumberTexts {
      // Only strings can express these numbers.
      samples += [.string("nan"), .string("inf"), .string("-inf")]
    }
    for cell in mentioned {
      switch cell.tag {
      case Tag.int...Tag.double, Tag.bool: samples.append(Value(cell))
      case Tag.longText, Tag.shortText...:
        // If the string is a pattern, a matching example is added.
        if let example = example(of: cell.text) { samples.append(.string(example)) }
        samples += [Value(cell), .string(cell.text + "a"), .string(cell.text.uppercased())]
      default: continue
      }
    }
    let numbers = numbers(demands, mentioned.filter { Tag.int...Tag.double ~= $0.tag }, path)
    let constants = demands.numbers.count
    var values: [Value?] = Array(numbers.prefix(constants))
    values += samples
    values += [Value.bool(true), Value.bool(false)]
    for text in texts.values { values.append(text) }
    values += numbers.dropFirst(constants)
    values.append(Value.null)
    return values
  }

  /// A string that matches a pattern, if the pattern is more than a literal.
  private func example(of pattern: String) -> String? {
    let storage = model.program.storage
    let limits = RegexLimits(storage.environment.limits)
    let checked = try? storage.patternSyntax.check(Array(pattern.utf8), limits)
    return checked?.example().flatMap { $0 == pattern ? nil : $0 }
  }

  private mutating func numbers(
    _ demands: AttributeDemands, _ mentioned: [Cell], _ path: [String] = []
  ) -> [Value?] {
    let precise = atoms.indices.filter { atomDemands[$0] != nil }
    let isAllPrecise = precise.count == atoms.count && labels == nil
    var constants = demands.numbers
    // About fifty values are tried for a constant.
    let most = max(16, min(Self.mostNumbers, Self.mostRuns / (50 * max(runner.runsPerValue, 1))))
    if constants.count > most {
      incomplete = .all
      constants.removeLast(constants.count - most)
    }
    constants += mentioned.filter { $0.tag != Tag.double || $0.doubleValue.isFinite }
    let readers = readers(of: path)
    let known = NumberCandidates(constants) { value in
      let placed = placed(value, path)
      let row = runner.row(placed, at: readers)
      if isAllPrecise { return row }
      return precise.map { row[$0] } + (labels?.row(placed) ?? [])
    }
    return known.values.map { Optional($0) }
  }

  /// The group's value after the value at a path is replaced.
  private static func placed(_ value: Value?, _ path: [String], in own: Value?) -> Value? {
    if path.isEmpty { return value }
    guard let own else { return value.map { Value.map([]).setting(path[...], to: $0) } }
    return own.setting(path[...], to: value)
  }

  /// The value of the group's first node that contains a value at a path below.
  private func placed(_ value: Value?, _ path: [String]) -> Value? {
    if isAround { return Self.placed(value, path, in: own) }
    guard var value else { return path.isEmpty ? nil : Value.map([]) }
    for name in path.reversed() {
      value = .map([Value.Entry(key: .string(name), value: value)])
    }
    return value
  }

  /// Maps of the children's possible values. Each child is divided into its own classes.
  private mutating func maps(_ node: AttributeGroup.Node, _ path: [String]) -> [Value] {
    var maps: [[Value.Entry]] = [[]]
    for child in node.children {
      let below = path + [child.name]
      let classes = reduced(candidates(child, below), below)
      guard maps.count * classes.count <= Self.mostTrees else {
        incomplete = .all
        continue
      }
      var longer: [[Value.Entry]] = []
      for value in classes {
        let entry = value.map { [Value.Entry(key: .string(child.name), value: $0)] } ?? []
        for map in maps { longer.append(map + entry) }
      }
      maps = longer
    }
    if node.slot != nil { maps.append([Value.Entry(key: "other", value: true)]) }
    return maps.map { Value.map($0) }
  }

  /// One value for each distinct row of outcomes.
  private mutating func reduced(_ values: [Value?], _ path: [String]) -> [Value?] {
    var seen: Set<[UInt8]> = []
    var kept: [Value?] = []
    let readers = readers(of: path)
    for value in values {
      let row = runner.row(placed(value, path), at: readers)
      if seen.insert(readers.map { $0.map { row[$0] } } ?? row).inserted { kept.append(value) }
    }
    return kept
  }

  /// The atoms that read a node below the group's first node, a part of that node, or a node that contains it; nil for
  /// all atoms.
  private func readers(of path: [String]) -> [Int]? {
    guard !path.isEmpty else { return nil }
    var slots: Set<Int> = []
    var node: AttributeGroup.Node? = group.tree
    for name in path {
      if let slot = node?.slot { slots.insert(slot) }
      node = node?.node(at: [name])
    }
    var open = [node].compactMap { $0 }
    while let next = open.popLast() {
      if let slot = next.slot { slots.insert(slot) }
      open += next.children
    }
    return Set(slots.flatMap { readersOfSlots[$0] ?? [] }).sorted()
  }
}

package import Expressions
package import RuleEngine

/// An attribute that rules read, the types that the rules are written for, and the placements that read it.
package struct AttributeRequirement: Hashable, Sendable {
  /// A type of values, named as in JSON.
  package enum Kind: Hashable, Sendable {
    case string, number, integer, boolean, date, map
    /// A list, with the types of its elements if they are known.
    case list
    indirect case listOf(Kind)

    package var word: String {
      switch self {
      case .string: "string"
      case .number: "number"
      case .integer: "integer"
      case .boolean: "boolean"
      case .date: "date"
      case .map: "map"
      case .list: "list"
      case .listOf(let element): "list<\(element.word)>"
      }
    }
  }

  package var path: AttributePath
  /// The types that rules need, the most specific first. If empty, rules only test whether the attribute has a value.
  package var kinds: [Kind]
  /// The names of the placements that read the attribute, in the order of the config.
  package var placements: [String]
  /// The attributes from which this attribute is derived if it is missing; nil if it is never derived. Empty if it is
  /// derived from the clock alone.
  package var sources: [AttributePath]?

  /// The attribute as JSON: `{"path", "kinds", "placements", "derivedFrom"?}`.
  package var value: Value {
    .members([
      "path": .string(path.description), "kinds": .list(kinds.map { .string($0.word) }),
      "placements": .list(placements.map { .string($0) }),
      "derivedFrom": sources.map { .list($0.map { .string($0.description) }) },
    ])
  }
}

extension RuleSet {
  /// The attributes that rules read, with their types.
  package var attributeRequirements: [AttributeRequirement] {
    let schema: ContextSchema = format == .superwall ? .superwall(language) : .agentWallie
    let uses = AttributeUses(self)
    let graph = program.storage.rootNodes
    var readers: [Int: [String]] = [:]
    for placement in placements {
      var slots: Set<Int> = []
      for entry in rules[placement.rules].compactMap({ $0.entry }) {
        slots.formUnion(program.storage.graph.slots(below: graph[entry.source]))
      }
      for slot in slots { readers[slot, default: []].append(placement.name) }
    }
    // The paths of maps with attributes that rules read.
    var groups: Set<[String]> = []
    for path in requirements {
      for length in path.names.indices.dropFirst() { groups.insert(Array(path.names[..<length])) }
    }
    return requirements.compactMap { path in
      guard let slot = program.slot(of: path) else { return nil }
      let derived = storage.derived.first { path.names == [UserMember.device.key, $0.rawValue] }
      var kinds = kinds(of: path, slot, uses, schema)
      if groups.contains(path.names), !kinds.contains(.map) { kinds.append(.map) }
      return AttributeRequirement(
        path: path, kinds: kinds, placements: readers[slot] ?? [],
        sources: derived.flatMap { DeviceDerivation.sources(of: $0) })
    }
  }

  private func kinds(
    of path: AttributePath, _ slot: Int, _ uses: AttributeUses, _ schema: ContextSchema
  ) -> [AttributeRequirement.Kind] {
    var kinds: [AttributeRequirement.Kind] = []
    func add(_ more: [AttributeRequirement.Kind]) {
      for kind in more where !kinds.contains(kind) { kinds.append(kind) }
    }
    if let known = AttributeRequirement.Kind(schema.attribute(path.names)?.kind ?? .any),
      uses.uses[slot] != [.time]
    {
      add([known])
    }
    add(uses.kinds(of: slot))
    for partner in uses.partners[slot] ?? [] where kinds.isEmpty { add(uses.kinds(of: partner)) }
    return kinds
  }
}

extension AttributeRequirement.Kind {
  /// The type of an attribute that SDKs send; nil if it may be anything.
  fileprivate init?(_ kind: ContextSchema.Kind) {
    switch kind {
    case .any, .null: return nil
    case .bool: self = .boolean
    case .number: self = .number
    case .text, .span: self = .string
    case .time: self = .date
    case .map: self = .map
    case .list(let element): self = Self(element).map { .listOf($0) } ?? .list
    }
  }
}

extension AttributeUses {
  /// The types that rules require for an attribute.
  fileprivate func kinds(of slot: Int) -> [AttributeRequirement.Kind] {
    var kinds = Self.kinds(uses[slot] ?? [], isInteger: integers.contains(slot)) { [elements] in
      Self.kinds(elements[slot] ?? [], isInteger: false) { [] }
    }
    // The attribute may be a string or a list; any other use shows which.
    if uses[slot]?.contains(.size) == true, kinds.isEmpty { kinds = [.string, .list] }
    return kinds
  }

  private static func kinds(
    _ uses: Set<Use>, isInteger: Bool, elements: () -> [AttributeRequirement.Kind]
  ) -> [AttributeRequirement.Kind] {
    var kinds: [AttributeRequirement.Kind] = []
    for use in uses.sorted() {
      let more: [AttributeRequirement.Kind]
      switch use {
      case .loop, .membership:
        let known = elements()
        more = known.isEmpty ? [.list] : known.map { .listOf($0) }
      case .textFunction, .concatenation, .textOrder, .textEquality: more = [.string]
      case .arithmetic, .numberOrder, .numberEquality: more = [isInteger ? .integer : .number]
      case .boolean: more = [.boolean]
      // Any type of value counts as true or false.
      case .truth: more = kinds.isEmpty ? [.boolean] : []
      case .time: more = [.date]
      case .toDouble: more = [.number, .string]
      case .size, .toText: more = []
      }
      for kind in more where !kinds.contains(kind) { kinds.append(kind) }
    }
    return kinds
  }
}

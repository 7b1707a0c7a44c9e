package import Expressions

/// The usual types of attribute values, inferred from conditions: a value that is compared with
/// numbers is a number. Conditions are written for these types, and their results for other types
/// are rarely intended.
package struct UsualKinds: Sendable {
  struct Kinds: OptionSet, Hashable {
    let rawValue: UInt8
    static let number = Self(rawValue: 1)
    static let text = Self(rawValue: 2)
    static let bool = Self(rawValue: 4)
    static let list = Self(rawValue: 8)
    static let map = Self(rawValue: 16)
    static let null = Self(rawValue: 32)
    static let others: Self = [.number, .text, .bool, .list, .map]
  }

  private struct Known {
    var kinds: Kinds = []
    var texts: Set<String> = []
    /// The constants that the attribute is compared with.
    var constants: Set<Value> = []
  }

  private var known: [[String]: Known] = [:]
  private var paths: [[String]] = []
  /// Whether some strings are converted to other types.
  private var hasOddTexts = false
  /// Whether numbers of more than 32 bits are converted.
  private var hasOddNumbers = false

  package init(_ models: [ConditionModel]) {
    for model in models {
      let storage = model.program.storage
      let binding = storage.environment.binding
      if binding.readsBooleanTexts || binding.dropsDollarSigns { hasOddTexts = true }
      if binding.longsAreUnsigned { hasOddNumbers = true }
      for atom in model.atoms {
        for slot in atom.slots {
          guard let names = storage.graph.slots.contents[slot].attribute?.names else { continue }
          add(names, atom.demands)
        }
      }
    }
    for path in known.keys {
      for count in 2..<max(path.count, 2) {
        known[Array(path.prefix(count)), default: Known()].kinds.formUnion(.map)
      }
    }
    paths = known.keys.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private mutating func add(_ path: [String], _ demands: AttributeDemands?) {
    var found = known[path] ?? Known()
    defer { known[path] = found }
    guard let demands else {
      // Other uses allow any type.
      found.kinds.formUnion(.others)
      return
    }
    let texts = demands.texts.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    found.texts.formUnion(texts)
    found.constants.formUnion(texts.map { .string($0) } + demands.numbers.map { Value($0) })
    if !demands.numbers.isEmpty { found.kinds.formUnion(.number) }
    if !texts.isEmpty || demands.asksOrder || !demands.endings.isEmpty
      || !demands.patterns.isEmpty || !demands.parts.isEmpty && demands.members.isEmpty
    {
      found.kinds.formUnion(.text)
    }
    if demands.looksInside || !demands.members.isEmpty { found.kinds.formUnion([.list, .map]) }
    if !demands.sizes.isEmpty { found.kinds.formUnion([.list, .map, .text]) }
    if demands.asksBool { found.kinds.formUnion(.bool) }
    if demands.asksNull { found.kinds.formUnion(.null) }
  }

  /// Whether a value and its contents have types that conditions are written for. A missing
  /// attribute is always usual.
  package func isUsual(_ path: [String], _ value: Value?) -> Bool {
    guard let value else { return true }
    guard isUsual(value, known[path]) else { return false }
    guard case .map(let entries) = value else { return true }
    return entries.allSatisfy { entry in
      guard let name = entry.key.text, known[path + [name]] != nil else { return true }
      return isUsual(path + [name], entry.value)
    }
  }

  /// Whether conditions compare an attribute with a value.
  package func isMentioned(_ path: [String], _ value: Value) -> Bool {
    known[path]?.constants.contains(value) ?? false
  }

  /// Whether all attributes of a record are usual.
  package func isUsual(_ record: Value) -> Bool {
    paths.allSatisfy { path in record.value(at: path).map { isUsual(path, $0) } ?? true }
  }

  /// The unusual attributes of a record.
  package func unusual(in record: Value) -> [[String]] {
    paths.filter { path in record.value(at: path).map { !isUsual(path, $0) } ?? false }
  }

  private func isUsual(_ value: Value, _ known: Known?) -> Bool {
    guard let known else { return true }
    if value == .null { return known.kinds.contains(.null) }
    let kinds = known.kinds.intersection(.others)
    if kinds.isEmpty || kinds == .others { return !isOdd(value, known) }
    switch value {
    case .bool: return kinds.contains(.bool)
    case .int, .uint, .double: return kinds.contains(.number) && !isOdd(value, known)
    case .string: return kinds.contains(.text) && !isOdd(value, known)
    case .list: return kinds.contains(.list)
    case .map: return kinds.contains(.map)
    default: return false
    }
  }

  private func isOdd(_ value: Value, _ known: Known) -> Bool {
    switch value {
    case .string(let text):
      return hasOddTexts
        && (text.utf8.contains(UInt8(ascii: "$"))
          || (text == "true" || text == "false") && !known.texts.contains(text))
    case .int(let number): return hasOddNumbers && Int32(exactly: number) == nil
    case .uint: return hasOddNumbers
    default: return false
    }
  }
}

internal import Expressions

/// Computes the outcomes of a group's atoms for the group's values.
///
/// Few of an attribute's many atoms have different outcomes for two values that are close to each other. Only these are
/// evaluated again, so values should be requested in order.
final class AtomRunner {
  private let model: ConditionModel
  private let starts: [UInt32]
  private let group: AttributeGroup
  private let question: Int?
  /// The rest of the context; nil if the rest does not matter.
  private let base: AnalysisWitness?
  private let relations: ValueRelations
  /// The slot of the only attribute of the group, if it can change alone.
  private let slot: Int?
  /// The last value, its row, and the number of the frame fill that contains it.
  private var last: (value: Value, row: [UInt8], fill: Int)?

  /// - Parameter demands: by atom, its demands on the group.
  init(
    _ group: AttributeGroup, _ atoms: [Int], _ demands: [AttributeDemands?],
    around base: AnalysisWitness? = nil, in model: ConditionModel
  ) {
    self.model = model
    self.group = group
    self.base = base
    starts = atoms.map { model.program.entries[model.atoms[$0].entry].start }
    question = group.tree.slot.flatMap { slot in
      group.question == nil ? nil : model.questionsOfSlots[slot]
    }
    relations = ValueRelations(demands, model.program.storage.environment.binding)
    let isAlone = question == nil && group.tree.children.isEmpty
    slot = isAlone ? group.tree.slot.flatMap { model.frame.canChange($0) ? $0 : nil } : nil
  }

  /// About how many atoms run for each of many values.
  var runsPerValue: Int { slot == nil ? starts.count : relations.others.count + 8 }

  /// The outcome of every atom for a value of the group's first node.
  ///
  /// - Parameter places: the atoms to evaluate; nil for all. The other atoms have no outcome.
  func row(_ value: Value?, at places: [Int]? = nil) -> [UInt8] {
    guard let slot, let value else {
      last = nil
      return wholeRow(value, places)
    }
    if let (before, known, fill) = last, fill == model.fills {
      last = nil
      var row = known
      let changed = relations.changed(from: before, to: value) ?? Array(starts.indices)
      if model.run(starts, at: changed, &row, changing: slot, to: value) {
        last = (value, row, fill)
        return row
      }
    }
    let row = wholeRow(value, nil)
    last = (value, row, model.fills)
    return row
  }

  private func wholeRow(_ value: Value?, _ places: [Int]?) -> [UInt8] {
    let nothing = Value.map([])
    if let base {
      return model.run(
        starts, at: places, on: base.attributes.setting(group.path[...], to: value),
        answers: model.numbered(base.answers))
    }
    guard let value else { return model.run(starts, at: places, on: nothing) }
    if let question {
      return model.run(starts, at: places, on: nothing, answers: [(question, value)])
    }
    var context = value
    for name in group.path.reversed() {
      context = .map([Value.Entry(key: .string(name), value: context)])
    }
    return model.run(starts, at: places, on: context)
  }
}

/// The rows of some values, and which rows are equal.
struct ValueRows {
  /// The number of each value's row.
  private(set) var numbers: [Int]
  private(set) var distinct: [[UInt8]] = []

  init(_ values: [Value?], _ trees: TreeCandidates) {
    numbers = Array(repeating: 0, count: values.count)
    var places: [RowKey: Int] = [:]
    var last: [UInt8]?
    var number = 0
    for place in ValueRelations.order(of: values) {
      let row = trees.runner.row(values[place])
      let whole = trees.labels.map { row + $0.row(values[place]) } ?? row
      if whole != last {
        let key = RowKey(row: whole)
        number = places[key] ?? distinct.count
        if number == distinct.count {
          places[key] = number
          distinct.append(whole)
        }
        last = whole
      }
      numbers[place] = number
    }
  }
}

/// A row as a key. An array of bytes is hashed byte by byte, which takes most of the time for many atoms.
private struct RowKey: Hashable {
  var row: [UInt8]

  func hash(into hasher: inout Hasher) {
    // SAFETY: The bytes are hashed during the call. Tests: AnalysisGrowthTests.
    row.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

/// Which atoms may have different outcomes for two values of an attribute.
struct ValueRelations {
  /// Atoms that compare with constants alone, by number. Two numbers have the same outcomes if none of these constants
  /// is between them.
  private var numbers: [(number: Double, atom: Int)] = []
  /// Atoms that compare with constants alone, by string.
  private var texts: [String: [Int]] = [:]
  /// Atoms that compare strings by order, or as prefixes. Between two strings without any of these, only prefixes of
  /// either may have another outcome.
  private var orders: [(text: [UInt8], atom: Int)] = []
  private var beginnings: [[UInt8]: [Int]] = [:]
  /// All other atoms.
  private(set) var others: [Int] = []
  private let binding: ValueBinding
  private let count: Int

  /// Places where conversions of numbers may change.
  private static let borders: [Double] = [
    -0x1p63, -0x1p53, -0x1p31 - 1, -0x1p31, -1, 0, 1, 0x1p31 - 1, 0x1p31, 0x1p53, 0x1p63,
  ]

  init(_ demands: [AttributeDemands?], _ binding: ValueBinding) {
    self.binding = binding
    count = demands.count
    for (atom, demands) in demands.enumerated() {
      guard let demands, !demands.asksBool, !demands.looksInside,
        demands.aspects.isSubset(of: [.texts, .order]),
        demands.numbers.allSatisfy({ $0.isSmallNumber })
      else {
        others.append(atom)
        continue
      }
      let texts = demands.texts.map { String(decoding: $0, as: UTF8.self) }
      guard texts.allSatisfy({ isPlain($0) }) else {
        others.append(atom)
        continue
      }
      for number in demands.numbers { numbers.append((number.nearestDouble, atom)) }
      if demands.asksOrder {
        for text in demands.texts {
          orders.append((text, atom))
          beginnings[text, default: []].append(atom)
        }
      } else {
        for text in texts { self.texts[text, default: []].append(atom) }
      }
    }
    numbers.sort { ($0.number, $0.atom) < ($1.number, $1.atom) }
    orders.sort { $0.text.lexicographicallyPrecedes($1.text) }
  }

  /// Whether a string is not converted, and does not resemble a number.
  private func isPlain(_ text: String) -> Bool {
    guard !text.isEmpty, text.utf8.count <= 64 else { return false }
    if binding.dropsDollarSigns, text.utf8.contains(UInt8(ascii: "$")) { return false }
    if binding.readsNumberTexts, mayBeNumber(text) { return false }
    return !["true", "false", "nan", "inf", "infinity", "+inf", "-inf"].contains(text.lowercased())
  }

  /// Whether a string with digits may be read as a number. Strings such as `k1` and `004.002.001` are not.
  private func mayBeNumber(_ text: String) -> Bool {
    guard text.utf8.contains(where: { $0 &- 0x30 < 10 }), let first = text.utf8.first,
      first <= UInt8(ascii: "9")
    else { return false }
    var (points, hyphens) = (0, 0)
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39: continue
      case UInt8(ascii: "."): points += 1
      case UInt8(ascii: "-"): hyphens += 1
      default: return true
      }
    }
    return points < 2 && hyphens < 2
  }

  /// Atoms whose outcomes may differ between two values; nil if that is not known, or for most of them.
  func changed(from first: Value, to second: Value) -> [Int]? {
    if case .string(let a) = first, case .string(let b) = second {
      guard isPlain(a), isPlain(b) else { return nil }
      guard let between = ordered(Array(a.utf8), Array(b.utf8)) else { return nil }
      return others + between + (texts[a] ?? []) + (a == b ? [] : texts[b] ?? [])
    }
    guard let (a, kind) = Self.position(of: first), let (b, other) = Self.position(of: second),
      kind == other || binding.wholeDoublesAreInts, Self.zone(of: a) == Self.zone(of: b)
    else { return nil }
    let start = numbers.partitioningIndex { $0.number >= min(a, b) }
    let end = numbers.partitioningIndex { $0.number > max(a, b) }
    guard 2 * (end - start) < count else { return nil }
    return others + numbers[start..<end].map { $0.atom }
  }

  /// Atoms that compare with strings from one string to another, or with their prefixes; nil for most of them.
  private func ordered(_ a: [UInt8], _ b: [UInt8]) -> [Int]? {
    if orders.isEmpty { return [] }
    let (low, high) = b.lexicographicallyPrecedes(a) ? (b, a) : (a, b)
    let start = orders.partitioningIndex { !$0.text.lexicographicallyPrecedes(low) }
    let end = orders.partitioningIndex { high.lexicographicallyPrecedes($0.text) }
    guard 2 * (end - start) < count else { return nil }
    var atoms = orders[start..<end].map { $0.atom }
    for text in [a, b] {
      for length in 0..<text.count { atoms += beginnings[Array(text[..<length])] ?? [] }
    }
    return atoms
  }

  private static func position(of value: Value) -> (Double, kind: Int)? {
    switch value {
    case .int(let number): (Double(number), 0)
    case .double(let number): number.isFinite ? (number, 1) : nil
    case .uint(let number): (Double(number), 2)
    default: nil
    }
  }

  /// The number of the border or of the range between borders that contains a number.
  private static func zone(of number: Double) -> Int {
    borders.reduce(0) { $0 + (number >= $1 ? 1 : 0) + (number > $1 ? 1 : 0) }
  }

  /// The places of values in an order in which neighbours are close to each other.
  static func order(of values: [Value?]) -> [Int] {
    var numbers: [(kind: Int, number: Double, place: Int)] = []
    var texts: [(text: [UInt8], place: Int)] = []
    var others: [Int] = []
    for (place, value) in values.enumerated() {
      if let value, let (number, kind) = position(of: value) {
        numbers.append((kind, number, place))
      } else if case .string(let text)? = value {
        texts.append((Array(text.utf8), place))
      } else {
        others.append(place)
      }
    }
    numbers.sort { $0 < $1 }
    texts.sort { $0.text.lexicographicallyPrecedes($1.text) }
    return others + texts.map { $0.place } + numbers.map { $0.place }
  }
}

extension Array {
  /// The first place from which on a condition holds for all elements, if it holds for none before.
  func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

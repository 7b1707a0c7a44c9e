/// A test in SQL that is true or false for every row, and its opposite.
struct SQLAtom: Hashable {
  /// The form of an atom. The forms of two atoms show whether one implies or excludes the other.
  enum Form: Hashable {
    /// Whether a column is NULL.
    case isNull(String)
    /// Whether a column equals a literal.
    case equals(String, String)
    case other
  }

  var form: Form
  /// The SQL of the atom, and of its opposite, which is true where the atom is false.
  var text: String
  var opposite: String
  /// The columns that are not NULL where the atom is true.
  var columns: [String]
  /// The SQL of atoms that are false where this atom is true.
  var excludes: [String] = []

  static func == (a: SQLAtom, b: SQLAtom) -> Bool { a.text == b.text }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  static func isNull(_ column: String) -> SQLAtom {
    SQLAtom(
      form: .isNull(column), text: "\(column) IS NULL", opposite: "\(column) IS NOT NULL",
      columns: [])
  }

  /// A predicate that is NULL, and therefore counts as false, where one of its columns is NULL.
  static func predicate(
    _ text: String, not opposite: String? = nil, columns: [String], form: Form = .other,
    excludes: [String] = []
  ) -> SQLAtom {
    SQLAtom(
      form: form, text: "COALESCE(\(text), FALSE)",
      opposite: opposite.map { "COALESCE(\($0), TRUE)" } ?? "NOT COALESCE(\(text), FALSE)",
      columns: columns, excludes: excludes)
  }
}

/// A condition over a row, as a tree of atoms. A condition is never NULL.
indirect enum SQLCondition: Hashable {
  case always, never
  /// An atom, or its opposite.
  case atom(SQLAtom, Bool)
  case all([SQLCondition])
  case any([SQLCondition])

  /// The number of atoms in the condition.
  var size: Int {
    switch self {
    case .always, .never: 0
    case .atom: 1
    case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.size }
    }
  }

  static prefix func ! (condition: SQLCondition) -> SQLCondition {
    switch condition {
    case .always: .never
    case .never: .always
    case .atom(let atom, let isTrue): .atom(atom, !isTrue)
    case .all(let parts): .any(parts.map { !$0 })
    case .any(let parts): .all(parts.map { !$0 })
    }
  }

  /// Whether another condition is true wherever this one is, if the atoms show it.
  private func implies(_ other: SQLCondition) -> Bool {
    switch (self, other) {
    case (.any(let parts), .atom): parts.allSatisfy { $0.isAtom && $0.implies(other) }
    case (.atom, .all(let parts)): parts.allSatisfy { $0.isAtom && implies($0) }
    case (.atom, .atom): SQLCondition.directly(self, other) || SQLCondition.directly(!other, !self)
    default: false
    }
  }

  private static func directly(_ a: SQLCondition, _ b: SQLCondition) -> Bool {
    guard case .atom(let first, let isFirst) = a, case .atom(let second, let isSecond) = b else {
      return false
    }
    if first == second { return isFirst == isSecond }
    guard isFirst, !isSecond else { return false }
    if first.excludes.contains(second.text) { return true }
    switch (first.form, second.form) {
    case (_, .isNull(let column)): return first.columns.contains(column)
    case (.equals(let column, let literal), .equals(let other, let value)):
      return column == other && literal != value
    default: return false
    }
  }

  /// Conditions with more parts are not simplified, because each part is compared with every other part.
  private static let mostParts = 64

  static func all(of parts: [SQLCondition]) -> SQLCondition {
    var flat: [SQLCondition] = []
    for part in parts {
      switch part {
      case .always: continue
      case .never: return .never
      case .all(let inner): flat += inner
      case .atom, .any: flat.append(part)
      }
    }
    flat = unique(flat)
    guard flat.count <= mostParts else { return .all(flat) }
    // Each condition is negated once, because conditions may be large.
    let opposites = flat.map { !$0 }
    for (i, part) in flat.enumerated() {
      for opposite in opposites[(i + 1)...] where part.implies(opposite) { return .never }
    }
    flat = withoutRepeats(flat) { $1.implies($0) }
    // Conditions that another part decides are removed from the alternatives.
    let atoms = flat.filter(\.isAtom)
    let tidied = flat.map { part -> SQLCondition in
      guard case .any(let choices) = part, !atoms.isEmpty else { return part }
      if choices.contains(where: { choice in atoms.contains { $0.implies(choice) } }) {
        return .always
      }
      return any(of: choices.filter { choice in !atoms.contains { $0.implies(!choice) } })
    }
    if tidied != flat { return all(of: tidied) }
    return flat.count == 1 ? flat[0] : flat.isEmpty ? .always : .all(flat)
  }

  static func any(of parts: [SQLCondition]) -> SQLCondition {
    var flat: [SQLCondition] = []
    for part in parts {
      switch part {
      case .never: continue
      case .always: return .always
      case .any(let inner): flat += inner
      case .atom, .all: flat.append(part)
      }
    }
    flat = unique(flat)
    guard flat.count <= mostParts else { return .any(flat) }
    let opposites = flat.map { !$0 }
    for (i, opposite) in opposites.enumerated() {
      for other in flat[(i + 1)...] where opposite.implies(other) { return .always }
    }
    flat = withoutRepeats(flat) { $0.implies($1) }
    let atoms = flat.filter(\.isAtom)
    let tidied = flat.map { part -> SQLCondition in
      guard case .all(let needs) = part, !atoms.isEmpty else { return part }
      if needs.contains(where: { need in atoms.contains { need.implies($0) } }) { return .never }
      return all(of: needs.filter { need in !atoms.contains { (!need).implies($0) } })
    }
    if tidied != flat { return any(of: tidied) }
    return flat.count == 1 ? flat[0] : flat.isEmpty ? .never : .any(flat)
  }

  private var isAtom: Bool { if case .atom = self { true } else { false } }

  private static func unique(_ parts: [SQLCondition]) -> [SQLCondition] {
    var seen: Set<SQLCondition> = []
    return parts.filter { seen.insert($0).inserted }
  }

  /// The parts, without those that another part makes redundant.
  private static func withoutRepeats(
    _ parts: [SQLCondition], _ addsNothing: (SQLCondition, SQLCondition) -> Bool
  ) -> [SQLCondition] {
    var kept = parts
    var place = 0
    while place < kept.count {
      let part = kept[place]
      let isRepeated = kept.indices.contains { $0 != place && addsNothing(part, kept[$0]) }
      if isRepeated { kept.remove(at: place) } else { place += 1 }
    }
    return kept
  }
}

extension SQLCondition {
  /// The condition in SQL.
  var text: String {
    switch self {
    case .always: "TRUE"
    case .never: "FALSE"
    case .atom(let atom, let isTrue): isTrue ? atom.text : atom.opposite
    case .all(let parts): parts.map(\.operand).joined(separator: " AND ")
    case .any(let parts): parts.map(\.operand).joined(separator: " OR ")
    }
  }

  private var operand: String {
    switch self {
    case .always, .never, .atom: text
    case .all, .any: "(\(text))"
    }
  }
}

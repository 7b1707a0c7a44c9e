internal import Expressions
internal import RuleEngine

/// Infers the types of a table's columns from the rules that read them.
///
/// A column has one type. If rules use an attribute in several ways, the use that reveals most about its type counts,
/// and the other uses are translated for that type.
struct SQLColumnReading {
  private let uses: AttributeUses
  private let schema: ContextSchema

  init(_ ruleSet: RuleSet, schema: ContextSchema) {
    self.schema = schema
    uses = AttributeUses(ruleSet)
  }

  /// Attributes from which other attributes, in days, are derived.
  private static let minutes = ["minutesSinceInstall", "minutesSinceLastPaywallView"]

  /// The kind of values of a column.
  func kind(of slot: Int, _ path: AttributePath) -> SQLColumnKind {
    if let known = known(path) {
      if known == .text, uses.uses[slot] == [.time] { return .time }
      if Self.minutes.contains(path.names[1]) { return .integer }
      guard known == .number, let own = ownKind(slot) else { return known }
      return own == .integer || own == .double ? own : known
    }
    if let own = ownKind(slot) { return own }
    let partners = uses.partners[slot] ?? []
    for partner in partners {
      if let kind = ownKind(partner) { return kind == .integer ? .number : kind }
    }
    return partners.isEmpty ? .any : .number
  }

  private func ownKind(_ slot: Int) -> SQLColumnKind? {
    guard let kind = uses.uses[slot]?.min()?.kind else { return nil }
    return kind == .integer && uses.doubles.contains(slot) ? .double : kind
  }

  /// The kind of an attribute that the SDKs send.
  private func known(_ path: AttributePath) -> SQLColumnKind? {
    guard path.names.first == "device", let attribute = schema.attribute(path.names) else {
      return nil
    }
    return switch attribute.kind {
    case .bool: .bool
    case .number: .number
    case .text: .text
    case .list(.text): .list
    case .any, .null, .time, .span, .map, .list: nil
    }
  }
}

extension AttributeUses.Use {
  /// The kind of a column with these uses.
  fileprivate var kind: SQLColumnKind {
    switch self {
    case .loop, .membership: .list
    case .textFunction, .concatenation, .textOrder, .textEquality, .size: .text
    case .arithmetic, .toText: .integer
    case .numberOrder, .numberEquality, .toDouble: .number
    case .boolean, .truth: .bool
    case .time: .time
    }
  }
}

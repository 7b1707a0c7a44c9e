package import Expressions
package import RuleBatch
internal import RuleEngine

/// Attributes whose values are kept out of what a command says. One that is there is shown as
/// `[redacted]`, so that its absence can be told from that.
///
///     let redaction = Redaction(paths: [["user", "email"]])
///     redaction.record(["userId": "u1", "user": ["email": "ann@example.com"]])
///     // {"userId":"u1","user":{"email":"[redacted]"}}
package struct Redaction: Sendable {
  /// What stands in the place of a value.
  package static let mark = Value.string("[redacted]")

  package let paths: [[String]]

  package init(paths: [[String]]) { self.paths = paths }

  /// The path that a text names; nil when it is not one of an attribute.
  package static func path(_ text: String) -> [String]? {
    let path = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let roots = [UserMember.user, .device, .params].map(\.key)
    guard !path.contains(""), roots.contains(path[0]) || path == [UserMember.userID.key] else {
      return nil
    }
    return path
  }

  package var isEmpty: Bool { paths.isEmpty }

  /// Whether users' IDs are kept out.
  package var hidesIDs: Bool { hides([UserMember.userID.key]) }

  /// Whether an attribute is kept out: it, or what it is a part of.
  package func hides(_ path: [String]) -> Bool { paths.contains { path.starts(with: $0) } }

  /// Whether a value has something in it that is kept out.
  package func touches(_ path: [String]) -> Bool {
    hides(path) || paths.contains { $0.starts(with: path) }
  }

  /// The value of an attribute as it may be shown.
  package func value(_ value: Value, at path: [String]) -> Value {
    if hides(path) { return Self.mark }
    guard touches(path) else { return value }
    switch value {
    case .map(let entries):
      return .map(
        entries.map { entry in
          guard let key = entry.key.text else { return entry }
          return .init(key: entry.key, value: self.value(entry.value, at: path + [key]))
        })
    case .list(let elements): return .list(elements.map { self.value($0, at: path) })
    default: return value
    }
  }

  /// A user record as it may be shown.
  package func record(_ record: Value) -> Value { isEmpty ? record : value(record, at: []) }

  /// Paths that a record does not have: what was mistyped hides nothing.
  package func missing(in record: Value) -> [String] {
    paths.filter { record.value(at: $0) == nil }.map { $0.joined(separator: ".") }
  }

  /// A user's ID as it may be shown.
  package func id(_ id: String) -> String { hidesIDs ? Self.mark.text ?? "" : id }
}

extension Redaction {
  /// Redacts the IDs of the users that audiences name as examples.
  package func reach(_ placement: Reach) -> Reach {
    guard hidesIDs else { return placement }
    var placement = placement
    placement.forEachID { $0 = $0.map(id) }
    return placement
  }
}

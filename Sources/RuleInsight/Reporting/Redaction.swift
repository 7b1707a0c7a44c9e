package import Expressions
package import RuleBatch
internal import RuleEngine

/// Attributes whose values are redacted in a command's output. Existing values are shown as
/// `[redacted]`, so that they differ from missing ones.
///
///     let redaction = Redaction(paths: [["user", "email"]])
///     redaction.record(["userId": "u1", "user": ["email": "ann@example.com"]])
///     // {"userId":"u1","user":{"email":"[redacted]"}}
package struct Redaction: Sendable {
  /// The replacement for a value.
  package static let mark = Value.string("[redacted]")

  package let paths: [[String]]

  package init(paths: [[String]]) { self.paths = paths }

  /// The path in a string; nil if it is not the path of an attribute.
  package static func path(_ text: String) -> [String]? {
    let path = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let roots = [UserMember.user, .device, .params].map { $0.key }
    guard !path.contains(""), roots.contains(path[0]) || path == [UserMember.userID.key] else {
      return nil
    }
    return path
  }

  package var isEmpty: Bool { paths.isEmpty }

  /// Whether users' IDs are redacted.
  package var hidesIDs: Bool { hides([UserMember.userID.key]) }

  /// Whether an attribute, or an attribute that contains it, is redacted.
  package func hides(_ path: [String]) -> Bool { paths.contains { path.starts(with: $0) } }

  /// Whether the value at a path contains a redacted attribute.
  package func touches(_ path: [String]) -> Bool {
    hides(path) || paths.contains { $0.starts(with: path) }
  }

  /// The redacted value of an attribute.
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

  /// The redacted user record.
  package func record(_ record: Value) -> Value { isEmpty ? record : value(record, at: []) }

  /// Paths that a record does not have, because a mistyped path redacts nothing.
  package func missing(in record: Value) -> [String] {
    paths.filter { record.value(at: $0) == nil }.map { $0.joined(separator: ".") }
  }

  /// The redacted ID of a user.
  package func id(_ id: String) -> String { hidesIDs ? Self.mark.text ?? "" : id }
}

extension Redaction {
  /// Redacts the IDs of example users of audiences.
  package func reach(_ placement: Reach) -> Reach {
    guard hidesIDs else { return placement }
    var placement = placement
    placement.forEachID { $0 = $0.map(id) }
    return placement
  }
}

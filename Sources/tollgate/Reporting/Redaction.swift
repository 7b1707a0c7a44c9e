internal import ArgumentParser
internal import Expressions
internal import RuleEngine

/// Attributes whose values are kept out of what a command says. One that is there is shown as
/// `[redacted]`, so that its absence can be told from that.
///
///     let redaction = try Redaction(["user.email"])
///     redaction.record(["userId": "u1", "user": ["email": "ann@example.com"]])
///     // {"userId":"u1","user":{"email":"[redacted]"}}
struct Redaction {
  /// What stands in the place of a value.
  static let mark = Value.string("[redacted]")

  let paths: [[String]]

  /// - Throws: when a text is not the path of an attribute.
  init(_ texts: [String]) throws {
    paths = try texts.map { text in
      let path = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      let roots = [UserMember.user, .device, .params].map(\.key)
      guard !path.contains(""), roots.contains(path[0]) || path == [UserMember.userID.key] else {
        throw ValidationError(
          DiagnosticText.visible(
            "--redact takes attributes of user, device or params, such as user.email, or userId; "
              + "'\(text)' is none of them"))
      }
      return path
    }
  }

  var isEmpty: Bool { paths.isEmpty }

  /// Whether users' IDs are kept out.
  var hidesIDs: Bool { hides([UserMember.userID.key]) }

  /// Whether an attribute is kept out: it, or what it is a part of.
  func hides(_ path: [String]) -> Bool { paths.contains { path.starts(with: $0) } }

  /// Whether a value has something in it that is kept out.
  func touches(_ path: [String]) -> Bool {
    hides(path) || paths.contains { $0.starts(with: path) }
  }

  /// The value of an attribute as it may be shown.
  func value(_ value: Value, at path: [String]) -> Value {
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
  func record(_ record: Value) -> Value { isEmpty ? record : value(record, at: []) }

  /// Paths that a record does not have: what was mistyped hides nothing.
  func missing(in record: Value) -> [String] {
    paths.filter { record.value(at: $0) == nil }.map { $0.joined(separator: ".") }
  }
}

/// The option of commands that show values of users.
struct RedactionOptions: ParsableArguments {
  @Option(
    name: .customLong("redact"), parsing: .unconditionalSingleValue, help: OptionHelp.redact)
  var paths: [String] = []

  func validate() throws { _ = try Redaction(paths) }

  func redaction() throws -> Redaction { try Redaction(paths) }
}

extension Redaction {
  /// Keeps values out of an explanation. What a clause works out of them is kept out with them.
  func apply(to explanation: inout Explanation) {
    guard !isEmpty else { return }
    for index in explanation.audiences.indices { apply(to: &explanation.audiences[index]) }
    if hidesIDs { explanation.state.subjectID = Self.mark.text ?? "" }
  }

  /// Keeps values out of what is told of one audience.
  func apply(to audience: inout Explanation.Audience) {
    for index in audience.clauses.indices { apply(to: &audience.clauses[index]) }
  }

  private func apply(to clause: inout Clause) {
    guard clause.attributes.contains(where: { touches($0.path.names) }) else { return }
    for index in clause.attributes.indices where !clause.attributes[index].isPresenceOnly {
      let names = clause.attributes[index].path.names
      clause.attributes[index].value = clause.attributes[index].value.map { value($0, at: names) }
    }
    for index in clause.computed.indices where clause.computed[index].value != nil {
      clause.computed[index].value = Self.mark
    }
    // True and false are the answer of the rule.
    if case .noBool = clause.outcome { clause.value = clause.value.map { _ in Self.mark } }
  }

  /// A user's ID as it may be shown.
  func id(_ id: String) -> String { hidesIDs ? Self.mark.text ?? "" : id }

  /// Keeps IDs out of what is told of audiences.
  func reach(_ placement: Reach) -> Reach {
    guard hidesIDs else { return placement }
    var placement = placement
    placement.forEachID { $0 = $0.map(id) }
    return placement
  }

  /// Keeps values out of changes of attributes.
  func apply(to changes: inout [SmallestChange.Change]) {
    for index in changes.indices {
      let path = changes[index].path.split(separator: ".").map(String.init)
      changes[index].from = changes[index].from.map { value($0, at: path) }
      changes[index].to = changes[index].to.map { value($0, at: path) }
    }
  }
}

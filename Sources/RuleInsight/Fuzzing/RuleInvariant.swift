package import Expressions
internal import RuleEngine

/// A team's statement that must be true of every decision, or of all outcomes that one user gets,
/// as strict CEL: `{"name"?,"placement"?,"when"?,"holds","over"?}`.
package struct RuleInvariant: Hashable, Sendable {
  package enum Span: String, Hashable, Sendable {
    case decision, history
  }

  package var name: String
  /// The placement that the invariant applies to; nil for all placements.
  package var placement: String?
  /// The users that the invariant applies to, as an expression; nil for all users.
  package var when: String?
  package var holds: String
  package var span: Span

  package init(
    name: String, placement: String? = nil, when: String? = nil, holds: String,
    span: Span = .decision
  ) {
    self.name = name
    self.placement = placement
    self.when = when
    self.holds = holds
    self.span = span
  }

  private static let keys = ["name", "placement", "when", "holds", "over"]
  private static let example =
    #"{"name":"adults only","when":"user.age < 18","holds":"outcome.result != \"paywall\"","over":"decision"}"#

  /// - Parameter value: a line of a file of invariants.
  package init(_ value: Value) throws(RuleExpectation.Fault) {
    guard case .map(let members) = value else {
      throw RuleExpectation.Fault("an invariant must be a JSON object, such as \(Self.example)")
    }
    for member in members {
      let key = member.key.text ?? ""
      guard !Self.keys.contains(key) else { continue }
      let close = Suggestion.closest(to: key, among: Self.keys)
      throw RuleExpectation.Fault(
        "an invariant has no key '\(key)'; "
          + (close.map { "did you mean '\($0)'?" }
            ?? "it takes \(Self.keys.joined(separator: ", "))"))
    }
    func text(_ key: String) throws(RuleExpectation.Fault) -> String? {
      guard let member = value[key], member != .null else { return nil }
      guard let text = member.text, !text.isEmpty else {
        throw RuleExpectation.Fault("'\(key)' must be a string that is not empty")
      }
      return text
    }
    guard let holds = try text("holds") else {
      throw RuleExpectation.Fault(
        "'holds' is missing: write what is always true, such as \"outcome.result != \\\"paywall\\\"\""
      )
    }
    self.holds = holds
    name = try text("name") ?? holds
    placement = try text("placement")
    when = try text("when")
    span = .decision
    guard let over = try text("over") else { return }
    guard let known = Span(rawValue: over) else {
      let close = Suggestion.closest(to: over, among: ["decision", "history"])
      throw RuleExpectation.Fault(
        "'over' must be decision or history, not '\(over)'"
          + (close.map { "; did you mean '\($0)'?" } ?? ""))
    }
    span = known
  }

  /// The members of an outcome.
  package static let outcomeMembers = ["placement", "result", "audience", "variant", "paywall"]

  /// Problems in the invariant's expressions, with the key of the expression and its source.
  package func diagnostics() -> [(key: String, source: String, diagnostic: Diagnostic)] {
    let isHistory = span == .history
    let environment = ExpressionEnvironment(
      roots: ["user", "device", "params"] + (isHistory ? [] : ["outcome"]),
      variables: ["now", "entitlements"] + (isHistory ? ["shown"] : []))
    var found: [(key: String, source: String, diagnostic: Diagnostic)] = []
    for (key, source) in [("when", when), ("holds", holds)] {
      guard let source else { continue }
      let compiled = environment.compile(source)
      var diagnostics = compiled.diagnostics.filter { $0.severity == .error }
      for i in diagnostics.indices where diagnostics[i].code == .unknownAttribute {
        if isHistory, source.contains("outcome"), diagnostics[i].message.contains("outcome") {
          diagnostics[i].suggestion =
            "'outcome' is for decisions; a history has 'shown'"
        } else if !isHistory, diagnostics[i].message.contains("shown") {
          diagnostics[i].suggestion = "'shown' needs \"over\":\"history\""
        }
      }
      for path in compiled.output?.requirements ?? []
      where path.names.count > 1 && path.names[0] == "outcome"
        && !Self.outcomeMembers.contains(path.names[1])
      {
        let close = Suggestion.closest(to: path.names[1], among: Self.outcomeMembers)
        diagnostics.append(
          Diagnostic(
            .unknownAttribute, "an outcome has no '\(path.names[1])'", severity: .error,
            suggestion: close.map { "did you mean 'outcome.\($0)'?" }
              ?? "it has \(Self.outcomeMembers.joined(separator: ", "))"))
      }
      found += diagnostics.map { (key, source, $0) }
    }
    return found
  }

  /// The environment in which expressions of all invariants are evaluated.
  static let environment = ExpressionEnvironment(
    roots: ["user", "device", "params", "outcome"], variables: ["now", "entitlements", "shown"])
}

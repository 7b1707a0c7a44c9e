internal import Expressions
internal import RuleEngine
internal import RuleInsight

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

  /// Keeps values out of changes of attributes.
  func apply(to changes: inout [SmallestChange.Change]) {
    for index in changes.indices {
      let path = changes[index].path.split(separator: ".").map(String.init)
      changes[index].from = changes[index].from.map { value($0, at: path) }
      changes[index].to = changes[index].to.map { value($0, at: path) }
    }
  }
}

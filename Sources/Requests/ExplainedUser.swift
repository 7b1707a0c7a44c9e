package import Expressions
package import RuleEngine
package import RuleInsight

/// One user whose outcomes are explained.
package struct ExplainedUser {
  package var ruleSet: RuleSet
  package var config: Config?
  /// The record, with the changes of ``whatIf``.
  package var record: Value
  package var state: DecisionState
  package var clock: HistoryClock
  package var assigner: Assigner
  package var whatIf: WhatIf?
  package var redaction: Redaction
  /// The rules of other versions of the SDK, if requested.
  package var family: RuleSetFamily?

  package init(
    ruleSet: RuleSet, config: Config?, record: Value, state: DecisionState, clock: HistoryClock,
    assigner: Assigner, whatIf: WhatIf? = nil, redaction: Redaction = Redaction(paths: []),
    family: RuleSetFamily? = nil
  ) {
    self.ruleSet = ruleSet
    self.config = config
    self.record = record
    self.state = state
    self.clock = clock
    self.assigner = assigner
    self.whatIf = whatIf?.redacted(redaction)
    self.redaction = redaction
    self.family = family
  }

  /// One audience, and the smallest change that would make it take the user.
  package struct Audience {
    /// The name of the audience.
    package var label: String
    package var explanation: Explanation.Audience
    package var change: SmallestChange?

    package var value: Value { explanation.value.adding(change?.value) }
  }

  package func explanation(of placement: String, _ frame: inout Frame) -> Explanation {
    var explanation = ruleSet.explain(
      placement, frame: &frame, state: state, assigner: assigner, clock: clock)
    if let config { explanation.addOwnership(from: record, config: config) }
    explanation.showNulls(of: record)
    redaction.apply(to: &explanation)
    return explanation
  }

  /// - Parameters:
  ///   - name: the audience's number, ID, experiment or name.
  ///   - wantsChange: whether to search for the change, which takes longer than the rest.
  package func audience(
    _ name: String, of placement: String, _ frame: inout Frame, wantsChange: Bool = true
  ) throws(RequestError) -> Audience {
    let (index, label) = try ruleSet.audience(name, of: placement)
    guard
      var found = ruleSet.explain(
        audience: index, of: placement, frame: &frame, state: state, clock: clock)
    else { throw RequestError("the placement '\(placement)' has no audience \(index)") }
    found.showNulls(of: record)
    redaction.apply(to: &found)
    guard wantsChange else { return Audience(label: label, explanation: found) }
    var change = ruleSet.smallestChange(audience: index, of: placement, for: record, at: clock)
    if var changes = change?.changes, var follows = change?.follows {
      redaction.apply(to: &changes)
      redaction.apply(to: &follows)
      change?.changes = changes
      change?.follows = follows
    }
    return Audience(label: label, explanation: found, change: change)
  }

  /// The outcomes for the values of an attribute.
  package func sweep(_ path: String, of placement: String) throws(RequestError) -> AttributeSweep {
    try ruleSet.sweep(path, of: placement, for: record, at: clock, assigner: assigner)
  }

  // MARK: Versions

  /// The outcomes of other versions of the SDK, or nil if they were not requested.
  private func versions(of placement: String) -> VersionSweep? {
    guard let family, let profile = ruleSet.profile, ruleSet.format == .superwall else {
      return nil
    }
    return VersionSweep(
      family, around: profile, of: placement, for: record, at: clock, assigner: assigner)
  }

  /// The SDK that decided, and the versions that differ, as lines for people.
  package func versionLines(of placement: String) -> [String] {
    guard let sweep = versions(of: placement), let profile = ruleSet.profile else { return [] }
    let others = sweep.lines(besides: profile)
    let head = "  decided as \(profile.title), evaluator \(profile.evaluatorTitle)"
    return ["", head]
      + (others.isEmpty
        ? ["  all other versions of the SDK give the same outcome"] : others.map { "    \($0)" })
  }

  /// The versions as JSON, or nil if they were not requested: `{"sdk": {"name", "evaluator",
  /// "versions"}}`.
  private func versionValue(of placement: String) -> Value? {
    guard let sweep = versions(of: placement), let profile = ruleSet.profile else { return nil }
    return .object([
      "sdk": .object([
        "name": .string(profile.name),
        "evaluator": .string(profile.behavior?.rawValue ?? "javascript"),
        "versions": sweep.value,
      ])
    ])
  }

  // MARK: JSON

  /// An answer about one placement, with the attributes that were set.
  ///
  /// - Parameter before: the outcome without these attributes.
  package func value(_ answer: Value, _ before: Decision?) -> Value {
    answer.adding(before.flatMap { whatIf?.value(before: $0) })
  }

  package func values(_ explanations: [Explanation], _ before: [Decision]) -> [Value] {
    explanations.enumerated().map { number, explanation in
      value(explanation.value, before.isEmpty ? nil : before[number])
        .adding(versionValue(of: explanation.decision.placement))
    }
  }
}

extension RuleSet {
  /// The number and the label of the audience with a given number, ID, experiment or name.
  fileprivate func audience(_ name: String, of placement: String) throws(RequestError)
    -> (index: Int, label: String)
  {
    let number = self.placement(named: placement)
    let audiences = number.map { rules[placements[$0].rules].map { $0.audience } } ?? []
    if let found = audiences.first(where: { $0.index == Int(name) }) {
      return (found.index, found.label)
    }
    let known = audiences.filter { $0.id == name || $0.experimentID == name }
    if let found = known.first ?? audiences.first(where: { $0.name == name }) {
      return (found.index, found.label)
    }
    let names = audiences.flatMap { [$0.id, $0.experimentID, $0.name] }.compactMap { $0 }
    let close =
      Int(name) == nil
      ? Suggestion.closest(to: name, among: names.filter { !$0.isEmpty }) : nil
    var listed = audiences.prefix(8).map { $0.label }.joined(separator: ", ")
    if audiences.count > 8 { listed += " and \(audiences.count - 8) more" }
    let hint =
      close.map { "did you mean '\($0)'?" } ?? (listed.isEmpty ? "it has none" : "it has \(listed)")
    throw RequestError(
      .request, "unknown_audience",
      "the placement '\(placement)' has no audience '\(name)'; \(hint)")
  }

  /// The sweep of the named attribute.
  fileprivate func sweep(
    _ name: String, of placement: String, for record: Value, at clock: HistoryClock,
    assigner: Assigner
  ) throws(RequestError) -> AttributeSweep {
    let path = AttributePath(name.split(separator: ".").map(String.init))
    if path.description == name,
      let found = sweep(path, of: placement, for: record, at: clock, assigner: assigner)
    {
      return found
    }
    if attributesOfEvents.contains(path) || name.contains("(") {
      throw .about(
        "sweep",
        "'\(name)' is computed from the user's events; a sweep needs an attribute of the user")
    }
    let read = attributes(of: placement).map { $0.description }
    let close =
      Suggestion.closest(to: name, among: read)
      ?? read.first { $0.split(separator: ".").last.map(String.init) == name }
    let hint =
      close.map { "did you mean '\($0)'?" }
      ?? (read.isEmpty ? "it reads none" : "it reads \(read.listed(12))")
    throw .about("sweep", "no audience of '\(placement)' reads '\(name)'; \(hint)")
  }
}

extension Value {
  /// The map with the members of another map after its own members.
  func adding(_ other: Value?) -> Value {
    guard case .map(let own) = self, case .map(let more)? = other else { return self }
    return .map(own + more)
  }
}

extension Redaction {
  /// Redacts values in an explanation, including the values that clauses compute from them.
  fileprivate func apply(to explanation: inout Explanation) {
    guard !isEmpty else { return }
    for index in explanation.audiences.indices { apply(to: &explanation.audiences[index]) }
    if hidesIDs { explanation.state.subjectID = Self.mark.text ?? "" }
  }

  fileprivate func apply(to audience: inout Explanation.Audience) {
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
    // True and false are the result of the rule, so they are not redacted.
    if case .noBool = clause.outcome { clause.value = clause.value.map { _ in Self.mark } }
  }

  /// Redacts values in changes of attributes.
  func apply(to changes: inout [SmallestChange.Change]) {
    for index in changes.indices {
      let path = changes[index].path.split(separator: ".").map(String.init)
      changes[index].from = changes[index].from.map { value($0, at: path) }
      changes[index].to = changes[index].to.map { value($0, at: path) }
    }
  }
}

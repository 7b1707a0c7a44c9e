internal import CivilTime
internal import Expressions
internal import RuleEngine

/// The data of a user record that rules read: its attributes, including attributes that come from
/// other members, and the answers to questions about its events.
struct RecordContext {
  let witness: AnalysisWitness
  let state: DecisionState
  /// Attributes that are computed from events, whatever value the record has for them.
  let fixed: Set<AttributePath>

  /// Nil when the record is rejected.
  init?(_ record: Value, _ decider: WitnessDecider) {
    guard let state = decider.read(record) else { return nil }
    self.state = state
    let ruleSet = decider.ruleSet
    var attributes = ruleSet.completed(record, at: decider.clock)
    for root in [UserMember.user, .device, .params] where record[root.key] == .null {
      attributes = attributes.setting([root.key], to: nil)
    }
    for (_, root, name) in UserMember.attributes(hasUserID: ruleSet.format == .agentWallie) {
      let path = [root.key, name]
      guard attributes.value(at: path) ?? .null == .null,
        let slot = ruleSet.program.slot(of: AttributePath(path)),
        decider.frame.slots[slot].isValue
      else { continue }
      attributes = attributes.setting(path[...], to: Value(decider.frame.slots[slot]))
    }
    var fixed: Set<AttributePath> = []
    if let platform = ruleSet.language.platform {
      for (slot, property) in ruleSet.computed {
        let path = ["device", property.attributeName]
        guard
          case .int? = decider.reader.events.value(of: property, at: decider.clock, on: platform)
        else { continue }
        attributes = attributes.setting(path[...], to: Value(decider.frame.slots[slot]))
        fixed.insert(AttributePath(path))
      }
    }
    self.fixed = fixed
    let answers = zip(ruleSet.questions, ruleSet.program.questionSlots).map { question, slot in
      (question: question, value: Value(decider.frame.slots[slot]))
    }
    witness = AnalysisWitness(attributes: attributes, answers: answers)
  }

  /// The member of a record that replaces an attribute missing in `device` or `user`.
  static func standIn(for path: AttributePath, in record: Value, _ format: Config.Format) -> String?
  {
    let known = UserMember.attributes(hasUserID: format == .agentWallie)
    guard
      let found = known.first(where: { [$0.root.key, $0.name] == path.names }),
      record[found.member.key] ?? .null != .null, record.value(at: path.names) ?? .null == .null
    else { return nil }
    return found.member.key
  }
}

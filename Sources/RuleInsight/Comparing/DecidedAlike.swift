internal import Expressions
internal import RuleEngine

/// Whether two SDK versions decide alike, so that no search for users is needed.
extension RuleSet {
  /// Whether every possible condition has the same result in both SDK versions.
  func isDecidedAlike(_ other: RuleSet) -> Bool {
    if language == other.language, behavior == other.behavior { return true }
    guard let profile, let second = other.profile else { return false }
    return profile.evaluates(like: second) && storage.rejection == other.storage.rejection
      && isReachedAlike(other)
  }

  /// Whether the rules of a placement have the same results in both SDK versions.
  func isDecidedAlike(_ other: RuleSet, at placement: String) -> Bool {
    if isDecidedAlike(other) { return true }
    guard let profile, let second = other.profile, profile.platform == second.platform,
      profile.has(.failsOnNull) == second.has(.failsOnNull),
      storage.rejection == other.storage.rejection,
      let own = part(placement), let others = other.part(placement)
    else { return false }
    let asks = !own.questions.isEmpty || !own.computed.isEmpty
    return own.isReachedAlike(others) && own.program.evaluatesAs(others.program)
      && own.computed.map { $0.property } == others.computed.map { $0.property }
      && (!asks || profile.has(.nullTimes) == second.has(.nullTimes))
      && zip(own.rules, others.rules).allSatisfy { $0.isBroken == $1.isBroken }
  }

  /// Whether both SDKs evaluate the conditions at all, with the same attributes.
  private func isReachedAlike(_ other: RuleSet) -> Bool {
    func unsent(_ ruleSet: RuleSet) -> [String] {
      ruleSet.storage.unsent.map { ruleSet.program.name(ofSlot: $0) }
    }
    return storage.aborts == other.storage.aborts && unsent(self) == unsent(other)
      && rules.map { $0.isUndecidable } == other.rules.map { $0.isUndecidable }
      && rules.map { $0.weights } == other.rules.map { $0.weights }
  }

  /// The rules of one placement, compiled so that the condition graph shows where numbers are read.
  func part(_ placement: String) -> RuleSet? {
    guard let number = self.placement(named: placement) else { return nil }
    let audiences = rules[placements[number].rules].map { $0.audience }
    let part = Config(
      format: format, placements: [Placement(name: placement, audiences: audiences)])
    return RuleSet.compile(
      part, language: language, environment: environment.readingNumbersInGraph
    ).output
  }
}

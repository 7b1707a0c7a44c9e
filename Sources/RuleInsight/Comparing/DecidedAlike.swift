internal import Expressions
internal import RuleEngine

/// Whether two SDK versions decide alike, so that no search for users is needed.
extension RuleSet {
  /// Whether all conditions, whatever they are, have the same results in both.
  func isDecidedAlike(_ other: RuleSet) -> Bool {
    if language == other.language, behavior == other.behavior { return true }
    guard let profile, let second = other.profile else { return false }
    return profile.evaluates(like: second) && isReachedAlike(other)
  }

  /// Whether the rules of a placement have the same results in both.
  func isDecidedAlike(_ other: RuleSet, at placement: String) -> Bool {
    if isDecidedAlike(other) { return true }
    guard profile?.platform == other.profile?.platform, isReachedAlike(other),
      let first = part(placement), let second = other.part(placement)
    else { return false }
    // Answers of the host are not compared.
    return first.questions.isEmpty && second.questions.isEmpty && first.computed.isEmpty
      && second.computed.isEmpty && first.program.evaluatesAs(second.program)
      && zip(first.rules, second.rules).allSatisfy { $0.isBroken == $1.isBroken }
  }

  /// Whether both SDKs evaluate the conditions at all, with the same attributes.
  private func isReachedAlike(_ other: RuleSet) -> Bool {
    func unsent(_ ruleSet: RuleSet) -> [String] {
      ruleSet.storage.unsent.map { ruleSet.program.name(ofSlot: $0) }
    }
    return storage.aborts == other.storage.aborts && unsent(self) == unsent(other)
      && storage.rejection == other.storage.rejection
      && rules.map { $0.isUndecidable } == other.rules.map { $0.isUndecidable }
      && rules.map { $0.weights } == other.rules.map { $0.weights }
  }

  /// The rules of one placement, with numbers read where conditions read them.
  private func part(_ placement: String) -> RuleSet? {
    guard let number = self.placement(named: placement) else { return nil }
    let audiences = rules[placements[number].rules].map { $0.audience }
    let part = Config(
      format: format, placements: [Placement(name: placement, audiences: audiences)])
    return RuleSet.compile(
      part, language: language, environment: environment.readingNumbersInGraph
    ).output
  }
}

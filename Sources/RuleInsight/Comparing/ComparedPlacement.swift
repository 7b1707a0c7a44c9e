internal import Expressions
internal import RuleEngine

/// A placement in two configs: its audiences, matched with each other, and their changes.
struct ComparedPlacement {
  let name: String
  /// The placement's rules; nil for a config without the placement.
  let oldRules: Range<Int>?
  let newRules: Range<Int>?
  let match: AudienceMatch
  /// Whether attributes may differ between the two configs, so that equal conditions may have
  /// different results.
  let hasOtherContext: Bool
  private let old: RuleSet
  private let new: RuleSet

  init(_ name: String, _ old: RuleSet, _ new: RuleSet) {
    self.name = name
    self.old = old
    self.new = new
    oldRules = old.placement(named: name).map { old.placements[$0].rules }
    newRules = new.placement(named: name).map { new.placements[$0].rules }
    match = AudienceMatch(
      (oldRules ?? 0..<0).map { old.rules[$0].audience },
      (newRules ?? 0..<0).map { new.rules[$0].audience })
    let properties = (old.computed.map { $0.property }, new.computed.map { $0.property })
    let asked = Set(properties.0).symmetricDifference(properties.1)
    let sides = [(old, oldRules), (new, newRules)]
    hasOtherContext =
      old.format != new.format || !old.isDecidedAlike(new, at: name)
      || asked.contains { property in
        sides.allSatisfy { ruleSet, rules in
          (rules ?? 0..<0).contains { ruleSet.reads(property, rule: $0) }
        }
      }
  }

  /// The rule in the new config that corresponds to an old one.
  func newRule(of rule: Int) -> Int? {
    guard let oldRules, let newRules else { return nil }
    return match.newOf[rule - oldRules.lowerBound].map { newRules.lowerBound + $0 }
  }

  /// The rule in the old config that corresponds to a new one.
  func oldRule(of rule: Int) -> Int? {
    guard let oldRules, let newRules else { return nil }
    return match.oldOf[rule - newRules.lowerBound].map { oldRules.lowerBound + $0 }
  }

  func change(_ oldRule: Int, _ newRule: Int) -> AudienceChange {
    AudienceChange(old.rules[oldRule], new.rules[newRule])
  }

  // MARK: Reasons

  /// The cause of a move between two rules, or from or to no rule.
  func cause(from: Int?, to: Int?) -> MoveCause {
    if oldRules == nil { return .placementAdded }
    if newRules == nil { return .placementRemoved }
    guard let to else { return from.map { leaving($0) } ?? .placementRemoved }
    let was = oldRule(of: to)
    guard let from else { return was.map { .takes(old: $0, new: to, ahead: nil) } ?? .added(to) }
    let now = newRule(of: from)
    if was == from { return .same(old: from, new: to) }
    // The new rule was already tried before the old one, and did not match the users.
    if let was, was < from { return .takes(old: was, new: to, ahead: nil) }
    guard let now else { return .removed(from) }
    // The old rule is now tried before the new one, and does not match the users.
    if now < to { return .leaves(old: from, new: now) }
    return was.map { .takes(old: $0, new: to, ahead: now) } ?? .added(to)
  }

  private func leaving(_ rule: Int) -> MoveCause {
    newRule(of: rule).map { .leaves(old: rule, new: $0) } ?? .removed(rule)
  }

  /// The reason, if the cause determines it; otherwise the question to ask about a user.
  func reason(_ cause: MoveCause, _ from: ComparedOutcome, _ to: ComparedOutcome)
    -> (reason: MoveReason?, question: MoveQuestion?)
  {
    switch cause {
    case .placementAdded, .added: return (.added, nil)
    case .placementRemoved, .removed: return (.removed, nil)
    case .same:
      return (sameBytes(from.variant, to.variant) && from.variant != nil ? .paywall : .weights, nil)
    case .takes(let was, let now, let ahead):
      return reason(change(was, now), isAhead: ahead != nil, MoveQuestion(isOld: true, rule: was))
    case .leaves(let was, let now):
      return reason(change(was, now), isAhead: false, MoveQuestion(isOld: false, rule: now))
    }
  }

  private func reason(_ change: AudienceChange, isAhead: Bool, _ question: MoveQuestion)
    -> (reason: MoveReason?, question: MoveQuestion?)
  {
    if hasOtherContext { return (nil, question) }
    let change = change.intersection([.condition, .limit])
    if change.isEmpty, isAhead { return (.order, nil) }
    if isAhead || change.isEmpty || change == [.condition, .limit] { return (nil, question) }
    return (change == .limit ? .limit : .condition, nil)
  }

  /// The answer to a question.
  ///
  /// - Parameter reason: the result of the question's rule for the user.
  static func reason(_ reason: Decision.Reason?, _ cause: MoveCause) -> MoveReason {
    switch reason {
    case .occurrenceLimit: return .limit
    case .matched: if case .takes(_, _, _?) = cause { return .order } else { return .condition }
    default: return .condition
    }
  }

  // MARK: Words

  /// A reason in words.
  func text(
    _ reason: MoveReason, _ cause: MoveCause, _ from: ComparedOutcome, _ to: ComparedOutcome
  )
    -> String
  {
    func label(_ rule: Int, isOld: Bool = false) -> String {
      "audience \((isOld ? old : new).rules[rule].audience.label)"
    }
    switch cause {
    case .placementAdded: return "the placement is new"
    case .placementRemoved: return "the placement was removed"
    case .added(let rule): return "\(label(rule)) is new"
    case .removed(let rule): return "\(label(rule, isOld: true)) of the old config was removed"
    case .same(let was, let now):
      if reason == .paywall {
        return "variant '\(to.variant ?? "")' of \(label(now)) has a different outcome"
      }
      return "\(label(now)) splits its users differently" + shares(was, now)
    case .takes(let was, let now, let ahead):
      if reason == .order, let ahead { return "\(label(now)) comes before \(label(ahead))" }
      return "\(label(now)) takes these users: \(words(reason, was, now))"
    case .leaves(let was, let now):
      return "\(label(now)) no longer takes these users: \(words(reason, was, now))"
    }
  }

  private func words(_ reason: MoveReason, _ was: Int, _ now: Int) -> String {
    if reason == .limit { return "its limit has changed" }
    let (before, after) = (old.rules[was].audience.expression, new.rules[now].audience.expression)
    let computed = (old.computed.map { $0.property }, new.computed.map { $0.property })
    return before != nil && before == after && computed.0 == computed.1
      ? "the SDK evaluates its condition differently" : "its condition has changed"
  }

  /// The change in the division among variants, if there is only one.
  private func shares(_ was: Int, _ now: Int) -> String {
    let (before, after) = (old.rules[was].audience, new.rules[now].audience)
    if before.experimentStatus != after.experimentStatus {
      return ": its experiment is \(after.experimentStatus.words)"
    }
    if !sameBytes(before.experimentID, after.experimentID) {
      return ": its experiment has another ID, so every user is drawn again"
    }
    let (earlier, later) = (VariantPlaces(before.variants), VariantPlaces(after.variants))
    let gone = before.variants.filter { later[$0] == nil }
    let new = after.variants.filter { earlier[$0] == nil }
    if gone.isEmpty, new.isEmpty { return "" }
    let parts =
      gone.map { "variant '\($0.id)' was removed" } + new.map { "variant '\($0.id)' is new" }
    return ": " + parts.joined(separator: ", ")
  }
}

extension RuleSet {
  /// Whether a rule's condition reads the attribute of a computed property.
  fileprivate func reads(_ property: ComputedProperty, rule: Int) -> Bool {
    guard let entry = rules[rule].entry else { return false }
    let path = ["device", property.attributeName]
    return program.attributes(of: entry).contains { path.starts(with: $0.names) }
  }
}

extension ExperimentStatus {
  /// The reason in words that follow "its experiment is".
  var words: String {
    switch self {
    case .running: "running now"
    case .paused: "paused"
    case .completed: "completed"
    case .absent: "gone"
    }
  }
}

internal import Expressions
internal import RuleEngine

/// The pairs of audiences, or none, that may match a user by the old and by the new config. Equal
/// conditions exclude some pairs; the others are questions.
struct PairQuestions {
  /// A rule in the form of questions.
  struct Rule {
    var number: Int
    /// The condition's number in the model, and its formula; nil for a rule that matches every
    /// user.
    var condition: Int?
    var root: Int?
    var limit: OccurrenceLimit?
    var owners: String?
    /// Whether the rule can match any user.
    var takes: Bool
    /// Whether any user may skip the rule.
    var mayBePassed: Bool { limit != nil || owners != nil }

    /// Whether users of a later rule may skip this rule because its limit is used up.
    func mayBeHeldBack(before rule: Rule?) -> Bool {
      guard let limit else { return false }
      return !(rule?.limit?.leavesRoom(for: limit) ?? false)
    }

    /// Whether users of a later rule may skip this rule because of their entitlements.
    func mayBeOwned(before rule: Rule?) -> Bool {
      owners != nil && !sameBytes(owners, rule?.owners)
    }

    func mayBePassed(before rule: Rule?) -> Bool {
      mayBeHeldBack(before: rule) || mayBeOwned(before: rule)
    }
  }

  /// Users that match one rule by the old config and the other by the new; nil means no rule.
  struct Pair {
    var from: Int?
    var to: Int?
  }

  let old: [Rule]
  let new: [Rule]

  /// The pairs that are not excluded by an earlier rule on one side with the same condition as the
  /// rule on the other side. They may be too many to store.
  func pairs() -> some Sequence<Pair> {
    let last = (old.indices.map { end(of: old[$0], in: new) } + [end(of: nil, in: new)])
    let first = (new.indices.map { end(of: new[$0], in: old) } + [end(of: nil, in: old)])
    return (0...old.count).lazy.filter { $0 == self.old.count || self.old[$0].takes }.flatMap { i in
      (0...min(last[i], self.new.count)).lazy
        .filter { i <= first[$0] && ($0 == self.new.count || self.new[$0].takes) }
        .map { Pair(from: i < self.old.count ? i : nil, to: $0 < self.new.count ? $0 : nil) }
    }
  }

  /// The index of the first rule that matches all users of another rule; the number of rules if
  /// there is none.
  private func end(of rule: Rule?, in others: [Rule]) -> Int {
    others.firstIndex { other in
      other.takes && (other.root == nil || other.root == rule?.root)
        && !other.mayBePassed(before: rule)
    } ?? others.count
  }

  /// The question about a pair; nil if no user reaches the pair.
  func question(_ pair: Pair) -> (goals: [Int], sparing: [Int])? {
    let (from, to) = (pair.from.map { old[$0] }, pair.to.map { new[$0] })
    var sparing: [Int] = []
    var seen: Set<Int> = []
    for (rules, end) in [(old, pair.from ?? old.count), (new, pair.to ?? new.count)] {
      for number in 0..<end where rules[number].takes {
        if rules[number].mayBePassed,
          isHeldBack(rules[number], pair) || isOwned(rules[number], pair)
        {
          continue
        }
        guard let condition = rules[number].condition else { return nil }
        if seen.insert(condition).inserted { sparing.append(condition) }
      }
    }
    return ([from?.root, to?.root].compactMap { $0 }, sparing)
  }

  /// The rules that must not match the users of a pair.
  func before(_ pair: Pair) -> [Rule] {
    Array(old[..<(pair.from ?? old.count)] + new[..<(pair.to ?? new.count)])
  }

  /// Whether users of a pair may skip a rule because its limit is used up, while both rules of the
  /// pair may still match them.
  func isHeldBack(_ rule: Rule, _ pair: Pair) -> Bool {
    rule.mayBeHeldBack(before: pair.from.map { old[$0] })
      && rule.mayBeHeldBack(before: pair.to.map { new[$0] })
  }

  func isOwned(_ rule: Rule, _ pair: Pair) -> Bool {
    rule.mayBeOwned(before: pair.from.map { old[$0] })
      && rule.mayBeOwned(before: pair.to.map { new[$0] })
  }
}

extension PairQuestions.Rule {
  /// - Parameters:
  ///   - number: the rule's number in its rule set.
  ///   - condition: its condition's number in a model; nil for none.
  ///   - root: the condition's formula.
  init(_ ruleSet: RuleSet, _ number: Int, condition: Int?, root: Int?) {
    let rule = ruleSet.rules[number]
    let limit = rule.audience.occurrenceLimit
    self.init(
      number: number, condition: condition, root: root, limit: limit,
      owners: rule.audience.entitlementGuard, takes: !rule.isBroken && limit?.maxCount ?? 1 > 0)
  }
}

/// Conditions of a model, without duplicates.
struct ConditionSources {
  private(set) var all: [ConditionModel.Source] = []
  private var expressions: [[UInt8]: Int] = [:]
  private var filters: [[Filter]: Int] = [:]

  /// The number of a rule's condition; nil for a rule that matches every user, and for one that
  /// does not compile.
  mutating func number(_ rule: RuleSet.Rule) -> Int? {
    if rule.isBroken || rule.entry == nil { return nil }
    if let expression = rule.audience.expression {
      let key = Array(expression.utf8)
      if let known = expressions[key] { return known }
      expressions[key] = all.count
      all.append(.expression(expression))
    } else {
      if let known = filters[rule.audience.filters] { return known }
      filters[rule.audience.filters] = all.count
      all.append(.filters(rule.audience.filters))
    }
    return all.count - 1
  }
}

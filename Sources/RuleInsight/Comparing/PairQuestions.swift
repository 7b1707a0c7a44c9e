internal import Expressions
internal import RuleEngine

/// Which pairs of audiences, or of none, may take a user by the old config and by the new, as far as
/// equal conditions tell; and what to ask about the others.
struct PairQuestions {
  /// A rule as questions see it.
  struct Rule {
    var number: Int
    /// The condition's number in the model, and its formula; nil for everybody.
    var condition: Int?
    var root: Int?
    var limit: OccurrenceLimit?
    var owners: String?
    /// Whether it can take anybody.
    var takes: Bool

    /// Whether who is taken by a rule may be passed over by this one because of a limit.
    func mayBeHeldBack(before rule: Rule?) -> Bool {
      guard let limit else { return false }
      return !(rule?.limit?.leavesRoom(for: limit) ?? false)
    }

    /// The same because of what the user owns.
    func mayBeOwned(before rule: Rule?) -> Bool {
      owners != nil && !sameBytes(owners, rule?.owners)
    }

    func mayBePassed(before rule: Rule?) -> Bool {
      mayBeHeldBack(before: rule) || mayBeOwned(before: rule)
    }
  }

  /// Who is taken by one rule and by the other; none by none.
  struct Pair {
    var from: Int?
    var to: Int?
  }

  let old: [Rule]
  let new: [Rule]

  /// The pairs that are not excluded by a rule before one of them with the same condition as the other.
  func pairs() -> [Pair] {
    let last = (old.indices.map { end(of: old[$0], in: new) } + [end(of: nil, in: new)])
    let first = (new.indices.map { end(of: new[$0], in: old) } + [end(of: nil, in: old)])
    var pairs: [Pair] = []
    for i in 0...old.count where i == old.count || old[i].takes {
      for j in 0...min(last[i], new.count) where i <= first[j] && (j == new.count || new[j].takes) {
        pairs.append(Pair(from: i < old.count ? i : nil, to: j < new.count ? j : nil))
      }
    }
    return pairs
  }

  /// The first rule that takes whom another rule takes, if nothing before it does; the count of rules
  /// where there is none.
  private func end(of rule: Rule?, in others: [Rule]) -> Int {
    others.firstIndex { other in
      other.takes && (other.root == nil || other.root == rule?.root)
        && !other.mayBePassed(before: rule)
    } ?? others.count
  }

  /// What to ask about a pair; nil where nobody gets there.
  func question(_ pair: Pair) -> (goals: [Int], sparing: [Int])? {
    let (from, to) = (pair.from.map { old[$0] }, pair.to.map { new[$0] })
    var sparing: [Int] = []
    var seen: Set<Int> = []
    for earlier in before(pair) where earlier.takes {
      let isPassed = isHeldBack(earlier, pair) || isOwned(earlier, pair)
      if isPassed { continue }
      guard let condition = earlier.condition else { return nil }
      if seen.insert(condition).inserted { sparing.append(condition) }
    }
    return ([from?.root, to?.root].compactMap { $0 }, sparing)
  }

  /// The rules that must not take users of a pair.
  func before(_ pair: Pair) -> [Rule] {
    Array(old[..<(pair.from ?? old.count)] + new[..<(pair.to ?? new.count)])
  }

  /// Whether a rule may pass over users of a pair whose limit is used up: both of the pair may still
  /// take them.
  func isHeldBack(_ rule: Rule, _ pair: Pair) -> Bool {
    rule.mayBeHeldBack(before: pair.from.map { old[$0] })
      && rule.mayBeHeldBack(before: pair.to.map { new[$0] })
  }

  func isOwned(_ rule: Rule, _ pair: Pair) -> Bool {
    rule.mayBeOwned(before: pair.from.map { old[$0] })
      && rule.mayBeOwned(before: pair.to.map { new[$0] })
  }
}

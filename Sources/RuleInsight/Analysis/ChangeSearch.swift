internal import Expressions
internal import RuleEngine

/// Looks for the fewest places to change so that goals are met.
///
/// A set of places that does not do says more than that: what is proved with it is proved with more
/// places being open, too, and those that then are not open are a *core*, of which every set that does
/// has one. Only sets that meet all cores are tried, which are few.
struct ChangeSearch {
  enum Result {
    case found
    /// No set of this size will do.
    case excluded
    /// None was found, and not every set could be ruled out.
    case unknown
  }

  /// Steps of all questions together, and of one.
  static let budget = 6_000_000
  private static let budgetPerQuestion = 200_000
  private static let mostSpaces = 4_000

  let space: ChangeSpace
  private let goals: [ConditionSpace.Goal]
  private let order: [Int]
  /// Sets of which each set that does has a member.
  private var cores: [[Int]] = []
  /// Sets that were tried and neither found to do nor ruled out.
  private var undecided: Set<Set<Int>> = []
  private var seen: Set<Set<Int>> = []
  private var isComplete = true
  private(set) var steps = 0
  private var spaces = 0

  /// - Parameter order: the places, those first that are to be changed rather than others.
  init(_ space: ChangeSpace, _ goals: [ConditionSpace.Goal], order: [Int]) {
    self.space = space
    self.goals = goals
    self.order = order
  }

  var isOutOfBudget: Bool { steps > Self.budget || spaces > Self.mostSpaces }

  /// Whether it was found out that no change at all will do.
  var isExhausted: Bool { cores.contains(where: \.isEmpty) }

  /// Whether no change at all meets some goals, or all.
  mutating func isImpossible(_ some: [ConditionSpace.Goal]? = nil) -> Bool {
    isProved(some ?? goals, order)
  }

  /// Tries all sets of up to a number of places.
  ///
  /// - Parameter accepts: whether a context that differs from the user's in these places will do.
  mutating func search(size: Int, accepts: (AnalysisWitness, [Int]) -> Bool) -> Result {
    isComplete = true
    seen = []
    if visit([], size, accepts) { return .found }
    return isComplete ? .excluded : .unknown
  }

  private mutating func visit(
    _ chosen: [Int], _ size: Int, _ accepts: (AnalysisWitness, [Int]) -> Bool
  ) -> Bool {
    let key = Set(chosen)
    guard seen.insert(key).inserted else { return false }
    if let core = cores.first(where: { key.isDisjoint(with: $0) }) {
      return chosen.count < size && extend(chosen, by: core, size, accepts)
    }
    if !undecided.contains(key) {
      if isOutOfBudget {
        isComplete = false
        return false
      }
      switch test(chosen, accepts) {
      case .found: return true
      case .excluded:
        seen.remove(key)
        return visit(chosen, size, accepts)
      case .unknown: undecided.insert(key)
      }
    }
    isComplete = false
    return chosen.count < size && extend(chosen, by: order, size, accepts)
  }

  private mutating func extend(
    _ chosen: [Int], by more: [Int], _ size: Int, _ accepts: (AnalysisWitness, [Int]) -> Bool
  ) -> Bool {
    for place in more where !chosen.contains(where: { overlap($0, place) }) {
      if visit(chosen + [place], size, accepts) { return true }
    }
    return false
  }

  /// Whether one place is the other, or a part of it.
  private func overlap(_ first: Int, _ second: Int) -> Bool {
    let (first, second) = (space.places[first].path.names, space.places[second].path.names)
    return first.starts(with: second) || second.starts(with: first)
  }

  private mutating func test(_ chosen: [Int], _ accepts: (AnalysisWitness, [Int]) -> Bool) -> Result
  {
    // Without any place, too: other entitlements alone may do.
    let changed = space.space(changing: chosen)
    spaces += 1
    let answer = changed.answer(goals, budget: Self.budgetPerQuestion) { accepts($0, chosen) }
    steps += changed.steps
    switch answer {
    case .witness: return .found
    case .unknown: return .unknown
    case .proof: break
    }
    // What may be open besides, without making it possible.
    var open = chosen
    for place in order where !open.contains(place) {
      if isOutOfBudget { break }
      if isProved(goals, open + [place]) { open.append(place) }
    }
    let core = order.filter { !open.contains($0) }
    // The same proof, by another way, may not be found again.
    guard Set(chosen).isDisjoint(with: core) else { return .unknown }
    cores.append(core)
    return .excluded
  }

  private mutating func isProved(_ goals: [ConditionSpace.Goal], _ open: [Int]) -> Bool {
    let changed = space.space(changing: open)
    spaces += 1
    let isProved = changed.isProved(goals, budget: Self.budgetPerQuestion)
    steps += changed.steps
    return isProved
  }
}

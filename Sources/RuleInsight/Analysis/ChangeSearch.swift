internal import Expressions
internal import RuleEngine

/// Looks for the smallest set of attributes whose change meets the goals.
///
/// A failed set gives more information, because its proof also covers supersets with more open
/// places. The places that remain closed form a *core*: every solution contains at least one of
/// them. Only the few sets that intersect all cores are tried.
struct ChangeSearch {
  enum Result {
    case found
    /// No set of this size is a solution.
    case excluded
    /// No solution was found, and not every set could be excluded.
    case unknown
  }

  /// The maximum number of steps for all questions together, and for one question.
  static let budget = 6_000_000
  private static let budgetPerQuestion = 200_000
  private static let mostSpaces = 4_000

  let space: ChangeSpace
  private let goals: [ConditionSpace.Goal]
  private let order: [Int]
  /// Sets that every solution intersects.
  private var cores: [[Int]] = []
  /// Sets that were tried, but neither accepted nor excluded.
  private var undecided: Set<Set<Int>> = []
  private var seen: Set<Set<Int>> = []
  private var isComplete = true
  private(set) var steps = 0
  private var spaces = 0

  /// - Parameter order: the places in order of preference.
  init(_ space: ChangeSpace, _ goals: [ConditionSpace.Goal], order: [Int]) {
    self.space = space
    self.goals = goals
    self.order = order
  }

  var isOutOfBudget: Bool { steps > Self.budget || spaces > Self.mostSpaces }

  /// Whether it is proved that there is no solution at all.
  var isExhausted: Bool { cores.contains(where: { $0.isEmpty }) }

  /// Whether it is proved that no change meets the goals.
  mutating func isImpossible(_ some: [ConditionSpace.Goal]? = nil) -> Bool {
    isProved(some ?? goals, order)
  }

  /// Tries all sets of up to a number of places.
  ///
  /// - Parameter accepts: whether a context that differs from the user's in these places is a
  ///   solution.
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

  /// Whether one place equals the other, or is a part of it.
  private func overlap(_ first: Int, _ second: Int) -> Bool {
    let (first, second) = (space.places[first].path.names, space.places[second].path.names)
    return first.starts(with: second) || second.starts(with: first)
  }

  private mutating func test(_ chosen: [Int], _ accepts: (AnalysisWitness, [Int]) -> Bool) -> Result
  {
    // Also with no place at all, because other entitlements may be enough.
    let changed = opened(chosen)
    var tries = 0
    let answer = changed.answer(goals, budget: Self.budgetPerQuestion) { witness in
      tries += 1
      return accepts(witness, chosen)
    }
    // A try decides the user by all audiences.
    steps += changed.steps + 2 * tries * goals.count
    switch answer {
    case .witness: return .found
    case .unknown: return .unknown
    case .proof: break
    }
    // Further places that can be open without allowing a solution.
    var open = chosen
    let taken = Set(chosen)
    openMore(order.filter { !taken.contains($0) }[...], &open)
    let all = Set(open)
    let core = order.filter { !all.contains($0) }
    // The proof may not be reproducible in this form.
    guard Set(chosen).isDisjoint(with: core) else { return .unknown }
    cores.append(core)
    return .excluded
  }

  /// Opens places as long as there is still no solution. Most places can be opened, so halves are
  /// opened together if that is possible.
  private mutating func openMore(_ places: ArraySlice<Int>, _ open: inout [Int]) {
    if places.isEmpty || isOutOfBudget { return }
    if isProved(goals, open + places) {
      open += places
    } else if places.count > 1 {
      let middle = places.startIndex + places.count / 2
      openMore(places[..<middle], &open)
      openMore(places[middle...], &open)
    }
  }

  private mutating func isProved(_ goals: [ConditionSpace.Goal], _ open: [Int]) -> Bool {
    let changed = opened(open)
    let isProved = changed.isProved(goals, budget: Self.budgetPerQuestion)
    steps += changed.steps
    return isProved
  }

  /// The space in which some places are open. Finding the classes of their values takes steps, too.
  private mutating func opened(_ places: [Int]) -> ConditionSpace {
    let before = space.work
    let changed = space.space(changing: places)
    spaces += 1
    steps += space.work - before
    return changed
  }
}

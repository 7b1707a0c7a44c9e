internal import Expressions

/// A search for classes of values that meet goals. It narrows the possible outcomes by the required
/// ones. If that does not decide, it tries the outcomes of an atom one by one.
struct ConditionSearch {
  /// The possibilities at a point of the search.
  struct State {
    /// By variable.
    var domains: [ClassMask]
    /// By atom, the possible outcomes of atoms without a variable.
    var free: [OutcomeSet]
  }

  enum Result {
    case found(State)
    /// There is no solution.
    case none
    case outOfBudget
  }

  private let space: ConditionSpace
  private let goals: [(node: Int, wanted: OutcomeSet)]
  /// Whether an atom may have any outcome that is not excluded for certain.
  private let isProof: Bool
  private var budget: Int
  /// Nodes that may have any outcome.
  private let relaxed: [Bool]
  private var sets: [OutcomeSet]
  private var allowed: [OutcomeSet]
  /// The nodes that goals depend on, operands first, and their atoms.
  private let places: [Int]
  private let atoms: [Int]
  /// The steps of a walk over the places.
  private let cost: Int
  /// By node, the last walk that visited it.
  private var seen: [UInt32]
  private var walk: UInt32 = 0

  /// - Parameters:
  ///   - isProof: whether opaque atoms may have any outcome. Otherwise they have their outcomes on
  ///     the candidates.
  ///   - budget: the number of steps. A visit of a node is one step.
  ///   - relaxed: nodes of the model's formula that may have any outcome.
  init(
    _ space: ConditionSpace, _ goals: [ConditionSpace.Goal], isProof: Bool, budget: Int,
    relaxing relaxed: [Int] = []
  ) {
    self.space = space
    self.goals = goals.map { (space.place(of: $0.node), $0.wanted) }
    self.isProof = isProof
    self.budget = budget
    var isRelaxed = Array(repeating: false, count: space.nodes.count)
    for node in relaxed { isRelaxed[space.place(of: node)] = true }
    self.relaxed = isRelaxed
    sets = Array(repeating: .any, count: space.nodes.count)
    allowed = sets
    seen = Array(repeating: 0, count: space.nodes.count)
    places = space.places(below: self.goals.map { $0.node })
    atoms = places.compactMap { space.nodes[$0].kind == .atom ? space.nodes[$0].value : nil }
    cost = 2 * places.count + atoms.reduce(0) { $0 + space.atoms[$1].words / 8 }
  }

  /// - Parameter accepts: whether a solution is acceptable. If not, the search continues.
  mutating func run(_ accepts: (State) -> Bool) -> Result {
    let start = State(
      domains: space.variables.enumerated().map { number, variable in
        let limit = number < space.limits.count ? space.limits[number] : nil
        return limit ?? ClassMask(first: variable.classes.values.count)
      },
      free: space.atoms.map { $0.possible })
    let before = budget
    defer { space.steps += before - budget }
    return solve(start, accepts)
  }

  /// The conditions among some that may hold for one context of a state.
  static func held(_ conditions: [Int], in state: State, of space: ConditionSpace) -> [Int] {
    var point = state
    for i in point.domains.indices {
      guard let first = point.domains[i].first else { continue }
      point.domains[i] = .none
      point.domains[i].insert(first)
    }
    for i in point.free.indices where !point.free[i].isEmpty {
      point.free[i] = OutcomeSet(number: point.free[i].number)
    }
    let roots = conditions.map { space.model.conditions[$0].root }
    var search = ConditionSearch(
      space, roots.map { ConditionSpace.Goal($0, .any) }, isProof: true, budget: 0)
    space.steps += search.cost
    search.forward(point)
    return conditions.indices.filter { search.sets[search.goals[$0].node].contains(.true) }
      .map { conditions[$0] }
  }

  private mutating func solve(_ state: State, _ accepts: (State) -> Bool) -> Result {
    var state = state
    guard narrow(&state) else { return budget <= 0 ? .outOfBudget : .none }
    if budget <= 0 { return .outOfBudget }
    guard let atom = undecided() else {
      return accepts(state) ? .found(state) : .none
    }
    let outcomes = self.outcomes(of: atom, state)
    let first = simplest(atom, outcomes, state)
    for attempt in [first, outcomes.subtracting(first)] where !attempt.isEmpty {
      var next = state
      restrict(atom, to: attempt, &next)
      switch solve(next, accepts) {
      case .found(let found): return .found(found)
      case .outOfBudget: return .outOfBudget
      case .none: continue
      }
    }
    return .none
  }

  // MARK: Atoms

  private func isFree(_ atom: ConditionSpace.Atom) -> Bool {
    atom.variable < 0 || isProof && !atom.isPrecise
  }

  private func outcomes(of number: Int, _ state: State) -> OutcomeSet {
    let atom = space.atoms[number]
    if isFree(atom) { return state.free[number] }
    let domain = state.domains[atom.variable]
    var outcomes: OutcomeSet = []
    for outcome in 0..<OutcomeSet.count where !atom.masks[outcome].isDisjoint(with: domain) {
      outcomes.formUnion(OutcomeSet(number: outcome))
    }
    return outcomes
  }

  private func restrict(_ number: Int, to outcomes: OutcomeSet, _ state: inout State) {
    let atom = space.atoms[number]
    if isFree(atom) {
      state.free[number].formIntersection(outcomes)
      return
    }
    state.domains[atom.variable].formIntersection(
      withAnyOf: atom.masks, outcomes.numbers)
  }

  /// The outcome of the simplest value that is still possible.
  private func simplest(_ number: Int, _ outcomes: OutcomeSet, _ state: State) -> OutcomeSet {
    let atom = space.atoms[number]
    if !isFree(atom), let first = state.domains[atom.variable].first {
      for outcome in outcomes.numbers where atom.masks[outcome].contains(first) {
        return OutcomeSet(number: outcome)
      }
    }
    return OutcomeSet(number: outcomes.number)
  }

  // MARK: Narrowing

  /// Narrows the possibilities until nothing changes; false when a goal cannot be met.
  private mutating func narrow(_ state: inout State) -> Bool {
    while true {
      budget -= cost
      if budget <= 0 { return false }
      forward(state)
      allowed = sets
      for goal in goals {
        allowed[goal.node].formIntersection(goal.wanted)
        if allowed[goal.node].isEmpty { return false }
      }
      guard backward() else { return false }
      var isChanged = false
      for number in atoms {
        let node = space.atomNodes[number]
        guard allowed[node] != sets[node], !relaxed[node] else { continue }
        if allowed[node].isEmpty { return false }
        restrict(number, to: allowed[node], &state)
        isChanged = true
      }
      if !isChanged { return true }
    }
  }

  /// Computes the possible outcomes of every node.
  private mutating func forward(_ state: State) {
    for place in places {
      sets[place] = relaxed[place] ? .any : outcome(of: space.nodes[place], state)
    }
  }

  private func outcome(of node: ConditionSpace.Node, _ state: State) -> OutcomeSet {
    node.kind == .atom
      ? outcomes(of: node.value, state)
      : space.tables.outcome(node.kind, node.value, count: node.count) { sets[operand(node, $0)] }
  }

  @inline(__always)
  private func operand(_ node: ConditionSpace.Node, _ i: Int) -> Int {
    space.operands[node.first + i]
  }

  /// Narrows operands by the required outcomes of nodes; false when none remain.
  private mutating func backward() -> Bool {
    for place in places.reversed() where allowed[place] != sets[place] {
      let node = space.nodes[place]
      let wanted = allowed[place]
      if wanted.isEmpty { return false }
      if relaxed[place] { continue }
      switch node.kind {
      case .constant, .atom: continue
      case .rescue: narrowRescue(node, wanted)
      case .sequence: narrowSequence(node, wanted)
      case .same: allowed[operand(node, 0)].formIntersection(wanted)
      case .unary:
        let kind = OutcomeTables.Unary(rawValue: node.value) ?? .not
        let place = operand(node, 0)
        allowed[place] = allowed[place].filter {
          !space.tables.outcome(kind, $0).isDisjoint(with: wanted)
        }
      case .fold: narrowFold(node, wanted)
      case .conditional: narrowConditional(node, wanted)
      }
    }
    return true
  }

  private mutating func narrowFold(_ node: ConditionSpace.Node, _ wanted: OutcomeSet) {
    let kind = OutcomeTables.Fold(rawValue: node.value) ?? .and
    let tables = space.tables
    for i in 0..<node.count {
      let place = operand(node, i)
      if sets[place].isSingle { continue }
      var before: OutcomeSet?
      for j in 0..<i {
        let set = sets[operand(node, j)]
        before = before.map { tables.outcome(kind, $0, set) } ?? set
      }
      allowed[place] = allowed[place].filter { outcome in
        var result = before.map { tables.outcome(kind, $0, outcome) } ?? outcome
        for j in i + 1..<max(node.count, i + 1) {
          result = tables.outcome(kind, result, sets[operand(node, j)])
        }
        return !result.isDisjoint(with: wanted)
      }
    }
  }

  private mutating func narrowConditional(_ node: ConditionSpace.Node, _ wanted: OutcomeSet) {
    let (test, yes, no) = (operand(node, 0), operand(node, 1), operand(node, 2))
    let tables = space.tables
    allowed[test] = allowed[test].filter { outcome in
      let branches = tables.branches(of: outcome)
      return branches.contains(.yes) && !sets[yes].isDisjoint(with: wanted)
        || branches.contains(.no) && !sets[no].isDisjoint(with: wanted)
        || branches.contains(.fault) && wanted.contains(.fault)
    }
    let branches = tables.branches(of: allowed[test])
    if branches == .yes { allowed[yes].formIntersection(wanted) }
    if branches == .no { allowed[no].formIntersection(wanted) }
  }

  /// An error of the first operand is replaced by the second, or stays.
  private mutating func narrowRescue(_ node: ConditionSpace.Node, _ wanted: OutcomeSet) {
    let (first, second) = (operand(node, 0), operand(node, 1))
    let rescued = sets[second].union(.fault)
    allowed[first] = allowed[first].filter { outcome in
      !(outcome == .fault ? rescued : outcome).isDisjoint(with: wanted)
    }
  }

  /// An error of any operand but the last is the result.
  private mutating func narrowSequence(_ node: ConditionSpace.Node, _ wanted: OutcomeSet) {
    guard !wanted.contains(.fault) else { return }
    for i in 0..<node.count - 1 { allowed[operand(node, i)].subtract(.fault) }
    allowed[operand(node, node.count - 1)].formIntersection(wanted)
  }

  // MARK: Branching

  /// An atom that a goal still depends on; nil when all goals are met, or depend on nothing that
  /// could be chosen.
  private mutating func undecided() -> Int? {
    walk += 1
    for goal in goals where !sets[goal.node].isSubset(of: goal.wanted) {
      if let atom = undecided(below: goal.node) { return atom }
    }
    return nil
  }

  private mutating func undecided(below root: Int) -> Int? {
    var open = [root]
    while let place = open.popLast() {
      guard !sets[place].isSingle, !relaxed[place], seen[place] != walk else { continue }
      seen[place] = walk
      let node = space.nodes[place]
      if node.kind == .atom { return node.value }
      for i in (0..<node.count).reversed() { open.append(operand(node, i)) }
    }
    return nil
  }
}

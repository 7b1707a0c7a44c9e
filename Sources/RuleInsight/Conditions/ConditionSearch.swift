internal import Expressions

/// A search for classes of values that meet goals. The search narrows the possible outcomes to the
/// required outcomes. If narrowing is not enough, it tries the outcomes of an atom one by one.
struct ConditionSearch {
  /// The possibilities at a point of the search. Variables and atoms that do not affect the goals keep their initial
  /// possibilities.
  struct State {
    /// The possible classes of the search's variables.
    var domains: [ClassMask]
    /// The possible outcomes of the search's atoms without a variable.
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
  private let exclusion: ConditionSpace.Exclusion?
  /// Whether an opaque atom may have any outcome that is not excluded with certainty.
  private let isProof: Bool
  private var budget: Int
  /// Nodes that may have any outcome.
  private var relaxed: [Bool]
  private var sets: [OutcomeSet]
  private var allowed: [OutcomeSet]
  /// The nodes that goals depend on, operands first. Nodes are numbered by their position in this list.
  private var nodes: [ConditionSpace.Node] = []
  private var operands: [Int] = []
  /// The atoms among the nodes: their number in the space, their node, and the position of their variable in
  /// ``variables`` or -1.
  private var atoms: [(number: Int, node: Int, variable: Int)] = []
  /// The variables of the search's atoms, in ascending order.
  private(set) var variables: [Int] = []
  /// The number of steps of a walk over the nodes.
  private let cost: Int
  /// The last walk that visited each node.
  private var seen: [UInt32]
  private var walk: UInt32 = 0

  /// - Parameters:
  ///   - exclusion: classes that are not possible.
  ///   - isProof: whether opaque atoms may have any outcome. If false, they only have the outcomes
  ///     that candidates produce.
  ///   - budget: the number of steps. A visit of a node is one step.
  ///   - relaxed: nodes of the model's formula that may have any outcome.
  init(
    _ space: ConditionSpace, _ goals: [ConditionSpace.Goal],
    excluding exclusion: ConditionSpace.Exclusion? = nil, isProof: Bool, budget: Int,
    relaxing relaxed: [Int] = []
  ) {
    self.space = space
    self.exclusion = exclusion
    self.isProof = isProof
    self.budget = budget
    let places = space.places(below: goals.map { space.place(of: $0.node) })
    // Local copies are faster, because Swift checks every access to a property of a class.
    let (local, spaceNodes, spaceOperands) = (space.local, space.nodes, space.operands)
    self.goals = goals.map { (local[space.place(of: $0.node)], $0.wanted) }
    var words = 0
    for place in places {
      var node = spaceNodes[place]
      let first = operands.count
      for i in 0..<node.count { operands.append(local[spaceOperands[node.first + i]]) }
      node.first = first
      if node.kind == .atom {
        let atom = space.atoms[node.value]
        words += atom.words / 8
        if atom.variable >= 0 { variables.append(atom.variable) }
        atoms.append((node.value, nodes.count, atom.variable))
        node.value = atoms.count - 1
      }
      nodes.append(node)
    }
    cost = 2 * places.count + words
    space.steps += places.count
    variables = Set(variables).sorted()
    let placeOf = Dictionary(uniqueKeysWithValues: variables.enumerated().map { ($1, $0) })
    for i in atoms.indices where atoms[i].variable >= 0 {
      atoms[i].variable = placeOf[atoms[i].variable] ?? -1
    }
    sets = Array(repeating: .any, count: places.count)
    allowed = sets
    seen = Array(repeating: 0, count: places.count)
    self.relaxed = Array(repeating: false, count: places.count)
    for node in relaxed {
      let place = space.place(of: node)
      if space.isLocal(place) { self.relaxed[local[place]] = true }
    }
  }

  /// - Parameter accepts: whether a solution is acceptable. If it returns false, the search continues.
  mutating func run(_ accepts: (State) -> Bool) -> Result {
    if exclusion?.isEverything == true { return .none }
    let start = State(
      domains: variables.map { space.domain(of: $0, excluding: exclusion) },
      free: atoms.map { space.atoms[$0.number].possible })
    let before = budget
    defer { space.steps += before - budget }
    return solve(start, accepts)
  }

  /// The conditions that may be true for one context of a state of this search.
  func held(_ conditions: [Int], in state: State) -> [Int] {
    let roots = conditions.map { space.model.conditions[$0].root }
    var search = ConditionSearch(
      space, roots.map { ConditionSpace.Goal($0, .any) }, isProof: true, budget: 0)
    let own = Dictionary(uniqueKeysWithValues: variables.enumerated().map { ($1, $0) })
    let atomOf = Dictionary(uniqueKeysWithValues: atoms.enumerated().map { ($1.number, $0) })
    let point = State(
      domains: search.variables.map { variable in
        let domain =
          own[variable].map { state.domains[$0] }
          ?? space.domain(of: variable, excluding: exclusion)
        var single = ClassMask.none
        if let first = domain.first { single.insert(first) }
        return domain.first == nil ? domain : single
      },
      free: search.atoms.map { atom in
        let free = atomOf[atom.number].map { state.free[$0] } ?? space.atoms[atom.number].possible
        return free.isEmpty ? free : OutcomeSet(number: free.number)
      })
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
    let atom = space.atoms[atoms[number].number]
    if isFree(atom) { return state.free[number] }
    let domain = state.domains[atoms[number].variable]
    var outcomes: OutcomeSet = []
    for outcome in 0..<OutcomeSet.count where !atom.masks[outcome].isDisjoint(with: domain) {
      outcomes.formUnion(OutcomeSet(number: outcome))
    }
    return outcomes
  }

  private func restrict(_ number: Int, to outcomes: OutcomeSet, _ state: inout State) {
    let atom = space.atoms[atoms[number].number]
    if isFree(atom) {
      state.free[number].formIntersection(outcomes)
      return
    }
    state.domains[atoms[number].variable].formIntersection(
      withAnyOf: atom.masks, outcomes.numbers)
  }

  /// The outcome of the simplest value that is still possible.
  private func simplest(_ number: Int, _ outcomes: OutcomeSet, _ state: State) -> OutcomeSet {
    let atom = space.atoms[atoms[number].number]
    if !isFree(atom), let first = state.domains[atoms[number].variable].first {
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
      for number in atoms.indices {
        let node = atoms[number].node
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
    for place in nodes.indices {
      sets[place] = relaxed[place] ? .any : outcome(of: nodes[place], state)
    }
  }

  private func outcome(of node: ConditionSpace.Node, _ state: State) -> OutcomeSet {
    node.kind == .atom
      ? outcomes(of: node.value, state)
      : space.tables.outcome(node.kind, node.value, count: node.count) { sets[operand(node, $0)] }
  }

  @inline(__always)
  private func operand(_ node: ConditionSpace.Node, _ i: Int) -> Int {
    operands[node.first + i]
  }

  /// Narrows operands by the required outcomes of nodes; false when none remain.
  private mutating func backward() -> Bool {
    for place in nodes.indices.reversed() where allowed[place] != sets[place] {
      let node = nodes[place]
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
    // The possible results of the operands after each operand.
    var behind: [OutcomeSet?] = [nil]
    for i in (1..<max(node.count, 1)).reversed() {
      let set = sets[operand(node, i)]
      behind.append(behind.last.flatMap { $0 }.map { tables.outcome(kind, set, $0) } ?? set)
    }
    var before: OutcomeSet?
    for i in 0..<node.count {
      let place = operand(node, i)
      let rest = behind[node.count - 1 - i]
      if !sets[place].isSingle {
        allowed[place] = allowed[place].filter { outcome in
          let result = before.map { tables.outcome(kind, $0, outcome) } ?? outcome
          return !(rest.map { tables.outcome(kind, result, $0) } ?? result)
            .isDisjoint(with: wanted)
        }
      }
      before = before.map { tables.outcome(kind, $0, sets[place]) } ?? sets[place]
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

  /// Narrows a node in which the second operand replaces an error of the first, or the error stays.
  private mutating func narrowRescue(_ node: ConditionSpace.Node, _ wanted: OutcomeSet) {
    let (first, second) = (operand(node, 0), operand(node, 1))
    let rescued = sets[second].union(.fault)
    allowed[first] = allowed[first].filter { outcome in
      !(outcome == .fault ? rescued : outcome).isDisjoint(with: wanted)
    }
  }

  /// Narrows a node in which an error of any operand but the last is the result.
  private mutating func narrowSequence(_ node: ConditionSpace.Node, _ wanted: OutcomeSet) {
    guard !wanted.contains(.fault) else { return }
    for i in 0..<node.count - 1 { allowed[operand(node, i)].subtract(.fault) }
    allowed[operand(node, node.count - 1)].formIntersection(wanted)
  }

  // MARK: Branching

  /// An atom that a goal still depends on; nil when all goals are met, or depend on nothing that
  /// can be chosen.
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
      let node = nodes[place]
      if node.kind == .atom { return node.value }
      for i in (0..<node.count).reversed() { open.append(operand(node, i)) }
    }
    return nil
  }
}

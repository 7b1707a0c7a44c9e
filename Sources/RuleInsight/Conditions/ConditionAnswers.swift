package import Expressions

/// The answer to a question about conditions.
package enum AnalysisAnswer {
  /// A context that answers it.
  case witness(AnalysisWitness)
  /// No context that JSON can express answers it.
  case proof
  /// Neither a context nor a proof was found.
  case unknown(Reason)

  package enum Reason: Sendable {
    /// The search used all its steps.
    case budget
    /// The result depends on parts that are not understood, which were tried with some values.
    case opaque
  }
}

/// Attributes, as a map of roots, and the answers of a host.
package struct AnalysisWitness {
  package var attributes: Value
  package var answers: [(question: HostQuestion, value: Value)] = []

  package init(attributes: Value, answers: [(question: HostQuestion, value: Value)] = []) {
    self.attributes = attributes
    self.answers = answers
  }
}

extension ConditionSpace {
  private static let mostTries = 64

  /// Looks for a context that answers a question.
  ///
  /// Of many conditions that must not hold, few matter. They are added when a context is found for
  /// which they hold: if there is no context without some of them, there is none without all.
  ///
  /// - Parameters:
  ///   - needed: conditions known to matter; afterwards those of a proof.
  ///   - budget: steps for this question.
  ///   - accepts: whether a context is acceptable. A rejected one does not end the search, and
  ///     prevents a proof.
  package func answer(
    _ question: Question, _ needed: inout [Int], budget: Int,
    _ accepts: (AnalysisWitness) -> Bool = { _ in true }
  ) -> AnalysisAnswer {
    let end = steps + budget
    tries = 0
    while end > steps {
      let goals = question.goals + self.goals(sparing: needed)
      let others = question.sparing.filter { !needed.contains($0) }
      var attempt = Attempt.none
      var isRefused = false
      var search = ConditionSearch(self, goals, isProof: false, budget: end - steps)
      let found = search.run { state in
        attempt = self.attempt(in: state, goals, others, accepts)
        if case .none = attempt {
          isRefused = true
          return false
        }
        return true
      }
      switch attempt {
      case .witness(let witness): return .witness(witness)
      case .held(let held):
        needed += some(of: held, needed.count)
        continue
      case .none: break
      }
      if case .none = found, !isRefused, isPrecise(below: goals.map { place(of: $0.node) }) {
        return .proof
      }
      if isProved(question, &needed, budget: end - steps) { return .proof }
      if case .outOfBudget = found { break }
      return .unknown(.opaque)
    }
    return .unknown(.budget)
  }

  /// Whether no context answers a question, for any outcome of opaque parts.
  ///
  /// - Parameters:
  ///   - needed: conditions known to matter; afterwards those of a proof.
  ///   - relaxed: nodes that may have any outcome.
  package func isProved(
    _ question: Question, _ needed: inout [Int], budget: Int, relaxing relaxed: [Int] = []
  ) -> Bool {
    let end = steps + budget
    while end > steps {
      let goals = question.goals + self.goals(sparing: needed)
      let others = question.sparing.filter { !needed.contains($0) }
      var search = ConditionSearch(
        self, goals, isProof: true, budget: end - steps, relaxing: relaxed)
      switch search.run({ _ in true }) {
      case .none: return true
      case .outOfBudget: return false
      case .found(let state):
        let held = others.isEmpty ? [] : ConditionSearch.held(others, in: state, of: self)
        if held.isEmpty { return false }
        needed += some(of: held, needed.count)
      }
    }
    return false
  }

  /// The same for goals alone.
  package func answer(
    _ goals: [Goal], budget: Int, _ accepts: (AnalysisWitness) -> Bool = { _ in true }
  ) -> AnalysisAnswer {
    var needed: [Int] = []
    return answer(Question(goals), &needed, budget: budget, accepts)
  }

  /// The same for goals alone.
  package func isProved(_ goals: [Goal], budget: Int, relaxing relaxed: [Int] = []) -> Bool {
    var needed: [Int] = []
    return isProved(Question(goals), &needed, budget: budget, relaxing: relaxed)
  }

  private func goals(sparing conditions: [Int]) -> [Goal] {
    conditions.map { Goal(model.conditions[$0].root, .notTrue) }
  }

  /// The first conditions of a list, as many as already matter.
  private func some(of held: [Int], _ count: Int) -> [Int] {
    let most = min(held.count, count + 1)
    return (0..<most).map { held[$0 * held.count / most] }
  }

  // MARK: Contexts

  /// The result of trying a state of the search.
  private enum Attempt {
    case witness(AnalysisWitness)
    /// A context was found, but these conditions hold for it.
    case held([Int])
    case none
  }

  /// A context in a state of the search for which the machine meets the goals. Simple values are
  /// tried first.
  private func attempt(
    in state: ConditionSearch.State, _ goals: [Goal], _ others: [Int],
    _ accepts: (AnalysisWitness) -> Bool
  ) -> Attempt {
    var choice = state.domains.map { $0.first ?? 0 }
    var sample = Array(repeating: 0, count: choice.count)
    var best = judged(witness(choice, sample), goals, others, accepts)
    if case .witness = best { return best }
    // Only atoms of several attributes depend on more than the classes.
    let open = variables.indices.filter { joint.contains(variables[$0].group) }
    let options = open.map { variable in
      state.domains[variable].numbers.flatMap { number in
        variables[variable].classes.samples[number].indices.map { (number, $0) }
      }
    }
    var tries = 0
    defer { self.tries += tries }
    // Every pair of values is tried before the combinations of the first few.
    var seed: UInt64 = 0x9E37_79B9_7F4A_7C15
    // For one attribute all values are tried, for several some.
    let isSingle = base != nil && open.count == 1
    let most =
      base == nil
      ? Self.mostTries : min(isSingle ? options[0].count : 256, mostTries - self.tries)
    while tries < most, !open.isEmpty {
      for (i, variable) in open.enumerated() where !options[i].isEmpty {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let number = isSingle ? tries : Int(truncatingIfNeeded: seed >> 33) % options[i].count
        (choice[variable], sample[variable]) = options[i][number]
      }
      tries += 1
      let next = judged(witness(choice, sample), goals, others, accepts)
      switch next {
      case .witness: return next
      case .held: if case .none = best { best = next }
      case .none: continue
      }
    }
    return best
  }

  private func judged(
    _ witness: AnalysisWitness, _ goals: [Goal], _ others: [Int],
    _ accepts: (AnalysisWitness) -> Bool
  ) -> Attempt {
    steps += goals.count + others.count
    guard meets(witness, goals) else { return .none }
    // Uses the frame that already holds the witness.
    let held = others.filter { model.holdsNow($0) }
    if !held.isEmpty { return .held(held) }
    return accepts(witness) ? .witness(witness) : .none
  }

  private func witness(_ choice: [Int], _ sample: [Int]) -> AnalysisWitness {
    if var changed = base {
      for (variable, number) in choice.enumerated() {
        let (group, classes) = variables[variable]
        changed.attributes = changed.attributes.setting(
          model.groups[group].path[...], to: classes.samples[number][sample[variable]])
      }
      return changed
    }
    var tree = ContextBuilder()
    var answers: [(question: HostQuestion, value: Value)] = []
    for (variable, number) in choice.enumerated() {
      let (group, classes) = variables[variable]
      guard let value = classes.samples[number][sample[variable]] else { continue }
      if let question = model.groups[group].question {
        answers.append((question, value))
      } else {
        tree.set(model.groups[group].path, to: value)
      }
    }
    return AnalysisWitness(attributes: tree.value, answers: answers)
  }

  /// Whether a context meets the goals according to the machine.
  package func meets(_ witness: AnalysisWitness, _ goals: [Goal]) -> Bool {
    model.outcomes(of: goals.map { $0.node }, for: witness).map { outcomes in
      zip(outcomes, goals).allSatisfy { $0.isSubset(of: $1.wanted) }
    } ?? false
  }
}

extension ConditionModel {
  /// The outcomes of formula nodes for a context, computed by the machine; nil if the context does
  /// not fit into a frame.
  package func outcomes(of nodes: [Int], for witness: AnalysisWitness) -> [OutcomeSet]? {
    guard fill(witness.attributes, numbered(witness.answers)) else { return nil }
    defer { memory.forget() }
    return nodes.map { outcome(of: $0) }
  }

  /// The outcomes of formula nodes for the contents of another program's frame.
  ///
  /// - Parameter slots: of ``slots(in:)``.
  package func outcomes(of nodes: [Int], in original: borrowing Frame, _ slots: [Int?])
    -> [OutcomeSet]
  {
    frame.reset()
    for (slot, other) in slots.enumerated() {
      if let other { frame.slots[slot] = original.slots[other] }
    }
    defer {
      memory.forget()
      // Its cells point into the memory of the other frame.
      frame.reset()
    }
    return nodes.map { outcome(of: $0) }
  }

  /// By slot of this program, the slot of another one with the same content.
  package func slots(in other: Program) -> [Int?] {
    let (own, others) = (program.storage.graph.slots, other.storage.graph.slots)
    return (0..<own.count).map { others.slot(like: $0, of: own) }
  }

  /// The outcomes of atoms for a context.
  func outcomes(ofAtoms atoms: [Int], for witness: AnalysisWitness) -> [OutcomeSet]? {
    guard fill(witness.attributes, numbered(witness.answers)) else { return nil }
    return atoms.map { atom in
      OutcomeSet(program.condition(program.entries[self.atoms[atom].entry], in: &frame))
    }
  }

  /// The values of slots in a context, where they have one.
  func cells(of slots: Set<Int>, for witness: AnalysisWitness) -> [Int: Cell] {
    guard fill(witness.attributes, numbered(witness.answers)) else { return [:] }
    var cells: [Int: Cell] = [:]
    for slot in slots where frame.slots[slot].isValue { cells[slot] = frame.slots[slot] }
    return cells
  }

  /// Answers by the program's numbers for their questions.
  func numbered(_ answers: [(question: HostQuestion, value: Value)]) -> [(Int, Value)] {
    answers.compactMap { answer in
      program.questions.firstIndex(of: answer.question).map { ($0, answer.value) }
    }
  }

  /// Whether a condition holds for the current context in the frame.
  func holdsNow(_ condition: Int) -> Bool {
    OutcomeSet(program.condition(program.entries[condition], in: &frame)) == .true
  }

  /// The conditions among some that hold for a context; nil where it does not fit into a frame.
  package func held(_ conditions: [Int], for witness: AnalysisWitness) -> [Int]? {
    outcomes(of: [], for: witness).map { _ in conditions.filter { holdsNow($0) } }
  }

  /// The outcomes of running parts of the program on a context. One that does not fit counts as
  /// empty.
  func run(_ starts: [UInt32], on context: Value, answers: [(Int, Value)] = []) -> [UInt8] {
    if !fill(context, answers) { frame.reset() }
    return starts.map { OutcomeSet(program.condition(at: $0, in: &frame)).rawValue }
  }

  private func fill(_ context: Value, _ answers: [(Int, Value)]) -> Bool {
    var bytes: [UInt8] = []
    JSONWriter.append(context, to: &bytes)
    guard (try? frame.fill(json: bytes)) != nil else { return false }
    return answers.allSatisfy { number, value in
      (try? frame.answer(number, with: value)) != nil
    }
  }

  private func outcome(of number: Int) -> OutcomeSet {
    if let outcome = memory[number] { return outcome }
    let node = self.nodes[number]
    let result: OutcomeSet
    switch node.kind {
    case .constant: result = OutcomeSet(number: node.value)
    case .atom:
      let entry = program.entries[atoms[node.value].entry]
      result = OutcomeSet(program.condition(entry, in: &frame))
    case .same, .unary, .fold, .conditional, .rescue, .sequence:
      var operands: [OutcomeSet] = []
      for operand in node.operands { operands.append(outcome(of: operand)) }
      result = OutcomeTables.shared.outcome(node.kind, node.value, count: operands.count) {
        operands[$0]
      }
    }
    memory[number] = result
    return result
  }
}

/// The outcomes of nodes for one context, as far as computed.
struct OutcomeMemory {
  /// By node; empty if not computed.
  private var outcomes: [OutcomeSet] = []
  private var known: [Int] = []

  /// Makes room for this many nodes.
  init(count: Int) { outcomes = Array(repeating: [], count: count) }

  mutating func makeRoom(for count: Int) {
    while outcomes.count < count { outcomes.append([]) }
  }

  subscript(node: Int) -> OutcomeSet? {
    get { outcomes[node].isEmpty ? nil : outcomes[node] }
    set {
      known.append(node)
      outcomes[node] = newValue ?? []
    }
  }

  mutating func forget() {
    for node in known { outcomes[node] = [] }
    known.removeAll(keepingCapacity: true)
  }
}

/// Values at paths of names, as one map.
private struct ContextBuilder {
  private var roots: [(name: String, value: Value)] = []

  mutating func set(_ path: [String], to value: Value) {
    let place = roots.firstIndex { $0.name == path[0] }
    if path.count == 1 {
      if place == nil { roots.append((path[0], value)) }
      return
    }
    let entry = Value.Entry(key: .string(path[1]), value: value)
    if let place, case .map(let entries) = roots[place].value {
      roots[place].value = .map(entries + [entry])
    } else if place == nil {
      roots.append((path[0], .map([entry])))
    }
  }

  var value: Value { .map(roots.map { Value.Entry(key: .string($0.name), value: $0.value) }) }
}

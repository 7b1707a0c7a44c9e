/// The answer to a question about conditions.
package enum AnalysisAnswer {
  /// A context for which it is so.
  case witness(AnalysisWitness)
  /// There is no context that JSON can say for which it is so.
  case proof
  /// Neither was found.
  case unknown(Reason)

  package enum Reason: Sendable {
    /// The search took all the steps that it may.
    case budget
    /// What depends on parts that are not understood was tried with some values.
    case opaque
  }
}

/// Attributes, as a map of roots, and what a host answers.
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
  /// The same for a whole question about a context.
  private static let mostTriesAround = 4_000

  /// Looks for a context for which all goals are met.
  ///
  /// - Parameters:
  ///   - budget: steps for this question.
  ///   - accepts: whether a context is good enough. One that is not does not end the search, and its
  ///     like are not taken for a proof.
  package func answer(
    _ goals: [Goal], budget: Int, _ accepts: (AnalysisWitness) -> Bool = { _ in true }
  ) -> AnalysisAnswer {
    var witness: AnalysisWitness?
    var isRefused = false
    tries = 0
    var search = ConditionSearch(self, goals, isProof: false, budget: budget)
    let found = search.run { state in
      witness = self.witness(in: state, goals, accepts)
      if witness == nil { isRefused = true }
      return witness != nil
    }
    if let witness { return .witness(witness) }
    if case .none = found, isPrecise, !isRefused { return .proof }
    if isProved(goals, budget: budget) { return .proof }
    if case .outOfBudget = found { return .unknown(.budget) }
    return .unknown(.opaque)
  }

  /// Whether there is nothing for which all goals are met, whatever opaque parts come to.
  ///
  /// - Parameter relaxed: nodes that may come to anything.
  package func isProved(_ goals: [Goal], budget: Int, relaxing relaxed: [Int] = []) -> Bool {
    var search = ConditionSearch(
      self, goals, isProof: true, budget: budget, relaxing: relaxed)
    if case .none = search.run({ _ in true }) { return true }
    return false
  }

  // MARK: Contexts

  /// A context in a state of the search for which the machine meets the goals, the simplest first.
  private func witness(
    in state: ConditionSearch.State, _ goals: [Goal], _ accepts: (AnalysisWitness) -> Bool
  ) -> AnalysisWitness? {
    var choice = state.domains.map { $0.first ?? 0 }
    var sample = Array(repeating: 0, count: choice.count)
    let simple = witness(choice, sample)
    if meets(simple, goals), accepts(simple) { return simple }
    // Only what several attributes decide together depends on more than the classes.
    let joint = Set(
      atoms.indices.filter { atoms[$0].variable < 0 && !atoms[$0].possible.isSingle }
        .flatMap { model.atoms[modelAtoms[$0]].slots }.compactMap { model.groupOf[$0] })
    let open = variables.indices.filter { joint.contains(variables[$0].group) }
    let options = open.map { variable in
      state.domains[variable].numbers.flatMap { number in
        variables[variable].classes.samples[number].indices.map { (number, $0) }
      }
    }
    var tries = 0
    defer { self.tries += tries }
    var numbers = Array(repeating: 0, count: open.count)
    // Every pair of values is tried before all combinations of the first few are.
    var seed: UInt64 = 0x9E37_79B9_7F4A_7C15
    // Of one attribute all values are tried, of several some.
    let isSingle = base != nil && open.count == 1
    let most =
      base == nil
      ? Self.mostTries : min(isSingle ? options[0].count : 256, Self.mostTriesAround - self.tries)
    while tries < most, !open.isEmpty {
      for (i, variable) in open.enumerated() where !options[i].isEmpty {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        numbers[i] =
          isSingle ? tries : Int(truncatingIfNeeded: seed >> 33) % options[i].count
        (choice[variable], sample[variable]) = options[i][numbers[i]]
      }
      tries += 1
      let next = witness(choice, sample)
      if meets(next, goals), accepts(next) { return next }
    }
    return nil
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

  /// Whether the machine meets the goals for a context.
  package func meets(_ witness: AnalysisWitness, _ goals: [Goal]) -> Bool {
    model.outcomes(of: goals.map(\.node), for: witness).map { outcomes in
      zip(outcomes, goals).allSatisfy { $0.isSubset(of: $1.wanted) }
    } ?? false
  }
}

extension ConditionModel {
  /// What nodes of the formula come to for a context, by the machine; nil where the context does not
  /// fit into a frame.
  package func outcomes(of nodes: [Int], for witness: AnalysisWitness) -> [OutcomeSet]? {
    guard fill(witness.attributes, numbered(witness.answers)) else { return nil }
    var known: [Int: OutcomeSet] = [:]
    return nodes.map { outcome(of: $0, &known) }
  }

  /// What atoms come to for a context.
  func outcomes(ofAtoms atoms: [Int], for witness: AnalysisWitness) -> [OutcomeSet]? {
    guard fill(witness.attributes, numbered(witness.answers)) else { return nil }
    return atoms.map { atom in
      OutcomeSet(program.condition(program.entries[self.atoms[atom].entry], in: &frame))
    }
  }

  /// The values of slots in a context, where they are values.
  func cells(of slots: Set<Int>, for witness: AnalysisWitness) -> [Int: Cell] {
    guard fill(witness.attributes, numbered(witness.answers)) else { return [:] }
    var cells: [Int: Cell] = [:]
    for slot in slots where frame.slots[slot].isValue { cells[slot] = frame.slots[slot] }
    return cells
  }

  /// Answers by the numbers that the program has for their questions.
  func numbered(_ answers: [(question: HostQuestion, value: Value)]) -> [(Int, Value)] {
    answers.compactMap { answer in
      program.questions.firstIndex(of: answer.question).map { ($0, answer.value) }
    }
  }

  /// The outcomes of runs of the program on a context. One that does not fit is as if it were empty.
  func run(_ starts: [UInt32], on context: Value, answers: [(Int, Value)] = []) -> [UInt8] {
    if !fill(context, answers) { frame.reset() }
    return starts.map { OutcomeSet(program.condition(at: $0, in: &frame)).rawValue }
  }

  private func fill(_ context: Value, _ answers: [(Int, Value)]) -> Bool {
    var bytes: [UInt8] = []
    JSONWriter.append(context, to: &bytes)
    do {
      try frame.fill(json: bytes)
      for (number, value) in answers { try frame.answer(number, with: value) }
      return true
    } catch {
      return false
    }
  }

  private func outcome(of number: Int, _ known: inout [Int: OutcomeSet]) -> OutcomeSet {
    if let outcome = known[number] { return outcome }
    let node = self.nodes[number]
    let result: OutcomeSet
    switch node.kind {
    case .constant: result = OutcomeSet(number: node.value)
    case .atom:
      let entry = program.entries[atoms[node.value].entry]
      result = OutcomeSet(program.condition(entry, in: &frame))
    case .same, .unary, .fold, .conditional, .rescue, .sequence:
      var operands: [OutcomeSet] = []
      for operand in node.operands { operands.append(outcome(of: operand, &known)) }
      result = OutcomeTables.shared.outcome(node.kind, node.value, count: operands.count) {
        operands[$0]
      }
    }
    known[number] = result
    return result
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

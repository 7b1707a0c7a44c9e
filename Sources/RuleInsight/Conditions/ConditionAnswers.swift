package import Expressions

/// The answer to a question about conditions.
package enum AnalysisAnswer {
  /// A context answers the question.
  case witness(AnalysisWitness)
  /// No context that JSON can express answers the question, which is proved.
  case proof
  /// Neither a context nor a proof was found.
  case unknown(Reason)

  package enum Reason: Sendable {
    /// The search used all its steps.
    case budget
    /// The result depends on parts that the analysis does not understand. Some values were tried
    /// for these parts.
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
  /// Few of the many conditions that must be false matter. A condition is added to the search when
  /// a context is found for which it is true. If no context makes the added conditions false, no
  /// context makes all conditions false.
  ///
  /// - Parameters:
  ///   - needed: conditions known to matter; after a proof, the conditions that it used.
  ///   - budget: the maximum number of steps for this question.
  ///   - accepts: whether a context is acceptable. A rejected context does not end the search, and
  ///     prevents a proof.
  package func answer(
    _ question: Question, _ needed: inout [Int], budget: Int,
    _ accepts: (AnalysisWitness) -> Bool = { _ in true }
  ) -> AnalysisAnswer {
    let end = steps + budget
    tries = 0
    let exclusion = excluding(question.sparing)
    while end > steps {
      let spared = exclusion.others.isEmpty ? [] : needed
      let goals = question.goals + self.goals(sparing: spared)
      let others =
        spared.isEmpty ? exclusion.others : exclusion.others.filter { !spared.contains($0) }
      var attempt = Attempt.none
      var isRefused = false
      let search = ConditionSearch(
        self, goals, excluding: exclusion, isProof: false, budget: end - steps)
      var run = search
      let found = run.run { state in
        attempt = self.attempt(in: state, search.variables, exclusion, goals, others, accepts)
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
      if isProved(question, &needed, excluding: exclusion, budget: end - steps) { return .proof }
      if case .outOfBudget = found { break }
      return .unknown(.opaque)
    }
    return .unknown(.budget)
  }

  /// Whether no context answers a question, whatever the outcomes of opaque parts are.
  ///
  /// - Parameters:
  ///   - needed: conditions known to matter; after a proof, the conditions that it used.
  ///   - relaxed: nodes that may have any outcome.
  package func isProved(
    _ question: Question, _ needed: inout [Int], budget: Int, relaxing relaxed: [Int] = []
  ) -> Bool {
    isProved(question, &needed, excluding: nil, budget: budget, relaxing: relaxed)
  }

  /// - Parameter exclusion: the exclusion of the conditions that must be false. Without it, the conditions that matter
  ///   are found.
  private func isProved(
    _ question: Question, _ needed: inout [Int], excluding exclusion: Exclusion?, budget: Int,
    relaxing relaxed: [Int] = []
  ) -> Bool {
    let end = steps + budget
    let sparing = exclusion?.others ?? question.sparing
    while end > steps {
      let goals = question.goals + self.goals(sparing: needed)
      let search = ConditionSearch(
        self, goals, excluding: exclusion, isProof: true, budget: end - steps, relaxing: relaxed)
      var run = search
      switch run.run({ _ in true }) {
      case .none: return true
      case .outOfBudget: return false
      case .found(let state):
        let known = Set(needed)
        let others = sparing.filter { !known.contains($0) }
        let held = others.isEmpty ? [] : held(others, in: state, of: search)
        if held.isEmpty { return false }
        needed += some(of: held, needed.count)
      }
    }
    return false
  }

  /// Looks for a context that meets the goals.
  package func answer(
    _ goals: [Goal], budget: Int, _ accepts: (AnalysisWitness) -> Bool = { _ in true }
  ) -> AnalysisAnswer {
    var needed: [Int] = []
    return answer(Question(goals), &needed, budget: budget, accepts)
  }

  /// Whether no context meets the goals, whatever the outcomes of opaque parts are.
  package func isProved(_ goals: [Goal], budget: Int, relaxing relaxed: [Int] = []) -> Bool {
    var needed: [Int] = []
    return isProved(Question(goals), &needed, budget: budget, relaxing: relaxed)
  }

  private func goals(sparing conditions: [Int]) -> [Goal] {
    conditions.map { Goal(model.conditions[$0].root, .notTrue) }
  }

  /// The first conditions of a list, limited to the number of conditions that already matter.
  private func some(of held: [Int], _ count: Int) -> [Int] {
    let most = min(held.count, count + 1)
    return (0..<most).map { held[$0 * held.count / most] }
  }

  // MARK: Contexts

  /// The result of trying a state of the search.
  private enum Attempt {
    case witness(AnalysisWitness)
    /// A context was found, but these conditions are true for it.
    case held([Int])
    case none
  }

  /// Looks for a context in a state of the search for which the machine meets the goals. Simple
  /// values are tried first.
  private func attempt(
    in state: ConditionSearch.State, _ own: [Int], _ exclusion: Exclusion, _ goals: [Goal],
    _ others: [Int], _ accepts: (AnalysisWitness) -> Bool
  ) -> Attempt {
    var choices = Choices(minimumCapacity: own.count)
    for (variable, domain) in zip(own, state.domains) {
      choices[variable] = (domain.first ?? 0, 0)
    }
    for variable in exclusion.shifted where choices[variable] == nil {
      choices[variable] = (exclusion.domains[variable]?.first ?? 0, 0)
    }
    for variable in limits.indices where isLimited && choices[variable] == nil {
      choices[variable] = (limits[variable]?.first ?? 0, 0)
    }
    var best = judged(witness(choices), goals, others, accepts)
    if case .witness = best { return best }
    // Only atoms that read several attributes depend on more than the classes.
    let open =
      joint.isEmpty ? [] : variables.indices.filter { joint.contains(variables[$0].group) }
    let places = open.isEmpty ? [:] : Dictionary(uniqueKeysWithValues: zip(own, own.indices))
    let options = open.map { variable in
      let domain =
        places[variable].map { state.domains[$0] }
        ?? self.domain(of: variable, excluding: exclusion)
      return domain.numbers.flatMap { number in
        variables[variable].classes.samples[number].indices.map { (number, $0) }
      }
    }
    var tries = 0
    defer { self.tries += tries }
    // Every pair of values is tried before the combinations of the first few.
    var seed: UInt64 = 0x9E37_79B9_7F4A_7C15
    // All values of a single attribute are tried, but only some combinations of several attributes.
    let isSingle = base != nil && open.count == 1
    let most =
      base == nil
      ? Self.mostTries : min(isSingle ? options[0].count : 256, mostTries - self.tries)
    while tries < most, !open.isEmpty {
      for (i, variable) in open.enumerated() where !options[i].isEmpty {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let number = isSingle ? tries : Int(truncatingIfNeeded: seed >> 33) % options[i].count
        choices[variable] = options[i][number]
      }
      tries += 1
      let next = judged(witness(choices), goals, others, accepts)
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
    guard counted({ meets(witness, goals) }) else { return .none }
    // Uses the frame that already holds the witness.
    let held = counted { model.heldNow(others) }
    if !held.isEmpty { return .held(held) }
    return accepts(witness) ? .witness(witness) : .none
  }

  /// For each variable, the class and the sample that a context has. Other variables have their
  /// first class and sample.
  private typealias Choices = [Int: (number: Int, sample: Int)]

  private func witness(_ choices: Choices) -> AnalysisWitness {
    let chosen = (standing.filter { choices[$0] == nil } + choices.keys).sorted()
    if var changed = base {
      for variable in variables.indices {
        let (group, classes) = variables[variable]
        let choice = choices[variable] ?? (0, 0)
        changed.attributes = changed.attributes.setting(
          model.groups[group].path[...], to: classes.samples[choice.number][choice.sample])
      }
      return changed
    }
    var tree = ContextBuilder()
    var answers: [(question: HostQuestion, value: Value)] = []
    for variable in chosen {
      let (group, classes) = variables[variable]
      let choice = choices[variable] ?? (0, 0)
      guard let value = classes.samples[choice.number][choice.sample] else { continue }
      if let question = model.groups[group].question {
        answers.append((question, value))
      } else {
        tree.set(model.groups[group].path, to: value)
      }
    }
    return AnalysisWitness(attributes: tree.value, answers: answers)
  }

  /// Counts the work of the machine as steps.
  func counted<Result>(_ body: () -> Result) -> Result {
    let before = model.work
    defer { steps += model.work - before }
    return body()
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
    defer {
      work += memory.count
      memory.forget()
    }
    return nodes.map { outcome(of: $0) }
  }

  /// The outcomes of formula nodes for the contents of another program's frame.
  ///
  /// - Parameter slots: the result of ``slots(in:)``.
  package func outcomes(of nodes: [Int], in original: borrowing Frame, _ slots: [Int?])
    -> [OutcomeSet]
  {
    fills += 1
    frame.reset()
    for (slot, other) in slots.enumerated() {
      if let other { frame.slots[slot] = original.slots[other] }
    }
    defer {
      memory.forget()
      // The frame is cleared because its cells point into the memory of the other frame.
      frame.reset()
    }
    return nodes.map { outcome(of: $0) }
  }

  /// For each slot of this program, the slot of another program with the same content.
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

  /// The values of the slots that have a value in a context.
  func cells(of slots: Set<Int>, for witness: AnalysisWitness) -> [Int: Cell] {
    guard fill(witness.attributes, numbered(witness.answers)) else { return [:] }
    var cells: [Int: Cell] = [:]
    for slot in slots where frame.slots[slot].isValue { cells[slot] = frame.slots[slot] }
    return cells
  }

  /// The answers, with the program's numbers of their questions.
  func numbered(_ answers: [(question: HostQuestion, value: Value)]) -> [(Int, Value)] {
    answers.compactMap { answer in
      questionNumbers[answer.question].map { ($0, answer.value) }
    }
  }

  /// The conditions that are true for the current context in the frame.
  func heldNow(_ conditions: [Int]) -> [Int] { held(conditions, in: &frame) }

  /// The conditions that are true for a context; nil if the context does not fit into a frame.
  package func held(_ conditions: [Int], for witness: AnalysisWitness) -> [Int]? {
    guard fill(witness.attributes, numbered(witness.answers)) else { return nil }
    return heldNow(conditions)
  }

  /// The conditions that are true. The frame is passed in, because Swift checks every access to a property of a class.
  private func held(_ conditions: [Int], in frame: inout Frame) -> [Int] {
    work += 2 * conditions.count
    return conditions.filter {
      OutcomeSet(program.condition(program.entries[$0], in: &frame)) == .true
    }
  }

  /// The outcomes of parts of the program for a context. A context that does not fit into the frame
  /// counts as empty.
  ///
  /// - Parameter places: the parts to run; nil for all.
  func run(
    _ starts: [UInt32], at places: [Int]?, on context: Value, answers: [(Int, Value)] = []
  ) -> [UInt8] {
    if !fill(context, answers) { frame.reset() }
    var row = [UInt8](repeating: 0, count: starts.count)
    run(starts, at: places ?? Array(starts.indices), &row, in: &frame)
    return row
  }

  private func run(
    _ starts: [UInt32], at places: [Int], _ row: inout [UInt8],
    in frame: inout Frame
  ) {
    work += places.count
    for place in places {
      row[place] = OutcomeSet(program.condition(at: starts[place], in: &frame)).rawValue
    }
  }

  /// Updates some outcomes for the current context with another value of an attribute; false if the value does not fit.
  func run(
    _ starts: [UInt32], at places: [Int], _ row: inout [UInt8], changing slot: Int,
    to value: Value
  ) -> Bool {
    let changed: Void? = try? frame.changing(slot, to: value) { frame in
      run(starts, at: places, &row, in: &frame)
    }
    return changed != nil
  }

  private func fill(_ context: Value, _ answers: [(Int, Value)]) -> Bool {
    fills += 1
    var bytes: [UInt8] = []
    JSONWriter.append(context, to: &bytes)
    work += 16 + bytes.count / 8
    guard (try? frame.fill(json: bytes)) != nil else { return false }
    return answers.allSatisfy { number, value in
      (try? frame.answer(number, with: value)) != nil
    }
  }

  private func outcome(of number: Int) -> OutcomeSet {
    if let outcome = memory[number] { return outcome }
    return Self.outcome(of: number, nodes, atoms, program, &memory, &frame)
  }

  private static func outcome(
    of number: Int, _ nodes: [Node], _ atoms: [Atom], _ program: Program,
    _ memory: inout OutcomeMemory, _ frame: inout Frame
  ) -> OutcomeSet {
    if let outcome = memory[number] { return outcome }
    let result: OutcomeSet
    switch nodes[number].kind {
    case .constant: result = OutcomeSet(number: nodes[number].value)
    case .atom:
      let entry = program.entries[atoms[nodes[number].value].entry]
      result = OutcomeSet(program.condition(entry, in: &frame))
    case .same, .unary, .fold, .conditional, .rescue, .sequence:
      let operands = nodes[number].operands
      result = OutcomeTables.shared.outcome(
        nodes[number].kind, nodes[number].value, count: operands.count
      ) { Self.outcome(of: operands[$0], nodes, atoms, program, &memory, &frame) }
    }
    memory[number] = result
    return result
  }
}

/// The outcomes of nodes for one context that are already computed.
struct OutcomeMemory {
  /// The outcomes of each node; empty if not computed.
  private var outcomes: [OutcomeSet] = []
  private var known: [Int] = []

  /// Makes room for this many nodes.
  init(count: Int) { outcomes = Array(repeating: [], count: count) }

  /// The number of nodes with a known outcome.
  var count: Int { known.count }

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

/// Builds one map from values at paths of one or two names.
private struct ContextBuilder {
  private enum Content {
    case value(Value)
    case members([Value.Entry])
  }

  private var roots: [(name: String, content: Content)] = []

  mutating func set(_ path: [String], to value: Value) {
    let place = roots.firstIndex { $0.name == path[0] }
    guard path.count > 1 else {
      if place == nil { roots.append((path[0], .value(value))) }
      return
    }
    let entry = Value.Entry(key: .string(path[1]), value: value)
    guard let place else {
      roots.append((path[0], .members([entry])))
      return
    }
    guard case .members(var members) = roots[place].content else { return }
    // The array is taken out, so that it is not shared while it grows.
    roots[place].content = .members([])
    members.append(entry)
    roots[place].content = .members(members)
  }

  var value: Value {
    .map(
      roots.map { root in
        switch root.content {
        case .value(let value): Value.Entry(key: .string(root.name), value: value)
        case .members(let members): Value.Entry(key: .string(root.name), value: .map(members))
        }
      })
  }
}

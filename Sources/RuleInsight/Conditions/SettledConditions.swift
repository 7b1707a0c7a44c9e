internal import Expressions

/// A condition that depends on one attribute alone, and whose outcome is the same for all values of
/// a class.
struct SettledCondition {
  var variable: Int
  /// The classes for which the condition is true.
  var classes: ClassMask
}

extension ConditionSpace {
  /// The classes of values for which all of some conditions are false. Each such condition takes a step once, instead
  /// of a part of every search.
  struct Exclusion {
    /// The excluded conditions, and those among them that depend on more than one attribute.
    var conditions: [Int] = []
    var others: [Int] = []
    /// For each variable without some of its classes, the remaining classes.
    var domains: [Int: ClassMask] = [:]
    /// Variables whose first class is excluded.
    var shifted: Set<Int> = []
    /// Whether a variable has no class left.
    var isEverything = false
  }

  /// The exclusion of conditions. If it continues the last exclusion, it is computed from that one.
  func excluding(_ conditions: [Int]) -> Exclusion {
    // The last exclusion is not used, because limits of the classes come from other questions.
    if isLimited || base != nil {
      var exclusion = Exclusion()
      (exclusion.conditions, exclusion.others) = (conditions, conditions)
      return exclusion
    }
    let known = excluded.conditions.count
    if known > conditions.count || !conditions.starts(with: excluded.conditions) {
      excluded = Exclusion()
    }
    var exclusion = excluded
    excluded = Exclusion()
    for condition in conditions[exclusion.conditions.count...] { add(condition, to: &exclusion) }
    excluded = exclusion
    return exclusion
  }

  private func add(_ condition: Int, to exclusion: inout Exclusion) {
    steps += 1
    exclusion.conditions.append(condition)
    guard let settled = settled(condition) else {
      exclusion.others.append(condition)
      return
    }
    let variable = settled.variable
    var domain =
      exclusion.domains[variable] ?? ClassMask(first: variables[variable].classes.values.count)
    domain.subtract(settled.classes)
    exclusion.domains[variable] = domain
    if domain.first != 0 { exclusion.shifted.insert(variable) }
    if domain.first == nil { exclusion.isEverything = true }
  }

  /// The conditions that are true, or may be true, in a state of a search.
  func held(_ conditions: [Int], in state: ConditionSearch.State, of search: ConditionSearch)
    -> [Int]
  {
    var classes: [Int: Int] = [:]
    for (variable, domain) in zip(search.variables, state.domains) {
      classes[variable] = domain.first
    }
    var open: [Int] = []
    var held: [Int] = []
    for condition in conditions {
      guard let settled = settled(condition) else {
        open.append(condition)
        continue
      }
      let own = classes[settled.variable] ?? domain(of: settled.variable, excluding: nil).first
      if let own, settled.classes.contains(own) { held.append(condition) }
    }
    steps += conditions.count / 8
    if !open.isEmpty { held += search.held(open, in: state) }
    return open.isEmpty || held.count < 2 ? held : conditions.filter(Set(held).contains)
  }

  // MARK: Settling

  private static let mostNodes = 64

  /// The classes for which a condition is true; nil if it depends on several attributes, or on more than classes.
  func settled(_ condition: Int) -> SettledCondition? {
    if let known = settled[condition] { return known }
    let made = settle(place(of: model.conditions[condition].root))
    settled[condition] = .some(made)
    return made
  }

  private func settle(_ root: Int) -> SettledCondition? {
    let places = places(below: [root])
    guard places.count <= Self.mostNodes else { return nil }
    var variable: Int?
    for place in places where nodes[place].kind == .atom {
      let atom = atoms[nodes[place].value]
      guard atom.variable >= 0, atom.isPrecise, variable ?? atom.variable == atom.variable else {
        return nil
      }
      variable = atom.variable
    }
    guard let variable else { return nil }
    let all = ClassMask(first: variables[variable].classes.values.count)
    var possible: [Int: [ClassMask]] = [:]
    for place in places {
      possible[place] = masks(of: nodes[place], all) { possible[$0] ?? [] }
    }
    guard let result = possible[root] else { return nil }
    let isTrue = result[OutcomeSet.true.number]
    for outcome in 0..<OutcomeSet.count where outcome != OutcomeSet.true.number {
      guard result[outcome].isDisjoint(with: isTrue) else { return nil }
    }
    return SettledCondition(variable: variable, classes: isTrue)
  }

  /// For each outcome, the classes for which a node may have it.
  private func masks(
    of node: Node, _ all: ClassMask, _ operand: (Int) -> [ClassMask]
  ) -> [ClassMask] {
    if node.kind == .atom { return atoms[node.value].masks }
    let own = (0..<node.count).map { operand(operands[node.first + $0]) }
    var result = Array(repeating: ClassMask.none, count: OutcomeSet.count)
    func add(_ outcomes: OutcomeSet, _ classes: ClassMask) {
      for outcome in outcomes.numbers { result[outcome].formUnion(classes) }
    }
    func combine(_ i: Int, _ chosen: [OutcomeSet], _ classes: ClassMask) {
      if classes.first == nil { return }
      guard i < own.count else {
        add(tables.outcome(node.kind, node.value, count: own.count) { chosen[$0] }, classes)
        return
      }
      for outcome in 0..<OutcomeSet.count {
        combine(
          i + 1, chosen + [OutcomeSet(number: outcome)], classes.intersection(own[i][outcome]))
      }
    }
    guard node.kind == .fold, own.count > 1 else {
      combine(0, [], all)
      return result
    }
    // Operands are combined two at a time.
    let kind = OutcomeTables.Fold(rawValue: node.value) ?? .and
    result = own[0]
    for next in own.dropFirst() {
      let before = result
      result = Array(repeating: .none, count: OutcomeSet.count)
      for first in 0..<OutcomeSet.count where before[first].first != nil {
        for second in 0..<OutcomeSet.count {
          let classes = before[first].intersection(next[second])
          guard classes.first != nil else { continue }
          add(
            tables.outcome(kind, OutcomeSet(number: first), OutcomeSet(number: second)), classes)
        }
      }
    }
    return result
  }
}

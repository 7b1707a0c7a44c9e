package import Expressions

/// A function that distinguishes values beyond the atoms of a model.
struct ValueLabels {
  /// The function's demands on values.
  var demands: AttributeDemands
  /// The outcomes for a value. Values with equal rows are equivalent.
  var row: (Value?) -> [UInt8]
}

/// Answers questions about two models at once, which may be in different languages: conditions of
/// rules, and claims about the outcomes of these rules.
///
/// Both models read the same attributes. Every value belongs to a class of either model. The
/// classes of the rules are refined, so that all values of one class are also in a single class of
/// the claims. The possible outcomes of the claims are enumerated class by class, and the rules are
/// queried for each outcome.
package final class JointSpace {
  package enum Answer {
    case witness(AnalysisWitness)
    case proof
    case unknown
  }

  private struct Shared {
    var rule: Int
    var claim: Int
    var labels: [[UInt8]]
  }

  package let rules: ConditionSpace
  package let claims: ConditionSpace
  private let lists: Set<[String]>
  private let missing: (rules: Set<[String]>, claims: Set<[String]>)
  private var shared: [Shared] = []
  private var tries = 0

  private static let mostTries = 200

  /// - Parameters:
  ///   - pinned: by path, attributes of the claims that have a fixed value.
  ///   - lists: attributes of the claims that are always lists.
  ///   - missing: attributes that are always missing for one of both.
  package init(
    _ rules: ConditionModel, roots: [Int], claims: ConditionModel, claimRoots: [Int],
    pinned: [[String]: Value], lists: Set<[String]>,
    missing: (rules: Set<[String]>, claims: Set<[String]>) = ([], []), kinds: UsualKinds
  ) {
    self.lists = lists
    self.missing = missing
    let readsBooleans = [rules, claims].contains {
      $0.program.storage.environment.binding.readsBooleanTexts
    }
    var labels: [[String]: ValueLabels] = [:]
    let ruleGroups = Dictionary(
      combining: rules.groups.enumerated().filter { $0.element.question == nil }
        .map { ($0.element.path, $0.offset) }
    ) { first, _ in first }
    /// Distinguishes the values of a group by whether they are usual, and by the outcomes of the
    /// claims.
    func label(_ path: [String], _ atoms: [Int]?) -> ValueLabels {
      if let known = labels[path] { return known }
      var made = ValueLabels(demands: AttributeDemands()) { value in
        if lists.contains(path) { return [value?.elements == nil ? 0 : 1] }
        return [kinds.isUsual(path, value) ? 1 : 0]
      }
      // Either of both may read these strings as bools.
      if readsBooleans { made.demands.texts = ["true", "false"].map { Array($0.utf8) } }
      if let atoms, let number = claims.groups.firstIndex(where: { $0.path == path }) {
        let group = claims.groups[number]
        let precise = atoms.filter { claims.atoms[$0].demands != nil }
        made.demands.add(precise.compactMap { claims.atoms[$0].demands })
        let runner = AtomRunner(
          group, precise, precise.map { claims.atoms[$0].demands }, in: claims)
        let isUsual = made.row
        made.row = { runner.row($0) + isUsual($0) }
      }
      labels[path] = made
      return made
    }
    let nested = ValueLabels(demands: AttributeDemands()) { _ in [1] }
    self.claims = ConditionSpace(claims, roots: claimRoots) { number, atoms in
      let group = claims.groups[number]
      if let value = pinned[group.path] {
        return AttributeClasses(group, atoms, being: value, in: claims)
      }
      guard group.tree.children.isEmpty else {
        return AttributeClasses(group, atoms, in: claims, { _ in HostAnswers() }, labels: nested)
      }
      return AttributeClasses(
        group, atoms, in: claims, { _ in HostAnswers() }, labels: label(group.path, atoms))
    }
    self.rules = ConditionSpace(rules, roots: roots) { number, atoms in
      let group = rules.groups[number]
      guard group.question == nil, group.tree.children.isEmpty else {
        return rules.classes(of: number, for: atoms)
      }
      return rules.classes(of: number, for: atoms, labels: label(group.path, nil))
    }
    for (claim, variable) in self.claims.variables.enumerated() {
      let group = claims.groups[variable.group]
      guard pinned[group.path] == nil, !missing.rules.contains(group.path),
        !missing.claims.contains(group.path), let number = ruleGroups[group.path],
        let rule = self.rules.variables.firstIndex(where: { $0.group == number })
      else { continue }
      let classes = self.rules.variables[rule].classes
      guard group.tree.children.isEmpty, rules.groups[number].tree.children.isEmpty,
        classes.hasAllLabels, variable.classes.hasAllLabels
      else { continue }
      var distinct: [[UInt8]] = []
      for label in variable.classes.labels where !distinct.contains(label) {
        distinct.append(label)
      }
      shared.append(Shared(rule: rule, claim: claim, labels: distinct))
    }
  }

  /// Looks for a context that answers the rules' question and meets the claims' goals.
  ///
  /// - Parameters:
  ///   - isUsual: whether to use only values that the conditions are written for.
  ///   - accepts: whether a context is acceptable.
  package func answer(
    _ question: ConditionSpace.Question, _ goals: [ConditionSpace.Goal], isUsual: Bool,
    budget: Int, _ accepts: (AnalysisWitness) -> Bool
  ) -> Answer {
    rules.limits = limits(of: rules, isUsual, missing.rules)
    claims.limits = limits(of: claims, isUsual, missing.claims)
    if [rules, claims].contains(where: { $0.limits.contains { $0?.first == nil && $0 != nil } }) {
      return .unknown
    }
    if claims.isProved(goals, budget: budget) { return .proof }
    var needed: [Int] = []
    if rules.isProved(question, &needed, budget: budget) { return .proof }
    tries = 0
    return visit(0, question, goals, isUsual, budget, accepts)
  }

  /// Whether it is proved that the claims' goals cannot be met, for any rules and attributes.
  package func isProved(_ goals: [ConditionSpace.Goal], budget: Int) -> Bool {
    claims.limits = limits(of: claims, false, missing.claims)
    return claims.isProved(goals, budget: budget)
  }

  /// The classes of each variable that may be used.
  private func limits(of space: ConditionSpace, _ isUsual: Bool, _ missing: Set<[String]>)
    -> [ClassMask?]
  {
    space.variables.map { variable in
      let labels = variable.classes.labels
      if missing.contains(space.model.groups[variable.group].path),
        let none = variable.classes.values.firstIndex(of: nil)
      {
        var mask = ClassMask.none
        mask.insert(none)
        return mask
      }
      // Attributes that are always lists are limited even without `isUsual`.
      guard isUsual || lists.contains(space.model.groups[variable.group].path) else { return nil }
      guard labels.contains(where: { $0.last == 0 }) else { return nil }
      var mask = ClassMask.none
      for (number, label) in labels.enumerated() where label.last != 0 { mask.insert(number) }
      return mask
    }
  }

  private func visit(
    _ place: Int, _ question: ConditionSpace.Question, _ goals: [ConditionSpace.Goal],
    _ isUsual: Bool, _ budget: Int, _ accepts: (AnalysisWitness) -> Bool
  ) -> Answer {
    guard place < shared.count else { return ask(question, goals, budget, accepts) }
    let shared = shared[place]
    let before = (rules.limits[shared.rule], claims.limits[shared.claim])
    defer { (rules.limits[shared.rule], claims.limits[shared.claim]) = before }
    var isKnown = true
    for label in shared.labels where !isUsual || label.last == 1 {
      let classes = Self.classes(with: label, of: claims.variables[shared.claim].classes)
      claims.limits[shared.claim] = classes
      if claims.isProved(goals, budget: budget) { continue }
      let rest = Self.classes(with: label, of: rules.variables[shared.rule].classes)
      guard rest.first != nil, tries < Self.mostTries else {
        isKnown = false
        continue
      }
      rules.limits[shared.rule] = rest
      switch visit(place + 1, question, goals, isUsual, budget, accepts) {
      case .witness(let witness): return .witness(witness)
      case .proof: continue
      case .unknown: isKnown = false
      }
    }
    return isKnown ? .proof : .unknown
  }

  private static func classes(with label: [UInt8], of classes: AttributeClasses) -> ClassMask {
    var mask = ClassMask.none
    for (number, other) in classes.labels.enumerated() where other == label { mask.insert(number) }
    return mask
  }

  private func ask(
    _ question: ConditionSpace.Question, _ goals: [ConditionSpace.Goal], _ budget: Int,
    _ accepts: (AnalysisWitness) -> Bool
  ) -> Answer {
    tries += 1
    var claim = AnalysisWitness.nothing
    switch claims.answer(goals, budget: budget) {
    case .proof: return .proof
    case .witness(let found): claim = found
    case .unknown: break
    }
    var needed: [Int] = []
    let answer = rules.answer(question, &needed, budget: budget) { witness in
      accepts(self.joined(witness, claim))
    }
    switch answer {
    case .witness(let witness): return .witness(joined(witness, claim))
    case .proof: return .proof
    case .unknown: return .unknown
    }
  }

  /// The attributes that rules read, with the additional attributes that claims read.
  private func joined(_ rule: AnalysisWitness, _ claim: AnalysisWitness) -> AnalysisWitness {
    var joined = rule
    let known = Set(rules.variables.map { rules.model.groups[$0.group].path })
      .subtracting(missing.rules)
    let questions = Set(rule.answers.map { $0.question })
    joined.answers += claim.answers.filter { !questions.contains($0.question) }
    for variable in claims.variables {
      let path = claims.model.groups[variable.group].path
      guard !known.contains(path), let value = claim.attributes.value(at: path) else { continue }
      joined.attributes = joined.attributes.setting(path[...], to: value)
    }
    return joined
  }
}

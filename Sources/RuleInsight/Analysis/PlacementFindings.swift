internal import CivilTime
internal import Expressions
internal import RuleEngine

/// The findings about the audiences and clauses of a placement.
extension PlacementAnalysis {
  mutating func findings() -> [RuleAnalysis.Finding] {
    var findings: [RuleAnalysis.Finding] = []
    var everybody = false
    for rule in rules {
      let compiled = ruleSet.rules[rule]
      // A limit that never allows anything has its own finding.
      guard takes(rule) else { continue }
      // If an earlier audience matches every user, compiling already reports the audiences after it.
      if !everybody { findings += self.findings(about: rule) }
      let audience = compiled.audience
      everybody =
        everybody
        || audience.isEverybody && audience.occurrenceLimit == nil
          && audience.entitlementGuard == nil
    }
    return findings
  }

  private mutating func findings(about rule: Int) -> [RuleAnalysis.Finding] {
    if let question = taking(rule, isFirstTime: true) {
      switch ask(question, gettingTo: rule) {
      case .witness, .unknown: return expiry(of: rule) + clauseFindings(rule)
      case .proof: break
      }
    }
    if let contradiction = contradiction(in: rule) { return contradiction }
    guard let question = taking(rule, isFirstTime: false) else {
      return [unreachable(rule)]
    }
    switch ask(question, gettingTo: rule) {
    case .witness(let record): return [reachedByOthers(rule, record)] + clauseFindings(rule)
    case .unknown: return clauseFindings(rule)
    case .proof: return [unreachable(rule)]
    }
  }

  // MARK: Audiences

  private func title(_ rule: Int) -> String { ruleSet.rules[rule].audience.title }

  /// The path of a rule's condition.
  private func path(_ rule: Int, clause: Int? = nil) -> String {
    ruleSet.rules[rule].audience.conditionPath(clause: clause)
  }

  /// Earlier rules that together prevent users from reaching a rule.
  private func shadowing(_ rule: Int, isFirstTime: Bool) -> [Int] {
    let earlier = (rules.lowerBound..<rule).filter {
      takes($0) && (isFirstTime || !mayBePassed || !isPassed($0, by: rule))
    }
    // One rule that matches every user is enough.
    if let all = earlier.first(where: { conditionOf[$0] == nil }) { return [all] }
    guard let question = taking(rule, isFirstTime: isFirstTime),
      var needed = proof(question, gettingTo: rule)
    else { return earlier }
    needed = reduced(needed, question.goals)
    // If several rules have the same condition, the first one decides.
    return needed.compactMap { condition in earlier.first { conditionOf[$0] == condition } }
      .sorted()
  }

  /// A minimal set of conditions that still proves the goals impossible. The last conditions are
  /// dropped first.
  private func reduced(_ conditions: [Int], _ goals: [ConditionSpace.Goal]) -> [Int] {
    var needed = conditions
    for candidate in conditions.sorted(by: { firstRule(with: $0) > firstRule(with: $1) })
    where budget > 0 {
      let others = needed.filter { $0 != candidate }
      let spared = others.map { ConditionSpace.Goal(model.conditions[$0].root, .notTrue) }
      if isProved(goals + spared) { needed = others }
    }
    return needed
  }

  private func unreachable(_ rule: Int) -> RuleAnalysis.Finding {
    let shadows = shadowing(rule, isFirstTime: false)
    let message =
      shadows.count == 1
      ? "no user reaches this audience: \(title(shadows[0])) takes every user that matches"
      : "no user reaches this audience: \(shadows.count) earlier audiences take every user that matches"
    let related = shadows.map {
      Diagnostic.Related(path: path($0), message: "\(title($0)) takes some of these users first")
    }
    return RuleAnalysis.Finding(
      diagnostic: Diagnostic(
        .unreachableAudience, message, severity: .warning,
        path: ruleSet.rules[rule].audience.path,
        related: shadows.count == 1
          ? [
            Diagnostic.Related(
              path: path(shadows[0]), message: "\(title(shadows[0])) takes these users")
          ]
          : related,
        suggestion: "move this audience before those, or remove it"))
  }

  /// Finds an audience that matches no device that reports the current date or a later one.
  private mutating func expiry(of rule: Int) -> [RuleAnalysis.Finding] {
    guard let condition = conditionOf[rule], let holding = holding(rule) else { return [] }
    let current = dates.filter { model.sharesAttributes(of: condition, with: $0) }.map {
      ConditionSpace.Goal(model.conditions[$0].root, .true)
    }
    guard !current.isEmpty, isProved([holding] + current), !isProved(current) else { return [] }
    let today = now.text.map { String($0.prefix(10)) } ?? "now"
    return [
      RuleAnalysis.Finding(
        diagnostic: Diagnostic(
          .expiredAudience,
          "no user can match this audience any more: its dates are before \(today)",
          severity: .warning, path: ruleSet.rules[rule].audience.path,
          suggestion: "remove the audience, or move its dates"))
    ]
  }

  /// Finds an audience that users only reach if they match earlier audiences and skip them.
  private func reachedByOthers(_ rule: Int, _ record: Value) -> RuleAnalysis.Finding {
    let shadows = shadowing(rule, isFirstTime: true)
    let passing = shadows.filter { isPassed($0, by: rule) }
    let limited = passing.contains { ruleSet.rules[$0].audience.occurrenceLimit != nil }
    let owned = passing.contains { ruleSet.rules[$0].audience.entitlementGuard != nil }
    let reason =
      limited && owned
      ? "have reached the limit of an earlier audience, or own its entitlement"
      : limited ? "have reached the limit of an earlier audience" : "an earlier audience skips"
    let related = passing.map { earlier in
      Diagnostic.Related(
        path: ruleSet.rules[earlier].audience.path,
        message: "\(title(earlier)) takes other users first")
    }
    return RuleAnalysis.Finding(
      diagnostic: Diagnostic(
        .unreachableAudience, "only users that \(reason) get here", severity: .note,
        path: ruleSet.rules[rule].audience.path, related: related,
        notes: ["for example \(record.json)"]),
      witness: record)
  }

  // MARK: Contradictions

  /// The clauses that contradict each other; nil if the condition can be true.
  private func contradiction(in rule: Int) -> [RuleAnalysis.Finding]? {
    guard let condition = conditionOf[rule], let goal = holding(rule), isProved([goal]) else {
      return nil
    }
    let clauses = model.conditions[condition].clauses
    var needed = clauses.indices.filter { clauses[$0].node != nil }
    var relaxed: [Int] = []
    for number in needed.reversed() {
      guard let node = clauses[number].node, isProved([goal], relaxing: relaxed + [node])
      else { continue }
      relaxed.append(node)
      needed.removeAll { $0 == number }
    }
    // A literal such as `false` is intended.
    if needed.contains(where: { model.isLiteral(clause: $0, of: condition) }) { return [] }
    guard let first = needed.first, let last = needed.last else { return [] }
    let texts = needed.map { "'\(clauses[$0].text)'" }
    let range = SourceRange(from: clauses[first].range.from, to: clauses[last].range.to)
    if needed.count == 1 {
      return [
        constant("'\(clauses[first].text)' is never true", first, rule, .warning, [])
      ]
    }
    let list = texts.dropLast().joined(separator: ", ") + " and " + (texts.last ?? "")
    let hasRange = ruleSet.rules[rule].audience.expression != nil
    return [
      RuleAnalysis.Finding(
        diagnostic: Diagnostic(
          .contradictoryClauses, "no user matches: \(list) contradict each other",
          severity: .warning, range: hasRange ? range : nil, path: path(rule, clause: last),
          related: needed.map {
            Diagnostic.Related(
              path: path(rule, clause: $0),
              message: "'\(clauses[$0].text)' at \(clauses[$0].range.from)")
          }))
    ]
  }

  // MARK: Clauses

  private mutating func clauseFindings(_ rule: Int) -> [RuleAnalysis.Finding] {
    guard let condition = conditionOf[rule], let earlier = reaching(rule, isFirstTime: false)
    else { return [] }
    var findings: [RuleAnalysis.Finding] = []
    let clauses = model.conditions[condition].clauses
    for number in clauses.indices {
      guard let node = clauses[number].node, !model.isLiteral(clause: number, of: condition),
        let context = model.context(ofClause: number, in: condition)
      else { continue }
      let holds = model.holdingClause
      for wanted in [holds, OutcomeSet.any.subtracting(holds)] {
        let goal = ConditionSpace.Goal(node, wanted)
        let question = ConditionSpace.Question([goal] + context, sparing: earlier)
        guard case .proof = ask(question, gettingTo: rule),
          !model.isGuard(clause: number, of: condition)
        else { continue }
        // A clause that no user reaches is not reported.
        let reaching = ConditionSpace.Question(context, sparing: earlier)
        if proof(reaching, gettingTo: rule) != nil { break }
        findings.append(constantClause(number, rule, question, isNever: wanted == holds))
      }
    }
    return findings
  }

  private func constantClause(
    _ number: Int, _ rule: Int, _ question: ConditionSpace.Question, isNever: Bool
  ) -> RuleAnalysis.Finding {
    let condition = conditionOf[rule] ?? 0
    let clauses = model.conditions[condition].clauses
    let word = isNever ? "never" : "always"
    let text = "'\(clauses[number].text)' is \(word) true"
    let goals = question.goals
    if isProved([goals[0]]) { return constant(text, number, rule, .warning, []) }
    guard isProved(goals) else {
      // The clause repeats what earlier audiences already ensure.
      let needed = reduced(proof(question, gettingTo: rule) ?? question.sparing, goals)
      let earlier = rules.filter { $0 < rule && takes($0) && !isPassed($0, by: rule) }
      let shadows = needed.compactMap { condition in
        earlier.first { conditionOf[$0] == condition }
      }
      let related = shadows.sorted().map {
        Diagnostic.Related(path: path($0), message: "\(title($0)) takes the other users")
      }
      return constant(text + " here, after earlier audiences", number, rule, .note, related)
    }
    // Clauses to the left that together imply this clause.
    var relaxed: [Int] = []
    var needed = clauses.indices.filter { $0 < number && clauses[$0].node != nil }
    for candidate in needed.reversed() {
      guard let node = clauses[candidate].node,
        isProved(goals, relaxing: relaxed + [node])
      else { continue }
      relaxed.append(node)
      needed.removeAll { $0 == candidate }
    }
    let given = needed.map { "'\(clauses[$0].text)'" }.joined(separator: " and ")
    let related = needed.map {
      Diagnostic.Related(path: path(rule, clause: $0), message: "'\(clauses[$0].text)'")
    }
    return constant(
      text + (given.isEmpty ? " here" : " after \(given)"), number, rule, .warning, related)
  }

  private func constant(
    _ message: String, _ clause: Int, _ rule: Int, _ severity: Diagnostic.Severity,
    _ related: [Diagnostic.Related]
  ) -> RuleAnalysis.Finding {
    let condition = conditionOf[rule] ?? 0
    let hasRange = ruleSet.rules[rule].audience.expression != nil
    let range = model.conditions[condition].clauses[clause].range
    return RuleAnalysis.Finding(
      diagnostic: Diagnostic(
        .constantClause, message, severity: severity, range: hasRange ? range : nil,
        path: path(rule, clause: clause), related: related))
  }
}

extension Audience {
  /// The name of the audience in messages.
  var title: String {
    let id = self.id ?? experimentID
    return id.isEmpty ? "audience \(index)" : "audience '\(id)'"
  }
}

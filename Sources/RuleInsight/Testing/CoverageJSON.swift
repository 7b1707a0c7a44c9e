package import Expressions
internal import RuleEngine

/// The coverage of tests as a JSON object.
package struct CoverageJSON {
  private let run: CoverageRun
  private let places: DiagnosticPlaces

  private var counts: CoverageCounts { run.search.counts }
  private var ruleSet: RuleSet { run.counter.ruleSet }

  /// - Parameter config: the text of the config, which places refer to.
  package init(_ run: CoverageRun, config: [UInt8]) {
    self.run = run
    let clauses = run.counter.ruleSet.rules.indices.flatMap { rule in
      run.counter.clauses(ofRule: rule).indices.map { Self.place(run.counter, rule, $0) }
    }
    places = DiagnosticPlaces(clauses.filter { !$0.path.isEmpty }, in: config)
  }

  /// The place of a clause.
  private static func place(_ counter: CoverageCounter, _ rule: Int, _ clause: Int) -> Diagnostic {
    let (path, range) = counter.place(ofRule: rule, clause: clause)
    return Diagnostic(.constantClause, "", range: range, path: path)
  }

  package var value: Value {
    var parts: [CoveragePoint.Group: [Value]] = [:]
    for placement in ruleSet.placements {
      for rule in placement.rules { add(rule, placement.name, &parts) }
    }
    for (number, paywall) in run.counter.paywallTexts.enumerated() {
      for (text, name) in paywall.names.enumerated() {
        let point = CoveragePoint.text(paywall: number, text)
        parts[.texts, default: []].append(
          members(
            ["paywall": .string(paywall.identifier), "name": .string(name)],
            ["shown": counts[point]], [("shown", point)]))
      }
    }
    let share = run.share
    let ratio = share.all == 0 ? 1 : Double(share.exercised) / Double(share.all)
    return .map(
      CoveragePoint.Group.allCases.filter { $0 == .audiences || $0 == .clauses || parts[$0] != nil }
        .map { Value.Entry(key: .string($0.rawValue), value: .list(parts[$0] ?? [])) }
        + [
          .init(key: "tests", value: .int(Int64(run.tests))),
          .init(key: "exercised", value: .int(Int64(share.exercised))),
          .init(key: "points", value: .int(Int64(share.all))),
          .init(key: "impossible", value: .int(Int64(run.impossible))),
          .init(key: "share", value: .double(ratio)),
        ])
  }

  private func add(
    _ rule: Int, _ placement: String, _ parts: inout [CoveragePoint.Group: [Value]]
  ) {
    let audience = ruleSet.rules[rule].audience
    let head: KeyValuePairs<String, Value> = [
      "placement": .string(placement), "audience": .int(Int64(audience.index)),
    ]
    let taken = CoveragePoint.audience(rule: rule)
    parts[.audiences, default: []].append(
      members(
        head, ["reached": counts.reached[rule], "taken": counts[taken]], [("taken", taken)]))
    for number in run.counter.clauses(ofRule: rule).indices {
      parts[.clauses, default: []].append(clause(rule, number, head))
    }
    if let entitlement = audience.entitlementGuard {
      let point = CoveragePoint.owner(rule: rule)
      parts[.owners, default: []].append(
        members(
          head, ["passedOver": counts[point]], [("passedOver", point)],
          [.init(key: "entitlement", value: .string(entitlement))]))
    }
    let cases = run.counter.points(ofRule: rule).compactMap { point in
      if case .limit(rule, let limitCase) = point { (limitCase.rawValue, point) } else { nil }
    }
    if let limit = audience.occurrenceLimit {
      parts[.limits, default: []].append(
        members(
          head, cases.map { ($0.0, counts[$0.1]) }, cases,
          [
            .init(key: "key", value: .string(limit.key)),
            .init(key: "of", value: .int(Int64(limit.maxCount))),
          ]))
    }
    for (number, variant) in audience.variants.enumerated() {
      let point = CoveragePoint.variant(rule: rule, number)
      parts[.variants, default: []].append(
        members(
          head, ["users": counts[point]], [("users", point)],
          [.init(key: "variant", value: .string(variant.id))]))
    }
  }

  private func clause(_ rule: Int, _ number: Int, _ head: KeyValuePairs<String, Value>) -> Value {
    let clause = run.counter.clauses(ofRule: rule)[number]
    let sides = [true, false].map { CoveragePoint.clause(rule: rule, number: number, holds: $0) }
    let count = counts.clauses[rule][number]
    let said = Self.place(run.counter, rule, number)
    func range(_ range: SourceRange) -> Value {
      .object(["from": .int(Int64(range.from)), "to": .int(Int64(range.to))])
    }
    var more: [Value.Entry] = []
    if !said.path.isEmpty, let place = places.place(of: said) {
      more = [
        .init(key: "range", value: range(place.range)),
        .init(key: "line", value: .int(Int64(place.position.line))),
        .init(key: "column", value: .int(Int64(place.position.column))),
      ]
    }
    if let own = said.range { more.append(.init(key: "expressionRange", value: range(own))) }
    more.append(.init(key: "text", value: .string(clause.text)))
    return members(
      head,
      [
        "true": count.holds, "false": count.fails, "decides": counts[sides[0]] + counts[sides[1]],
        "decidesTrue": counts[sides[0]], "decidesFalse": counts[sides[1]],
      ], [("decidesTrue", sides[0]), ("decidesFalse", sides[1])], more)
  }

  private func members(
    _ head: KeyValuePairs<String, Value>, _ numbers: KeyValuePairs<String, Int>,
    _ points: [(String, CoveragePoint)], _ more: [Value.Entry] = []
  ) -> Value {
    members(head, numbers.map { ($0.key, $0.value) }, points, more)
  }

  /// An entry with its counts, and an explanation for each count that is zero.
  private func members(
    _ head: KeyValuePairs<String, Value>, _ numbers: [(String, Int)],
    _ points: [(String, CoveragePoint)], _ more: [Value.Entry]
  ) -> Value {
    let gaps = points.compactMap { name, point in
      run.search.gaps[point].map { gap in
        Value.members([
          "count": .string(name), "verdict": .string(gap.verdict),
          "reason": gap.reason.map { .string($0) },
        ])
      }
    }
    return .map(
      head.map { .init(key: .string($0.key), value: $0.value) } + more
        + numbers.map { .init(key: .string($0.0), value: .int(Int64($0.1))) }
        + (gaps.isEmpty ? [] : [.init(key: "gaps", value: .list(gaps))]))
  }
}

extension CoverageSearch.Gap {
  fileprivate var verdict: String {
    switch self {
    case .closable: "closable"
    case .impossible: "impossible"
    case .unknown: "unknown"
    }
  }

  fileprivate var reason: String? {
    switch self {
    case .closable: nil
    case .impossible(let reason), .unknown(let reason): reason
    }
  }
}

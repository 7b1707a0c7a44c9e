internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// Descriptions of the gaps: an entry for each point to review.
struct CoverageGaps {
  struct Entry {
    var placement: String?
    /// The subject: `export_report, audience 1 (export-trial)`.
    var subject: String
    /// The gap, or why it is impossible to close.
    var text: String
    var path: String
    var range: SourceRange?
    /// The text that the range refers to.
    var source: String?
  }

  private let run: CoverageRun
  private var counter: CoverageCounter { run.counter }
  private var search: CoverageSearch { run.search }

  /// Gaps that some user would close, or might close.
  private(set) var open: [Entry] = []
  /// Points that cannot be exercised.
  private(set) var impossible: [Entry] = []

  init(_ run: CoverageRun) {
    self.run = run
    for placement in run.counter.ruleSet.placements {
      for rule in placement.rules { add(rule, placement.name) }
    }
    addTexts()
  }

  private func entry(_ placement: String, _ rule: Int, _ text: String, clause: Int? = nil) -> Entry
  {
    let (path, range) = counter.place(ofRule: rule, clause: clause)
    return Entry(
      placement: placement,
      subject: "\(placement), audience \(counter.ruleSet.rules[rule].audience.label)", text: text,
      path: path, range: range, source: range.flatMap { _ in counter.expression(ofRule: rule) })
  }

  private mutating func add(_ rule: Int, _ placement: String) {
    let missing = counter.points(ofRule: rule).filter { search.gaps[$0] != nil }
    if missing.isEmpty { return }
    func reason(_ point: CoveragePoint) -> String? {
      if case .impossible(let reason)? = search.gaps[point] { reason } else { nil }
    }
    // A single reason for the whole audience is reported once.
    if let whole = reason(.audience(rule: rule)) {
      impossible.append(entry(placement, rule, whole))
      addOpen(missing.filter { reason($0) == nil }, rule, placement)
      return
    }
    var clauses: Set<Int> = []
    for point in missing {
      guard let why = reason(point) else { continue }
      guard case .clause(_, let number, _) = point else {
        impossible.append(entry(placement, rule, "\(words(point, rule)): \(why)"))
        continue
      }
      guard clauses.insert(number).inserted else { continue }
      let other = CoveragePoint.clause(rule: rule, number: number, holds: false)
      let isNever = other != point && reason(other) != nil
      impossible.append(
        entry(
          placement, rule, "'\(text(rule, number))' \(isNever ? "never decides" : why)",
          clause: number))
    }
    addOpen(missing.filter { reason($0) == nil }, rule, placement)
  }

  private mutating func addOpen(_ missing: [CoveragePoint], _ rule: Int, _ placement: String) {
    guard !missing.isEmpty else { return }
    let unknown = missing.filter { if case .unknown? = search.gaps[$0] { true } else { false } }
    // An audience that no user reaches needs no list of its outcomes.
    if search.counts.reached[rule] == 0, missing.contains(.audience(rule: rule)) {
      let rest =
        missing.count > 1 ? ", so its \(missing.count) points are not exercised" : ""
      open.append(entry(placement, rule, "no test gets here\(rest)\(note(unknown))"))
      return
    }
    var clauses: [Int: [Bool]] = [:]
    var variants: [String] = []
    var limits: [CoveragePoint] = []
    for point in missing {
      switch point {
      case .audience:
        let reached = counted(search.counts.reached[rule], "test")
        open.append(
          entry(
            placement, rule, "\(reached) reached the audience, but it took no user\(note([point]))")
        )
      case .clause(_, let number, let holds): clauses[number, default: []].append(holds)
      case .limit: limits.append(point)
      case .owner:
        open.append(entry(placement, rule, "no test \(words(point, rule))\(note([point]))"))
      case .variant(_, let variant):
        variants.append(counter.ruleSet.rules[rule].audience.variants[variant].id)
      case .text: break
      }
    }
    for (number, sides) in clauses.sorted(by: { $0.key < $1.key }) {
      let texts = sides.map { clause(rule, number, holds: $0) }
      let points = sides.map { CoveragePoint.clause(rule: rule, number: number, holds: $0) }
      let isLiteral = counter.isLiteral(clause: number, ofRule: rule)
      let what = isLiteral ? "never decisive" : texts.joined(separator: ", and ")
      open.append(
        entry(
          placement, rule, "'\(text(rule, number))' is \(what)\(note(points))", clause: number))
    }
    if !limits.isEmpty {
      let what = listed(limits.map { words($0, rule) }, "or")
      open.append(entry(placement, rule, "no test \(what)\(note(limits))"))
    }
    if !variants.isEmpty {
      let word = variants.count == 1 ? "variant" : "variants"
      let points = missing.filter { $0.group == .variants }
      open.append(
        entry(
          placement, rule, "no test gets \(word) \(listed(variants, "and"))\(note(points))"))
    }
  }

  /// The note for gaps for which no user was found.
  private func note(_ points: [CoveragePoint]) -> String {
    for point in points {
      if case .unknown(let reason)? = search.gaps[point] { return " (unknown: \(reason))" }
    }
    return ""
  }

  private func text(_ rule: Int, _ number: Int) -> String {
    counter.clauses(ofRule: rule)[number].text
  }

  /// The gap of a clause: `never true`, or `false in 3 tests without deciding`.
  private func clause(_ rule: Int, _ number: Int, holds: Bool) -> String {
    let counts = search.counts.clauses[rule][number]
    let count = holds ? counts.holds : counts.fails
    let word = holds ? "true" : "false"
    return count == 0 ? "never \(word)" : "\(word) in \(counted(count, "test")) without deciding"
  }

  /// The subject of a point.
  private func words(_ point: CoveragePoint, _ rule: Int) -> String {
    let audience = counter.ruleSet.rules[rule].audience
    let limit = audience.occurrenceLimit
    switch point {
    case .audience: return "the audience"
    case .clause(_, let number, _): return "'\(text(rule, number))'"
    case .owner: return "has a user that owns \(audience.entitlementGuard ?? "") and is skipped"
    case .limit(_, .usedUp): return "has reached the limit \(limit?.key ?? "")"
    case .limit(_, .lastTime):
      return "is taken for the last time that the limit \(limit?.key ?? "") allows"
    case .limit(_, .longAgo):
      return "has reached the limit \(limit?.key ?? "") too long ago to count"
    case .variant(_, let variant): return "variant \(audience.variants[variant].id)"
    case .text: return "the text"
    }
  }

  private mutating func addTexts() {
    for (number, paywall) in counter.paywallTexts.enumerated() {
      let points = paywall.names.indices.map { CoveragePoint.text(paywall: number, $0) }
      guard let gap = points.compactMap({ search.gaps[$0] }).first else { continue }
      let names = listed(paywall.names, "and")
      var entry = Entry(subject: "paywall \(paywall.identifier)", text: "", path: "")
      switch gap {
      case .impossible(let reason):
        entry.text = "\(names): \(reason)"
        impossible.append(entry)
      case .closable, .unknown:
        entry.text = "no test shows it: \(names)" + note(points)
        open.append(entry)
      }
    }
  }
}

extension CoverageGaps {
  /// The places of entries in the config file.
  static func places(_ entries: [Entry], in bytes: [UInt8]) -> (Entry) -> DiagnosticPlaces.Place? {
    func diagnostic(_ entry: Entry) -> Diagnostic {
      Diagnostic(.constantClause, "", range: entry.range, path: entry.path)
    }
    let places = DiagnosticPlaces(
      entries.filter { !$0.path.isEmpty }.map(diagnostic), in: bytes)
    return { $0.path.isEmpty ? nil : places.place(of: diagnostic($0)) }
  }
}

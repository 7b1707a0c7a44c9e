package import CivilTime
package import Expressions
package import RuleEngine

/// Checks a config for the SDK versions in the field: parts that depend on the version, and parts
/// that some versions do not read.
package struct VersionCheck {
  /// Versions of an SDK, from one version up to but not including another, or up to the newest.
  package struct Range: Hashable, Sendable {
    package var sdk: SDKName
    package var from: SDKVersion
    package var to: SDKVersion?

    package init(_ sdk: SDKName, from: SDKVersion, to: SDKVersion? = nil) {
      self.sdk = sdk
      self.from = from
      self.to = to
    }

    /// Reads a range such as `ios:4.7..` or `android:2.4..2.7.19`.
    package init?(_ text: some StringProtocol) {
      let sides = text.split(separator: ":", omittingEmptySubsequences: false)
      guard sides.count == 2, let sdk = SDKName(rawValue: String(sides[0])), sdk != .agentWallie,
        let dots = sides[1].firstRange(of: ".."),
        let from = SDKVersion(sides[1][..<dots.lowerBound])
      else { return nil }
      let end = sides[1][dots.upperBound...]
      let to = end.isEmpty ? nil : SDKVersion(end)
      if !end.isEmpty, to == nil { return nil }
      if let to, to < from { return nil }
      self.init(sdk, from: from, to: to)
    }

    /// The first version of the range, and the versions at which something changes.
    var versions: [SDKVersion] {
      [from]
        + SDKProfile.changes(of: sdk).filter { version in
          version > from && (to.map { version <= $0 } ?? true)
        }
    }

    func overlaps(_ since: SDKVersion, _ until: SDKVersion?) -> Bool {
      (to.map { since <= $0 } ?? true) && (until.map { from < $0 } ?? true)
    }
  }

  package private(set) var diagnostics: [Diagnostic] = []
  private var witnesses: [Diagnostic: Value] = [:]
  private let config: Config
  private let ranges: [Range]

  /// - Parameters:
  ///   - ranges: the versions in the field.
  ///   - schema: the known attributes.
  ///   - now: the time at which users are decided.
  package init(_ config: Config, _ ranges: [Range], schema: ContextSchema, now: Instant) {
    self.config = config
    self.ranges = ranges
    for range in ranges {
      checkRejections(range)
      checkNames(range)
      checkNulls(range)
      checkAudiences(range)
    }
    let family = RuleSetFamily(config)
    for range in ranges {
      checkAborts(range, family, now)
      compare(range, family, schema, now)
    }
  }

  /// The example user of a finding.
  package func witness(for diagnostic: Diagnostic) -> Value? { witnesses[diagnostic] }

  private mutating func add(
    _ message: String, _ range: Range, severity: Diagnostic.Severity = .warning, at path: String,
    suggestion: String? = nil
  ) {
    diagnostics.append(
      Diagnostic(
        .versionDifference, "\(range.sdk.title): \(message)", severity: severity, path: path,
        suggestion: suggestion))
  }

  private static func versions(_ since: SDKVersion, _ until: SDKVersion?) -> String {
    until.map { "from \(since) to before \($0)" } ?? "from \(since) on"
  }

  // MARK: Findings from tables

  private mutating func checkRejections(_ range: Range) {
    for fact in config.facts {
      for row in SDKFacts.requirements
      where row.kind == fact.kind && row.sdk == range.sdk && range.overlaps(row.since, row.until) {
        add(
          "versions \(Self.versions(row.since, row.until)) reject the whole config: "
            + fact.kind.reason, range, severity: .error, at: fact.path)
      }
    }
  }

  private mutating func checkNames(_ range: Range) {
    for (number, placement) in config.placements.enumerated() {
      let uses = range.versions.map {
        ($0, SDKProfile(range.sdk, $0).use(ofPlacementName: placement.name))
      }
      // A name that all versions reserve is the name of an event that the SDK itself registers.
      guard uses.first?.1 == .ordinary, let changed = uses.first(where: { $0.1 != .ordinary })
      else { continue }
      add(
        "apps cannot register the placement '\(placement.name)' from \(changed.0) on: the SDK "
          + "reserves the name", range, at: "trigger_options[\(number)].event_name",
        suggestion: "use another name")
    }
  }

  private mutating func checkNulls(_ range: Range) {
    let hasCondition = config.placements.contains { placement in
      placement.audiences.contains { $0.expression != nil }
    }
    for row in SDKFacts.ranges
    where row.what == .failsOnNull && row.sdk == range.sdk
      && range.overlaps(row.since, row.until) && hasCondition
    {
      add(
        "versions \(Self.versions(row.since, row.until)) match no condition for users with a null "
          + "attribute", range, severity: .note, at: "trigger_options")
    }
  }

  private mutating func checkAudiences(_ range: Range) {
    let ruleSet = RuleSet.compile(config, language: .superscript(SDKProfile(platform(range))))
      .output
    for audience in config.placements.flatMap({ $0.audiences }) {
      checkScript(audience, range)
      guard let expression = audience.expression else { continue }
      for name in Self.calls(of: expression) {
        for row in SDKFacts.functions
        where row.sdk == range.sdk && row.name == name && range.from < row.since {
          add(
            "\(name)() exists since \(row.since), and the range begins at \(range.from)", range,
            at: audience.expressionPath)
        }
      }
    }
    for rule in ruleSet?.rules ?? [] {
      guard let entry = rule.entry, let program = ruleSet?.program else { continue }
      for path in program.attributes(of: entry) where path.names.first == "device" {
        guard path.names.count > 1 else { continue }
        let rows = SDKFacts.attributes.filter {
          $0.sdk == range.sdk && $0.matches(path.names[1])
        }
        guard !rows.isEmpty, !rows.contains(where: { $0.since <= range.from }) else { continue }
        let since = rows.map { $0.since }.min() ?? range.from
        add(
          "device.\(path.names[1]) is sent since \(since), and the range begins at \(range.from)",
          range, at: rule.audience.expressionPath)
      }
      if rule.panicsWhenRead {
        for row in SDKFacts.evaluators where row.sdk == range.sdk && row.aborts {
          guard range.versions.contains(where: { SDKProfile(range.sdk, $0).aborts }) else { break }
          add(
            "reading the expression crashes the app in versions before \(range.sdk == .ios ? "4.16.2" : "2.7.20")",
            range, severity: .error, at: rule.audience.expressionPath)
          break
        }
      }
    }
  }

  private func platform(_ range: Range) -> Platform { SDKProfile(range.sdk).platform }

  /// The function names of an expression: the names before parentheses.
  private static func calls(of expression: String) -> Set<String> {
    var names: Set<String> = []
    var name = ""
    for character in expression {
      if character.isLetter || character.isNumber || character == "_" {
        name.append(character)
      } else {
        if character == "(" { names.insert(name) }
        name = ""
      }
    }
    return names
  }

  private mutating func checkScript(_ audience: Audience, _ range: Range) {
    let javaScript = SDKFacts.ranges.first { $0.what == .javaScript && $0.sdk == range.sdk }
    guard let end = javaScript?.until else { return }
    let readsScripts = range.from < end
    if readsScripts, !audience.hasScript, audience.expression != nil {
      add(
        "versions before \(end) do not read expression_cel, so the audience matches every user there",
        range, at: audience.expressionPath)
    }
    if readsScripts, audience.hasScript {
      add(
        "versions before \(end) evaluate JavaScript, which is undecidable here", range,
        severity: .note, at: audience.path)
    }
    if audience.hasScript, audience.expression == nil, range.to.map({ $0 >= end }) ?? true {
      add(
        "versions from \(end) on do not read JavaScript, so the audience matches every user there",
        range, at: audience.path, suggestion: "write expression_cel")
    }
  }

  // MARK: Findings from users

  /// Finds users for whom a condition terminates the app.
  private mutating func checkAborts(_ range: Range, _ family: RuleSetFamily, _ now: Instant) {
    let versions = range.versions.filter { SDKProfile(range.sdk, $0).aborts }
    guard let first = versions.first, let last = versions.last else { return }
    var known: Set<Int> = []
    for version in Set([first, last]).sorted() {
      let ruleSet = family.ruleSet(for: SDKProfile(range.sdk, version))
      guard ruleSet.storage.aborts else { continue }
      let decider = WitnessDecider(ruleSet, now: now)
      let nobody = Value.object([UserMember.userID.key: .string(WitnessRecord.userID)])
      for placement in ruleSet.placements {
        let users = VersionCandidates([ruleSet], at: placement.name).users(near: [nobody])
        for user in [nobody] + users {
          guard let state = decider.read(user) else { continue }
          let decision = ruleSet.decide(
            placement.name, frame: &decider.frame, state: state, assigner: .draw(0))
          let rule = Int(decision.verdict.rule)
          guard case .error(.abortsApp) = decision.outcome, rule >= 0,
            !ruleSet.rules[rule].panicsWhenRead, known.insert(rule).inserted
          else { continue }
          let next = SDKFacts.evaluators.first {
            $0.sdk == range.sdk && $0.since > version && !$0.aborts
          }
          let finding = Diagnostic(
            .versionDifference,
            "\(range.sdk.title): the condition crashes the app for some users"
              + (next.map { " in versions before \($0.since)" } ?? ""), severity: .error,
            path: ruleSet.rules[rule].audience.expressionPath,
            notes: ["for example \(user.json)"],
            suggestion: "check the divisor before the division: x != 0 ? 10 / x > 3 : false")
          diagnostics.append(finding)
          witnesses[finding] = user
        }
      }
    }
  }

  /// Finds rules whose outcome depends on the version, with an example user.
  private mutating func compare(
    _ range: Range, _ family: RuleSetFamily, _ schema: ContextSchema, _ now: Instant
  ) {
    var subjects: [(version: SDKVersion, ruleSet: RuleSet)] = []
    for version in range.versions {
      let ruleSet = family.ruleSet(for: SDKProfile(range.sdk, version))
      // Conditions in JavaScript are not compared, because their results are unknown.
      guard ruleSet.profile?.behavior != nil, ruleSet.storage.rejection == nil else { continue }
      if let last = subjects.last?.ruleSet, last.isDecidedAlike(ruleSet) { continue }
      subjects.append((version, ruleSet))
    }
    guard subjects.count > 1 else { return }
    let analyses = subjects.map { subject in
      (
        platform: platform(range), ruleSet: subject.ruleSet,
        analysis: RuleAnalysis(subject.ruleSet, now: now, keepsUsers: true)
      )
    }
    let known = ContextSchema.superwall(.standard).overridden(by: schema)
    let comparison = PlatformComparison(
      analyses, names: subjects.map { "\(range.sdk.rawValue) \($0.version)" },
      joined: { Self.stretches($0, subjects.map { $0.version }, range.sdk) },
      code: .versionDifference,
      schema: known, now: now)
    for finding in comparison.findings {
      var finding = finding
      finding.diagnostic.suggestion = Self.stableForm(
        at: finding.diagnostic.path, in: config,
        subjects.map { SDKProfile(range.sdk, $0.version) }, now: now)
      diagnostics.append(finding.diagnostic)
      if let witness = finding.witness { witnesses[finding.diagnostic] = witness }
    }
  }

  /// Describes consecutive versions, such as `ios 4.7.0 to before 4.12.0`.
  private static func stretches(_ numbers: [Int], _ versions: [SDKVersion], _ sdk: SDKName)
    -> String
  {
    var parts: [String] = []
    for (place, number) in numbers.enumerated() {
      if place > 0, numbers[place - 1] == number - 1 { continue }
      var end = place
      while end + 1 < numbers.count, numbers[end + 1] == numbers[end] + 1 { end += 1 }
      let next = numbers[end] + 1
      parts.append(
        next < versions.count
          ? "\(versions[number]) to before \(versions[next])" : "\(versions[number]) and newer")
    }
    return "\(sdk.title) \(parts.joined(separator: ", "))"
  }

  /// A form of the condition that all versions decide alike; nil if no form is found.
  private static func stableForm(
    at path: String, in config: Config, _ profiles: [SDKProfile], now: Instant
  ) -> String? {
    guard
      let audience = config.placements.flatMap({ $0.audiences }).first(where: { $0.path == path }),
      let expression = audience.expression
    else { return nil }
    if let form = StableForm(audience, profiles, now: now)?.find() {
      return "all these versions give the same result for: \(form)"
    }
    return expression.contains("Padded")
      ? "compare padded versions with three parts, as \"009.000.000\": all SDK versions compare these as strings"
      : nil
  }
}

internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Finds placements where the SDKs of several platforms decide differently for a user, with an
/// example.
///
/// Candidates are the users that the analyses of the platforms found, and these users with one
/// attribute changed to a value for which a part of a condition differs between platforms. Each
/// candidate is decided on all platforms, so reports are never wrong. A missing report only means
/// that no difference was found.
package struct PlatformComparison {
  package private(set) var findings: [RuleAnalysis.Finding] = []

  private let subjects: [Subject]
  /// The known attributes.
  private let schema: ContextSchema
  private let code: Diagnostic.Code
  private let joined: ([Int]) -> String?

  /// A platform's rules, with their analysis.
  private struct Subject {
    var platform: Platform
    /// The name of the SDK in findings.
    var name: String
    var ruleSet: RuleSet
    var analysis: RuleAnalysis
    var decider: WitnessDecider
  }

  /// A user that platforms decide differently.
  private struct Difference {
    var record: Value
    /// For each platform, the index of the rule in the placement that matches the user.
    var taken: [Int?]
    var size: Int
    /// Whether SDKs and apps send such values: no null instead of a number, and no numbers below 0
    /// or beyond the range of a double.
    var isOrdinary: Bool

    func isBetter(than other: Difference) -> Bool {
      isOrdinary != other.isOrdinary ? isOrdinary : size < other.size
    }
  }

  /// The maximum number of users to decide for one placement, and the maximum number of users to change.
  private static let mostUsers = 1_500
  private static let mostRelated = 20
  private static let randomUsers = 300
  /// The maximum number of outcomes of conditions and clauses to compare in the search for values of a placement.
  private static let mostOutcomes = 300_000

  /// - Parameters:
  ///   - analyses: for each platform, the rules, compiled from one config, and their analysis with
  ///     its stored users.
  ///   - names: the names of the SDKs in findings; nil for their platforms.
  ///   - joined: the name for several SDKs; nil to join their names.
  ///   - code: the code of the findings.
  ///   - schema: the known attributes.
  ///   - now: the time at which users are decided.
  ///   - tell: called before each placement.
  init(
    _ analyses: [(platform: Platform, ruleSet: RuleSet, analysis: RuleAnalysis)],
    names: [String]? = nil, joined: @escaping ([Int]) -> String? = { _ in nil },
    code: Diagnostic.Code = .platformDifference, schema: ContextSchema,
    now: Instant, tell: () -> Void = {}
  ) {
    self.schema = schema
    self.code = code
    self.joined = joined
    subjects = analyses.enumerated().map { number, subject in
      Subject(
        platform: subject.platform, name: names?[number] ?? subject.platform.rawValue,
        ruleSet: subject.ruleSet, analysis: subject.analysis,
        decider: WitnessDecider(subject.ruleSet, now: now))
    }
    guard let first = subjects.first else { return }
    var unusual: [RuleAnalysis.Finding] = []
    for placement in first.ruleSet.placements.indices {
      tell()
      let differences = self.differences(at: placement, now)
      for rule in differences.keys.sorted() {
        guard let difference = differences[rule] else { continue }
        let finding = finding(difference, rule, at: placement)
        if difference.isOrdinary { findings.append(finding) } else { unusual.append(finding) }
      }
    }
    if let summary = summary(of: unusual) { findings.append(summary) }
  }

  /// One note for all differences without an ordinary example.
  private func summary(of findings: [RuleAnalysis.Finding]) -> RuleAnalysis.Finding? {
    guard var summary = findings.first else { return nil }
    let count = findings.count
    summary.diagnostic.severity = .note
    summary.diagnostic.message =
      (code == .platformDifference
        ? "for values that are rarely sent, such as numbers below 0 or strings of digits, platforms "
        : "for values that are rarely sent, such as numbers below 0, versions ")
      + "differ in " + (count == 1 ? "an audience" : "\(count) audiences")
    summary.diagnostic.related = findings.dropFirst().prefix(Self.mostRelated).map {
      Diagnostic.Related(path: $0.diagnostic.path, message: "here too")
    }
    return summary
  }

  // MARK: Users

  /// For each audience, the simplest user that it matches on one platform and not on another.
  private func differences(at placement: Int, _ now: Instant) -> [Int: Difference] {
    var found: [Int: Difference] = [:]
    var known: Set<Value> = []
    func decide(_ record: Value) {
      decideOne(record)
      // Versions read different strings of digits as numbers. Some analyses only contain the
      // numbers.
      if code != .platformDifference { decideOne(PlatformComparison.withDigits(record)) }
    }
    func decideOne(_ record: Value) {
      guard known.count < Self.mostUsers, known.insert(record).inserted else { return }
      take(record)
    }
    func take(_ record: Value) {
      guard let difference = difference(for: record, at: placement) else { return }
      let taken = difference.taken.compactMap { $0 }
      guard let rule = taken.min() else { return }
      if let best = found[rule], !difference.isBetter(than: best) { return }
      found[rule] = difference
    }
    var users = subjects.flatMap { subject in
      subject.analysis.explored[placement].users.map { (subject.platform, $0) }
    }
    if users.count > Self.mostUsers {
      // The first users of each platform are used.
      users = subjects.flatMap { subject in
        subject.analysis.explored[placement].users.prefix(Self.mostUsers / subjects.count)
          .map { (subject.platform, $0) }
      }
    }
    for (_, user) in users { decide(user.record) }
    if known.count < Self.mostUsers {
      forEachTellingValue(at: placement) { value in
        for (platform, user) in users where known.count < Self.mostUsers {
          decide(user.changed(value, platform: platform, now: now))
        }
        return known.count < Self.mostUsers
      }
    }
    if code != .platformDifference {
      let unusual = found.sorted { $0.key < $1.key }.map { $0.value }
        .filter { !$0.isOrdinary }.map { $0.record }
      versionUsers(at: placement, near: unusual).forEach(take)
    }
    return found
  }

  /// Users with values that versions may read differently, and that the analysis of each need not contain.
  private func versionUsers(at placement: Int, near records: [Value]) -> [Value] {
    let name = subjects[0].ruleSet.placements[placement].name
    let candidates = VersionCandidates(subjects.map { $0.ruleSet }, at: name)
    let nobody = Value.object([UserMember.userID.key: .string(WitnessRecord.userID)])
    return candidates.users(near: [nobody] + records)
      + candidates.randomUsers(Self.randomUsers, from: nobody)
  }

  /// A record with numeric attributes replaced by strings.
  private static func withDigits(_ record: Value) -> Value {
    func digits(_ value: Value) -> Value {
      switch value {
      case .int, .uint, .double: .string(value.json)
      case .list(let elements): .list(elements.map(digits))
      case .map(let entries): .map(entries.map { .init(key: $0.key, value: digits($0.value)) })
      default: value
      }
    }
    guard case .map(let members) = record else { return record }
    return .map(
      members.map { member in
        let isRoot = ContextSchema.rootNames.contains(member.key.text ?? "")
        return isRoot ? .init(key: member.key, value: digits(member.value)) : member
      })
  }

  /// The results for a user, if they differ between platforms.
  private func difference(for record: Value, at placement: Int) -> Difference? {
    var taken: [Int?] = []
    for subject in subjects {
      let name = subject.ruleSet.placements[placement].name
      guard let reasons = subject.decider.reasons(for: record, at: name) else { return nil }
      taken.append(reasons.firstIndex(of: .matched))
    }
    guard Set(taken).count > 1 else { return nil }
    return Difference(
      record: record, taken: taken, size: record.json.utf8.count, isOrdinary: isOrdinary(record))
  }

  private func isOrdinary(_ record: Value) -> Bool {
    for root in ContextSchema.rootNames {
      for (name, value) in record[root]?.members ?? [] {
        if !isUsual(value) { return false }
        guard let kind = schema[root, name]?.kind, kind != .any else { continue }
        if value == .null || !kind.isLike(ContextSchema.Kind(of: value)) { return false }
      }
    }
    return true
  }

  private func isUsual(_ value: Value) -> Bool {
    switch value {
    case .int(let number): 0...(1 << 53) ~= number
    case .uint: false
    case .double(let number): number.sign == .plus && number <= 9_007_199_254_740_992
    // The Web SDK reads digit strings as numbers, but few apps send them. Versions are compared for
    // apps that do.
    case .string(let text):
      Double(text).map { code != .platformDifference && isUsual(.double($0)) } ?? true
    case .list(let elements): elements.allSatisfy(isUsual)
    case .map(let entries): entries.allSatisfy { isUsual($0.value) }
    default: true
    }
  }

  /// Values of attributes for which the result of a condition or a clause of the placement differs
  /// between platforms.
  ///
  /// - Parameter body: whether to continue.
  private func forEachTellingValue(
    at placement: Int, _ body: (ConditionSpace.Candidate) -> Bool
  ) {
    var known: Set<ConditionSpace.Candidate> = []
    var work = Self.mostOutcomes
    let readers = subjects.map { $0.analysis.explored[placement].readers }
    for subject in subjects {
      for candidate in subject.analysis.explored[placement].space.candidates
      where known.insert(candidate).inserted {
        var attribute = candidate
        attribute.value = nil
        work -= readers.reduce(1) { $0 + ($1[attribute]?.count ?? 0) }
        guard work > 0 else { return }
        let rows = zip(subjects, readers).map { subject, readers in
          subject.analysis.explored[placement]
            .outcomes(of: readers[attribute] ?? [], with: candidate)
        }
        if Set(rows).count > 1, !body(candidate) { return }
      }
    }
  }

  // MARK: Findings

  private func finding(_ difference: Difference, _ rule: Int, at placement: Int)
    -> RuleAnalysis.Finding
  {
    let rules = subjects[0].ruleSet.rules[subjects[0].ruleSet.placements[placement].rules]
    func title(_ rule: Int) -> String { rules[rules.startIndex + rule].audience.title }
    let taking = names { difference.taken[$0] == rule }
    let audience = rules[rules.startIndex + rule].audience
    let outcomes = subjects.indices.map { i in
      "\(subjects[i].name): "
        + (difference.taken[i].map(title) ?? "no audience matches")
    }
    return RuleAnalysis.Finding(
      diagnostic: Diagnostic(
        code, "some users match here only on \(taking)",
        severity: .warning, path: audience.path,
        notes: [
          "for example \(difference.record.json)", outcomes.joined(separator: "; "),
        ]),
      witness: difference.record)
  }

  private func names(_ isIn: (Int) -> Bool) -> String {
    let found = subjects.indices.filter(isIn)
    return joined(found) ?? found.map { subjects[$0].name }.joined(separator: " and ")
  }
}

extension ContextSchema.Kind {
  /// The type of a value.
  fileprivate init(of value: Value) {
    switch value {
    case .bool: self = .bool
    case .int, .uint, .double: self = .number
    case .string: self = .anyText
    case .list: self = .list(.any)
    case .map: self = .map
    default: self = .any
    }
  }
}

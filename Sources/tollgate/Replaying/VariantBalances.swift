internal import CivilTime
internal import RuleEngine

/// How many users got each variant of each experiment, beside the shares that the configs give, to find
/// sample ratio mismatches. A user counts once in an experiment, by their first row.
struct VariantBalances {
  /// The users of one day, of one version, or of all.
  struct Group {
    /// By variant.
    var counts: [Int]
    /// The users that the shares give, by variant. Configs of several builds may have several shares.
    var expected: [Double]

    /// How likely chance alone is this far from the shares; nil for too few users.
    var p: Double? { Statistics.fit(counts, to: expected)?.p }
    var users: Int { counts.reduce(0, +) }
  }

  struct Experiment {
    let id: String
    var variants: [String]
    var all: Group
    /// By day since 1970 in UTC, and by the name of the SDK.
    var byDay: [Int: Group] = [:]
    var byVersion: [String: Group] = [:]
    /// Users with a variant that the experiment does not have.
    var unknown = 0
  }

  /// By ID.
  private(set) var experiments: [String: Experiment] = [:]
  private var seen: Set<UInt64> = []
  /// Experiments beyond this many are not checked.
  static let mostExperiments = 1_000
  private static let mostVersions = 200

  mutating func add(_ row: RecordedDecision, _ ruleSet: RuleSet, _ profile: SDKProfile) {
    guard let id = row.experiment, let variant = row.variant,
      let rule = Self.rule(of: id, at: row.placement, ruleSet), rule.audience.variants.count > 1,
      experiments[id] != nil || experiments.count < Self.mostExperiments,
      seen.insert(Self.hash(id, row.userID)).inserted
    else { return }
    let names = rule.audience.variants.map(\.id)
    let shares = RuleSet.shares(of: rule, .usual(for: ruleSet.format, salt: "")).map(\.double)
    let empty = Group(counts: [], expected: [])
    var experiment =
      experiments[id] ?? Experiment(id: id, variants: [], all: empty)
    for name in names where !experiment.variants.contains(name) { experiment.variants.append(name) }
    defer { experiments[id] = experiment }
    guard names.contains(variant) else {
      experiment.unknown += 1
      return
    }
    let places = experiment.variants
    func count(_ group: inout Group) {
      while group.counts.count < places.count {
        group.counts.append(0)
        group.expected.append(0)
      }
      for (place, name) in places.enumerated() {
        if name == variant { group.counts[place] += 1 }
        if let own = names.firstIndex(of: name) { group.expected[place] += shares[own] }
      }
    }
    count(&experiment.all)
    let day = Int((Double(row.time.milliseconds) / 86_400_000).rounded(.down))
    count(&experiment.byDay[day, default: empty])
    let version = profile.title
    if experiment.byVersion[version] != nil || experiment.byVersion.count < Self.mostVersions {
      count(&experiment.byVersion[version, default: empty])
    }
  }

  private static func hash(_ experiment: String, _ user: String) -> UInt64 {
    // SAFETY: The view of the array stays in the closure. Tests: ReplayEventsTests.
    Array("\(experiment)\u{0}\(user)".utf8).withUnsafeBytes { XXH64.hash($0) }
  }

  private static func rule(of experiment: String, at placement: String, _ ruleSet: RuleSet)
    -> RuleSet.Rule?
  {
    ruleSet.placement(named: placement).flatMap { number in
      ruleSet.rules[ruleSet.placements[number].rules].first {
        $0.audience.experimentID == experiment
      }
    }
  }

  // MARK: Verdicts

  /// Whether an experiment has its shares.
  struct Verdict {
    var experiment: Experiment
    var p: Double?
    /// Whether the users do not fit the shares. All experiments of a report share one chance in a hundred of a
    /// false alarm.
    var isMismatch: Bool
    /// The first day from which on the users so far do not fit, as days since 1970.
    var since: Int?
    /// The versions whose own users do not fit, where those of others do.
    var versions: [String] = []
  }

  var verdicts: [Verdict] {
    let tests = max(experiments.values.count { $0.all.p != nil }, 1)
    return experiments.values.sorted { $0.id < $1.id }.map { experiment in
      let p = experiment.all.p
      let limit = DrawChecks.alarm / Double(tests)
      guard let p, p < limit else {
        return Verdict(experiment: experiment, p: p, isMismatch: false)
      }
      let own = experiment.byVersion.filter { $0.value.p != nil }
      let odd = own.filter { ($0.value.p ?? 1) * Double(own.count) < limit }
      return Verdict(
        experiment: experiment, p: p, isMismatch: true, since: Self.since(experiment, limit),
        versions: odd.count < experiment.byVersion.count ? odd.keys.sorted() : [])
    }
  }

  /// The first day from which on the users up to each day do not fit.
  private static func since(_ experiment: Experiment, _ limit: Double) -> Int? {
    var sum = Group(
      counts: experiment.all.counts.map { _ in 0 }, expected: experiment.all.counts.map { _ in 0 })
    var since: Int?
    for (day, group) in experiment.byDay.sorted(by: { $0.key < $1.key }) {
      for place in group.counts.indices {
        sum.counts[place] += group.counts[place]
        sum.expected[place] += group.expected[place]
      }
      let isOdd = (sum.p ?? 1) < limit
      since = isOdd ? since ?? day : nil
    }
    return since
  }
}

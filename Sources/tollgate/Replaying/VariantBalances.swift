internal import CivilTime
internal import RuleEngine

/// The number of users of each variant of each experiment, compared with the shares in the configs, to find sample
/// ratio mismatches. A user counts once in an experiment, by the user's earliest row.
struct VariantBalances {
  /// The users of one version, or of all versions.
  struct Group {
    /// The number of users, by variant.
    var counts: [Int]
    /// The expected number of users, by variant. Configs of several builds may have different shares.
    var expected: [Double]

    init(variants: Int) {
      counts = Array(repeating: 0, count: variants)
      expected = Array(repeating: 0, count: variants)
    }

    /// How much the users deviate from the shares; nil for too few users.
    var fit: ChiSquared? { Statistics.fit(counts, to: expected) }
    var users: Int { counts.reduce(0, +) }
    /// Whether fewer than two variants have a share or a user, so that there is nothing to compare.
    var isOneVariant: Bool { zip(counts, expected).count { $0 > 0 || $1 > 0 } < 2 }
  }

  struct Experiment {
    let id: String
    var variants: [String]
    var all: Group
    /// The users of each version, by the SDK's name.
    var byVersion: [String: Group] = [:]
    /// The number of users with a variant that the experiment does not have.
    var unknown = 0
  }

  /// The earliest row of a user in an experiment.
  fileprivate struct Draw {
    var time: Int64
    var version: Int32
    /// The number of the variant; negative for a variant that the experiment does not have.
    var variant: Int32
    /// The number of the shares in the config that decided.
    var shares: Int32
  }

  fileprivate struct Draws {
    var variants: [String] = []
    /// The distinct shares, each by the numbers of variants.
    var shares: [[Int: Double]] = []
    /// The draw of each user, by the hash of the user's ID.
    var byUser: [UInt64: Draw] = [:]
  }

  /// The draws of each experiment, by its ID.
  private var draws: [String: Draws] = [:]
  private var versions: [String] = []
  private var numberOfVersion: [String: Int32] = [:]
  /// The maximum number of experiments. Further experiments are not checked.
  static let mostExperiments = 1_000
  private static let mostVersions = 200

  mutating func add(_ row: RecordedDecision, _ ruleSet: RuleSet, _ profile: SDKProfile) {
    guard let id = row.experiment, let variant = row.variant,
      let rule = Self.rule(of: id, at: row.placement, ruleSet), rule.audience.variants.count > 1,
      draws[id] != nil || draws.count < Self.mostExperiments
    else { return }
    let user = Self.hash(row.userID)
    let time = row.time.milliseconds
    if let known = draws[id]?.byUser[user], known.time <= time { return }
    let version = number(of: profile.title)
    let shares = RuleSet.shares(of: rule, .usual(for: ruleSet.format, salt: "")).map(\.double)
    draws[id, default: Draws()].add(
      rule.audience.variants.map(\.id), shares, variant, user, time, version)
  }

  private mutating func number(of version: String) -> Int32 {
    if let known = numberOfVersion[version] { return known }
    guard versions.count < Self.mostVersions else { return -1 }
    versions.append(version)
    numberOfVersion[version] = Int32(versions.count - 1)
    return Int32(versions.count - 1)
  }

  private static func hash(_ user: String) -> UInt64 {
    // SAFETY: The view of the array stays in the closure. Tests: ReplayEventsTests.
    Array(user.utf8).withUnsafeBytes { XXH64.hash($0) }
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

  /// The verdict on whether an experiment's users match its shares.
  struct Verdict {
    var experiment: Experiment
    var fit: ChiSquared?
    /// Whether the users do not match the shares. The probability of a false alarm in a report is at most one percent.
    var isMismatch: Bool
    /// The day from which on the users deviate most from the shares, in days since 1970.
    var since: Int?
    /// The versions whose users do not match the shares, if the users of other versions do.
    var versions: [String] = []
  }

  var isEmpty: Bool { draws.isEmpty }

  /// The verdicts, in the order of the experiments' IDs.
  var verdicts: [Verdict] {
    let experiments = draws.keys.sorted().map { ($0, experiment($0)) }
    let tests = max(experiments.count { $0.1.all.fit != nil }, 1)
    let limit = DrawChecks.alarm / Double(tests)
    return experiments.map { id, experiment in
      let fit = experiment.all.fit
      guard let fit, fit.p < limit else {
        return Verdict(experiment: experiment, fit: fit, isMismatch: false)
      }
      let own = experiment.byVersion.filter { $0.value.fit != nil }
      let odd = own.filter { ($0.value.fit?.p ?? 1) * Double(own.count) < limit }
      let versions = odd.count < experiment.byVersion.count ? odd.keys.sorted() : []
      return Verdict(
        experiment: experiment, fit: fit, isMismatch: true, since: since(id, versions),
        versions: versions)
    }
  }

  private func experiment(_ id: String) -> Experiment {
    let draws = draws[id] ?? Draws()
    let empty = Group(variants: draws.variants.count)
    var experiment = Experiment(id: id, variants: draws.variants, all: empty)
    var groups = versions.map { _ in empty }
    for draw in draws.byUser.values {
      guard draw.variant >= 0 else {
        experiment.unknown += 1
        continue
      }
      let shares = draws.shares[Int(draw.shares)]
      experiment.all.add(draw.variant, shares)
      if draw.version >= 0 { groups[Int(draw.version)].add(draw.variant, shares) }
    }
    for (name, group) in zip(versions, groups) where group.users > 0 {
      experiment.byVersion[name] = group
    }
    return experiment
  }

  /// The day from which on the users of some versions deviate most from the shares. If the users matched the shares
  /// before, this is the most likely day of the change. Without versions, all users count.
  private func since(_ id: String, _ names: [String]) -> Int? {
    guard let draws = draws[id] else { return nil }
    let chosen = Set(names.compactMap { numberOfVersion[$0] })
    let empty = Group(variants: draws.variants.count)
    var days: [Int: Group] = [:]
    for draw in draws.byUser.values where draw.variant >= 0 {
      guard names.isEmpty || chosen.contains(draw.version) else { continue }
      let day = Int((Double(draw.time) / 86_400_000).rounded(.down))
      days[day, default: empty].add(draw.variant, draws.shares[Int(draw.shares)])
    }
    if let impossible = days.filter({ $0.value.isImpossible }).keys.min() { return impossible }
    var rest = empty
    var (since, farthest) = (Int?.none, 0.0)
    for (day, group) in days.sorted(by: { $0.key > $1.key }) {
      rest.add(group)
      let distance = rest.distance
      if distance >= farthest { (since, farthest) = (day, distance) }
    }
    return since
  }
}

extension VariantBalances.Draws {
  fileprivate mutating func add(
    _ names: [String], _ shares: [Double], _ variant: String, _ user: UInt64, _ time: Int64,
    _ version: Int32
  ) {
    for name in names where !variants.contains(name) { variants.append(name) }
    var byVariant: [Int: Double] = [:]
    for (name, share) in zip(names, shares) {
      if let place = variants.firstIndex(of: name) { byVariant[place, default: 0] += share }
    }
    let place = self.shares.firstIndex(of: byVariant) ?? self.shares.count
    if place == self.shares.count { self.shares.append(byVariant) }
    let number = names.contains(variant) ? variants.firstIndex(of: variant) : nil
    byUser[user] = VariantBalances.Draw(
      time: time, version: version, variant: Int32(number ?? -1), shares: Int32(place))
  }
}

extension VariantBalances.Group {
  fileprivate mutating func add(_ variant: Int32, _ shares: [Int: Double]) {
    counts[Int(variant)] += 1
    for (place, share) in shares { expected[place] += share }
  }

  fileprivate mutating func add(_ other: Self) {
    for place in counts.indices {
      counts[place] += other.counts[place]
      expected[place] += other.expected[place]
    }
  }

  /// Whether a user has a variant without a share.
  fileprivate var isImpossible: Bool { zip(counts, expected).contains { $0 > 0 && $1 == 0 } }

  /// Twice the logarithm of the ratio between the likelihood of these counts and their likelihood under the shares.
  fileprivate var distance: Double {
    zip(counts, expected).reduce(0) { sum, cell in
      cell.0 > 0 ? sum + 2 * Double(cell.0) * log(Double(cell.0) / cell.1) : sum
    }
  }
}

internal import CivilTime
internal import Expressions
internal import RuleEngine

/// The number of recorded decisions that the rules reproduce, and the reasons why other decisions differ.
struct ReplayTally {
  /// The counts of rows of one kind.
  struct Count {
    var rows = 0
    var reproduced = 0
  }

  /// The reason why a row is not compared.
  enum Passed: Hashable {
    /// The result is of a kind that the rules do not give.
    case otherResult(String)
    /// The config of this build is missing.
    case otherBuild(String)
    /// The row names no build, and there are several configs.
    case noBuild
    /// The device evaluates JavaScript.
    case undecidable(String)
    /// Further reasons, beyond the number that is stored.
    case others
  }

  /// Rows that differ in the same way.
  struct Difference {
    struct Key: Hashable {
      var placement: String
      var recorded: String
      var decided: String
      var missing: [String]
      var needsHistory: Bool
    }

    var key: Key
    var rows = 0
    /// The line of the first of these rows.
    var line: Int
    var userID: String
    var sdk: String
    var explanation: String
    var unknown: String?
  }

  private(set) var all = Count()
  private(set) var byVersion: [String: Count] = [:]
  private(set) var byPlacement: [String: Count] = [:]
  private(set) var byResult: [String: Count] = [:]
  private(set) var passed: [Passed: Int] = [:]
  /// The differences, in the order of their first rows.
  private(set) var differences: [Difference] = []
  private var places: [Difference.Key: Int] = [:]
  /// The number of rows with further differences, which are not stored.
  private(set) var otherDifferences = 0
  private(set) var rejected = 0
  private(set) var rejectedExamples: [(line: Int, reason: String)] = []
  /// The number of rows whose platform is missing, or is not the platform of an SDK.
  private(set) var withoutPlatform = 0
  /// The number of rows whose SDK version is missing or unreadable. The newest version decides these rows.
  private(set) var withoutVersion = 0
  /// The number of rows with a version that is newer than all known versions.
  private(set) var newer = 0
  private(set) var balances = VariantBalances()
  private(set) var days: ClosedRange<Instant>?
  /// Attributes that at least one row has.
  private var exported: Set<String> = []

  /// The maximum number of differences, versions, placements and builds that are counted separately.
  static let mostKinds = 1_000
  private static let shownRejects = 5

  mutating func reject(_ line: Int, _ reason: String) {
    rejected += 1
    if rejectedExamples.count < Self.shownRejects { rejectedExamples.append((line, reason)) }
  }

  mutating func pass(_ reason: Passed) { passed[bounded: reason, or: .others, default: 0] += 1 }

  /// Records the attributes of a row, whether or not the row can be compared.
  mutating func see(_ row: RecordedDecision) {
    days =
      days.map { min($0.lowerBound, row.time)...max($0.upperBound, row.time) } ?? row
      .time...row.time
    for root in ["user", "device", "params"] {
      for (name, _) in row.record[root]?.members ?? [] {
        let path = "\(root).\(name)"
        if exported.count < Self.mostKinds * 10 { exported.insert(path) }
      }
    }
  }

  mutating func draw(_ row: RecordedDecision, _ ruleSet: RuleSet, _ profile: SDKProfile) {
    balances.add(row, ruleSet, profile)
  }

  mutating func add(
    _ answer: EventReplay.Answer, _ row: RecordedDecision, _ choice: SDKSelection.Choice, line: Int
  ) {
    switch choice.problem {
    case .missing?, .unreadable?: withoutVersion += 1
    case .newer?: newer += 1
    case .platform?: withoutPlatform += 1
    case nil: break
    }
    if row.record["device"]?["platform"] == nil, choice.profile.sdk != .agentWallie {
      withoutPlatform += 1
    }
    if case .undecidable(let reason) = answer { return pass(.undecidable(reason)) }
    var isReproduced = false
    if case .reproduced = answer { isReproduced = true }
    func count(_ count: inout Count) {
      count.rows += 1
      if isReproduced { count.reproduced += 1 }
    }
    let sdk = choice.profile.title
    count(&all)
    count(&byVersion[bounded: sdk, or: Self.others, default: Count()])
    count(&byPlacement[bounded: row.placement, or: Self.others, default: Count()])
    count(&byResult[bounded: row.result ?? "", or: Self.others, default: Count()])
    guard case .differs(let difference) = answer else { return }
    let key = Difference.Key(
      placement: row.placement, recorded: row.text, decided: difference.decided,
      missing: Set(difference.missing.map(\.description)).sorted(),
      needsHistory: difference.needsHistory)
    if let place = places[key] {
      differences[place].rows += 1
    } else if differences.count < Self.mostKinds {
      places[key] = differences.count
      differences.append(
        Difference(
          key: key, rows: 1, line: line, userID: row.userID, sdk: sdk,
          explanation: difference.explanation, unknown: difference.unknown))
    } else {
      otherDifferences += 1
    }
  }

  private static let others = "(others)"

  /// Attributes that rows of a kind need but that no row of the export has. Most likely, they were not exported.
  func notExported(_ difference: Difference) -> [String] {
    difference.key.missing.filter { path in
      !exported.contains { $0 == path || path.hasPrefix($0 + ".") }
    }
  }
}

extension Dictionary {
  /// The value of a key, or of another key if there are too many keys.
  fileprivate subscript(
    bounded key: Key, or other: Key, default value: @autoclosure () -> Value
  ) -> Value {
    get { self[place(of: key, or: other)] ?? value() }
    set { self[place(of: key, or: other)] = newValue }
  }

  private func place(of key: Key, or other: Key) -> Key {
    self[key] != nil || count < ReplayTally.mostKinds ? key : other
  }
}

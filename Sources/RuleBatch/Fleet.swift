internal import Expressions
package import RuleEngine

/// The plans of a batch whose users have SDKs of several versions: one plan for each group of SDKs
/// that decide the config alike. All workers share the fleet. Plans are created on demand.
package final class Fleet: Sendable {
  /// A group of SDKs, and the problem of the record that led to it, if there is one.
  struct Match: Sendable {
    var group: Int
    var problem: SDKSelection.Choice.Problem?
  }

  package let selection: SDKSelection
  private let family: RuleSetFamily
  private let usual: SDKName
  private let makePlan: @Sendable (RuleSet, [OutcomeColumns.OfRun]) -> BatchPlan
  /// The name of the column with the SDK of each outcome; nil for no column.
  private let column: String?
  private let state = Locked(State())

  private struct State: Sendable {
    var groups: [(key: GroupKey, plan: BatchPlan)] = []
    var groupOf: [SDKProfile: Int] = [:]
  }

  /// The properties that all SDKs of a group have in common.
  private struct GroupKey: Hashable {
    var compiling: SDKProfile.CompileKey
    var aborts: Bool
    var hasNullTimes: Bool
    var failsOnNull: Bool
    var rejection: ConfigFact?
    var unsent: [Int]
    /// The name of the SDK, if outcomes include it.
    var name: String?
  }

  init(
    _ selection: SDKSelection, _ config: Config, usual: SDKName, column: String?,
    _ makePlan: @escaping @Sendable (RuleSet, [OutcomeColumns.OfRun]) -> BatchPlan
  ) {
    self.selection = selection
    family = RuleSetFamily(config)
    self.usual = usual
    self.column = column
    self.makePlan = makePlan
  }

  /// The group of a user.
  func match(_ device: DeviceSDK) -> Match {
    let choice = selection.choice(device, usual: usual)
    return Match(group: group(of: choice.profile), problem: choice.problem)
  }

  /// The number of compiled rule sets.
  package var compileCount: Int { family.compileCount }

  func plan(ofGroup number: Int) -> BatchPlan { state.withLock { $0.groups[number].plan } }

  private func group(of profile: SDKProfile) -> Int {
    state.withLock { state in
      if let known = state.groupOf[profile] { return known }
      let ruleSet = family.ruleSet(for: profile)
      let group = GroupKey(
        compiling: family.compileKey(of: profile), aborts: ruleSet.storage.aborts,
        hasNullTimes: family.hasNullTimes(profile), failsOnNull: profile.has(.failsOnNull),
        rejection: ruleSet.storage.rejection, unsent: ruleSet.storage.unsent,
        name: column.map { _ in profile.name })
      let number = state.groups.firstIndex { $0.key == group } ?? state.groups.count
      if number == state.groups.count {
        let columns = column.map { [OutcomeColumns.OfRun($0, profile.name)] } ?? []
        state.groups.append((group, makePlan(ruleSet, columns)))
      }
      state.groupOf[profile] = number
      return number
    }
  }
}

extension DeviceSDK {
  /// The paths of the attributes that identify a record's SDK.
  static let paths = [
    "sdkVersion", "platform", "sdkVersionPadded", "platformWrapper", "platform_wrapper",
  ].map { AttributePath(["device", $0]) }

  /// A program that reads these paths.
  static let program: Program = {
    var builder = ProgramBuilder(ExpressionEnvironment())
    for path in paths { _ = builder.add(path.description) }
    return builder.build()
  }()

  /// - Parameter cell: the cell of a path, by its number in ``paths``.
  init(_ cell: (Int) -> Cell) {
    self.init()
    func text(_ number: Int) -> String? {
      let cell = cell(number)
      return cell.isValue ? Value(cell).sdkText : nil
    }
    version = text(0)
    platform = text(1)
    paddedVersion = text(2)
    hasWrapper = text(3) != nil || text(4) != nil
  }
}

/// A cache of the groups for the SDK data of earlier records or rows.
struct KnownSDKs {
  /// A record's data about its SDK, in the order of ``DeviceSDK/paths``.
  struct Cells: Equatable {
    private var version: Cell
    private var platform: Cell
    private var padded: Cell
    private var wrapper: Cell
    private var otherWrapper: Cell

    init(_ cell: (Int) -> Cell) {
      (version, platform, padded) = (cell(0), cell(1), cell(2))
      (wrapper, otherWrapper) = (cell(3), cell(4))
    }

    private static var numbers: Range<Int> { 0..<5 }

    fileprivate subscript(number: Int) -> Cell {
      switch number {
      case 0: version
      case 1: platform
      case 2: padded
      case 3: wrapper
      default: otherWrapper
      }
    }

    fileprivate var place: Int {
      var bits: UInt64 = 0
      for number in Self.numbers {
        bits = (bits ^ self[number].low) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 29 ^ self[number].high) &* 0xBF58_476D_1CE4_E5B9
      }
      return Int(bits >> 32) & (KnownSDKs.most - 1)
    }

    /// Whether no cell points into a record, as longer strings do.
    fileprivate var isLasting: Bool {
      Self.numbers.allSatisfy { !(self[$0].isValue && self[$0].pointsOutside) }
    }
  }

  /// The number of slots of the cache, which must be a power of two.
  private static let most = 256
  /// The number of slots to try for the data of an SDK.
  private static let ways: Int = 4

  private let fleet: Fleet
  /// The SDK data in each slot, and its group.
  private var known: [Cells?] = Array(repeating: nil, count: most)
  private var matches: [Fleet.Match] = Array(repeating: Fleet.Match(group: -1), count: most)

  init(_ fleet: Fleet) { self.fleet = fleet }

  mutating func match(_ cells: Cells) -> Fleet.Match {
    let place = cells.place
    for way in 0..<Self.ways where known[place ^ way] == cells { return matches[place ^ way] }
    let match = fleet.match(DeviceSDK { cells[$0] })
    if cells.isLasting {
      // If all slots are used, the data in one of them is replaced.
      let way = (0..<Self.ways).first { known[place ^ $0] == nil } ?? 0
      known[place ^ way] = cells
      matches[place ^ way] = match
    }
    return match
  }
}

internal import Expressions
package import RuleEngine

/// The plans of a batch whose users have SDKs of several versions: one for each group of SDKs that
/// decide the config alike. All workers share it. Plans are created on demand.
package final class Fleet: Sendable {
  /// A group, and any oddity of the record that led to it.
  struct Match: Sendable {
    var group: Int
    var problem: SDKSelection.Choice.Problem?
  }

  package let selection: SDKSelection
  private let family: RuleSetFamily
  private let usual: SDKName
  private let makePlan: @Sendable (RuleSet, [OutcomeColumns.OfRun]) -> BatchPlan
  /// The column with the SDK of each outcome; nil for none.
  private let column: String?
  private let state = Locked(State())

  private struct State: Sendable {
    var groups: [(key: GroupKey, plan: BatchPlan)] = []
    var groupOf: [SDKProfile: Int] = [:]
  }

  /// The common properties of the SDKs in a group.
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
        compiling: profile.compileKey(for: family.config), aborts: ruleSet.storage.aborts,
        hasNullTimes: profile.has(.nullTimes), failsOnNull: profile.has(.failsOnNull),
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
  /// The paths of a record's SDK data.
  static let paths = [
    "sdkVersion", "platform", "sdkVersionPadded", "platformWrapper", "platform_wrapper",
  ].map { AttributePath(["device", $0]) }

  /// A program that reads the paths.
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

import Expressions
import Foundation
import RuleEngine
import SDK
import SDKLive
import SDKSQLite

/// How long a start, a decision and a call take with little and with much in the storage. The figures are
/// those of docs/decisions/0021-storage.md.
enum Measuring {
  static func run(_ arguments: [String]) async throws {
    let (kind, folder) = (arguments[0], arguments[1])
    let config = counting(
      try Value.parse(json: try Data(contentsOf: URL(fileURLWithPath: arguments[2]))))
    try? FileManager.default.removeItem(atPath: folder)
    try await report("nothing stored", kind, folder, config)
    let storage = make(kind, folder)
    let now = Int64(Date().timeIntervalSince1970 * 1_000)
    var changes: [StorageChange] = []
    for number in 0..<60_000 {
      let time = Instant(milliseconds: now - Int64(number))
      changes.append(.append(to: "event:screen_\(number % 20_000)", time))
    }
    for number in 0..<10_000 {
      changes.append(.append(to: "event:counted", Instant(milliseconds: now - Int64(number))))
    }
    let writing = await seconds {
      for start in stride(from: 0, to: changes.count, by: 1_000) {
        try? await storage.write(Array(changes[start..<min(start + 1_000, changes.count)]))
      }
    }
    print("writing \(changes.count) entries, 1,000 at once: \(milliseconds(writing)) ms")
    try await report(
      "20,000 names, 60,000 entries, and 10,000 of the name asked for", kind, folder, config)
    decide()
  }

  private static func make(_ kind: String, _ folder: String) -> any StateStorage {
    kind == "sqlite" ? SQLiteStorage(folder: folder) : FileStorage(folder: folder)
  }

  /// The least of some starts, and of calls in a process.
  private static func report(_ title: String, _ kind: String, _ folder: String, _ config: Value)
    async throws
  {
    var starts: [Double] = []
    var decisions: [Double] = []
    var changes: [Double] = []
    for _ in 0..<7 {
      let ports = Ports(
        transport: ScriptedTransport(
          rules: ScriptedTransport.Rule.backend(of: config), time: SystemTime()),
        storage: make(kind, folder), store: SimulatedStore(products: []),
        presenter: HostPresenter(show: { _ in }, hide: { _ in }), device: FixedDevice(),
        uploadsEvents: true)
      let begin = ContinuousClock.now
      let tollgate = Tollgate(ports: ports)
      try await tollgate.configure(apiKey: "pk")
      starts.append(since(begin))
      try await tollgate.setSubscriptionStatus(.inactive)
      for number in 0..<50 {
        decisions.append(
          await seconds { _ = try? await tollgate.getPresentationResult(forPlacement: "counting") })
        changes.append(
          await seconds { try? await tollgate.setUserAttributes(["n": .int(Int64(number))]) })
      }
      await tollgate.shutDown()
    }
    print(
      "\(title): start \(milliseconds(starts.min() ?? 0)) ms,",
      "a question \(milliseconds(decisions.min() ?? 0)) ms,",
      "a change until it is stored \(milliseconds(changes.min() ?? 0)) ms")
  }

  /// A decision alone, over 10,000 events of one name within a day.
  private static func decide() {
    let audience = Audience(
      index: 0, experimentID: "e", expression: #"device.placementsInDay("counted") >= 10000"#)
    let config = Config(placements: [Placement(name: "p", audiences: [audience])])
    guard let rules = try? RuleSet.compile(config).get() else { return print("no rules") }
    let now = Instant(milliseconds: 1_772_366_400_000)
    var evaluator = PlacementEvaluator(
      ruleSet: rules, subjectID: "u", attributes: ["user": [:], "device": [:]])
    evaluator.events.record("counted", at: (0..<10_000).map { now - Int64($0) * 8_000 })
    var best = Double.infinity
    for _ in 0..<200 {
      let begin = ContinuousClock.now
      _ = evaluator.decide("p", now: now)
      best = min(best, since(begin))
    }
    print("placementsInDay over 10,000 events: \(milliseconds(best)) ms for a decision")
  }

  /// The config with a placement whose rule counts events.
  private static func counting(_ config: Value) -> Value {
    let rule: Value = [
      "experiment_id": "exp_counting", "experiment_group_id": "camp_counting",
      "expression_cel": #"device.placementsInDay("counted") > 10"#, "variants": [],
    ]
    let trigger: Value = ["event_name": "counting", "rules": [rule]]
    return config.merging(
      patch: ["trigger_options": .list((config["trigger_options"]?.elements ?? []) + [trigger])])
  }

  private static func seconds(_ work: () async -> Void) async -> Double {
    let begin = ContinuousClock.now
    await work()
    return since(begin)
  }

  private static func since(_ begin: ContinuousClock.Instant) -> Double {
    let duration = ContinuousClock.now - begin
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  private static func milliseconds(_ seconds: Double) -> String {
    String(format: "%.3f", seconds * 1_000)
  }
}

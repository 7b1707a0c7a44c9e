internal import Expressions
internal import RuleEngine
internal import SDK

/// Asks an SDK for the outcome of a placement, with all its parts except network and screen.
struct SDKRun {
  /// Wall seconds of each pass: the SDK is an actor, and runs on threads of its own.
  private(set) var seconds: [Double] = []
  /// The answer, which is always the same.
  private(set) var outcome = ""
  static let decisions = 2_000

  init(passes: Int) async throws {
    let config = GeneratedConfig.withoutMatch()
    let clock = VirtualClock(now: DecideRun.now)
    let transport = ScriptedTransport(
      rules: [.init(.get, "/api/v1/static_config", [.json(config)])], time: clock)
    var facts = DeviceFacts()
    facts.additional = [
      "country": "DE", "language": "de", "totalSessions": 1, "osMajor": 17,
      "daysSinceLastPaywallView": 5,
    ]
    let sdk = Tollgate(
      ports: Ports(
        time: clock, transport: transport,
        storage: InMemoryStorage(["status": ["status": "INACTIVE"]]),
        store: SimulatedStore(products: []), presenter: ScriptedPresenter(),
        device: FixedDevice(facts), entropy: .sequence(seed: 1)))
    try await sdk.configure(apiKey: "pk_bench")
    try await sdk.setUserAttributes(["goal": "sleep", "has_trial": true, "is_tester": false])
    for _ in 0...passes {
      let start = Stopwatch.wallNanoseconds()
      for _ in 0..<SDKRun.decisions {
        outcome = try await sdk.getPresentationResult(forPlacement: "bench").type
      }
      seconds.append(Double(Stopwatch.wallNanoseconds() - start) / 1e9)
    }
    // The first one warms up.
    seconds.removeFirst()
    await sdk.shutDown()
  }
}

extension SDKRun {
  var report: Report {
    let (best, middle) = (perDecision(seconds.min() ?? .nan), perDecision(seconds.median))
    var table = Table(["sdk", "ns", "median ns", "per s on the wall"])
    table.add(["what would it do?", best.short, middle.short, (1e9 / best).short])
    return Report(
      text: table.text,
      value: .object([
        "what": "sdk", "ns": .figure(best), "median_ns": .figure(middle),
        "outcome": .string(outcome),
      ]), isSound: outcome == "NoAudienceMatch")
  }

  private func perDecision(_ seconds: Double) -> Double {
    seconds * 1e9 / Double(SDKRun.decisions)
  }
}

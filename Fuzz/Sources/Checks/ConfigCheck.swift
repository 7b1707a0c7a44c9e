internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// Any bytes as a config of either format. The result is a config or an error with a place, the rule set decides every
/// placement, and a second run has the same result.
public enum ConfigCheck {
  private static let users = [
    "{}",
    #"{"user":{"plan":"free","a":1,"seed":42},"device":{"country":"DE"},"params":{"pages":3}}"#,
  ]

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    check(bytes, Config.decode(superwall:))
  }

  public static func runAgentWallie(_ bytes: UnsafeBufferPointer<UInt8>) {
    check(bytes, Config.decode(agentWallie:))
  }

  private typealias Decoder = (UnsafeBufferPointer<UInt8>) -> Compilation<Config>

  private static func check(_ bytes: UnsafeBufferPointer<UInt8>, _ decode: Decoder) {
    let first = answers(decode(bytes), bytes)
    require(answers(decode(bytes), bytes) == first, "the answers differ the second time")
  }

  private static func answers(
    _ decoded: Compilation<Config>, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> [String] {
    for diagnostic in decoded.diagnostics where diagnostic.path.isEmpty {
      require((diagnostic.range?.to ?? 0) <= bytes.count + 1, "a diagnostic lies behind the text")
    }
    let isRefused = decoded.diagnostics.contains { $0.severity == .error }
    require(decoded.output != nil || isRefused, "neither a config nor an error")
    guard let config = decoded.output, let rules = RuleSet.compile(config).output else {
      return decoded.diagnostics.map(\.message)
    }
    var answers: [String] = []
    for user in users {
      var frame = Frame(for: rules.program)
      try? frame.fill(json: user.utf8)
      let state = DecisionState(subjectID: "u", now: 1_772_366_400_000)
      for name in rules.placementNames {
        let decision = rules.decide(
          name, frame: &frame, state: state, assigner: .hash(salt: "fuzz"))
        require(decision.outcome != .placementNotFound, "placement \(name) is not found")
        let explanation = rules.explain(
          name, frame: &frame, state: state, assigner: .hash(salt: "fuzz"))
        answers.append(explanation.text)
      }
    }
    return answers
  }
}

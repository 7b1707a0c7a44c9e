internal import RuleEngine

/// What a request to redeem is about.
struct Redemption: Hashable, Sendable {
  /// Whose codes they are.
  var identity: Int
  /// The code of a link, which the app wants to hear about; nil where known codes are asked for again.
  var code: String?
  /// The paywall that was open then, and was told that a restore begins.
  var presentationID: String?
}

/// Codes of links on their way, and results that the app is told later.
struct Redemptions: Sendable {
  private var running: [String] = []
  /// By presentation, what is told when that paywall is gone.
  private var held: [(presentation: String, result: RedemptionResult)] = []

  var isRunning: Bool { !running.isEmpty }

  /// - Returns: false for a code that is on its way already.
  mutating func begin(_ code: String) -> Bool {
    guard !running.contains(code) else { return false }
    running.append(code)
    return true
  }

  mutating func end(_ code: String) { running.removeAll { $0 == code } }

  mutating func hold(_ result: RedemptionResult, until presentation: String) {
    held.append((presentation, result))
  }

  /// The results that waited for a paywall to go.
  mutating func take(after presentation: String) -> [RedemptionResult] {
    defer { held.removeAll { $0.presentation == presentation } }
    return held.filter { $0.presentation == presentation }.map(\.result)
  }
}

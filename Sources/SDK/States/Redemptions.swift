internal import RuleEngine

/// The context of a request to redeem codes.
struct Redemption: Hashable, Sendable {
  /// The identity that the codes belong to.
  var identity: Int
  /// The code of a link, whose result is reported to the app; nil when known codes are requested
  /// again.
  var code: String?
  /// The paywall that was open when the request began, and that was notified of a restore.
  var presentationID: String?
}

/// Codes of links that are being redeemed, and results that are reported later.
struct Redemptions: Sendable {
  private var running: [String] = []
  /// Results to report when the paywall of a presentation is closed.
  private var held: [(presentation: String, result: RedemptionResult)] = []

  var isRunning: Bool { !running.isEmpty }

  /// - Returns: false if the code is already being redeemed.
  mutating func begin(_ code: String) -> Bool {
    guard !running.contains(code) else { return false }
    running.append(code)
    return true
  }

  mutating func end(_ code: String) { running.removeAll { $0 == code } }

  mutating func hold(_ result: RedemptionResult, until presentation: String) {
    held.append((presentation, result))
  }

  /// The results that waited for a paywall to close.
  mutating func take(after presentation: String) -> [RedemptionResult] {
    defer { held.removeAll { $0.presentation == presentation } }
    return held.filter { $0.presentation == presentation }.map(\.result)
  }
}

public import Expressions

/// How far a placement is that a view registers: idle, then presented and dismissed, or skipped, or an
/// error; the next registration goes on from there.
public enum PlacementState: Hashable, Sendable {
  /// It was not registered yet, or nothing has come of it yet.
  case idle
  case presented(PaywallInfo)
  case dismissed(PaywallResult)
  case skipped(PaywallSkippedReason)
  case error(SDKError)

  /// The JSON of the contract's hooks: `{"status", "paywallInfo"?, "result"?, "reason"?, "error"?}`.
  public var value: Value {
    switch self {
    case .idle: ["status": "idle"]
    case .presented(let info): ["status": "presented", "paywallInfo": info.value]
    case .dismissed(let result): ["status": "dismissed", "result": result.value]
    case .skipped(let reason): ["status": "skipped", "reason": reason.value]
    case .error(let error): ["status": "error", "error": .string(error.description)]
    }
  }
}

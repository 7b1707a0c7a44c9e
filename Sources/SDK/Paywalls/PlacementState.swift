public import Expressions

/// The progress of a placement that a view registers: idle, then presented and dismissed, or
/// skipped, or an error. The next registration continues from there.
public enum PlacementState: Hashable, Sendable {
  /// It was not registered yet, or has no result yet.
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

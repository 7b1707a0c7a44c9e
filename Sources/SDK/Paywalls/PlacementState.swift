public import Expressions

/// The progress of a placement that a view registers. A placement is idle at first, and then becomes skipped, or an
/// error, or presented and later dismissed. A later registration starts from the last state.
public enum PlacementState: Hashable, Sendable {
  /// The placement was not registered yet, or has no result yet.
  case idle
  case presented(PaywallInfo)
  case dismissed(PaywallResult)
  case skipped(PaywallSkippedReason)
  case error(SDKError)

  /// The state as JSON: `{"status", "paywallInfo"?, "result"?, "reason"?, "error"?}`.
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

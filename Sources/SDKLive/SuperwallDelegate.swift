internal import Expressions
public import Foundation
public import SDK

/// A ``SDK/TollgateDelegate`` with Foundation's types, like the delegate of Superwall's SDK. A delegate that was
/// written for that SDK also conforms to this protocol. By default, each function does nothing.
@MainActor
public protocol SuperwallDelegate: TollgateDelegate {
  func paywallWillOpenURL(url: URL)
  func paywallWillOpenDeepLink(url: URL)
  func handleLog(
    level: String, scope: String, message: String?, info: [String: Any]?, error: (any Error)?)
}

extension SuperwallDelegate {
  public func paywallWillOpenURL(url: URL) {}
  public func paywallWillOpenDeepLink(url: URL) {}
  public func handleLog(
    level: String, scope: String, message: String?, info: [String: Any]?, error: (any Error)?
  ) {}

  // The functions that the SDK calls. A string that is not an address is ignored.

  public func paywallWillOpenURL(url: String) {
    if let url = URL(string: url) { paywallWillOpenURL(url: url) }
  }

  public func paywallWillOpenDeepLink(url: String) {
    if let url = URL(string: url) { paywallWillOpenDeepLink(url: url) }
  }

  public func handleLog(
    level: LogLevel, scope: LogScope, message: String?, info: Value?, error: String?
  ) {
    let members = (info?.members ?? []).map { ($0.key, $0.value.foundationObject) }
    handleLog(
      level: level.rawValue, scope: scope.rawValue, message: message,
      info: info.map { _ in Dictionary(members, uniquingKeysWith: { $1 }) },
      error: error.map { LoggedError(errorDescription: $0) })
  }
}

extension Value {
  /// The value in the types of Foundation's JSON.
  fileprivate var foundationObject: Any {
    switch self {
    case .null: NSNull()
    case .bool(let truth): truth
    case .int(let number): Int(number)
    case .uint(let number): number
    case .double(let number): number
    case .string(let text): text
    case .list(let elements): elements.map(\.foundationObject)
    case .map:
      Dictionary(
        (members ?? []).map { ($0.key, $0.value.foundationObject) }, uniquingKeysWith: { $1 })
    default: json
    }
  }
}

/// An error with a message from the log.
private struct LoggedError: LocalizedError {
  var errorDescription: String?
}

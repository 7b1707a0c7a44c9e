public import Expressions

/// Why a call failed.
public struct SDKError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A stable name of the error. The raw value is the error's code in JSON.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The call waited for `configure`, which was never called.
    case configureNotCalled
    /// The call waited for `configure`, which took too long.
    case configureTimedOut
    /// The config could not be loaded.
    case configurationFailed
    case invalidArgument
    /// The platform or the SDK does not have this method.
    case unsupported
    case consumeFailed
    /// The store does not report products.
    case productsUnavailable
    /// The SDK was shut down while the call waited.
    case shutDown
    /// The task that made the call was cancelled.
    case cancelled
    // Errors of presentations.
    case paywallAlreadyPresented
    case noPresenter
    case subscriptionStatusTimeout
    case webViewFailed
    case debuggerPresented
    case paywallNotAvailable
    case presentationFailed
  }

  public var code: Code
  /// A readable message: what is wrong and what to do.
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message, as `onPaywallError` reports them: `code: message`.
  public var description: String { "\(code.rawValue): \(message)" }

  /// The error as JSON: `{"code", "message"}`.
  public var value: Value {
    .object(["code": .string(code.rawValue), "message": .string(message)])
  }

  static let configureNotCalled = SDKError(
    .configureNotCalled, "configure() was not called; call it when the app starts")
  static let configureTimedOut = SDKError(
    .configureTimedOut,
    "configure() is still running because the config is slow to arrive; try again when it returns")
  static let alreadyPresented = SDKError(
    .paywallAlreadyPresented, "a paywall is on the screen; register again once it is closed")
  static let noPresenter = SDKError(
    .noPresenter, "there is nothing to present a paywall from; register when the app has a window")
  static let statusTimeout = SDKError(
    .subscriptionStatusTimeout,
    "the subscription status stayed unknown; set it with setSubscriptionStatus()")
  static let webViewFailed = SDKError(
    .webViewFailed, "the paywall could not be loaded; try again later")
  static let cancelled = SDKError(.cancelled, "the task that made the call was cancelled")
  static let shutDown = SDKError(.shutDown, "the SDK was shut down")
}

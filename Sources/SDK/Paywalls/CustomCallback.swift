public import Expressions

/// A paywall's request to the app.
public struct CustomCallback: Hashable, Sendable {
  public var name: String
  /// The variables of the request, an object; nil if the paywall sent no variables.
  public var variables: Value?

  public init(name: String, variables: Value? = nil) {
    self.name = name
    self.variables = variables
  }
}

/// The app's answer to a ``CustomCallback``.
public struct CustomCallbackResult: Hashable, Sendable {
  public var isSuccess: Bool
  /// The data for the paywall, as an object.
  public var data: Value?

  public init(isSuccess: Bool, data: Value? = nil) {
    self.isSuccess = isSuccess
    self.data = data
  }

  /// The app handled the request. `data` is for the paywall.
  public static func success(_ data: [String: Value]? = nil) -> CustomCallbackResult {
    CustomCallbackResult(isSuccess: true, data: data.map { .members($0) })
  }

  /// The app did not handle the request.
  public static func failure(_ data: [String: Value]? = nil) -> CustomCallbackResult {
    CustomCallbackResult(isSuccess: false, data: data.map { .members($0) })
  }

  /// The status in JSON: `success` or `failure`.
  public var status: String { isSuccess ? "success" : "failure" }
}

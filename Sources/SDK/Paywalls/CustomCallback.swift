public import Expressions

/// What a paywall asks the app to do.
public struct CustomCallback: Hashable, Sendable {
  public var name: String
  /// An object; nil when the paywall sent none.
  public var variables: Value?

  public init(name: String, variables: Value? = nil) {
    self.name = name
    self.variables = variables
  }
}

/// What the app answers to a ``CustomCallback``.
public struct CustomCallbackResult: Hashable, Sendable {
  public var isSuccess: Bool
  /// An object for the paywall.
  public var data: Value?

  public init(isSuccess: Bool, data: Value? = nil) {
    self.isSuccess = isSuccess
    self.data = data
  }

  /// The app did it; `data` is for the paywall.
  public static func success(_ data: [String: Value]? = nil) -> CustomCallbackResult {
    CustomCallbackResult(isSuccess: true, data: data.map { .members($0) })
  }

  /// The app did not do it.
  public static func failure(_ data: [String: Value]? = nil) -> CustomCallbackResult {
    CustomCallbackResult(isSuccess: false, data: data.map { .members($0) })
  }

  /// `success` or `failure`.
  public var status: String { isSuccess ? "success" : "failure" }
}

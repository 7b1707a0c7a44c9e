public import Expressions

/// The level of detail of the SDK's log.
public enum LogLevel: String, Hashable, Sendable, CaseIterable {
  case debug
  case info
  case warn
  case error
  /// No messages are logged.
  case none

  private var rank: Int { LogLevel.allCases.firstIndex(of: self) ?? 0 }

  /// Whether messages of another level are logged at this level.
  func allows(_ other: LogLevel) -> Bool { self != .none && other.rank >= rank }
}

/// The subject of a log message.
public enum LogScope: String, Hashable, Sendable, CaseIterable {
  case localizationManager
  case bounceButton
  case coreData
  case configManager
  case identityManager
  case debugManager
  case debugViewController
  case localizationViewController
  case gameControllerManager
  case device
  case network
  case paywallEvents
  case productsManager
  case storeKitManager
  case placements
  case receipts
  case superwallCore
  case paywallPresentation
  case paywallTransactions
  case paywallViewController
  case cache
  case all
}

/// One line of the SDK's log.
public struct LogMessage: Hashable, Sendable, CustomStringConvertible {
  public var level: LogLevel
  public var scope: LogScope
  public var message: String?
  /// Details of the message as an object, or nil.
  public var info: Value?
  public var error: String?

  public init(
    _ level: LogLevel, _ scope: LogScope, _ message: String?, info: Value? = nil,
    error: String? = nil
  ) {
    self.level = level
    self.scope = scope
    self.message = message
    self.info = info
    self.error = error
  }

  public var description: String {
    "\(level.rawValue) \(scope.rawValue): \([message, error].compactMap(\.self).joined(separator: ": "))"
  }

  /// The message as JSON, always with all five keys.
  public var value: Value {
    .object([
      "level": .string(level.rawValue), "scope": .string(scope.rawValue),
      "message": message.map { .string($0) } ?? .null, "info": info ?? .null,
      "error": error.map { .string($0) } ?? .null,
    ])
  }
}

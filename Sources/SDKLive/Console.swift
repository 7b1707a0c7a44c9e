internal import Foundation
internal import SDK

#if canImport(os)
  internal import os
#endif

/// The target of the log for developers.
enum Console {
  #if canImport(os)
    private static let logger = Logger(subsystem: "tollgate", category: "SDK")

    static func write(_ message: LogMessage) {
      let text = message.description
      switch message.level {
      case .debug: logger.debug("\(text, privacy: .public)")
      case .info: logger.info("\(text, privacy: .public)")
      case .warn: logger.warning("\(text, privacy: .public)")
      case .error: logger.error("\(text, privacy: .public)")
      case .none: break
      }
    }
  #else
    static func write(_ message: LogMessage) {
      FileHandle.standardError.write(Data("[Tollgate] \(message)\n".utf8))
    }
  #endif
}

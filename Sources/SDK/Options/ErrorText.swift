internal import Expressions

#if canImport(Darwin)
  internal import Foundation
#endif

/// Describes errors of the app or the store in words.
package enum ErrorText {
  private static let localize = Locked<@Sendable (any Error) -> String?>(localized)

  private static func localized(_ error: any Error) -> String? {
    #if canImport(Darwin)
      if let text = (error as? any LocalizedError)?.errorDescription { return text }
      // The own description of these errors is a dump.
      return type(of: error) is NSError.Type ? error.localizedDescription : nil
    #else
      // Localised descriptions require Foundation.
      return nil
    #endif
  }

  /// Sets the source of localised descriptions; nil means that an error has none.
  package static func use(_ localize: @escaping @Sendable (any Error) -> String?) {
    self.localize.withLock { $0 = localize }
  }

  /// The localised description of an error, or its own. A dump would not help users.
  static func text(of error: any Error) -> String {
    localize.withLock { $0 }(error) ?? (error as? any CustomStringConvertible)?.description
      ?? "something went wrong (\(type(of: error)))"
  }
}

internal import Expressions

#if canImport(Darwin)
  internal import Foundation
#endif

/// How an error of the app's or the store's is told to a person.
package enum ErrorText {
  private static let localize = Locked<@Sendable (any Error) -> String?>(localized)

  private static func localized(_ error: any Error) -> String? {
    #if canImport(Darwin)
      if let text = (error as? any LocalizedError)?.errorDescription { return text }
      // These describe themselves by a dump.
      return type(of: error) is NSError.Type ? error.localizedDescription : nil
    #else
      // Without Foundation there are no localised descriptions.
      return nil
    #endif
  }

  /// Says where localised descriptions come from; nil is an error that has none.
  package static func use(_ localize: @escaping @Sendable (any Error) -> String?) {
    self.localize.withLock { $0 = localize }
  }

  /// The localised description of an error, or what it says of itself. A dump of it says nothing to a
  /// person.
  static func text(of error: any Error) -> String {
    localize.withLock { $0 }(error) ?? (error as? any CustomStringConvertible)?.description
      ?? "something went wrong (\(type(of: error)))"
  }
}

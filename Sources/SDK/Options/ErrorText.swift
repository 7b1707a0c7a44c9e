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
      // The description of an `NSError` is a dump of its contents.
      return type(of: error) is NSError.Type ? error.localizedDescription : nil
    #else
      // Localised descriptions require Foundation.
      return nil
    #endif
  }

  /// Sets the source of localised descriptions; the closure returns nil if an error has no description.
  package static func use(_ localize: @escaping @Sendable (any Error) -> String?) {
    self.localize.withLock { $0 = localize }
  }

  /// A description of an error: its localised description if it has one, otherwise its plain description.
  static func text(of error: any Error) -> String {
    localize.withLock { $0 }(error) ?? (error as? any CustomStringConvertible)?.description
      ?? "something went wrong (\(type(of: error)))"
  }
}

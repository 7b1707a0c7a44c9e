internal import Crypto
package import Requests
package import RuleEngine

/// A compiled version of an application's config. A loaded config never changes, so a request uses the same version
/// from beginning to end.
package final class LoadedConfig: Sendable {
  package let number: Int
  /// SHA-256 of the source.
  package let hash: String
  package let prepared: PreparedConfig
  /// The largest count of any limit.
  let largestLimit: Int

  package init(number: Int, _ text: ConfigText, _ settings: PreparedConfig.Settings)
    throws(RequestError)
  {
    prepared = try PreparedConfig(text, settings)
    self.number = number
    hash = Self.hash(of: text.bytes)
    largestLimit =
      prepared.config.placements.flatMap(\.audiences).compactMap(\.occurrenceLimit?.maxCount).max()
      ?? 0
  }

  package var bytes: [UInt8] { prepared.bytes }
  package var ruleSet: RuleSet { prepared.ruleSet }

  package static func hash(of bytes: [UInt8]) -> String {
    SHA256.hash(data: bytes).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }
}

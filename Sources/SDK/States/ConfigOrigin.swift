public import Expressions

/// The source of the config in use.
public struct ConfigOrigin: Hashable, Sendable {
  /// The kind of source.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// The config was loaded from the server in this process.
    case network
    /// The config was stored by an earlier process. The stored config is used because the server did not respond in
    /// time.
    case kept
    /// The config is ``TollgateOptions/fallbackConfig``, because the server did not respond in time.
    case fallback
    /// The app passed the config to `configure(config:)`.
    case given
  }

  public var source: Source
  /// The config's version: its `build_id`.
  public var buildID: String
  /// When the config was fetched; nil for a config that the app supplied.
  public var fetchedAt: Instant?

  init(source: Source, buildID: String, fetchedAt: Instant? = nil) {
    self.source = source
    self.buildID = buildID
    self.fetchedAt = fetchedAt
  }
}

/// A config from the server, stored for a start without a network.
struct KeptConfig: Sendable {
  var apiKey: String
  var fetchedAt: Instant
  /// The config in the bytes that the server sent.
  var config: [UInt8]

  init(apiKey: String, fetchedAt: Instant, config: [UInt8]) {
    self.apiKey = apiKey
    self.fetchedAt = fetchedAt
    self.config = config
  }

  /// Reads a config that `value` wrote. Fails if a member is missing or invalid.
  init?(decoding value: Value) {
    guard let apiKey = value["apiKey"]?.text, let fetchedAt = value["fetchedAt"]?.instant,
      let config = value["config"]?.text
    else { return nil }
    self.init(apiKey: apiKey, fetchedAt: fetchedAt, config: Array(config.utf8))
  }

  var value: Value {
    .object([
      "apiKey": .string(apiKey), "fetchedAt": .int(fetchedAt.milliseconds),
      "config": .string(String(decoding: config, as: UTF8.self)),
    ])
  }

  /// The age of the config, for a message. The age is never negative, even after the clock was set back.
  func age(at now: Instant) -> String {
    let minutes = max(0, now - fetchedAt) / 60_000
    if minutes < 120 { return minutes == 1 ? "1 minute" : "\(minutes) minutes" }
    return minutes < 48 * 60 ? "\(minutes / 60) hours" : "\(minutes / 1_440) days"
  }
}

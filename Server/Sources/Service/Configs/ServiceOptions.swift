package import Logging
package import Requests

/// What the decision service is to do.
package struct ServiceOptions: Sendable {
  package var fixtures: Fixtures
  package var log: Logger
  package var limits = RequestLimits()
  /// Longest line of a stream, in bytes.
  package var lineLimit = 1 << 20
  /// Who holds it may administer everything; nobody may without one.
  package var adminToken: String?
  /// Whether a request without a key is refused. Otherwise it decides for the only application.
  package var requiresKeys = true
  /// How requests are answered. Applications may have products of their own instead.
  package var settings = PreparedConfig.Settings(clock: ServiceTime.now)
  /// Users whom a new config is tried with, as lines.
  package var users: [UInt8]?
  /// Whether assignments and occurrences are stored here.
  package var keepsState = false
  /// Whether the context of an OpenFeature client is a whole user record, with `assignments` and `occurrences`.
  /// Otherwise clients cannot choose their variants.
  package var trustsContexts = false
  /// How long answers to requests with an ID are kept, in milliseconds.
  package var keptRequests: Int64 = 24 * 3_600_000

  package init(fixtures: Fixtures, log: Logger) {
    self.fixtures = fixtures
    self.log = log
    settings.answersUnknownPlacements = true
    settings.rejectsUnknownMembers = true
    settings.limits.users = 100_000
    settings.limits.tests = 10_000
    settings.limits.audiences = 1_000
    settings.limits.patience = .seconds(20)
  }
}

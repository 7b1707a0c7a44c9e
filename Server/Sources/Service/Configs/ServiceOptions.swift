package import Logging
package import Requests

/// The options of the decision service.
package struct ServiceOptions: Sendable {
  package var fixtures: Fixtures
  package var log: Logger
  package var limits = RequestLimits()
  /// The maximum length of a line in a stream, in bytes.
  package var lineLimit = 1 << 20
  /// The token that gives access to all administration. Without a token, no request has access.
  package var adminToken: String?
  /// Whether a request without a key is rejected. Otherwise such a request is for the only application.
  package var requiresKeys = true
  /// The settings for answers. Applications may have their own products.
  package var settings = PreparedConfig.Settings(clock: ServiceTime.now)
  /// Users for testing a new config, as lines of JSON.
  package var users: [UInt8]?
  /// Whether the server stores assignments and occurrences.
  package var keepsState = false
  /// Whether a server with a shared store publishes its config when it starts, if the config is new.
  package var publishesConfigs = false
  /// Whether requests are decided while the store does not answer.
  package var withoutState = WithoutState.refuse
  /// The maximum time of all store operations for a request.
  package var storePatience = Duration.milliseconds(1_800)
  /// Whether the context of an OpenFeature client is a whole user record, with `assignments` and `occurrences`.
  /// Otherwise clients cannot choose their variants.
  package var trustsContexts = false
  /// How long answers to requests with an ID are stored, in milliseconds.
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

/// Whether requests that need stored state are decided while the store does not answer.
package enum WithoutState: String, Sendable, CaseIterable {
  /// Such requests get status 503.
  case refuse
  /// Such requests are decided as if nothing was stored, and store nothing.
  case decide
}

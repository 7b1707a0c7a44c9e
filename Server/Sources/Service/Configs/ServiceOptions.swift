internal import Expressions
package import Logging
package import RuleEngine
package import RuleInsight

/// What the decision service is to do.
package struct ServiceOptions: Sendable {
  package var fixtures: Fixtures
  package var log: Logger
  package var limits = RequestLimits()
  /// Longest line of a stream, in bytes.
  package var lineLimit = 1 << 20
  /// How long what is asked of a config may take to work out.
  package var patience = Duration.seconds(20)
  /// Who holds it may administer everything; nobody may without one.
  package var adminToken: String?
  /// Whether a request without a key is refused. Otherwise it decides for the only application.
  package var requiresKeys = true
  package var seed = ""
  /// Nil for the one that each config's own SDK has.
  package var assigner: Assigner?
  package var timeZone = "UTC"
  package var language = RuleLanguage.standard
  /// The texts of paywalls, which requests may ask for.
  package var texts: TextFile?
  /// Products with prices, for applications that have none of their own.
  package var products: ProductList?
  /// Users whom a new config is tried with, as lines.
  package var users: [UInt8]?
  package var redaction = Redaction(paths: [])
  /// Whether assignments and occurrences are kept here.
  package var keepsState = false
  /// How long answers to requests with an ID are kept, in milliseconds.
  package var keptRequests: Int64 = 24 * 3_600_000

  package init(fixtures: Fixtures, log: Logger) {
    self.fixtures = fixtures
    self.log = log
  }
}

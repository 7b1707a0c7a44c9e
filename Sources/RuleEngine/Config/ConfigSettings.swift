/// The settings of a config other than its rules.
package struct ConfigSettings: Hashable, Sendable {
  /// A switch of the SDK, with its key.
  package struct Toggle: Hashable, Sendable {
    package var key: String
    package var isEnabled: Bool

    package init(key: String, isEnabled: Bool) {
      self.key = key
      self.isEnabled = isEnabled
    }
  }

  /// The placements whose paywalls are not loaded in advance.
  package struct DisabledPreloads: Hashable, Sendable {
    package var all: Bool
    package var placements: [String]

    package init(all: Bool = false, placements: [String] = []) {
      self.all = all
      self.placements = placements
    }
  }

  /// A user for whom the test mode is on.
  package struct TestUser: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      case userID = "userId"
      case aliasID = "aliasId"
    }

    package var kind: Kind
    package var value: String

    package init(kind: Kind, value: String) {
      self.kind = kind
      self.value = value
    }
  }

  /// Purchases on the web that lead into the app.
  package struct WebToApp: Hashable, Sendable {
    /// The time for which cached web entitlements are valid, in milliseconds.
    package var entitlementsMaxAge: Int64
    package var restoreAccessURL: String
    package var urlScheme: String?

    package init(entitlementsMaxAge: Int64, restoreAccessURL: String, urlScheme: String? = nil) {
      self.entitlementsMaxAge = entitlementsMaxAge
      self.restoreAccessURL = restoreAccessURL
      self.urlScheme = urlScheme
    }
  }

  package var logLevel: Int?
  /// The time in the background, in milliseconds, after which a new session begins.
  package var sessionTimeout: Int64
  package var toggles: [Toggle]
  package var disabledPreloads: DisabledPreloads
  /// The locales that paywalls support.
  package var locales: [String]
  package var usesAppleSearchAds: Bool
  package var webToApp: WebToApp?
  package var iosAppID: String?
  package var bundleID: String?
  /// The campaign whose paywalls are loaded first.
  package var prioritizedCampaignID: String?
  package var testUsers: [TestUser]
  package var applicationName: String?
  package var applicationIconURL: String?

  /// The SDKs' session timeout when a config has none: one hour.
  package static let defaultSessionTimeout: Int64 = 3_600_000

  package init(
    logLevel: Int? = nil, sessionTimeout: Int64 = ConfigSettings.defaultSessionTimeout,
    toggles: [Toggle] = [], disabledPreloads: DisabledPreloads = DisabledPreloads(),
    locales: [String] = [], usesAppleSearchAds: Bool = false, webToApp: WebToApp? = nil,
    iosAppID: String? = nil, bundleID: String? = nil, prioritizedCampaignID: String? = nil,
    testUsers: [TestUser] = [], applicationName: String? = nil, applicationIconURL: String? = nil
  ) {
    self.logLevel = logLevel
    self.sessionTimeout = sessionTimeout
    self.toggles = toggles
    self.disabledPreloads = disabledPreloads
    self.locales = locales
    self.usesAppleSearchAds = usesAppleSearchAds
    self.webToApp = webToApp
    self.iosAppID = iosAppID
    self.bundleID = bundleID
    self.prioritizedCampaignID = prioritizedCampaignID
    self.testUsers = testUsers
    self.applicationName = applicationName
    self.applicationIconURL = applicationIconURL
  }

  /// Whether a switch is on. The first entry with the key counts. A switch without an entry is off.
  package func isEnabled(_ toggle: String) -> Bool {
    toggles.first { $0.key.utf8.elementsEqual(toggle.utf8) }?.isEnabled ?? false
  }
}

/// What a config says beside its rules.
public struct ConfigSettings: Hashable, Sendable {
  /// A switch of the SDK, by its name in the field.
  public struct Toggle: Hashable, Sendable {
    public var key: String
    public var isEnabled: Bool

    public init(key: String, isEnabled: Bool) {
      self.key = key
      self.isEnabled = isEnabled
    }
  }

  /// Which placements' paywalls are not loaded before they are asked for.
  public struct DisabledPreloads: Hashable, Sendable {
    public var all: Bool
    public var placements: [String]

    public init(all: Bool = false, placements: [String] = []) {
      self.all = all
      self.placements = placements
    }
  }

  /// Somebody for whom the test mode is on.
  public struct TestUser: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
      case userID = "userId"
      case aliasID = "aliasId"
    }

    public var kind: Kind
    public var value: String

    public init(kind: Kind, value: String) {
      self.kind = kind
      self.value = value
    }
  }

  /// Purchases on the web that lead into the app.
  public struct WebToApp: Hashable, Sendable {
    /// How long cached web entitlements count, in milliseconds.
    public var entitlementsMaxAge: Int64
    public var restoreAccessURL: String
    public var urlScheme: String?

    public init(entitlementsMaxAge: Int64, restoreAccessURL: String, urlScheme: String? = nil) {
      self.entitlementsMaxAge = entitlementsMaxAge
      self.restoreAccessURL = restoreAccessURL
      self.urlScheme = urlScheme
    }
  }

  public var logLevel: Int?
  /// After this long in the background a new session begins, in milliseconds.
  public var sessionTimeout: Int64
  public var toggles: [Toggle]
  public var disabledPreloads: DisabledPreloads
  /// Locales that paywalls are there for.
  public var locales: [String]
  public var usesAppleSearchAds: Bool
  public var webToApp: WebToApp?
  public var iosAppID: String?
  public var bundleID: String?
  /// The campaign whose paywalls are loaded first.
  public var prioritizedCampaignID: String?
  public var testUsers: [TestUser]
  public var applicationName: String?
  public var applicationIconURL: String?

  /// What the SDKs use when a config does not say: one hour.
  public static let defaultSessionTimeout: Int64 = 3_600_000

  public init(
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

  /// Whether a switch is on. The first entry with the key counts; without one it is off.
  public func isEnabled(_ toggle: String) -> Bool {
    toggles.first { $0.key.utf8.elementsEqual(toggle.utf8) }?.isEnabled ?? false
  }
}

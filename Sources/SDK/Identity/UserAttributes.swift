internal import Expressions
internal import RuleEngine

/// Attributes by name. The table compares names by their bytes, unlike a dictionary of strings.
struct AttributeTable: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// The values by name, with names escaped to ASCII.
  private var values: [String: Value] = [:]

  init() {}

  init(dictionaryLiteral elements: (String, Value)...) {
    for (name, value) in elements { self[name] = value }
  }

  subscript(name: String) -> Value? {
    get { values[StorageKey.escape(name)] }
    set { values[StorageKey.escape(name)] = newValue }
  }

  /// Sets attributes by the rules of ``UserAttributes``.
  mutating func merge(_ new: Value) {
    let entries = new.members?.map {
      Value.Entry(key: .string(StorageKey.escape($0.key)), value: $0.value)
    }
    UserAttributes.merge(.map(entries ?? []), into: &values)
  }

  /// All attributes, as an object.
  var value: Value {
    .map(
      values.sorted { $0.key < $1.key }.map {
        .init(key: .string(StorageKey.unescape($0.key)), value: $0.value)
      })
  }
}

// MARK: Attributes of the user

extension StoredState {
  /// The user attributes that the SDK sets.
  private static let own: [String: @Sendable (StoredState) -> Value?] = [
    "aliasId": { .string($0.aliasID) }, "seed": { .whole($0.seed) },
    "appUserId": { $0.appUserID.map { .string($0) } },
    "applicationInstalledAt": { $0.installedAt?.text.map { .string($0) } },
  ]

  /// The attributes that the app and the SDK have set, as an object.
  var user: Value {
    var all = userAttributes
    for (name, own) in Self.own { all[name] = own(self) }
    return all.value
  }

  /// The value that rules read as `user.…`, or nil. Rules can read one attribute that apps cannot read.
  func user(named name: String) -> Value? {
    if name == "isLoggedIn" { return .bool(appUserID != nil) }
    if let own = Self.own[name] { return own(self) }
    return userAttributes[name]
  }

  /// All attributes that rules can read as `user.…`, as an object.
  var userForRules: Value {
    guard case .map(var entries) = user else { return .map([]) }
    entries.append(.init(key: "isLoggedIn", value: .bool(appUserID != nil)))
    return .map(entries)
  }
}

// MARK: Integrations

/// Identifiers of other services that the SDK passes on.
public enum IntegrationAttribute: String, Hashable, Sendable, CaseIterable {
  case adjustID = "adjustId"
  case amplitudeDeviceID = "amplitudeDeviceId"
  case amplitudeUserID = "amplitudeUserId"
  case appsflyerID = "appsflyerId"
  case brazeAliasName
  case brazeAliasLabel
  case onesignalID = "onesignalId"
  case fbAnonID = "fbAnonId"
  case firebaseAppInstanceID = "firebaseAppInstanceId"
  case firebaseInstallationID = "firebaseInstallationId"
  case iterableUserID = "iterableUserId"
  case iterableCampaignID = "iterableCampaignId"
  case iterableTemplateID = "iterableTemplateId"
  case mixpanelDistinctID = "mixpanelDistinctId"
  case mparticleID = "mparticleId"
  case clevertapID = "clevertapId"
  case airshipChannelID = "airshipChannelId"
  case kochavaDeviceID = "kochavaDeviceId"
  case tenjinID = "tenjinId"
  case posthogUserID = "posthogUserId"
  case customerioID = "customerioId"
  case appstackID = "appstackId"
  case singularDeviceID = "singularDeviceId"
}

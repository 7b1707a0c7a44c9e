internal import Expressions
internal import RuleEngine

// MARK: Attributes of the user

extension StoredState {
  /// The SDK's own attributes of the user.
  private static let own: [String: @Sendable (StoredState) -> Value?] = [
    "aliasId": { .string($0.aliasID) }, "seed": { .whole($0.seed) },
    "appUserId": { $0.appUserID.map { .string($0) } },
    "applicationInstalledAt": {
      $0.installedAt.flatMap { WireTime.text(milliseconds: $0) }.map { .string($0) }
    },
  ]

  /// The app's attributes and the SDK's own, an object.
  var user: Value {
    var all = userAttributes
    for (name, own) in Self.own { all[name] = own(self) }
    return .members(all)
  }

  /// What rules read as `user.…`, or nil. They see one attribute more than apps.
  func user(named name: String) -> Value? {
    if name == "isLoggedIn" { return .bool(appUserID != nil) }
    if let own = Self.own[name] { return own(self) }
    // Names differ by their bytes; keys of dictionaries do not.
    guard let place = userAttributes.index(forKey: name),
      userAttributes[place].key.utf8.elementsEqual(name.utf8)
    else { return nil }
    return userAttributes[place].value
  }

  /// Everything that rules can read as `user.…`, an object.
  var userForRules: Value {
    guard case .map(var entries) = user else { return .map([]) }
    entries.append(.init(key: "isLoggedIn", value: .bool(appUserID != nil)))
    return .map(entries)
  }
}

extension SDKState {
  mutating func setUserAttributes(_ attributes: Value) {
    UserAttributes.merge(attributes, into: &stored.userAttributes)
    track(.userAttributes(stored.user))
  }
}

// MARK: Integrations

/// Identifiers of other services that the SDK passes on.
public enum IntegrationAttribute: String, Hashable, Sendable, CaseIterable {
  case adjustId
  case amplitudeDeviceId
  case amplitudeUserId
  case appsflyerId
  case brazeAliasName
  case brazeAliasLabel
  case onesignalId
  case fbAnonId
  case firebaseAppInstanceId
  case firebaseInstallationId
  case iterableUserId
  case iterableCampaignId
  case iterableTemplateId
  case mixpanelDistinctId
  case mparticleId
  case clevertapId
  case airshipChannelId
  case kochavaDeviceId
  case tenjinId
  case posthogUserId
  case customerioId
  case appstackId
  case singularDeviceId
}

extension SDKState {
  /// Sets integration IDs. Null removes one, names that are not known and values that are not texts
  /// are left out, and the rest is set (decision D24). They are attributes of the user too, which
  /// `integrationAttributes` tells of by itself.
  mutating func setIntegrationAttributes(_ attributes: Value) {
    var changes: [Value.Entry] = []
    for member in attributes.members ?? []
    where IntegrationAttribute(rawValue: member.key) != nil {
      switch member.value {
      case .null: stored.integrationAttributes[member.key] = nil
      case .string(let text): stored.integrationAttributes[member.key] = text
      default: continue
      }
      changes.append(Value.Entry(key: .string(member.key), value: member.value))
    }
    UserAttributes.merge(.map(changes), into: &stored.userAttributes)
    track(
      .integrationAttributes(.members(stored.integrationAttributes.mapValues { .string($0) })))
  }
}

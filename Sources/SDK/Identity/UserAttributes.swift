internal import Expressions
internal import RuleEngine

// MARK: Attributes of the user

extension SDKState {
  /// The app's attributes and the SDK's own, an object.
  var userAttributes: Value {
    var all = stored.userAttributes
    all["aliasId"] = .string(stored.aliasID)
    all["seed"] = .whole(stored.seed)
    all["appUserId"] = stored.appUserID.map { .string($0) }
    all["applicationInstalledAt"] = stored.installedAt
      .flatMap { WireTime.text(milliseconds: $0) }.map { .string($0) }
    return .members(all)
  }

  mutating func setUserAttributes(_ attributes: Value) {
    UserAttributes.merge(attributes, into: &stored.userAttributes)
    track(.userAttributes(userAttributes))
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

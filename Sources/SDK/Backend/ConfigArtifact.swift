internal import Expressions

/// The artifacts of the config API, by group (seed 000, "Config API artifact contract").
///
/// A key is percent-encoded in the path, so it may contain any characters.
public enum ConfigGroup: Hashable, Sendable {
  case applicationPublicAPIKey(String)
  case webPaywallDomain(String)
  case applicationID(String)
  /// The response contains a private signing key. Apps must not request this artifact, and the response must not be
  /// logged or stored.
  case retentionMessagingConfig(publicKey: String)

  /// The name of the group in the path.
  public var name: String {
    switch self {
    case .applicationPublicAPIKey: "v1-application-public-api-key"
    case .webPaywallDomain: "v1-web-paywall-domain"
    case .applicationID: "v1-application-id"
    case .retentionMessagingConfig: "v1-retention-messaging-config"
    }
  }

  /// The key to look up in the group.
  public var key: String {
    switch self {
    case .applicationPublicAPIKey(let key), .webPaywallDomain(let key), .applicationID(let key),
      .retentionMessagingConfig(let key):
      key
    }
  }

  /// The known resources of the group.
  public var resources: [String] {
    switch self {
    case .applicationPublicAPIKey: ["application"]
    case .webPaywallDomain: ["static-config", "application"]
    case .applicationID: ["entitlements"]
    case .retentionMessagingConfig: ["config"]
    }
  }
}

/// One artifact of the config API: its path, and the evidence that the path exists.
public struct ConfigArtifact: Hashable, Sendable {
  /// How the path is known.
  public enum Basis: String, Hashable, Sendable {
    /// A path that known clients of the backend read.
    case verifiedRead
    /// A public manifest that known clients use.
    case verifiedManifest
    /// A manifest that follows the pattern of another group. No known client reads such a manifest.
    case inferredManifest
  }

  public let group: ConfigGroup
  public let resource: String
  public let basis: Basis
  /// The requested version of the response. Manifests have no version.
  public let responseVersion: String?

  private init(
    _ group: ConfigGroup, _ resource: String, _ basis: Basis, responseVersion: String? = nil
  ) {
    self.group = group
    self.resource = resource
    self.basis = basis
    self.responseVersion = responseVersion
  }

  /// The artifact with these path components, or nil if there is no such artifact.
  package init?(
    group name: String, key: String, resource: String, isManifest: Bool,
    responseVersion: String? = nil
  ) {
    let groups: [ConfigGroup] = [
      .applicationPublicAPIKey(key), .webPaywallDomain(key), .applicationID(key),
      .retentionMessagingConfig(publicKey: key),
    ]
    guard let group = groups.first(where: { $0.name == name }), group.resources.contains(resource)
    else { return nil }
    var manifest = Basis.inferredManifest
    if case .retentionMessagingConfig = group { manifest = .verifiedManifest }
    self.init(
      group, resource, isManifest ? manifest : .verifiedRead, responseVersion: responseVersion)
  }

  /// The application of a public key.
  public static func application(publicKey: String, responseVersion: String = "v1")
    -> ConfigArtifact
  {
    .init(
      .applicationPublicAPIKey(publicKey), "application", .verifiedRead,
      responseVersion: responseVersion)
  }

  /// The application of a public key as a public manifest. The path is inferred, so callers must handle
  /// ``BackendError/notFound``.
  public static func applicationManifest(publicKey: String) -> ConfigArtifact {
    .init(.applicationPublicAPIKey(publicKey), "application", .inferredManifest)
  }

  /// The application of a domain of web paywalls.
  public static func application(domain: String, responseVersion: String = "v1") -> ConfigArtifact {
    .init(
      .webPaywallDomain(domain), "application", .verifiedRead, responseVersion: responseVersion)
  }

  /// The static config of a domain of web paywalls.
  public static func staticConfig(domain: String, responseVersion: String = "v1") -> ConfigArtifact
  {
    .init(
      .webPaywallDomain(domain), "static-config", .verifiedRead, responseVersion: responseVersion)
  }

  /// The products of an application with their entitlements.
  public static func entitlements(applicationID: String, responseVersion: String = "v1")
    -> ConfigArtifact
  {
    .init(
      .applicationID(applicationID), "entitlements", .verifiedRead,
      responseVersion: responseVersion)
  }

  /// The retention worker's config, with its private signing key.
  public static func retentionMessaging(publicKey: String) -> ConfigArtifact {
    .init(.retentionMessagingConfig(publicKey: publicKey), "config", .verifiedManifest)
  }

  /// The components of the path, not percent-encoded.
  var segments: [String] {
    switch basis {
    case .verifiedRead:
      ["config-api", "read", group.name, group.key, resource, responseVersion ?? "v1"]
    case .verifiedManifest, .inferredManifest:
      ["config-api", "public", "manifest", group.name, group.key, resource]
    }
  }
}

/// The application of a public key or a domain.
public struct ApplicationArtifact: Hashable, Sendable {
  public var applicationID: Int
  public var organizationID: Int?
  public var projectID: Int?
  public var stripeApplicationID: Int?
  /// Application IDs by store, such as `stripe` or `ios`. Stores without an application are omitted.
  public var storeApplicationIDs: [String: Int]
  /// The domain that serves web paywalls.
  public var webPaywallDomain: String?
  public var applicationIcon: String?

  init(decoding value: Value) throws(BackendError) {
    guard let id = value["applicationId"]?.wholeNumber else {
      throw .decoding("'applicationId' is missing")
    }
    applicationID = id
    organizationID = value["organizationId"]?.wholeNumber
    projectID = value["projectId"]?.wholeNumber
    stripeApplicationID = value["stripeApplicationId"]?.wholeNumber
    storeApplicationIDs = [:]
    for member in value["storeApplicationIds"]?.members ?? [] {
      storeApplicationIDs[member.key] = member.value.wholeNumber
    }
    webPaywallDomain = value["webPaywallDomain"]?.text
    applicationIcon = value["applicationIcon"]?.text
  }
}

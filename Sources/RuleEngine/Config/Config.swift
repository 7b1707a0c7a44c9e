/// A config: placements with their ordered audiences, paywalls, products and settings.
///
/// A config is a plain value that does not depend on a file format. `Wire/` contains the decoders for each format. A
/// config compiles to a ``RuleSet``.
///
/// ```swift
/// let year = ProductReference(
///   id: "year", store: .appStore, storeID: "com.example.year", entitlements: [Entitlement(id: "pro")])
/// let paywall = Paywall(identifier: "annual", name: "Annual", featureGating: .gated, products: [year])
/// let audience = Audience(
///   index: 0, experimentID: "spring",
///   variants: [
///     Variant(id: "v1", kind: .treatment, weight: 90, paywallID: "annual"),
///     Variant(id: "v2", kind: .holdout, weight: 10),
///   ])
/// let config = Config(
///   placements: [Placement(name: "export", audiences: [audience])], paywalls: [paywall],
///   products: [year])
/// config.entitlements(ofProduct: "com.example.year").map(\.id)  // ["pro"]
/// config.placement("export")?.audiences[0].isEverybody  // true
/// config.variant(of: Assignment(experimentID: "spring", variantID: "v2"))?.kind  // .holdout
///
/// let decoded = Config.decode(superwall: #"{"trigger_options": 7}"#.utf8)
/// decoded.diagnostics[0].code  // .decodeFailure
/// ```
public struct Config: Hashable, Sendable {
  /// The format that a config was decoded from.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// Superwall's static config.
    case superwall
    /// AgentWallie's config of campaigns, paywalls and products.
    case agentWallie = "agentwallie"
  }

  public var format: Format
  /// Identifies the published version of the config.
  public var buildID: String
  public var placements: [Placement]
  public var paywalls: [Paywall]
  /// All products that the config names, including products that no paywall sells.
  public var products: [ProductReference]
  package var settings: ConfigSettings
  /// Placements in the config that are inactive, for example because they are paused or their campaign is archived.
  package var inactivePlacements: [InactivePlacement] = []
  /// The paths of placements in the config that could not be read.
  package var unreadPlacements: [String] = []
  /// The paths of values that are not read as written, so that the compiled rules differ from the config.
  package var misread: Set<String> = []
  /// Facts that make some SDK versions reject the config.
  package var facts: [ConfigFact] = []

  public init(
    format: Format = .superwall, buildID: String = "", placements: [Placement] = [],
    paywalls: [Paywall] = [], products: [ProductReference] = []
  ) {
    self.init(
      format: format, buildID: buildID, placements: placements, paywalls: paywalls,
      products: products, settings: ConfigSettings())
  }

  package init(
    format: Format = .superwall, buildID: String = "", placements: [Placement] = [],
    paywalls: [Paywall] = [], products: [ProductReference] = [], settings: ConfigSettings
  ) {
    self.format = format
    self.buildID = buildID
    self.placements = placements
    self.paywalls = paywalls
    self.products = products
    self.settings = settings
  }

  /// The paywall with an identifier, or nil. Identifiers are compared byte by byte.
  public func paywall(_ identifier: String) -> Paywall? {
    paywalls.first { $0.identifier.utf8.elementsEqual(identifier.utf8) }
  }

  /// The placement with a name, or nil. Names are compared byte by byte.
  public func placement(_ name: String) -> Placement? {
    placements.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}

/// A place in an app where a paywall may appear.
public struct Placement: Hashable, Sendable {
  public var name: String
  /// The audiences, in the order in which they are tried. The first audience that matches decides.
  public var audiences: [Audience]
  /// The paths of audiences in the config that could not be read. The placement is decided without these audiences.
  package var unreadAudiences: [String] = []

  public init(name: String, audiences: [Audience]) {
    self.name = name
    self.audiences = audiences
  }
}

/// An inactive placement of a config.
package struct InactivePlacement: Hashable, Sendable {
  package var name: String
  /// The reason why the placement is inactive, in words.
  package var reason: String

  package init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }
}

/// What decides who sees which paywall: placements with their ordered audiences, the paywalls and
/// products they lead to, and the settings that come with them.
///
/// A config is a plain value in the engine's own words. Decoders for the formats of the field are
/// in `Wire/`; ``RuleSet`` is what it compiles to.
public struct Config: Hashable, Sendable {
  /// The format that a config was decoded from.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// Superwall's static config.
    case superwall
    /// AgentWallie's config of campaigns, paywalls and products.
    case agentWallie = "agentwallie"
  }

  public var format: Format
  /// Names the published state of the config.
  public var buildID: String
  public var placements: [Placement]
  public var paywalls: [Paywall]
  /// All products that the config names, paywalls' products included or not, as the format has it.
  public var products: [ProductReference]
  public var settings: ConfigSettings
  /// Placements that the config names and that decide nothing now: a campaign that is archived, a
  /// placement that is paused.
  public var inactivePlacements: [InactivePlacement] = []

  public init(
    format: Format = .superwall, buildID: String = "", placements: [Placement] = [],
    paywalls: [Paywall] = [], products: [ProductReference] = [],
    settings: ConfigSettings = ConfigSettings()
  ) {
    self.format = format
    self.buildID = buildID
    self.placements = placements
    self.paywalls = paywalls
    self.products = products
    self.settings = settings
  }

  /// The paywall with an identifier, or nil. Identifiers differ by their bytes.
  public func paywall(_ identifier: String) -> Paywall? {
    paywalls.first { $0.identifier.utf8.elementsEqual(identifier.utf8) }
  }

  /// The placement with a name, or nil. Names differ by their bytes.
  public func placement(_ name: String) -> Placement? {
    placements.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}

/// A place in an app where a paywall may be shown.
public struct Placement: Hashable, Sendable {
  public var name: String
  /// Audiences in the order in which they are tried; the first that matches decides.
  public var audiences: [Audience]

  public init(name: String, audiences: [Audience]) {
    self.name = name
    self.audiences = audiences
  }
}

/// A placement that a config names and that decides nothing now.
public struct InactivePlacement: Hashable, Sendable {
  public var name: String
  /// Why, for a person.
  public var reason: String

  public init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }
}

package import Expressions

/// AgentWallie's config in its own terms, before it becomes a ``Config``. The model still contains paused and archived
/// parts.
package struct AgentWallieModel: Hashable, Sendable {
  package struct Campaign: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable, CaseIterable {
      case active, inactive, archived
    }

    package var id: String
    package var name: String
    package var status: Status
    package var placements: [CampaignPlacement]
    package var audiences: [CampaignAudience]
    /// The path of the campaign in the config.
    package var path: String
    /// The paths of placements and audiences that could not be read.
    package var unreadPlacements: [String] = []
    package var unreadAudiences: [String] = []
  }

  package struct CampaignPlacement: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      case standard, custom
    }

    package enum Status: String, Hashable, Sendable, CaseIterable {
      case active, paused
    }

    package var id: String
    package var name: String
    package var kind: Kind
    package var status: Status
  }

  package struct CampaignAudience: Hashable, Sendable {
    package var id: String
    package var name: String
    package var priority: Int
    package var filters: [Filter]
    package var entitlementCheck: String?
    package var cap: FrequencyCap?
    package var experiment: Experiment?
    package var path: String
  }

  package struct FrequencyCap: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      case oncePerSession = "once_per_session"
      case oncePerDay = "once_per_day"
      case nTimesTotal = "n_times_total"
      case unlimited
    }

    package var kind: Kind
    package var limit: Int?
  }

  package struct Experiment: Hashable, Sendable {
    package var id: String
    package var variants: [Variant]
    package var holdoutPercentage: Double
    package var status: ExperimentStatus
    /// The paths of variants that could not be read.
    package var unreadVariants: [String] = []
  }

  package struct PaywallEntry: Hashable, Sendable {
    package var id: String
    package var schema: PaywallSchema
  }

  package struct Variant: Hashable, Sendable {
    package var id: String
    package var paywallID: String
    package var trafficPercentage: Double
  }

  package var campaigns: [Campaign] = []
  /// Paywalls by ID, in the order of the config.
  package var paywalls: [PaywallEntry] = []
  package var products: [ProductReference] = []
  /// The paths of campaigns that could not be read.
  package var unreadPlacements: [String] = []

  package init() {}
}

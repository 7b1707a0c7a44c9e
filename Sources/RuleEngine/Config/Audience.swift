package import Expressions

/// A rule that states which subjects it matches, how often it applies to each of them, and which variants they get.
public struct Audience: Hashable, Sendable {
  /// The position among the placement's audiences, from 0. The position counts audiences that could not be decoded.
  public var index: Int
  /// The audience's own identifier, in formats that have one.
  public var id: String?
  /// The audience's display name, in formats that have one.
  public var name: String?
  /// The ID of the experiment; empty if the audience has no experiment.
  public var experimentID: String
  public var campaignID: String
  /// The source of the condition. Nil matches every user, unless an AgentWallie audience has filters.
  public var expression: String?
  /// The condition as AgentWallie's filters. An audience has an expression or filters, not both.
  package var filters: [Filter]
  /// The audience is skipped for owners of this entitlement, before its condition is evaluated.
  public var entitlementGuard: String?
  public var occurrenceLimit: OccurrenceLimit?
  public var experimentStatus: ExperimentStatus
  public var variants: [Variant]
  package var preload: Preload
  /// Values of the event history that the condition reads as attributes.
  package var computedProperties: [ComputedProperty]
  /// The paths of variants in the config that could not be read. Matching subjects are divided among the readable
  /// variants.
  package var unreadVariants: [String] = []
  /// Whether the audience has a condition in JavaScript, which old SDKs evaluate and this engine
  /// does not.
  package var hasScript = false
  /// The audience's path in the config, such as `trigger_options[2].rules[0]`.
  public var path: String

  public init(
    index: Int, experimentID: String, campaignID: String = "", expression: String? = nil,
    occurrenceLimit: OccurrenceLimit? = nil, variants: [Variant] = [], id: String? = nil,
    name: String? = nil
  ) {
    self.init(
      index: index, experimentID: experimentID, campaignID: campaignID, expression: expression,
      occurrenceLimit: occurrenceLimit, variants: variants, path: "", id: id, name: name)
  }

  package init(
    index: Int, experimentID: String, campaignID: String = "", expression: String? = nil,
    occurrenceLimit: OccurrenceLimit? = nil, variants: [Variant] = [], path: String = "",
    id: String? = nil, name: String? = nil, filters: [Filter] = [],
    entitlementGuard: String? = nil, experimentStatus: ExperimentStatus = .running,
    preload: Preload = .always, computedProperties: [ComputedProperty] = []
  ) {
    self.index = index
    self.experimentID = experimentID
    self.campaignID = campaignID
    self.expression = expression
    self.occurrenceLimit = occurrenceLimit
    self.variants = variants
    self.path = path
    self.id = id
    self.name = name
    self.filters = filters
    self.entitlementGuard = entitlementGuard
    self.experimentStatus = experimentStatus
    self.preload = preload
    self.computedProperties = computedProperties
  }

  /// Whether the audience has no condition.
  public var isEverybody: Bool { expression == nil && filters.isEmpty }

  /// A label for reports, such as `1 (export-free)`: the audience's number, and the ID of the audience or its
  /// experiment.
  package var label: String {
    let id = id ?? experimentID
    return id.isEmpty ? "\(index)" : "\(index) (\(id))"
  }
}

/// Whether an audience's paywall is loaded before a placement needs it.
package enum Preload: String, Hashable, Sendable, CaseIterable {
  /// The paywall is preloaded if the audience matches without a placement.
  case ifTrue = "IF_TRUE"
  case always = "ALWAYS"
  case never = "NEVER"
}

/// The limit on how often a subject may get a rule's outcome.
///
/// ```swift
/// let daily = OccurrenceLimit(key: "upsell", maxCount: 2, interval: .minutes(1_440))
/// let now: Instant = 1_772_366_400_000
/// let count = daily.count([now - 90_000_000, now - 3_600_000], now: now)  // 1
/// daily.allows(storedCount: count)  // true
/// ```
public struct OccurrenceLimit: Hashable, Sendable {
  /// The time span in which occurrences count.
  public enum Interval: Hashable, Sendable {
    /// All occurrences count.
    case infinity
    /// Occurrences of the last `minutes` minutes count. An occurrence that is exactly this old still counts.
    case minutes(Int)
    /// Occurrences of the current session count. If the session is unknown, it begins with the decision, so no earlier
    /// occurrence counts.
    case session
  }

  /// The name under which occurrences are counted. Several audiences may share a name.
  public var key: String
  public var maxCount: Int
  public var interval: Interval

  public init(key: String, maxCount: Int, interval: Interval) {
    self.key = key
    self.maxCount = maxCount
    self.interval = interval
  }

  /// Whether one more occurrence is within the limit.
  public func allows(storedCount: Int) -> Bool { storedCount < maxCount }

  /// The number of occurrences that count at `now`. Occurrences later than `now` do not count.
  public func count(_ times: some Sequence<Instant>, now: Instant, sessionStart: Instant? = nil)
    -> Int
  {
    guard let oldest = oldest(now: now, sessionStart: sessionStart) else { return 0 }
    return times.reduce(0) { count, time in count + (time >= oldest && time <= now ? 1 : 0) }
  }

  /// The earliest time at which occurrences count, or nil if no occurrence counts.
  package func oldest(now: Instant, sessionStart: Instant?) -> Instant? {
    switch interval {
    case .infinity: return .distantPast
    case .session: return sessionStart
    case .minutes(let minutes):
      let (span, isHuge) = Int64(minutes).multipliedReportingOverflow(by: 60_000)
      return isHuge ? .distantPast : now - span
    }
  }
}

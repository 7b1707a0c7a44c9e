/// What decides who sees which paywall: placements with their ordered audiences.
///
/// A config is a plain value in the engine's own words. Decoders for the formats of the field are
/// in `Wire/`; ``RuleSet`` is what it compiles to.
public struct Config: Hashable, Sendable {
  /// Names the published state of the config.
  public var buildID: String
  public var placements: [Placement]
  public var paywalls: [Paywall]

  public init(buildID: String = "", placements: [Placement] = [], paywalls: [Paywall] = []) {
    self.buildID = buildID
    self.placements = placements
    self.paywalls = paywalls
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

/// Who a rule is for, how often it may apply, and what its subjects get.
public struct Audience: Hashable, Sendable {
  /// Position in the config, from 0, counting audiences that could not be decoded too.
  public var index: Int
  public var experimentID: String
  public var campaignID: String
  /// The condition; nil means everybody.
  public var expression: String?
  public var occurrenceLimit: OccurrenceLimit?
  public var variants: [Variant]
  /// Values of the history of events that the condition reads as attributes of the device.
  public var computedProperties: [ComputedProperty]
  /// Where the audience stands in the config text, as `trigger_options[2].rules[0]`.
  public var path: String

  public init(
    index: Int, experimentID: String, campaignID: String = "", expression: String? = nil,
    occurrenceLimit: OccurrenceLimit? = nil, variants: [Variant] = [], path: String = "",
    computedProperties: [ComputedProperty] = []
  ) {
    self.index = index
    self.experimentID = experimentID
    self.campaignID = campaignID
    self.expression = expression
    self.occurrenceLimit = occurrenceLimit
    self.variants = variants
    self.path = path
    self.computedProperties = computedProperties
  }
}

/// How often a subject may get a rule's outcome.
public struct OccurrenceLimit: Hashable, Sendable {
  /// The span in which occurrences count.
  public enum Interval: Hashable, Sendable {
    /// All that ever happened.
    case infinity
    /// The last minutes; an occurrence exactly that old still counts.
    case minutes(Int)
  }

  /// Occurrences are counted under this name, which several audiences may share.
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

  /// How many of these occurrences count at `now`. Times are in milliseconds since 1970.
  public func count(_ times: some Sequence<Int64>, now: Int64) -> Int {
    var oldest = Int64.min
    if case .minutes(let minutes) = interval {
      let (span, isHuge) = Int64(minutes).multipliedReportingOverflow(by: 60_000)
      let (start, isBefore) = now.subtractingReportingOverflow(span)
      if !isHuge, !isBefore { oldest = start }
    }
    return times.reduce(0) { count, time in count + (time >= oldest ? 1 : 0) }
  }
}

/// One arm of an experiment.
public struct Variant: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable {
    /// Gets a paywall.
    case treatment = "TREATMENT"
    /// Gets none, for comparison.
    case holdout = "HOLDOUT"
  }

  public var id: String
  public var kind: Kind
  /// Share of subjects in relation to the sum over the experiment's variants. Not negative.
  public var weight: Double
  public var paywallID: String?

  public init(id: String, kind: Kind, weight: Double, paywallID: String? = nil) {
    self.id = id
    self.kind = kind
    self.weight = weight
    self.paywallID = paywallID
  }
}

/// What the engine needs to know of a paywall.
public struct Paywall: Hashable, Sendable {
  public var identifier: String
  public var name: String

  public init(identifier: String, name: String) {
    self.identifier = identifier
    self.name = name
  }
}

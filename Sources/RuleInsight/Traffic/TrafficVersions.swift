internal import Expressions
package import Pricing
package import RuleEngine

/// The SDK of each simulated user, and the time at which the user gets a newer version.
package struct TrafficVersions: Sendable {
  /// A version that users update to over time.
  package struct Update: Sendable {
    package var target: SDKSelection
    package var start: Instant
    /// The fraction of all users that have updated by the end of each day, from 0 to 1. The
    /// fractions never decrease.
    package var curve: [Double]

    package init(to target: SDKSelection, start: Instant, curve: [Double]) {
      self.target = target
      self.start = start
      self.curve = curve
    }

    /// The time at which a user updates; nil for a user that never does. Within a day, updates are
    /// evenly distributed.
    func time(of subject: String, seed: String) -> Instant? {
      var random = TrafficRandom(seed: seed, "update", subject)
      let place = random.fraction()
      guard let day = curve.firstIndex(where: { $0 > place }) else { return nil }
      let before = day > 0 ? curve[day - 1] : 0
      let part = (place - before) / (curve[day] - before)
      return start + Int64((Double(day) + part) * 86_400_000)
    }
  }

  package var selection: SDKSelection
  /// The SDK of users whose records do not name one.
  package var usual: SDKName
  package var update: Update?

  package init(_ selection: SDKSelection, usual: SDKName, update: Update? = nil) {
    self.selection = selection
    self.usual = usual
    self.update = update
  }

  /// The SDK that a user updates to; nil if the user's SDK is not older.
  func updated(_ profile: SDKProfile) -> SDKProfile? {
    update?.target.update(of: profile, usual: usual)
  }
}

/// The plans of a simulation whose users have SDKs of several versions, one plan for each SDK.
final class TrafficFleet: Sendable {
  let versions: TrafficVersions
  private let family: RuleSetFamily
  private let plans = Locked<[(profile: SDKProfile, plan: TrafficPlan)]>([])

  init(_ versions: TrafficVersions, _ config: Config) {
    self.versions = versions
    family = RuleSetFamily(config)
  }

  /// The number of an SDK's plan.
  func number(of profile: SDKProfile, in base: TrafficPlan) -> Int {
    plans.withLock { plans in
      if let known = plans.firstIndex(where: { $0.profile == profile }) { return known }
      plans.append((profile, TrafficPlan(family.ruleSet(for: profile), asPartOf: base)))
      return plans.count - 1
    }
  }

  func plan(_ number: Int) -> TrafficPlan { plans.withLock { $0[number].plan } }
}

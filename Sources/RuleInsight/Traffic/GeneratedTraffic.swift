package import CivilTime
internal import Expressions
internal import RuleEngine

/// Realistic generated traffic: the times at which users open an app, and the placements that
/// follow. `docs/traffic.md` describes it.
///
/// A user's activity follows an exponential distribution, so a few users are very active and many
/// hardly at all. Sessions begin at random times, more of them while people are awake. A session
/// begins with its start placements, followed by random placements.
package struct GeneratedTraffic: Sendable {
  /// The time at which the traffic begins.
  package var start: Instant
  /// The number of days of traffic.
  package var days: Int
  /// The average number of placements per user and day, without the placements that follow a paywall.
  package var rate: Double

  package init(start: Instant, days: Int, rate: Double) {
    self.start = start
    self.days = days
    self.rate = rate
  }

  /// The distribution of a day's session starts over its hours, in thousandths.
  static let hours = [
    11, 6, 4, 3, 4, 10, 25, 46, 57, 53, 48, 48, 55, 53, 47, 46, 49, 57, 67, 78, 85, 77, 48, 23,
  ]
  /// The average number of placements in a session, in addition to its start placements.
  static let meanOfOthers = 2.0
  /// The average time between two placements of a session, in milliseconds.
  static let meanGap = 90_000.0
  /// The minimum time that a user looks at a paywall before closing it, in milliseconds. The
  /// maximum is twice this time.
  static let lookAtPaywall = 4_000

  /// The roles of a plan's placements in sessions.
  struct Roles: Sendable {
    /// Placements that are triggered at the beginning of each session, in this order.
    var starting: [Int] = []
    /// Placements that are triggered at random.
    var others: [Int] = []
    /// The placement that is triggered when a paywall was closed.
    var declining: Int?
    /// Placements that are never triggered.
    var silent: [Int] = []

    init(_ plan: TrafficPlan) {
      for (place, placement) in plan.placements.enumerated() {
        switch placement.event {
        case nil: others.append(place)
        case .appLaunch: starting.insert(place, at: 0)
        case .sessionStart: starting.append(place)
        case .paywallDecline: declining = place
        default: silent.append(place)
        }
      }
    }

    var canStart: Bool { !starting.isEmpty || !others.isEmpty }

    /// The average number of placements in a session.
    var mean: Double {
      (starting.isEmpty ? 1 : Double(starting.count))
        + (others.isEmpty ? 0 : GeneratedTraffic.meanOfOthers)
    }
  }

  /// Placements of a plan that are never triggered, because their event does not happen in
  /// simulations.
  package static func silentPlacements(of plan: TrafficPlan) -> [String] {
    let roles = Roles(plan)
    return (roles.silent + (roles.canStart ? [] : [roles.declining].compactMap { $0 }))
      .map { plan.placements[$0].name }
  }
}

/// The placements that one user triggers, in order.
struct UserTraffic {
  private let traffic: GeneratedTraffic
  private let roles: GeneratedTraffic.Roles
  private let zone: TimeZoneRules
  private var random: TrafficRandom
  /// The number of sessions per day.
  private let pace: Double
  /// The position of the next session on the time axis. The unit is one day's sessions.
  private var position: Double
  private let end: Double
  private let firstDay: Int
  private var last: Instant
  private let endTime: Instant
  /// The current session: the time of its next placement, the index of its next start placement,
  /// and the number of its other placements.
  private var open: (time: Instant, starting: Int, others: Int)?

  init(
    _ traffic: GeneratedTraffic, _ roles: GeneratedTraffic.Roles, _ clock: HistoryClock,
    seed: String, subject: String
  ) {
    self.traffic = traffic
    self.roles = roles
    zone = clock.zone
    random = TrafficRandom(seed: seed, "traffic", subject)
    pace = roles.canStart ? traffic.rate * random.exponential() / roles.mean : 0
    let start = traffic.start.seconds
    let civil = CivilTime(secondsSince1970: start, offset: zone.offset(atUTC: start))
    firstDay = civil.date.daysSince1970
    position = DayCurve.position(ofSecond: civil.hour * 3_600 + civil.minute * 60 + civil.second)
    end = position + Double(traffic.days)
    last = traffic.start - 1
    endTime = UserTraffic.time(end, firstDay, zone)
  }

  /// The user's next placement; nil after the last one.
  ///
  /// - Parameter after: the earliest time of the user's next placement.
  mutating func next(after busy: Instant) -> (place: Int, time: Instant)? {
    if busy > last { last = busy }
    if open == nil { beginSession() }
    guard var session = open else { return nil }
    let time = max(session.time, last + 1)
    guard time < endTime else {
      open = nil
      return nil
    }
    last = time
    let place: Int
    if session.starting < roles.starting.count {
      place = roles.starting[session.starting]
      session.starting += 1
    } else {
      place = roles.others[random.number(below: roles.others.count)]
      session.others -= 1
    }
    let isOver = session.starting == roles.starting.count && session.others <= 0
    // The placements that begin a session follow each other immediately.
    let gap =
      session.starting < roles.starting.count
      ? 1 : Int64(random.exponential() * GeneratedTraffic.meanGap) + 1
    session.time = time + gap
    open = isOver ? nil : session
    return (place, time)
  }

  private mutating func beginSession() {
    guard pace > 0 else { return }
    position += random.exponential() / pace
    guard position < end else { return }
    var others = roles.starting.isEmpty ? 1 : 0
    if !roles.others.isEmpty {
      let chance = GeneratedTraffic.meanOfOthers / (1 + GeneratedTraffic.meanOfOthers)
      while random.fraction() < chance { others += 1 }
    }
    let time =
      UserTraffic.time(position, firstDay, zone)
      + Int64(random.number(below: 1_000))
    open = (time, 0, others)
  }

  /// The time at which the user closes a paywall.
  mutating func closing(of shown: Instant) -> Instant {
    let look = GeneratedTraffic.lookAtPaywall
    return shown + Int64(look + random.number(below: look))
  }

  private static func time(_ position: Double, _ firstDay: Int, _ zone: TimeZoneRules) -> Instant {
    let day = position.rounded(.down)
    let second = DayCurve.second(at: position - day)
    let local = Int64(firstDay) + Int64(day)
    return Instant(
      seconds: zone.secondsSince1970(local: local * 86_400 + Int64(second)))
  }
}

/// The distribution of sessions over a day: the fraction of sessions that have begun by a time, and
/// its inverse.
enum DayCurve {
  private static let sums: [Double] = {
    let whole = Double(GeneratedTraffic.hours.reduce(0, +))
    var sums = [0.0]
    for hour in GeneratedTraffic.hours { sums.append(sums[sums.count - 1] + Double(hour) / whole) }
    return sums
  }()

  static func position(ofSecond second: Int) -> Double {
    let hour = second / 3_600
    return sums[hour] + (sums[hour + 1] - sums[hour]) * Double(second % 3_600) / 3_600
  }

  /// - Parameter position: in `0..<1`.
  static func second(at position: Double) -> Int {
    var hour = 0
    while hour < 23, sums[hour + 1] <= position { hour += 1 }
    let part = (position - sums[hour]) / (sums[hour + 1] - sums[hour])
    return hour * 3_600 + min(3_599, max(0, Int(part * 3_600)))
  }
}

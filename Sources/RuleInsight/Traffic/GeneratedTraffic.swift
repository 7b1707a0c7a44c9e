package import CivilTime
internal import Expressions
internal import RuleEngine

/// Traffic as it might be: who uses an app when, and what is asked for then. `docs/traffic.md` tells it.
///
/// A user is as active as a number of the exponential distribution says, so that a few are very active
/// and many hardly. Sessions come at random, more of them when people are awake. A session begins with
/// the placements of a session's start, and asks for others at random, one after the other.
package struct GeneratedTraffic: Sendable {
  /// When it begins.
  package var start: Instant
  /// For how many days.
  package var days: Int
  /// Placements that a user is asked for on a day, on average, without those that follow a paywall.
  package var rate: Double

  package init(start: Instant, days: Int, rate: Double) {
    self.start = start
    self.days = days
    self.rate = rate
  }

  /// Of a day's sessions, how many begin in each hour of it, in thousandths.
  static let hours = [
    11, 6, 4, 3, 4, 10, 25, 46, 57, 53, 48, 48, 55, 53, 47, 46, 49, 57, 67, 78, 85, 77, 48, 23,
  ]
  /// Placements of a session on average, beside those that begin it.
  static let meanOfOthers = 2.0
  /// Milliseconds from one placement of a session to the next, on average.
  static let meanGap = 90_000.0
  /// Milliseconds for which somebody looks at a paywall before closing it, and as many more at most.
  static let lookAtPaywall = 4_000

  /// What placements of a plan have to do with sessions.
  struct Roles: Sendable {
    /// Asked for at the beginning of each session, in this order.
    var starting: [Int] = []
    /// Asked for at random.
    var others: [Int] = []
    /// Asked for when a paywall was closed.
    var declining: Int?
    /// Never asked for.
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

    /// Placements of a session on average.
    var mean: Double {
      (starting.isEmpty ? 1 : Double(starting.count))
        + (others.isEmpty ? 0 : GeneratedTraffic.meanOfOthers)
    }
  }

  /// Placements that a plan has and that nobody is asked for, as the event does not happen here.
  package static func silentPlacements(of plan: TrafficPlan) -> [String] {
    let roles = Roles(plan)
    return (roles.silent + (roles.canStart ? [] : [roles.declining].compactMap { $0 }))
      .map { plan.placements[$0].name }
  }
}

/// The placements that one user is asked for, in order.
struct UserTraffic {
  private let traffic: GeneratedTraffic
  private let roles: GeneratedTraffic.Roles
  private let zone: TimeZoneRules
  private var random: TrafficRandom
  /// Sessions on a day.
  private let pace: Double
  /// Where the next session is, in days that are as long as they have sessions.
  private var position: Double
  private let end: Double
  private let firstDay: Int
  private var last: Instant
  private let endTime: Instant
  /// What is left of the session: its next placement, and when it is.
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

  /// The next placement; nil when there is no more.
  ///
  /// - Parameter after: nothing of the user comes until this time.
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
    // What begins a session comes at once.
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

  /// When somebody closes a paywall that came at a time.
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

/// The curve of a day: how much of its sessions has begun by a time, and back.
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

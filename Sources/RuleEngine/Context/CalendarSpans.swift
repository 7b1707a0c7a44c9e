internal import CivilTime
internal import Expressions

/// A unit of the calendar.
enum CalendarUnit {
  case hours(Int)
  case days(Int)
  case months(Int)
}

extension HistoryClock {
  /// The number of whole units from an event until now, counted as Foundation's calendar does. A unit counts when it
  /// has passed completely. Later events give negative numbers.
  func wholeUnits(_ kind: ComputedProperty.Kind, since time: Instant) -> Int {
    let span = now - time
    switch kind {
    case .minutesSince: return Int(clamping: span / 60_000)
    case .hoursSince: return Int(span / 3_600_000)
    case .monthsSince: return steps(since: time, of: 1, estimate: monthsBetween(time))
    case .yearsSince: return steps(since: time, of: 12, estimate: monthsBetween(time) / 12)
    default: return wholeDays(since: time)
    }
  }

  /// Superwall-Android's numbers: minutes modulo 60, hours modulo 24, days of 24 hours, and
  /// differences of calendar fields.
  func androidUnits(_ kind: ComputedProperty.Kind, since time: Instant) -> Int {
    let span = now - time
    switch kind {
    case .minutesSince: return Int(span / 60_000 % 60)
    case .hoursSince: return Int(span / 3_600_000 % 24)
    case .monthsSince: return monthsBetween(time)
    case .yearsSince: return civil(now).year - civil(time).year
    default: return Int(span / 86_400_000)
    }
  }

  /// The difference of the month numbers.
  private func monthsBetween(_ time: Instant) -> Int {
    let (from, to) = (civil(time), civil(now))
    return (to.year - from.year) * 12 + to.month - from.month
  }

  private func wholeDays(since time: Instant) -> Int {
    let estimate = civil(now).date.daysSince1970 - civil(time).date.daysSince1970
    return adjusted(estimate) { moved(time, .days($0)) }
  }

  /// The number of times that a span of months fits between an event and now.
  private func steps(since time: Instant, of months: Int, estimate: Int) -> Int {
    adjusted(estimate) { moved(time, .months($0 * months)) }
  }

  /// Corrects an estimated number of steps, which may be one step too far.
  private func adjusted(_ estimate: Int, _ at: (Int) -> Instant) -> Int {
    if estimate > 0 { return at(estimate) > now ? estimate - 1 : estimate }
    if estimate < 0 { return at(estimate) < now ? estimate + 1 : estimate }
    return 0
  }

  /// The same time of day some units later. A day that the month lacks becomes the month's last day.
  func moved(_ time: Instant, _ unit: CalendarUnit) -> Instant {
    let civil = civil(time)
    let date: CivilDate
    switch unit {
    case .hours(let count): return time + Int64(count) * 3_600_000
    case .days(let count): date = civil.date.adding(days: count)
    case .months(let count): date = civil.date.adding(months: count)
    }
    let days = date.daysSince1970 - civil.date.daysSince1970
    // The clock may have changed to or from daylight saving time in between.
    let moved = time + Int64(days) * 86_400_000
    let before = zone.offset(atUTC: time.seconds)
    let after = zone.offset(atUTC: moved.seconds)
    return moved + Int64(before - after) * 1_000
  }

  /// The time one unit ago.
  func calendarStart(_ unit: CalendarUnit) -> Instant {
    switch unit {
    case .hours(let count): moved(now, .hours(-count))
    case .days(let count): moved(now, .days(-count))
    case .months(let count): moved(now, .months(-count))
    }
  }
}

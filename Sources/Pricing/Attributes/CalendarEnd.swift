internal import CivilTime
internal import Expressions

/// The end of a period that begins now, by the calendar and the clocks of a zone.
struct CalendarEnd: Sendable {
  let now: Instant
  let zone: TimeZoneRules

  private let local: CivilTime

  init(now: Instant, zone: TimeZoneRules) {
    self.now = now
    self.zone = zone
    local = CivilTime(secondsSince1970: now.seconds, offset: zone.offset(atUTC: now.seconds))
  }

  /// The day on which the period begins.
  var today: CivilDate { local.date }

  /// The day on which the period ends. Months and years preserve the day of the month if possible: a month from 31
  /// January ends on the last day of February.
  func date(after period: Period) -> CivilDate { local.date.adding(period) }

  /// The same time of day at the end of the period. If clocks skip this time, the result is later by the length of the
  /// gap.
  func instant(after period: Period) -> Instant {
    let date = date(after: period)
    guard
      let end = CivilTime(date: date, hour: local.hour, minute: local.minute, second: local.second)
    else { return now }
    let wall = end.secondsSince1970()
    // The offset applies at the resulting instant, or clocks skip the time.
    let before = Int64(zone.offset(atUTC: wall - 86_400))
    let after = Int64(zone.offset(atUTC: wall + 86_400))
    for offset in [before, after] where Int64(zone.offset(atUTC: wall - offset)) == offset {
      return instant(wall - offset)
    }
    return instant(wall - before)
  }

  private func instant(_ seconds: Int64) -> Instant {
    Instant(seconds: seconds) + now.millisecondOfSecond
  }
}

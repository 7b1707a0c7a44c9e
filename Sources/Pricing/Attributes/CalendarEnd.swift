internal import CivilTime
internal import Expressions

/// When a period that begins now will end: by the calendar, as clocks in a zone show it.
struct CalendarEnd: Sendable {
  /// Milliseconds since 1970.
  let now: Int64
  let zone: TimeZoneRules

  private let local: CivilTime
  /// What is left of ``now`` within its second.
  private let milliseconds: Int64

  init(now: Int64, zone: TimeZoneRules) {
    self.now = now
    self.zone = zone
    var quotient = now / 1_000
    if now % 1_000 < 0 { quotient -= 1 }
    milliseconds = (now % 1_000 + 1_000) % 1_000
    local = CivilTime(secondsSince1970: quotient, offset: zone.offset(atUTC: quotient))
  }

  /// The day on which it ends. Months and years keep the day of the month where there is one: a
  /// month from 31 January is the last of February.
  func date(after period: Period) -> CivilDate {
    switch period.unit {
    case .day: local.date.adding(days: period.count)
    case .week: local.date.adding(days: period.count * 7)
    case .month: local.date.adding(months: period.count)
    case .year: local.date.adding(years: period.count)
    }
  }

  /// The instant, in milliseconds since 1970: the same time of day on that day. Where clocks are set
  /// forward over it, it is later by as much. Past the ends of 64 bits it is the end.
  func instant(after period: Period) -> Int64 {
    let date = date(after: period)
    guard
      let end = CivilTime(date: date, hour: local.hour, minute: local.minute, second: local.second)
    else { return now }
    let wall = end.secondsSince1970()
    // An offset holds at the instant that it gives, or clocks jump over the time.
    let before = Int64(zone.offset(atUTC: wall - 86_400))
    let after = Int64(zone.offset(atUTC: wall + 86_400))
    for offset in [before, after] where Int64(zone.offset(atUTC: wall - offset)) == offset {
      return instant(wall - offset)
    }
    return instant(wall - before)
  }

  private func instant(_ seconds: Int64) -> Int64 {
    let whole = seconds.multipliedReportingOverflow(by: 1_000)
    let end = whole.partialValue.addingReportingOverflow(milliseconds)
    guard whole.overflow || end.overflow else { return end.partialValue }
    return seconds < 0 ? .min : .max
  }
}

/// A date and a time of day, as a calendar and a wall clock show them.
package struct CivilTime: Hashable, Sendable {
  /// The day.
  package let date: CivilDate

  /// The hour, 0 to 23.
  package let hour: Int

  /// The minute, 0 to 59.
  package let minute: Int

  /// The second, 0 to 59. There are no leap seconds.
  package let second: Int

  /// The elapsed part of the second, 0 to 999,999,999.
  package let nanosecond: Int

  /// A time of day on a date, or nil if it is invalid.
  package init?(
    date: CivilDate, hour: Int, minute: Int = 0, second: Int = 0, nanosecond: Int = 0
  ) {
    guard 0...23 ~= hour, 0...59 ~= minute, 0...59 ~= second, 0...999_999_999 ~= nanosecond
    else { return nil }
    self.date = date
    self.hour = hour
    self.minute = minute
    self.second = second
    self.nanosecond = nanosecond
  }

  /// The time on a clock that is `offset` seconds ahead of UTC, at an instant in seconds since 1970. Instants outside
  /// ``CivilDate/years`` are moved to the first or the last day.
  package init(secondsSince1970 seconds: Int64, nanosecond: Int = 0, offset: Int32 = 0) {
    let local = CivilTime.clamp(seconds) &+ Int64(offset)
    let day = floorDivide(local, by: secondsInDay)
    let secondOfDay = UInt32(truncatingIfNeeded: local &- day &* secondsInDay)
    self.date = CivilDate(daysSince1970: Int(day))
    self.hour = Int(secondOfDay / 3600)
    self.minute = Int(secondOfDay / 60 % 60)
    self.second = Int(secondOfDay % 60)
    self.nanosecond = nanosecond
  }

  /// The time on a clock that is `offset` seconds ahead of UTC.
  package init(_ timestamp: Timestamp, offset: Int32 = 0) {
    self.init(
      secondsSince1970: timestamp.seconds, nanosecond: Int(timestamp.nanoseconds), offset: offset)
  }

  /// The time on clocks in a zone.
  package init(_ timestamp: Timestamp, in zone: TimeZoneRules) {
    self.init(timestamp, offset: zone.offset(atUTC: timestamp.seconds))
  }

  /// The year.
  package var year: Int { date.year }

  /// The month, 1 to 12.
  package var month: Int { date.month }

  /// The day of the month, 1 to 31.
  package var day: Int { date.day }

  /// The day of the week, 0 for Sunday to 6 for Saturday.
  package var weekday: Int { date.weekday }

  /// The number of the day in its year; 1 January is 1.
  package var dayOfYear: Int { date.dayOfYear }

  /// The instant at which a clock `offset` seconds ahead of UTC shows this time, in seconds since 1970.
  package func secondsSince1970(offset: Int32 = 0) -> Int64 {
    let secondOfDay = hour &* 3600 &+ minute &* 60 &+ second
    return Int64(date.daysSince1970) &* secondsInDay &+ Int64(secondOfDay) &- Int64(offset)
  }

  /// Clamps seconds since 1970 to the days of ``CivilDate``, with an extra day on both sides for offsets, so that later
  /// arithmetic does not overflow.
  @inline(__always)
  static func clamp(_ seconds: Int64) -> Int64 {
    let first = Int64(CivilDate.days.lowerBound &- 1) &* secondsInDay
    let last = Int64(CivilDate.days.upperBound &+ 1) &* secondsInDay
    return min(max(seconds, first), last)
  }
}

/// The length of every civil day.
@inlinable package var secondsInDay: Int64 { 86_400 }

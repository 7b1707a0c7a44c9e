/// Daylight time that begins and ends on a weekday of a month in every year, forever.
struct TimeZoneRule: Equatable, Sendable {
  /// The moment of a year at which clocks change.
  struct Change: Equatable, Sendable {
    /// The month, 1 to 12.
    var month: Int
    /// The number of the weekday within the month, 1 to 5, where 5 is the last.
    var week: Int
    /// The day of the week, 0 for Sunday.
    var weekday: Int
    /// Seconds after midnight on the clocks before the change. The number may be negative or beyond the day.
    var clock: Int32

    /// The moment in a year in seconds since 1970, if clocks show UTC before the moment.
    func seconds(in year: Int) -> Int64 {
      let first = CivilDate.daysSince1970(year: year, month: month, day: 1)
      let distance = (weekday &- CivilDate.weekday(ofDay: first) &+ 7) % 7
      var day = distance &+ 7 &* (week &- 1)
      if day >= CivilDate.days(inMonth: month, of: year) { day &-= 7 }
      return Int64(first &+ day) &* secondsInDay &+ Int64(clock)
    }
  }

  /// Seconds ahead of UTC outside of daylight time.
  var standard: Int32
  /// Seconds ahead of UTC in daylight time. The number is less than `standard` if winter time is the exception.
  var daylight: Int32
  /// When daylight time starts.
  var start: Change
  /// When daylight time ends.
  var end: Change

  /// The seconds that clocks are ahead of UTC at an instant in seconds since 1970, clamped by `CivilTime.clamp`.
  func offset(atUTC seconds: Int64) -> Int32 {
    // No rule changes clocks close enough to the new year for the choice of the offset to matter here.
    let day = floorDivide(seconds &+ Int64(standard), by: secondsInDay)
    let year = CivilDate(daysSince1970: Int(day)).year
    let starting = start.seconds(in: year) &- Int64(standard)
    let ending = end.seconds(in: year) &- Int64(daylight)
    let isDaylight =
      starting < ending
      ? starting <= seconds && seconds < ending
      : starting <= seconds || seconds < ending
    return isDaylight ? daylight : standard
  }
}

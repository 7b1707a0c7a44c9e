/// A day of the proleptic Gregorian calendar.
///
/// Years are astronomical: year 0 is 1 BC. Rules only use the years 1 to 9999. The wider `years` makes every
/// conversion total, so that a hostile number results in a distant date and does not trap.
package struct CivilDate: Hashable, Comparable, Sendable {
  /// The year, within `CivilDate.years`.
  package let year: Int

  /// The month, 1 to 12.
  package let month: Int

  /// The day of the month, 1 to 31.
  package let day: Int

  /// The years that a date can have. Arithmetic stops at the first and the last day of these years.
  package static let years = -999_999...999_999

  /// The first day of `years`.
  package static let earliest = CivilDate(known: -999_999, 1, 1)

  /// The last day of `years`.
  package static let latest = CivilDate(known: 999_999, 12, 31)

  /// `earliest` and `latest` as days since 1970-01-01.
  static let days = -365_961_662...364_522_971

  /// Creates a day from parts that are known to be valid.
  init(known year: Int, _ month: Int, _ day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day with these parts, or nil if it does not exist.
  package init?(year: Int, month: Int, day: Int) {
    guard CivilDate.years.contains(year), 1...12 ~= month, day >= 1,
      day <= CivilDate.days(inMonth: month, of: year)
    else { return nil }
    self.init(known: year, month, day)
  }

  /// The day `count` days after 1970-01-01, clamped to `earliest...latest`.
  package init(daysSince1970 count: Int) {
    let clamped = min(max(count, CivilDate.days.lowerBound), CivilDate.days.upperBound)
    // If years start on 1 March, the leap day is at the end of a year. Then neither the length of a month nor
    // the number of a day depends on the kind of year. Counting from long before `years` avoids negative numbers,
    // and 32 bits are enough.
    let sinceStart = UInt32(truncatingIfNeeded: clamped &+ daysFromStartTo1970)
    let cycle = sinceStart / daysInCycle
    let dayOfCycle = sinceStart % daysInCycle
    // The leap days so far: one in 1460 days, except in centuries, except in every fourth century.
    let leapDays = dayOfCycle / 1460 &- dayOfCycle / 36_524 &+ dayOfCycle / 146_096
    let yearOfCycle = (dayOfCycle &- leapDays) / 365
    let dayOfYear = dayOfCycle &- (365 &* yearOfCycle &+ yearOfCycle / 4 &- yearOfCycle / 100)
    // Five consecutive months from March on always have 153 days: 31, 30, 31, 30, 31.
    let monthFromMarch = (5 &* dayOfYear &+ 2) / 153
    let yearFromMarch = Int(400 &* cycle &+ yearOfCycle) &- yearsFromStartTo0
    self.init(
      known: monthFromMarch < 10 ? yearFromMarch : yearFromMarch &+ 1,
      Int(monthFromMarch < 10 ? monthFromMarch &+ 3 : monthFromMarch &- 9),
      Int(dayOfYear &- (153 &* monthFromMarch &+ 2) / 5 &+ 1))
  }

  /// The number of days from 1970-01-01 to this day. The number is negative for days before 1970.
  package var daysSince1970: Int {
    CivilDate.daysSince1970(year: year, month: month, day: day)
  }

  /// The days from 1970-01-01 to the day with these parts. The year and month must be valid. A day past the end of its
  /// month continues into the next month.
  static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let isEarly = month <= 2
    let monthFromMarch = UInt32(truncatingIfNeeded: isEarly ? month &+ 9 : month &- 3)
    let sinceStart = UInt32(
      truncatingIfNeeded: year &+ yearsFromStartTo0 &- (isEarly ? 1 : 0))
    let leapDays = sinceStart / 4 &- sinceStart / 100 &+ sinceStart / 400
    let dayOfYear = (153 &* monthFromMarch &+ 2) / 5
    return Int(365 &* sinceStart &+ leapDays &+ dayOfYear) &+ day &- 1 &- daysFromStartTo1970
  }

  /// The day of the week, 0 for Sunday to 6 for Saturday.
  package var weekday: Int {
    CivilDate.weekday(ofDay: daysSince1970)
  }

  /// The weekday of a day counted from 1970-01-01, which was a Thursday.
  static func weekday(ofDay day: Int) -> Int {
    let remainder = (day &+ 4) % 7
    return remainder < 0 ? remainder &+ 7 : remainder
  }

  /// The number of this day in its year; 1 January is 1.
  package var dayOfYear: Int {
    daysSince1970 &- CivilDate.daysSince1970(year: year, month: 1, day: 1) &+ 1
  }

  /// Whether `year` has a 29 February.
  package static func isLeap(_ year: Int) -> Bool {
    // If 25 divides the year, 16 must divide it too. Otherwise, 4 must divide it.
    year % 25 == 0 ? year & 15 == 0 : year & 3 == 0
  }

  /// The length of a month, 1 to 12, or 0 for any other number.
  package static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: isLeap(year) ? 29 : 28
    case 1...12: 31
    default: 0
    }
  }

  /// The day `count` days later, or earlier if `count` is negative. The result stops at the ends of `years`.
  package func adding(days count: Int) -> CivilDate {
    let (sum, overflow) = daysSince1970.addingReportingOverflow(count)
    if overflow { return count < 0 ? .earliest : .latest }
    return CivilDate(daysSince1970: sum)
  }

  /// The same day `count` months later, or earlier if `count` is negative. If the month is too short, the result is its
  /// last day: 31 January plus one month is 28 or 29 February.
  package func adding(months count: Int) -> CivilDate {
    let (sum, overflow) = (year * 12 + month - 1).addingReportingOverflow(count)
    if overflow { return count < 0 ? .earliest : .latest }
    let newYear = floorDivide(sum, by: 12)
    guard newYear >= CivilDate.years.lowerBound else { return .earliest }
    guard newYear <= CivilDate.years.upperBound else { return .latest }
    let newMonth = sum - newYear * 12 + 1
    let length = CivilDate.days(inMonth: newMonth, of: newYear)
    return CivilDate(known: newYear, newMonth, min(day, length))
  }

  /// The same day `count` years later, or earlier if `count` is negative. 29 February becomes 28 February in a common
  /// year.
  package func adding(years count: Int) -> CivilDate {
    let (months, overflow) = count.multipliedReportingOverflow(by: 12)
    if overflow { return count < 0 ? .earliest : .latest }
    return adding(months: months)
  }

  /// Orders by the calendar.
  package static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

/// The calendar repeats after 400 years of this many days.
private let daysInCycle: UInt32 = 146_097

/// The number of years from the start of counting, on a 1 March, to year 0. This is a whole number of cycles.
private let yearsFromStartTo0 = 2510 * 400

/// Days from the start of counting to 1 March of year 0, and on to 1970-01-01.
private let daysFromStartTo1970 = 2510 * 146_097 + 719_468

/// The quotient rounded down, where `/` would round toward zero. The divisor is positive.
@inline(__always)
func floorDivide<Number: FixedWidthInteger>(_ value: Number, by divisor: Number) -> Number {
  let quotient = value / divisor
  return value % divisor < 0 ? quotient &- 1 : quotient
}

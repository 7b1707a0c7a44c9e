internal import CivilTime

/// Parts of timestamps and durations. Months, days of the month and days of the year count from 0, as in the
/// specification. `getDate` counts from 1.
enum TimeFunctions {
  enum Part {
    case year, month, dayOfMonth, date, dayOfWeek, dayOfYear, hours, minutes, seconds, milliseconds
  }

  /// A part of a timestamp, in the zone of the second operand or in UTC, or of a duration.
  static func get(_ wanted: Part, _ operands: Operands) -> Cell {
    let value = operands[0].pointee
    if value.tag == Tag.duration, operands.count == 1 {
      return part(wanted, of: value.durationValue) ?? operands.noOverload
    }
    guard value.tag == Tag.timestamp else { return operands.noOverload }
    var offset: Int32 = 0
    if operands.count == 2 {
      guard operands[1].pointee.isText else { return operands.noOverload }
      guard let zone = TimeZones.zone(inExpressions: operands[1].textBytes) else {
        return Cell(fault: .conversion)
      }
      offset = zone.offset(atUTC: value.timestampValue.seconds)
    }
    return Cell(Int64(part(wanted, of: CivilTime(value.timestampValue, offset: offset))))
  }

  private static func part(_ wanted: Part, of time: CivilTime) -> Int {
    switch wanted {
    case .year: time.year
    case .month: time.month - 1
    case .dayOfMonth: time.day - 1
    case .date: time.day
    case .dayOfWeek: time.weekday
    case .dayOfYear: time.dayOfYear - 1
    case .hours: time.hour
    case .minutes: time.minute
    case .seconds: time.second
    case .milliseconds: time.nanosecond / 1_000_000
    }
  }

  /// Each part is the whole duration in that unit, except milliseconds, which count only within the current second.
  private static func part(_ wanted: Part, of span: TimeSpan) -> Cell? {
    switch wanted {
    case .hours: Cell(span.hours)
    case .minutes: Cell(span.minutes)
    case .seconds: Cell(span.seconds)
    case .milliseconds: Cell(span.millisecondsOfSecond)
    case .year, .month, .dayOfMonth, .date, .dayOfWeek, .dayOfYear: nil
    }
  }
}

internal import CivilTime

/// Parts of timestamps and durations. Months, days of the month and days of the year count from 0
/// as the specification says; `getDate` counts from 1.
enum TimeFunctions {
  static func call(_ function: Function, _ operands: Operands) -> Cell {
    let value = operands[0].pointee
    if value.tag == Tag.duration, operands.count == 1 {
      return part(function, of: value.durationValue) ?? operands.noOverload
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
    return Cell(Int64(part(function, of: CivilTime(value.timestampValue, offset: offset))))
  }

  private static func part(_ function: Function, of time: CivilTime) -> Int {
    switch function {
    case .getFullYear: time.year
    case .getMonth: time.month - 1
    case .getDayOfMonth: time.day - 1
    case .getDate: time.day
    case .getDayOfWeek: time.weekday
    case .getDayOfYear: time.dayOfYear - 1
    case .getHours: time.hour
    case .getMinutes: time.minute
    case .getSeconds: time.second
    default: time.nanosecond / 1_000_000
    }
  }

  /// Durations convert as a whole, but for the milliseconds, which are those below a second.
  private static func part(_ function: Function, of span: TimeSpan) -> Cell? {
    switch function {
    case .getHours: Cell(span.hours)
    case .getMinutes: Cell(span.minutes)
    case .getSeconds: Cell(span.seconds)
    case .getMilliseconds: Cell(span.millisecondsOfSecond)
    default: nil
    }
  }
}

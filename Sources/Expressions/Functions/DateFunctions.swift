package import CivilTime

/// Calendar days and months: `date("2026-11-21", "Europe/Berlin")`, `t.startOfDay(zone)`,
/// `t.addDays(n, zone)`, `t.addMonths(n, zone)`, `a.daysUntil(b, zone)`, and `days(n)`, a duration. The
/// default zone is UTC. Days on which clocks change are shorter or longer than 24 hours.
enum DateFunctions {
  enum Unit { case days, months }

  /// A duration of a number of days, each of 24 hours.
  static func days(_ operands: Operands) -> Cell {
    guard let count = operands.int(0) else { return operands.refused }
    let (seconds, overflow) = count.multipliedReportingOverflow(by: secondsInDay)
    guard !overflow, let span = TimeSpan(seconds: seconds) else { return Cell(fault: .overflow) }
    return Cell(span)
  }

  /// The instant at which the day of a string like `2026-11-21` begins.
  static func date(_ operands: Operands) -> Cell {
    guard let text = operands.text(0) else { return operands.refused }
    switch zone(operands, 1) {
    case .failure(let fault): return fault.cell
    case .success(let zone):
      guard let date = CivilDate(iso8601: text) else { return Cell(fault: .conversion) }
      return instant(date, CivilTime(secondsSince1970: 0), zone)
    }
  }

  /// The instant at which clocks show the same time, or midnight, on another day.
  static func moved(_ operands: Operands, by unit: Unit, isStart: Bool = false) -> Cell {
    guard operands[0].pointee.tag == Tag.timestamp else { return operands.refused }
    var count = 0
    if !isStart {
      guard let number = operands.int(1) else { return operands.refused }
      count = Int(clamping: number)
    }
    switch zone(operands, isStart ? 1 : 2) {
    case .failure(let fault): return fault.cell
    case .success(let zone):
      let time = CivilTime(operands[0].pointee.timestampValue, in: zone)
      let date = unit == .days ? time.date.adding(days: count) : time.date.adding(months: count)
      return instant(date, isStart ? CivilTime(secondsSince1970: 0) : time, zone)
    }
  }

  /// The number of midnights between two instants. The number is negative if the second instant is earlier.
  static func daysUntil(_ operands: Operands) -> Cell {
    guard operands[0].pointee.tag == Tag.timestamp, operands[1].pointee.tag == Tag.timestamp
    else { return operands.refused }
    switch zone(operands, 2) {
    case .failure(let fault): return fault.cell
    case .success(let zone):
      let days = (0...1).map { CivilTime(operands[$0].pointee.timestampValue, in: zone).date }
      return Cell(Int64(days[1].daysSince1970 - days[0].daysSince1970))
    }
  }

  // MARK: Zones

  private struct Fault: Error { var cell: Cell }

  /// The zone that an operand names, or UTC if there is no operand.
  private static func zone(_ operands: Operands, _ i: Int) -> Result<TimeZoneRules, Fault> {
    guard operands.count > i else { return .success(.utc) }
    guard let name = operands.text(i) else { return .failure(Fault(cell: operands.refused)) }
    return TimeZones.zone(named: name).map { .success($0) }
      ?? .failure(Fault(cell: Cell(fault: .conversion)))
  }

  /// The instant at which clocks in a zone show a time on a date. Outside the years 1 to 9999 the result is an
  /// overflow.
  private static func instant(_ date: CivilDate, _ time: CivilTime, _ zone: TimeZoneRules) -> Cell {
    let shown = CivilTime(
      date: date, hour: time.hour, minute: time.minute, second: time.second,
      nanosecond: time.nanosecond)
    let instant = shown.flatMap {
      Timestamp(
        seconds: zone.secondsSince1970(showing: $0), nanoseconds: Int32($0.nanosecond))
    }
    return instant.map { Cell($0) } ?? Cell(fault: .overflow)
  }
}

extension TimeZoneRules {
  /// The instant at which clocks in the zone show a time, in seconds since 1970. If clocks are set back and show the
  /// time twice, the first instant is returned. A time that clocks skip is counted from the last time before the gap:
  /// if 2:00 becomes 3:00, 2:30 means 3:30.
  package func secondsSince1970(showing time: CivilTime) -> Int64 {
    let shown = time.secondsSince1970()
    // Clocks differ from UTC by less than a day, and no zone changes them twice in two days.
    let before = offset(atUTC: shown &- secondsInDay)
    let after = offset(atUTC: shown &+ secondsInDay)
    let early = shown &- Int64(before)
    if offset(atUTC: early) == before { return early }
    let late = shown &- Int64(after)
    return offset(atUTC: late) == after ? late : early
  }
}

extension CivilDate {
  /// Parses `2026-11-21`, with four digits for the year and two for the month and the day. Fails for any other string,
  /// and for days that do not exist.
  package init?(iso8601 text: UnsafeBufferPointer<UInt8>) {
    // SAFETY: The count is ten, which covers every place that is read. Tests: DateFunctionsTests.
    guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") else {
      return nil
    }
    var digits = DigitPairs(text)
    let year = digits.pair(at: 0) * 100 + digits.pair(at: 2)
    let (month, day) = (digits.pair(at: 5), digits.pair(at: 8))
    guard digits.allWereDigits, year > 0 else { return nil }
    self.init(year: year, month: month, day: day)
  }
}

internal import CivilTime

/// Units of the filters that shift dates and count down.
enum LiquidTimeUnit: Int, CaseIterable, CustomStringConvertible {
  // SAFETY: The view is compared with names during the call. Tests: AnyArgumentsTests, corpus.

  case milliseconds, seconds, minutes, hours, days, weeks, months, years

  var description: String {
    ["milliseconds", "seconds", "minutes", "hours", "days", "weeks", "months", "years"][rawValue]
  }

  /// The unit with a name such as `hours`, `hour` or `h`, or nil.
  init?(_ text: ByteView) {
    let text = LiquidConversions.trimmed(text)
    guard
      let unit = LiquidTimeUnit.allCases.first(where: { unit in
        unit.names.contains { text.elementsEqual($0.utf8) }
      })
    else { return nil }
    self = unit
  }

  private var names: [String] {
    let name = description
    let letters =
      switch self {
      case .milliseconds: ["ms"]
      case .seconds: ["s", "sec"]
      case .minutes: ["m", "min"]
      case .hours: ["h", "hr"]
      case .days: ["d"]
      case .weeks: ["w"]
      case .months: ["M", "mo", "mth"]
      case .years: ["y", "yr"]
      }
    return [name, String(name.dropLast())] + letters
  }

  /// The length of the units with a fixed length. Months and years have no fixed length.
  var milliseconds: Int64 {
    switch self {
    case .milliseconds: 1
    case .seconds: 1_000
    case .minutes: 60_000
    case .hours: 3_600_000
    case .days: 86_400_000
    case .weeks: 604_800_000
    case .months: 2_592_000_000
    case .years: 31_536_000_000
    }
  }
}

/// `date_add`, `date_subtract` and their forms with a unit in the name: Superwall's own filters. The result
/// is the instant in ISO 8601, in UTC, with milliseconds.
enum DateShifts {
  /// Operands: the date, an amount or a string such as `1d 12h`, and the name of the unit.
  static func call(
    _ operands: Operands, isBack: Bool, _ state: inout RenderingState, _ arena: inout Arena
  ) -> Cell {
    if operands[0].pointee.isNil { return .null }
    guard let time = LiquidTime.read(operands[0], state.context) else {
      return Cell(fault: .conversion)
    }
    guard let amount = operands.optional(1), !amount.pointee.isNil else {
      return Cell(fault: .noSuchOverload)
    }
    var shifted: Timestamp? = time.instant
    let sign: Double = isBack ? -1 : 1
    if let name = operands.optional(2), !name.pointee.isNil {
      guard let unit = LiquidTimeUnit(state.text(name, &arena)) else {
        return Cell(fault: .conversion)
      }
      let number = LiquidConversions.javaScriptNumber(amount)
      shifted = shift(time.instant, by: sign * number, unit)
    } else if amount.pointee.isText {
      var reader = AmountReader(amount.textBytes)
      var isEmpty = true
      while let (number, unit) = reader.next(), let from = shifted {
        shifted = shift(from, by: sign * number, unit)
        isEmpty = false
      }
      if isEmpty || reader.failed { return Cell(fault: .conversion) }
    } else {
      shifted = shift(
        time.instant, by: sign * LiquidConversions.javaScriptNumber(amount), .milliseconds)
    }
    guard let shifted else { return Cell(fault: .overflow) }
    let mark = state.scratch.count
    append(shifted, to: &state.scratch)
    return state.takeText(from: mark, &arena)
  }

  /// An instant shifted by a number of units. Shifting by months keeps the day of the month, or uses the last day of a
  /// shorter month.
  static func shift(_ instant: Timestamp, by amount: Double, _ unit: LiquidTimeUnit) -> Timestamp? {
    guard amount.isFinite, abs(amount) < 1e12 else { return nil }
    switch unit {
    case .months, .years:
      let time = CivilTime(instant)
      let months = time.year * 12 + time.month - 1 + Int(amount) * (unit == .years ? 12 : 1)
      let (year, month) = (months.quotientAndRemainder(dividingBy: 12))
      guard month >= 0, 1...9999 ~= year else { return nil }
      let day = min(time.day, CivilDate.days(inMonth: month + 1, of: year))
      guard let date = CivilDate(year: year, month: month + 1, day: day) else { return nil }
      let seconds = Int64(date.daysSince1970 - time.date.daysSince1970) * 86_400
      return Timestamp(seconds: instant.seconds + seconds, nanoseconds: instant.nanoseconds)
    default:
      let milliseconds = (amount * Double(unit.milliseconds)).rounded()
      guard abs(milliseconds) < 9e15 else { return nil }
      let total =
        instant.seconds * 1_000 + Int64(instant.nanoseconds / 1_000_000) + Int64(milliseconds)
      let seconds = total >= 0 ? total / 1_000 : -((-total + 999) / 1_000)
      let rest = Int32(total - seconds * 1_000) * 1_000_000 + instant.nanoseconds % 1_000_000
      return Timestamp(seconds: seconds, nanoseconds: rest)
    }
  }

  private static func append(_ instant: Timestamp, to buffer: inout OutputBuffer) {
    var writer = DateWriter(
      time: CivilTime(instant), offset: 0, instant: instant, isJavaScript: false)
    _ = writer.write(LiquidComparing.literal("%Y-%m-%dT%H:%M:%S.%LZ"), into: &buffer)
  }

  /// Reads amounts with units, such as `1d` or `2h 30m`.
  private struct AmountReader {
    // SAFETY: Every index into the caller's view is compared with its count.
    // Tests: AnyArgumentsTests, corpus.

    private let text: ByteView
    private var at = 0
    private(set) var failed = false

    init(_ text: ByteView) { self.text = text }

    mutating func next() -> (Double, LiquidTimeUnit)? {
      while at < text.count, text[at] == 0x20 || text[at] == UInt8(ascii: ",") { at += 1 }
      guard at < text.count else { return nil }
      let start = at
      if text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") { at += 1 }
      while at < text.count, text[at] &- 0x30 < 10 || text[at] == UInt8(ascii: ".") { at += 1 }
      let number = LiquidConversions.javaScriptNumber(ByteView(rebasing: text[start..<at]))
      while at < text.count, text[at] == 0x20 { at += 1 }
      let name = at
      while at < text.count, (text[at] | 0x20) &- 0x61 < 26 { at += 1 }
      guard number.isFinite, at > name,
        let unit = LiquidTimeUnit(ByteView(rebasing: text[name..<at]))
      else {
        failed = true
        return nil
      }
      return (number, unit)
    }
  }
}

/// `countdown_from` and `countdown_<unit>_partial`, `countdown_<unit>_total`: Superwall's own filters. The filters use
/// the distance between two instants, whichever comes first.
enum Countdowns {
  /// Operands for a unit: two instants, the unit's number, and whether the result is the total.
  /// Operands of `countdown_from`: two instants, style, largest unit, column.
  static func call(
    _ operands: Operands, isUnit: Bool, _ state: inout RenderingState, _ arena: inout Arena
  ) -> Cell {
    if operands[0].pointee.isNil { return .null }
    guard operands.count > 1, let a = LiquidTime.read(operands[0], state.context),
      let b = LiquidTime.read(operands[1], state.context)
    else { return Cell(fault: .conversion) }
    func milliseconds(_ time: LiquidTime) -> Int64 {
      time.instant.seconds * 1_000 + Int64(time.instant.nanoseconds / 1_000_000)
    }
    let distance = abs(milliseconds(a) - milliseconds(b))
    if isUnit {
      guard let unit = LiquidTimeUnit(rawValue: Int(operands[2].pointee.intValue)) else {
        return Cell(fault: .conversion)
      }
      let total = distance / unit.milliseconds
      return Cell(operands[3].pointee.holds ? total : total % partSize(unit))
    }
    let style = operands.optional(2).flatMap { $0.pointee.isNil ? nil : state.text($0, &arena) }
    var largest: LiquidTimeUnit?
    if let third = operands.optional(3), !third.pointee.isNil {
      guard let unit = LiquidTimeUnit(state.text(third, &arena)) else {
        return Cell(fault: .conversion)
      }
      largest = unit
    }
    let column = operands.optional(4).flatMap {
      $0.pointee.isNil ? nil : LiquidTimeUnit(state.text($0, &arena))
    }
    let mark = state.scratch.count
    let name = style.map { String(decoding: $0, as: UTF8.self) } ?? "digital"
    guard write(distance, name, largest, column, &state) else {
      state.scratch.truncate(to: mark)
      return Cell(fault: .conversion)
    }
    return state.takeText(from: mark, &arena)
  }

  /// The number of units in the next larger unit.
  private static func partSize(_ unit: LiquidTimeUnit) -> Int64 {
    switch unit {
    case .milliseconds: 1_000
    case .seconds, .minutes: 60
    case .hours: 24
    case .days: 30
    case .weeks: 4
    case .months: 12
    case .years: .max
    }
  }

  private static func write(
    _ distance: Int64, _ style: String, _ largest: LiquidTimeUnit?, _ column: LiquidTimeUnit?,
    _ state: inout RenderingState
  ) -> Bool {
    let isDigital = style == "digital"
    let isLong = style.hasPrefix("long")
    guard isDigital || isLong || style.hasPrefix("short") || style.hasPrefix("narrow") else {
      return false
    }
    let units: [LiquidTimeUnit] = [.years, .months, .weeks, .days, .hours, .minutes, .seconds]
    let first =
      largest ?? (isDigital ? .hours : style.hasSuffix("most_significant") ? .years : .days)
    var rest = distance
    var parts: [(LiquidTimeUnit, Int64)] = []
    for unit in units where unit.rawValue <= first.rawValue {
      // Weeks are only used if they are requested by name.
      if unit == .weeks, first != .weeks { continue }
      parts.append((unit, rest / unit.milliseconds))
      rest %= unit.milliseconds
    }
    if let column { parts = parts.filter { $0.0 == column } }
    if isDigital {
      for (i, part) in parts.enumerated() {
        if i > 0 { state.scratch.append(UInt8(ascii: ":")) }
        if part.1 < 10 { state.scratch.append(UInt8(ascii: "0")) }
        state.scratch.append(number: part.1)
      }
      return true
    }
    var shown = parts.filter { $0.1 != 0 }
    if shown.isEmpty { shown = parts.suffix(1) }
    if style.hasSuffix("most_significant") { shown = Array(shown.prefix(1)) }
    for (i, part) in shown.enumerated() {
      if i > 0 { state.scratch.append(isLong ? ", " as StaticString : " " as StaticString) }
      let name = "\(part.0)"
      if let words = state.words,
        let local = words.counted(String(name.dropLast()), part.1, !isLong, state.locale)
      {
        state.scratch.append(local)
        continue
      }
      state.scratch.append(number: part.1)
      if isLong {
        state.scratch.append(" " + (part.1 == 1 ? String(name.dropLast()) : name))
      } else {
        state.scratch.append(part.0 == .months ? "mo" : String(name.prefix(1)))
      }
    }
    return true
  }
}

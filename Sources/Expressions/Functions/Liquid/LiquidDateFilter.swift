internal import CivilTime

/// The filter `date`: an instant in a format of `strftime`.
enum DateFilter {
  // SAFETY: Views of operands end with the call. Static strings live as long as the process.
  // Tests: RenderingTests, corpus.

  /// The maximum width of a field in a format.
  static let widestField = 1_024
  private static let javaScriptFormat: StaticString = "%A, %B %-e, %Y at %-l:%M %P %z"

  static func call(_ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena)
    -> Cell
  {
    let value = operands[0]
    if value.pointee.isNil { return .null }
    var format =
      operands.optional(1).map { state.text($0, &arena) } ?? ByteView(start: nil, count: 0)
    if state.style.isJavaScript, operands.optional(1)?.pointee.isNil ?? true {
      format = LiquidComparing.literal(javaScriptFormat)
    }
    if format.isEmpty, !state.style.isJavaScript { return value.pointee }
    var zone = state.zone
    if state.style.isJavaScript, let third = operands.optional(2), !third.pointee.isNil {
      guard let given = self.zone(third, &state, &arena) else { return Cell(fault: .conversion) }
      zone = given
    }
    var context = state.context
    context.zone = zone
    guard let time = LiquidTime.read(value, context) else {
      let isUnknownNow = value.pointee.isText && value.textBytes.elementsEqual("now".utf8)
      return isUnknownNow ? Cell(fault: .unknownValue) : value.pointee
    }
    let mark = state.scratch.count
    let clock = time.clock(in: zone)
    var writer = DateWriter(
      time: clock.time, offset: clock.offset, instant: time.instant,
      isJavaScript: state.style.isJavaScript)
    // Ruby's implementation has no locales.
    if state.style.isJavaScript, let words = state.words { writer.words = (words, state.locale) }
    guard writer.write(format, into: &state.scratch) else {
      state.scratch.truncate(to: mark)
      return Cell(fault: .limitExceeded)
    }
    return state.takeText(from: mark, &arena)
  }

  /// A zone from its name, or from the number of minutes that it is behind UTC.
  private static func zone(
    _ value: UnsafePointer<Cell>, _ state: inout RenderingState, _ arena: inout Arena
  ) -> TimeZoneRules? {
    if value.pointee.isText { return TimeZones.zone(named: value.textBytes) }
    let minutes = LiquidConversions.javaScriptNumber(value)
    guard abs(minutes) < 1_440 else { return nil }
    return TimeZoneRules(fixedOffset: Int32(-minutes * 60))
  }
}

/// Writes an instant in a format.
struct DateWriter {
  // SAFETY: Every index into the format is compared with its count. Tests: RenderingTests, corpus.

  let time: CivilTime
  let offset: Int32
  let instant: Timestamp
  let isJavaScript: Bool
  /// The words of a locale, or nil for English.
  var words: (words: LocaleWords, locale: String)?

  private struct Flags {
    var padding: UInt8?
    var isUpper = false
    var changesCase = false
    var colons = 0
    var width: Int?
  }

  /// Writes the instant in a format. The result is false if a field is wider than allowed.
  mutating func write(_ format: ByteView, into buffer: inout OutputBuffer) -> Bool {
    var i = 0
    while i < format.count, !buffer.isFull {
      guard format[i] == UInt8(ascii: "%"), i + 1 < format.count else {
        buffer.append(format[i])
        i += 1
        continue
      }
      let start = i
      i += 1
      var flags = Flags()
      loop: while i < format.count {
        switch format[i] {
        case UInt8(ascii: "-"): flags.padding = 0
        case UInt8(ascii: "_"): flags.padding = 0x20
        case UInt8(ascii: "0"): flags.padding = 0x30
        case UInt8(ascii: "^"): flags.isUpper = true
        case UInt8(ascii: "#"): flags.changesCase = true
        case UInt8(ascii: ":"): flags.colons += 1
        default: break loop
        }
        i += 1
      }
      while i < format.count, format[i] &- 0x30 < 10 {
        flags.width = min((flags.width ?? 0) * 10 + Int(format[i] &- 0x30), 1_000_000)
        i += 1
      }
      if let width = flags.width, width > DateFilter.widestField { return false }
      if i < format.count, format[i] == UInt8(ascii: "E") || format[i] == UInt8(ascii: "O") {
        i += 1
      }
      if i < format.count, field(format[i], flags, &buffer) {
        i += 1
      } else {
        i = min(i + 1, format.count)
        buffer.append(ByteView(rebasing: format[start..<i]))
      }
    }
    return true
  }

  private func field(_ code: UInt8, _ flags: Flags, _ buffer: inout OutputBuffer) -> Bool {
    switch Unicode.Scalar(code) {
    case "Y": year(time.year, flags, &buffer)
    case "C": number(Int64(floorDivided(time.year, 100)), 2, 0x30, flags, &buffer)
    case "y": number(Int64((time.year % 100 + 100) % 100), 2, 0x30, flags, &buffer)
    case "m": number(Int64(time.month), 2, 0x30, flags, &buffer)
    case "B": name(name(.month, time.month, isShort: false), flags, &buffer)
    case "b", "h": name(name(.month, time.month, isShort: true), flags, &buffer)
    case "d": number(Int64(time.day), 2, 0x30, flags, &buffer)
    case "e": number(Int64(time.day), 2, 0x20, flags, &buffer)
    case "j": number(Int64(time.dayOfYear), 3, 0x30, flags, &buffer)
    case "H": number(Int64(time.hour), 2, 0x30, flags, &buffer)
    case "k": number(Int64(time.hour), 2, 0x20, flags, &buffer)
    case "I": number(Int64((time.hour + 11) % 12 + 1), 2, 0x30, flags, &buffer)
    case "l": number(Int64((time.hour + 11) % 12 + 1), 2, 0x20, flags, &buffer)
    case "M": number(Int64(time.minute), 2, 0x30, flags, &buffer)
    case "S": number(Int64(time.second), 2, 0x30, flags, &buffer)
    case "L": fraction(3, flags, &buffer)
    case "N": fraction(9, flags, &buffer)
    case "A": name(name(.weekday, time.weekday, isShort: false), flags, &buffer)
    case "a": name(name(.weekday, time.weekday, isShort: true), flags, &buffer)
    case "u": number(Int64(time.weekday == 0 ? 7 : time.weekday), 1, 0x30, flags, &buffer)
    case "w": number(Int64(time.weekday), 1, 0x30, flags, &buffer)
    case "U": number(Int64((time.dayOfYear + 6 - time.weekday) / 7), 2, 0x30, flags, &buffer)
    case "W":
      number(Int64((time.dayOfYear + 6 - (time.weekday + 6) % 7) / 7), 2, 0x30, flags, &buffer)
    case "V": number(Int64(isoWeek.week), 2, 0x30, flags, &buffer)
    case "G": year(isoWeek.year, flags, &buffer)
    case "g": number(Int64((isoWeek.year % 100 + 100) % 100), 2, 0x30, flags, &buffer)
    case "s": number(instant.seconds, 1, 0x30, flags, &buffer)
    case "p": name(time.hour < 12 ? "AM" : "PM", flags, &buffer)
    case "P": name(time.hour < 12 ? "am" : "pm", flags, &buffer)
    case "z": zone(flags, &buffer)
    case "Z": name(zoneName, flags, &buffer)
    case "q" where isJavaScript: name(ordinal, flags, &buffer)
    case "n": buffer.append(0x0A)
    case "t": buffer.append(0x09)
    case "%": buffer.append(code)
    default: return composite(code, flags, &buffer)
    }
    return true
  }

  private func composite(_ code: UInt8, _ flags: Flags, _ buffer: inout OutputBuffer) -> Bool {
    let format: StaticString
    switch Unicode.Scalar(code) {
    case "c": format = isJavaScript ? "%a %b %e %H:%M:%S %Y" : "%a %b %e %H:%M:%S %Y"
    case "D": format = "%m/%d/%y"
    case "x": format = isJavaScript ? "%-m/%-d/%Y" : "%m/%d/%y"
    case "F": format = "%Y-%m-%d"
    case "v": format = "%e-%^b-%Y"
    case "T": format = "%H:%M:%S"
    case "X": format = isJavaScript ? "%-I:%M:%S %p" : "%H:%M:%S"
    case "R": format = "%H:%M"
    case "r": format = "%I:%M:%S %p"
    case "+": format = "%a %b %e %H:%M:%S %Z %Y"
    default: return false
    }
    let start = buffer.count
    var writer = self
    _ = writer.write(LiquidComparing.literal(format), into: &buffer)
    pad(from: start, to: flags.width ?? 0, with: 0x20, &buffer)
    return true
  }

  /// A name of a month or weekday in the locale, or in English.
  private func name(_ name: LocaleWords.Name, _ number: Int, isShort: Bool) -> String {
    if let words, let local = words.words.name(name, number, isShort, words.locale) { return local }
    let english =
      switch name {
      case .month: DateNames.months[number - 1]
      case .weekday: DateNames.days[number]
      }
    return isShort ? String(english.prefix(3)) : english
  }

  private func floorDivided(_ a: Int, _ b: Int) -> Int { a >= 0 ? a / b : -((-a + b - 1) / b) }

  private func year(_ year: Int, _ flags: Flags, _ buffer: inout OutputBuffer) {
    number(Int64(year), isJavaScript ? 1 : 4, 0x30, flags, &buffer)
  }

  private func number(
    _ value: Int64, _ width: Int, _ padding: UInt8, _ flags: Flags, _ buffer: inout OutputBuffer
  ) {
    let padding = flags.padding ?? padding
    let start = buffer.count
    if value < 0 { buffer.append(UInt8(ascii: "-")) }
    let digits = buffer.count
    buffer.append(number: Int64(clamping: value.magnitude))
    guard padding != 0 else {
      return pad(from: start, to: flags.width ?? 0, with: 0x30, &buffer, isActive: false)
    }
    let wanted = flags.width ?? width
    pad(
      from: padding == 0x20 ? start : digits, to: wanted - (padding == 0x20 ? 0 : digits - start),
      with: padding, &buffer)
  }

  /// Pads the output since `start` on the left.
  private func pad(
    from start: Int, to width: Int, with padding: UInt8, _ buffer: inout OutputBuffer,
    isActive: Bool = true
  ) {
    let missing = width - (buffer.count - start)
    guard isActive, missing > 0 else { return }
    for _ in 0..<missing { buffer.append(padding) }
    guard !buffer.isFull else { return }
    // Move the padding to the front.
    let count = buffer.count - start - missing
    let base = buffer.start + start
    for i in stride(from: count - 1, through: 0, by: -1) { base[i + missing] = base[i] }
    for i in 0..<missing { base[i] = padding }
  }

  private func name(_ text: String, _ flags: Flags, _ buffer: inout OutputBuffer) {
    let start = buffer.count
    let isUpper =
      flags.isUpper || flags.changesCase && text.first?.isUppercase == true && text.count > 2
    if flags.changesCase, !flags.isUpper, text == "AM" || text == "PM" {
      buffer.append(text.lowercased())
    } else if flags.changesCase, text == "am" || text == "pm" {
      buffer.append(text.uppercased())
    } else {
      buffer.append(isUpper ? text.uppercased() : text)
    }
    pad(from: start, to: flags.width ?? 0, with: flags.padding == 0x30 ? 0x30 : 0x20, &buffer)
  }

  private func fraction(_ digits: Int, _ flags: Flags, _ buffer: inout OutputBuffer) {
    let wanted = flags.width ?? digits
    var rest = instant.nanoseconds
    var divisor: Int32 = 100_000_000
    for _ in 0..<wanted {
      guard divisor > 0 else {
        buffer.append(0x30)
        continue
      }
      buffer.append(0x30 + UInt8(rest / divisor))
      rest %= divisor
      divisor /= 10
    }
  }

  private func zone(_ flags: Flags, _ buffer: inout OutputBuffer) {
    let start = buffer.count
    buffer.append(offset < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
    let minutes = Int64(abs(offset) / 60)
    let plain = Flags()
    number(minutes / 60, 2, 0x30, plain, &buffer)
    if flags.colons > 0 { buffer.append(UInt8(ascii: ":")) }
    number(minutes % 60, 2, 0x30, plain, &buffer)
    if flags.colons > 1 {
      buffer.append(UInt8(ascii: ":"))
      number(Int64(abs(offset) % 60), 2, 0x30, plain, &buffer)
    }
    if let width = flags.width { pad(from: start + 1, to: width - 1, with: 0x30, &buffer) }
  }

  private var zoneName: String {
    if offset == 0 { return "UTC" }
    func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
    let minutes = abs(offset) / 60
    return "\(offset < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
  }

  private var ordinal: String {
    switch time.day {
    case 1, 21, 31: "st"
    case 2, 22: "nd"
    case 3, 23: "rd"
    default: "th"
    }
  }

  /// The week of ISO 8601: weeks begin on Monday, and the first week contains 4 January.
  private var isoWeek: (year: Int, week: Int) {
    let weekday = (time.weekday + 6) % 7
    let week = (time.dayOfYear - 1 - weekday + 10) / 7
    if week < 1 {
      let last = CivilDate(year: time.year - 1, month: 12, day: 31)
      let day = last?.dayOfYear ?? 365
      return (time.year - 1, (day - 1 - ((last?.weekday ?? 0) + 6) % 7 + 10) / 7)
    }
    let daysInYear = CivilDate(year: time.year, month: 12, day: 31)?.dayOfYear ?? 365
    // The last week belongs to the year of its Thursday.
    if week == 53, time.dayOfYear - weekday + 3 > daysInYear { return (time.year + 1, 1) }
    return (time.year, week)
  }
}

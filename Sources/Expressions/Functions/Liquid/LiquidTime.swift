internal import CivilTime

/// An instant with the UTC offset in which it was written.
struct LiquidTime {
  // SAFETY: Views of operands are read during the call. Tests: RenderingTests, corpus.

  var instant: Timestamp
  /// Seconds ahead of UTC, if the string contained an offset.
  var offset: Int32?

  /// The time on clocks: in the given zone, otherwise at the written offset, otherwise in UTC.
  func clock(in zone: TimeZoneRules?) -> (time: CivilTime, offset: Int32) {
    let shown = zone.map { $0.offset(atUTC: instant.seconds) } ?? offset ?? 0
    return (CivilTime(instant, offset: shown), shown)
  }

  /// The instant of a value: seconds since 1970, `now`, a timestamp, or one of the formats in which people and programs
  /// write dates. The result is nil for any other value.
  static func read(_ value: UnsafePointer<Cell>, _ state: RenderingContext) -> LiquidTime? {
    let cell = value.pointee
    switch cell.tag {
    case Tag.timestamp: return LiquidTime(instant: cell.timestampValue, offset: nil)
    case Tag.int:
      return Timestamp(seconds: cell.intValue).map { LiquidTime(instant: $0, offset: nil) }
    case Tag.double where state.isJavaScript:
      let (whole, rest) = (cell.doubleValue.rounded(.down), cell.doubleValue)
      guard abs(whole) < 1e12 else { return nil }
      return Timestamp(
        seconds: Int64(whole), nanoseconds: Int32((rest - whole) * 1e9)
      ).map { LiquidTime(instant: $0, offset: nil) }
    case Tag.longText, Tag.shortText...: return read(text: value.textBytes, state)
    default: return nil
    }
  }

  private static func read(text: ByteView, _ state: RenderingContext) -> LiquidTime? {
    let isPlain = !text.contains(where: LiquidConversions.isSpace)
    let text = LiquidConversions.trimmed(text)
    guard !text.isEmpty, text.count <= 100 else { return nil }
    if text.elementsEqual("now".utf8) || text.elementsEqual("today".utf8) {
      return state.now.map { LiquidTime(instant: $0, offset: nil) }
    }
    if isPlain, text.count < 15, text.allSatisfy({ $0 &- 0x30 < 10 }) {
      let seconds = text.reduce(Int64(0)) { $0 * 10 + Int64($1 &- 0x30) }
      return Timestamp(seconds: seconds).map { LiquidTime(instant: $0, offset: nil) }
    }
    var reader = DateTextReader(text, monthComesFirst: state.isJavaScript)
    return reader.read(in: state.zone)
  }
}

/// The context that reading a date depends on.
struct RenderingContext {
  var now: Timestamp?
  var zone: TimeZoneRules?
  var isJavaScript: Bool
}

extension RenderingState {
  var context: RenderingContext {
    RenderingContext(now: now, zone: zone, isJavaScript: style.isJavaScript)
  }
}

/// Parses dates as people write them: `2026-03-13T23:30:00-08:00`, `March 13, 2026 11:30 pm`,
/// `Fri, 13 Mar 2026 23:30:00 GMT`, `3/13/2026`.
private struct DateTextReader {
  // SAFETY: Every index into the caller's view is compared with its count. Tests: RenderingTests,
  // corpus.

  private let text: ByteView
  private let monthComesFirst: Bool
  private var at = 0
  private var year: Int?
  private var month: Int?
  private var day: Int?
  private var time: (hour: Int, minute: Int, second: Int, nanosecond: Int32)?
  private var offset: Int32?
  private var failed = false

  init(_ text: ByteView, monthComesFirst: Bool) {
    self.text = text
    self.monthComesFirst = monthComesFirst
  }

  mutating func read(in zone: TimeZoneRules?) -> LiquidTime? {
    while at < text.count, !failed { part() }
    guard !failed, let year, let month,
      let date = CivilDate(year: year, month: month, day: day ?? 1),
      let clock = CivilTime(
        date: date, hour: time?.hour ?? 0, minute: time?.minute ?? 0, second: time?.second ?? 0)
    else { return nil }
    var seconds = clock.secondsSince1970(offset: offset ?? 0)
    if offset == nil, let zone {
      // The offset depends on the resulting instant. Two rounds are enough.
      let first = zone.offset(atUTC: seconds)
      seconds = clock.secondsSince1970(offset: zone.offset(atUTC: seconds - Int64(first)))
    }
    return Timestamp(seconds: seconds, nanoseconds: time?.nanosecond ?? 0)
      .map { LiquidTime(instant: $0, offset: offset) }
  }

  private func byte(_ i: Int) -> UInt8 { i < text.count ? text[i] : 0 }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  private mutating func part() {
    let first = text[at]
    switch first {
    case _ where first &- 0x30 < 10: number()
    case _ where DateTextReader.isLetter(first): word()
    case UInt8(ascii: "+") where time != nil: zoneOffset()
    case UInt8(ascii: "-") where time != nil: zoneOffset()
    case UInt8(ascii: "-") where year == nil && byte(at + 1) &- 0x30 < 10: failed = true
    case 0x20, 0x09, UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "/"):
      at += 1
    case UInt8(ascii: "("):
      // Skip a comment, in which browsers write the zone's name.
      at = text.count
    default: failed = true
    }
  }

  private mutating func digits() -> (value: Int, count: Int) {
    var value = 0
    let start = at
    while at < text.count, text[at] &- 0x30 < 10, at - start < 12 {
      value = value * 10 + Int(text[at] &- 0x30)
      at += 1
    }
    return (value, at - start)
  }

  private mutating func number() {
    let start = at
    let (value, count) = digits()
    switch byte(at) {
    case UInt8(ascii: ":") where count <= 2 && time == nil: clock(value)
    case UInt8(ascii: "-"), UInt8(ascii: "/"):
      guard year == nil, month == nil || day == nil else {
        failed = true
        return
      }
      if !numericDate(value, count, separator: byte(at)) { single(value, count, start) }
    default: single(value, count, start)
    }
  }

  /// Parses dates such as `2026-03-13`, `2026/3/13` and `3/13/2026`. The result is false if there is only one number.
  private mutating func numericDate(_ first: Int, _ count: Int, separator: UInt8) -> Bool {
    let mark = at
    at += 1
    guard byte(at) &- 0x30 < 10 else {
      at = mark
      return false
    }
    let second = digits()
    if byte(at) == separator, byte(at + 1) &- 0x30 < 10 {
      at += 1
      let third = digits()
      if count >= 3 {
        (year, month, day) = (first, second.value, third.value)
      } else if third.count >= 3, monthComesFirst || separator == UInt8(ascii: "-") {
        year = third.value
        (month, day) = monthComesFirst ? (first, second.value) : (second.value, first)
      } else {
        failed = true
      }
    } else if count >= 3 {
      (year, month) = (first, second.value)
    } else {
      failed = true
    }
    return true
  }

  private mutating func single(_ value: Int, _ count: Int, _ start: Int) {
    if count == 8, start == 0 {
      (year, month, day) = (value / 10_000, value / 100 % 100, value % 100)
    } else if count >= 3 || day != nil {
      guard year == nil else {
        failed = true
        return
      }
      year = count <= 2 ? value + (value < 70 ? 2000 : 1900) : value
    } else {
      day = value
      // Skip the suffix of `13th`.
      let suffix = byte(at) | 0x20
      if [UInt8(ascii: "s"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t")].contains(
        suffix),
        DateTextReader.isLetter(byte(at + 1)),
        byte(at) | 0x20 != UInt8(ascii: "t") || byte(at + 1) | 0x20 == UInt8(ascii: "h")
      {
        at += 2
      }
    }
  }

  private mutating func clock(_ hour: Int) {
    at += 1
    let minute = digits()
    var second = 0
    var nanosecond: Int32 = 0
    guard minute.count == 2 else {
      failed = true
      return
    }
    if byte(at) == UInt8(ascii: ":") {
      at += 1
      let read = digits()
      guard read.count == 2 else {
        failed = true
        return
      }
      second = read.value
      if byte(at) == UInt8(ascii: ".") || byte(at) == UInt8(ascii: ","), byte(at + 1) &- 0x30 < 10 {
        at += 1
        let fraction = digits()
        guard fraction.count <= 9 else {
          failed = true
          return
        }
        var value = fraction.value
        for _ in fraction.count..<9 { value *= 10 }
        nanosecond = Int32(value)
      }
    }
    time = (hour, minute.value, second, nanosecond)
  }

  private mutating func zoneOffset() {
    let isNegative = text[at] == UInt8(ascii: "-")
    at += 1
    let first = digits()
    var seconds: Int
    if byte(at) == UInt8(ascii: ":") {
      at += 1
      seconds = first.value * 3600 + digits().value * 60
    } else if first.count <= 2 {
      seconds = first.value * 3600
    } else {
      seconds = first.value / 100 * 3600 + first.value % 100 * 60
    }
    guard first.count > 0, seconds < 86_400 else {
      failed = true
      return
    }
    offset = Int32(isNegative ? -seconds : seconds)
  }

  private mutating func word() {
    let start = at
    while at < text.count, DateTextReader.isLetter(text[at]) { at += 1 }
    let word = String(decoding: text[start..<at], as: UTF8.self).lowercased()
    switch word {
    case "z", "utc", "gmt": offset = 0
    case "t", "at", "of", "the": break
    case "am", "pm":
      guard let known = time, 1...12 ~= known.hour else {
        failed = true
        return
      }
      time?.hour = known.hour % 12 + (word == "pm" ? 12 : 0)
    case "est": offset = -5 * 3600
    case "edt": offset = -4 * 3600
    case "cst": offset = -6 * 3600
    case "cdt": offset = -5 * 3600
    case "mst": offset = -7 * 3600
    case "mdt": offset = -6 * 3600
    case "pst": offset = -8 * 3600
    case "pdt": offset = -7 * 3600
    default:
      if word.count >= 3,
        let number = DateNames.months.firstIndex(where: {
          $0.lowercased().hasPrefix(word) || word == $0.lowercased().prefix(3)
        })
      {
        guard month == nil else {
          failed = true
          return
        }
        month = number + 1
      } else if word.count < 3
        || !DateNames.days.contains(where: { $0.lowercased().hasPrefix(word) })
      {
        failed = true
      }
    }
  }
}

enum DateNames {
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  static let days = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]
}

/// Why a string is not a timestamp.
package enum TimestampTextError: Error, Hashable, Sendable {
  /// The string does not have the form of a date and a time.
  case malformed

  /// The offset from UTC after the date and the time is missing.
  case missingZone

  /// The time does not exist: 30 February, hour 24, second 60, offset +24:00.
  case noSuchTime

  /// Clocks in the given zone skip the time.
  case skippedTime

  /// The time is before the year 1 or after the year 9999 in UTC.
  case outOfRange
}

extension Timestamp {
  /// Parses RFC 3339, like `timestamp()` of the language: `2026-03-14T09:26:53.5+01:00`.
  ///
  /// Upper-case T and Z, and a zone, are required. A fraction may have any number of digits, but digits after the ninth
  /// are dropped. Parsing allocates no memory.
  package init(rfc3339 text: UnsafeBufferPointer<UInt8>) throws(TimestampTextError) {
    // SAFETY: The check of the count covers the fixed places up to 18. Every later index is
    // compared with the count. Tests: TimestampTextTests.
    // The shortest text without a zone: 2026-03-14T09:26:53.
    guard text.count >= 19 else { throw .malformed }
    var digits = DigitPairs(text)
    let century = digits.pair(at: 0)
    let yearOfCentury = digits.pair(at: 2)
    let month = digits.pair(at: 5)
    let day = digits.pair(at: 8)
    let hour = digits.pair(at: 11)
    let minute = digits.pair(at: 14)
    let second = digits.pair(at: 17)
    guard digits.allWereDigits,
      text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":")
    else { throw .malformed }

    var nanoseconds: Int32 = 0
    var zone = 19
    if text.count > 19, text[19] == UInt8(ascii: ".") {
      zone = try Timestamp.readFraction(text, from: 20, into: &nanoseconds)
    }
    guard zone < text.count else { throw .missingZone }
    var offset = 0
    if text[zone] != UInt8(ascii: "Z") {
      offset = try Timestamp.readOffset(text, at: zone)
    } else if zone + 1 != text.count {
      throw .malformed
    }
    try self.init(
      date: (century &* 100 &+ yearOfCentury, month, day), time: (hour, minute, second),
      nanoseconds: nanoseconds, offset: offset)
  }

  /// Parses RFC 3339, like `timestamp()` of the language.
  package init(rfc3339 text: String) throws(TimestampTextError) {
    self = try readUTF8(text) { bytes throws(TimestampTextError) in
      try Timestamp(rfc3339: bytes)
    }
  }

  /// Checks and combines parsed numbers. `offset` is in seconds.
  init(
    date: (year: Int, month: Int, day: Int), time: (hour: Int, minute: Int, second: Int),
    nanoseconds: Int32, offset: Int
  ) throws(TimestampTextError) {
    guard 1...12 ~= date.month, date.day >= 1,
      date.day <= 28 || date.day <= CivilDate.days(inMonth: date.month, of: date.year),
      time.hour < 24, time.minute < 60, time.second < 60
    else { throw .noSuchTime }
    let days = CivilDate.daysSince1970(year: date.year, month: date.month, day: date.day)
    let secondOfDay = time.hour &* 3600 &+ time.minute &* 60 &+ time.second &- offset
    let seconds = Int64(days) &* secondsInDay &+ Int64(secondOfDay)
    guard Timestamp.containsSecond(seconds) else { throw .outOfRange }
    self.init(known: seconds, nanoseconds)
  }

  /// Parses the digits of a fraction, at least one, and returns the position after them.
  static func readFraction(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, into nanoseconds: inout Int32
  ) throws(TimestampTextError) -> Int {
    // SAFETY: Every index is compared with the count. Tests: TimestampTextTests.
    var end = start
    var value: Int32 = 0
    while end < text.count {
      let digit = text[end] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      if end &- start < 9 { value = value &* 10 &+ Int32(digit) }
      end &+= 1
    }
    guard end > start else { throw .malformed }
    var digits = end &- start
    while digits < 9 {
      value = value &* 10
      digits &+= 1
    }
    nanoseconds = value
    return end
  }

  /// Parses `+hh:mm` or `-hh:mm` up to the end of the string, in seconds.
  private static func readOffset(
    _ text: UnsafeBufferPointer<UInt8>, at start: Int
  ) throws(TimestampTextError) -> Int {
    // SAFETY: `start` is inside the text, and the first check says that exactly five bytes follow
    // it. Tests: TimestampTextTests.
    let sign = text[start]
    guard text.count == start &+ 6, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      text[start &+ 3] == UInt8(ascii: ":")
    else { throw .malformed }
    var digits = DigitPairs(text)
    let hours = digits.pair(at: start &+ 1)
    let minutes = digits.pair(at: start &+ 4)
    guard digits.allWereDigits else { throw .malformed }
    guard hours < 24, minutes < 60 else { throw .noSuchTime }
    let offset = hours &* 3600 &+ minutes &* 60
    return sign == UInt8(ascii: "-") ? -offset : offset
  }
}

extension Timestamp {
  /// The number of bytes of the longest result: 9999-12-31T23:59:59.999999999Z.
  package static let longestText = 30

  /// RFC 3339 in UTC, without trailing zeros in the fraction: `2009-02-13T23:31:20.1Z`.
  package var text: String {
    String(unsafeUninitializedCapacity: Timestamp.longestText) { write(into: $0) }
  }

  /// Writes ``text`` to a buffer of at least ``longestText`` bytes and returns the number of bytes.
  package func write(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    // SAFETY: `DigitWriter` checks that the buffer holds the longest text.
    // Tests: TimestampTextTests.
    var writer = DigitWriter(buffer, capacity: Timestamp.longestText)
    let time = CivilTime(self)
    writer.pair(time.year / 100)
    writer.pair(time.year % 100)
    writer.character("-")
    writer.pair(time.month)
    writer.character("-")
    writer.pair(time.day)
    writer.character("T")
    writer.pair(time.hour)
    writer.character(":")
    writer.pair(time.minute)
    writer.character(":")
    writer.pair(time.second)
    writer.fraction(nanoseconds: UInt32(bitPattern: nanoseconds))
    writer.character("Z")
    return writer.count
  }
}

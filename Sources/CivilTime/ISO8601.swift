extension Timestamp {
  /// Parses ISO 8601 as people and other programs write it, for data files and command lines. `timestamp()` of the
  /// language never uses this parser.
  ///
  /// A date without a time means midnight. A T or a space separates date and time. The seconds, the fraction (after a
  /// point or a comma) and the zone are optional. The zone is Z, `+hh:mm`, `+hhmm` or `+hh`, optionally after a space. T
  /// and Z may be lower-case.
  ///
  /// - Parameter zone: the zone of a time without a zone. With nil, such a time is rejected, as for files, because
  ///   their zone is unknown. A time that clocks in the zone show twice means the earlier instant. A time that clocks
  ///   skip is rejected.
  package init(iso8601 text: UnsafeBufferPointer<UInt8>, in zone: TimeZoneRules?)
    throws(TimestampTextError)
  {
    var reader = ISO8601Reader(text)
    let date = try reader.date()
    var time = (0, 0, 0)
    var nanoseconds: Int32 = 0
    if !reader.isAtEnd {
      guard reader.take("T") || reader.take("t") || reader.take(" ") else { throw .malformed }
      time = try reader.time()
      nanoseconds = try reader.fraction()
    }
    let offset = try reader.offset()
    guard reader.isAtEnd else { throw .malformed }
    if let offset {
      try self.init(date: date, time: time, nanoseconds: nanoseconds, offset: offset)
      return
    }
    let local = try Timestamp(date: date, time: time, nanoseconds: nanoseconds, offset: 0)
    guard let zone else { throw .missingZone }
    guard let seconds = zone.instants(local: local.seconds).first else { throw .skippedTime }
    guard let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds) else {
      throw .outOfRange
    }
    self = time
  }

  /// Parses ISO 8601 as people and other programs write it.
  package init(iso8601 text: String, in zone: TimeZoneRules?) throws(TimestampTextError) {
    self = try readUTF8(text) { bytes throws(TimestampTextError) in
      try Timestamp(iso8601: bytes, in: zone)
    }
  }
}

/// Parses the parts of a date and time from the left.
private struct ISO8601Reader {
  // SAFETY: `text` is the caller's view, and the reader does not outlive the call. Every index is
  // compared with the count. Tests: TimestampTextTests.

  private let text: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var hasSeconds = false

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  var isAtEnd: Bool { position == text.count }

  /// Skips an ASCII character if it comes next.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Parses `yyyy-mm-dd`.
  mutating func date() throws(TimestampTextError) -> (Int, Int, Int) {
    let century = try pair()
    let year = try century * 100 + pair()
    guard take("-") else { throw .malformed }
    let month = try pair()
    guard take("-") else { throw .malformed }
    return (year, month, try pair())
  }

  /// Parses `hh:mm` or `hh:mm:ss`.
  mutating func time() throws(TimestampTextError) -> (Int, Int, Int) {
    let hour = try pair()
    guard take(":") else { throw .malformed }
    let minute = try pair()
    hasSeconds = take(":")
    return (hour, minute, hasSeconds ? try pair() : 0)
  }

  /// Parses the fraction of a second, in nanoseconds, or returns 0 if there is none.
  mutating func fraction() throws(TimestampTextError) -> Int32 {
    guard hasSeconds, take(".") || take(",") else { return 0 }
    var nanoseconds: Int32 = 0
    position = try Timestamp.readFraction(text, from: position, into: &nanoseconds)
    return nanoseconds
  }

  /// Parses the offset from UTC, in seconds, or returns nil if there is none.
  mutating func offset() throws(TimestampTextError) -> Int? {
    if isAtEnd { return nil }
    _ = take(" ")
    if take("Z") || take("z") { return 0 }
    let isNegative = take("-")
    guard isNegative || take("+") else { throw .malformed }
    let hours = try pair()
    let minutes = take(":") || !isAtEnd ? try pair() : 0
    guard hours < 24, minutes < 60 else { throw .noSuchTime }
    let offset = hours * 3600 + minutes * 60
    return isNegative ? -offset : offset
  }

  /// Reads the next two bytes, which must be digits.
  private mutating func pair() throws(TimestampTextError) -> Int {
    guard text.count - position >= 2 else { throw .malformed }
    var digits = DigitPairs(text)
    let number = digits.pair(at: position)
    guard digits.allWereDigits else { throw .malformed }
    position += 2
    return number
  }
}

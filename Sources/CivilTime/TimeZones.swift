/// The time zones of the tz database. The zones are compiled in and not read from the machine, so that rules have the
/// same results everywhere.
package enum TimeZones {
  /// The release of the tz database, such as `2025b`.
  package static var version: String { "\(TimeZoneTable.release)" }

  /// Every name of the tz database, sorted by its bytes.
  package static var names: [String] {
    TimeZoneIndex.shared.names
  }

  /// Whether the whole table could be read, for a test.
  package static var isComplete: Bool {
    TimeZoneIndex.shared.isComplete
  }

  /// The zone with a name of the tz database (`Europe/Berlin`, `US/Central`, `UTC`, with the right letter case) or with
  /// a fixed offset: `+05:30`, `-02:30`, and without a sign `02:00`. The result is nil for any other string, including
  /// abbreviations such as `Z` and `CEST`.
  package static func zone(named name: UnsafeBufferPointer<UInt8>) -> TimeZoneRules? {
    if let offset = fixedOffset(name) { return TimeZoneRules(fixedOffset: offset) }
    let index = TimeZoneIndex.shared
    guard let record = index.record(named: name) else { return nil }
    if let offset = index.constantOffset(ofRecord: record) {
      return TimeZoneRules(fixedOffset: offset)
    }
    return TimeZoneRules(record: record)
  }

  /// The zone with a name of the tz database or with a fixed offset.
  package static func zone(named name: String) -> TimeZoneRules? {
    var name = name
    return name.withUTF8 { zone(named: $0) }
  }

  /// The zone for the time functions of CEL. In addition to the names of ``zone(named:)``, the empty string means UTC,
  /// and offsets may have one digit for the hours (`5:30`, `+5:30`), as CEL's reference implementation does.
  package static func zone(inExpressions name: UnsafeBufferPointer<UInt8>) -> TimeZoneRules? {
    // SAFETY: `name` is the caller's view. Its first byte is read only if it is not empty, and
    // later bytes after a check of the count. Tests: TimeZoneTests.
    if name.isEmpty { return .utc }
    let start = name[0] == UInt8(ascii: "+") || name[0] == UInt8(ascii: "-") ? 1 : 0
    guard name.count == start + 4, name[start + 1] == UInt8(ascii: ":") else {
      return zone(named: name)
    }
    var padded = Array(name)
    padded.insert(UInt8(ascii: "0"), at: start)
    return padded.withUnsafeBufferPointer { zone(named: $0) }
  }

  /// The seconds of an offset with two digits each for hours and minutes, less than a day.
  private static func fixedOffset(_ text: UnsafeBufferPointer<UInt8>) -> Int32? {
    // SAFETY: The count is five or six, which covers every place that is read.
    // Tests: TimeZoneTests.
    let hasSign = text.count == 6
    guard hasSign || text.count == 5 else { return nil }
    let start = hasSign ? 1 : 0
    var digits = DigitPairs(text)
    let hours = digits.pair(at: start)
    let minutes = digits.pair(at: start + 3)
    guard digits.allWereDigits, text[start + 2] == UInt8(ascii: ":"), hours < 24, minutes < 60
    else { return nil }
    let offset = Int32(hours * 3600 + minutes * 60)
    switch text[0] {
    case UInt8(ascii: "-") where hasSign: return -offset
    case UInt8(ascii: "+") where hasSign: return offset
    default: return hasSign ? nil : offset
    }
  }
}

/// The offset of clocks in a zone, for every instant. A value has a few trivial bytes, because all zones share one
/// table of transitions.
package struct TimeZoneRules: Hashable, Sendable {
  private enum Source: Hashable {
    case fixed(Int32)
    case record(Int)
  }

  private let source: Source

  /// Coordinated Universal Time.
  package static let utc = TimeZoneRules(source: .fixed(0))

  /// A zone whose clocks are always the same number of seconds ahead of UTC. Fails for a day or more.
  package init?(fixedOffset seconds: Int32) {
    guard -86_399...86_399 ~= seconds else { return nil }
    self.init(source: .fixed(seconds))
  }

  /// The zone of a record of the index.
  fileprivate init(record: Int) {
    self.init(source: .record(record))
  }

  private init(source: Source) {
    self.source = source
  }

  /// The seconds that clocks are ahead of UTC at an instant in seconds since 1970.
  ///
  /// Before 1970, the result is the offset at the beginning of 1970. After the last known transition, the zone's last
  /// rule applies.
  package func offset(atUTC seconds: Int64) -> Int32 {
    switch source {
    case .fixed(let offset): offset
    case .record(let record): TimeZoneIndex.shared.offset(inRecord: record, atUTC: seconds)
    }
  }

  /// The instant at which clocks in the zone show a date and time, which is given as if it were UTC.
  ///
  /// If clocks show the time twice, the result is the earlier instant. If clocks skip the time, it counts from the last
  /// time before the change: 02:30 means 03:30.
  package func secondsSince1970(local seconds: Int64) -> Int64 {
    // Clocks do not change on consecutive days.
    let before = Int64(offset(atUTC: seconds - 86_400))
    let after = Int64(offset(atUTC: seconds + 86_400))
    for offset in [before, after] where Int64(self.offset(atUTC: seconds - offset)) == offset {
      return seconds - offset
    }
    return seconds - before
  }

  /// All instants at which clocks in the zone show a date and time, which is given as if it were UTC: two if clocks are
  /// set back, and none if clocks skip the time.
  package func instants(local seconds: Int64) -> [Int64] {
    let offsets = Set([-86_400, 86_400].map { Int64(offset(atUTC: seconds + $0)) })
    return offsets.filter { Int64(offset(atUTC: seconds - $0)) == $0 }.map { seconds - $0 }.sorted()
  }
}

package import CivilTime
internal import Expressions

/// Times as files and command lines have them.
package enum WireTime {
  /// Why a text is not a time.
  package enum Fault: Error, Hashable, Sendable {
    /// It is not written as ISO 8601.
    case malformed
    /// It is a date, or a date and a time, and nobody says where.
    case missingZone
    /// The calendar or the clock does not have it: 30 February, hour 24, a leap second.
    case noSuchTime
    /// Clocks in its time zone are set forward over it.
    case skippedTime
    /// It is not in the years 1 to 9999.
    case outOfRange
    /// There is no time zone of the name that was given with it.
    case unknownZone

    /// What is wrong with a text, and what to write.
    package func message(_ text: String) -> String {
      switch self {
      case .malformed:
        "'\(text)' is not an ISO 8601 time; write "
          + (WireTime.secondsSince1970(text) ?? "2026-03-01T12:00:00Z")
      case .missingZone: "'\(text)' has no time zone; add Z, or an offset such as +01:00"
      case .skippedTime:
        "clocks in the time zone skip '\(text)', as they are set forward; write another time, or add "
          + "an offset such as +01:00"
      case .noSuchTime: "there is no time '\(text)'" + (WireTime.excess(in: text) ?? "")
      case .outOfRange: "'\(text)' is not in the years 1 to 9999"
      case .unknownZone: WireTime.zoneProblem(text) ?? "there is no time zone '\(text)'"
      }
    }
  }

  /// Which of a time's numbers cannot be; nil where each can by itself.
  private static func excess(in text: String) -> String? {
    // Without an offset, which may stand behind minutes or seconds.
    let time = text.utf8.dropFirst(16).first == 0x3A ? text.prefix(19) : text.prefix(16)
    let numbers = time.split { !$0.isASCII || !$0.isNumber }.map { Int($0) ?? 0 }
    let ranges = [
      ("months", 1...12), ("days", 1...31), ("hours", 0...23), ("minutes", 0...59),
      ("seconds", 0...59),
    ]
    for (number, (name, range)) in zip(numbers.dropFirst(), ranges) where !range.contains(number) {
      return ": \(name) are from 0\(range.lowerBound) to \(range.upperBound)"
    }
    guard numbers.count > 2, numbers[2] > CivilDate.days(inMonth: numbers[1], of: numbers[0]) else {
      return nil
    }
    return ": the month has no day \(numbers[2])"
  }

  /// The instant of an ISO 8601 text with a zone, as files have it. Fractions below a millisecond are
  /// cut off.
  package static func instant(_ text: String) throws(Fault) -> Instant {
    try instant { () throws(TimestampTextError) in try Timestamp(iso8601: text, in: nil) }
  }

  /// The instant of an ISO 8601 text whose bytes lie somewhere else.
  package static func instant(_ text: UnsafeBufferPointer<UInt8>) throws(Fault) -> Instant {
    // SAFETY: The view is passed on for the length of the call. Tests: UserRecordTests.
    try instant { () throws(TimestampTextError) in try Timestamp(iso8601: text, in: nil) }
  }

  /// The instant of an ISO 8601 text as people write it on a command line: without a zone it is what
  /// clocks in `timeZone` show, without a time it is midnight there.
  ///
  /// - Parameter timeZone: a name of the IANA database, or an offset such as `+01:00`.
  package static func instant(_ text: String, in timeZone: String) throws(Fault) -> Instant {
    guard let zone = TimeZones.zone(named: timeZone) else { throw .unknownZone }
    return try instant { () throws(TimestampTextError) in try Timestamp(iso8601: text, in: zone) }
  }

  /// The second time at which clocks in a zone show what a text says, where they are set back; nil
  /// where there is one time only, or where the text has a zone of its own.
  package static func secondInstant(_ text: String, in timeZone: String) -> Instant? {
    guard let zone = TimeZones.zone(named: timeZone), (try? instant(text)) == nil,
      let local = try? instant(text, in: "+00:00")
    else { return nil }
    let instants = zone.instants(local: local.seconds)
    return instants.count > 1 ? local + (instants[1] - local.seconds) * 1_000 : nil
  }

  /// The time that a number of seconds or milliseconds since 1970 means, where it means one of our
  /// days.
  package static func secondsSince1970(_ text: String) -> String? {
    // Programs write parts of seconds, too.
    guard let number = Int64(text.prefix { $0 != "." }),
      text.allSatisfy({ $0.isNumber || $0 == "." })
    else { return nil }
    switch number {
    case 500_000_000..<5_000_000_000: return Instant(milliseconds: number * 1_000).text
    case 500_000_000_000..<5_000_000_000_000: return Instant(milliseconds: number).text
    default: return nil
    }
  }

  private static func instant(
    _ read: () throws(TimestampTextError) -> Timestamp
  ) throws(Fault) -> Instant {
    do throws(TimestampTextError) {
      return Instant(try read())
    } catch {
      switch error {
      case .malformed: throw .malformed
      case .missingZone: throw .missingZone
      case .noSuchTime: throw .noSuchTime
      case .skippedTime: throw .skippedTime
      case .outOfRange: throw .outOfRange
      }
    }
  }
}

extension Instant {
  /// The text as a value, or the milliseconds since 1970 outside the years 1 to 9999.
  var value: Value { text.map { .string($0) } ?? .int(milliseconds) }
}

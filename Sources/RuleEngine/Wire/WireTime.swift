package import CivilTime
internal import Expressions

/// Times in files and on command lines.
package enum WireTime {
  /// Why a string is not a time.
  package enum Fault: Error, Hashable, Sendable {
    /// The string is not in the form of ISO 8601.
    case malformed
    /// The string is a date, or a date and a time, without a time zone.
    case missingZone
    /// The time does not exist: 30 February, hour 24, a leap second.
    case noSuchTime
    /// Clocks in the time zone skip this time, because they are set forward.
    case skippedTime
    /// The time is not in the years 1 to 9999.
    case outOfRange
    /// The time zone that was passed with the string does not exist.
    case unknownZone

    /// Describes the problem with a string, and how to fix it.
    package func message(_ text: String) -> String {
      switch self {
      case .malformed:
        "'\(text)' is not an ISO 8601 time; write "
          + (WireTime.secondsSince1970(text) ?? "2026-03-01T12:00:00Z")
      case .missingZone: "'\(text)' has no time zone; add Z, or an offset such as +01:00"
      case .skippedTime:
        "'\(text)' does not exist in the time zone, because clocks are set forward; write another time, or add "
          + "an offset such as +01:00"
      case .noSuchTime: "the time '\(text)' does not exist" + (WireTime.excess(in: text) ?? "")
      case .outOfRange: "'\(text)' is not in the years 1 to 9999"
      case .unknownZone: WireTime.zoneProblem(text) ?? "the time zone '\(text)' does not exist"
      }
    }
  }

  /// The part of a time that is out of range. Nil if each part is valid alone.
  private static func excess(in text: String) -> String? {
    // The time without its offset, which may follow minutes or seconds.
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

  /// The instant of an ISO 8601 string with a zone, as in files. Fractions below a millisecond are
  /// dropped.
  package static func instant(_ text: String) throws(Fault) -> Instant {
    try instant { () throws(TimestampTextError) in try Timestamp(iso8601: text, in: nil) }
  }

  /// The instant of an ISO 8601 string whose bytes are stored elsewhere.
  package static func instant(_ text: UnsafeBufferPointer<UInt8>) throws(Fault) -> Instant {
    // SAFETY: The view is passed on for the length of the call. Tests: UserRecordTests.
    try instant { () throws(TimestampTextError) in try Timestamp(iso8601: text, in: nil) }
  }

  /// The instant of an ISO 8601 string from a command line. A string without a zone is a local time in `timeZone`. A
  /// date without a time means midnight in `timeZone`.
  ///
  /// - Parameter timeZone: a name of the IANA database, or an offset such as `+01:00`.
  package static func instant(_ text: String, in timeZone: String) throws(Fault) -> Instant {
    guard let zone = TimeZones.zone(named: timeZone) else { throw .unknownZone }
    return try instant { () throws(TimestampTextError) in try Timestamp(iso8601: text, in: zone) }
  }

  /// The second instant at which clocks in a zone show the time in a string, because clocks are set back. Nil if the
  /// instant is unique, or if the string contains a zone.
  package static func secondInstant(_ text: String, in timeZone: String) -> Instant? {
    guard let zone = TimeZones.zone(named: timeZone), (try? instant(text)) == nil,
      let local = try? instant(text, in: "+00:00")
    else { return nil }
    let instants = zone.instants(local: local.seconds)
    return instants.count > 1 ? local + (instants[1] - local.seconds) * 1_000 : nil
  }

  /// The time that a number of seconds or milliseconds since 1970 means, if its date is plausible.
  package static func secondsSince1970(_ text: String) -> String? {
    // The number may have a fraction.
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
  /// The time as a string, or the milliseconds since 1970 outside the years 1 to 9999.
  var value: Value { text.map { .string($0) } ?? .int(milliseconds) }
}

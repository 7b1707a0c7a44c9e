public import Expressions

/// Stores data that must outlive the process: records by key, and logs of event times.
///
/// Keys and names are ASCII. Bytes other than letters, digits and `_-.$/:` are written as `%` and two hexadecimal
/// digits. Changes are written one batch at a time, while reads may run in parallel. The SDK reads when it starts, and
/// again when a config's rules need more logs. A call that makes a change returns after ``write(_:)``, or after one
/// second.
///
/// If a function fails repeatedly, only the first error is logged. Changes that could not be written are written again
/// with the next changes.
public protocol StateStorage: Sendable {
  /// The records whose keys begin with `prefix`, by key.
  func records(_ prefix: String) async throws -> [String: Value]
  /// The contents of the logs with these names; nil means all logs. Empty logs are omitted.
  func logs(_ names: [String]?) async throws -> [String: StorageLog]
  /// Makes all of the changes, in order, or no change. When this method returns, the changes survive the end of the
  /// process.
  func write(_ changes: [StorageChange]) async throws
  /// Descriptions of the unreadable data that was set aside since the last call.
  func takeFaults() async -> [String]
}

extension StateStorage {
  public func takeFaults() async -> [String] { [] }
}

/// A change of the contents of a ``StateStorage``.
public enum StorageChange: Hashable, Sendable {
  /// Sets the record with this key.
  case set(String, Value)
  /// Removes the record with this key, if it exists.
  case remove(String)
  /// Adds a time to the log with this name.
  case append(to: String, Instant)
  /// Clears all logs, except those with these names.
  case clearLogs(except: Set<String>)
}

/// The times of an event.
public struct StorageLog: Hashable, Sendable {
  /// The maximum number of stored times. The oldest times are dropped first.
  public static let limit = 10_000

  /// The stored times, in order of arrival.
  public private(set) var times: [Instant]
  /// The number of earlier times that are no longer stored.
  public private(set) var earlier: Int

  public init(times: [Instant] = [], earlier: Int = 0) {
    (self.times, self.earlier) = (times, max(0, earlier))
    trim(to: Self.limit)
  }

  public mutating func append(_ time: Instant) {
    times.append(time)
    // Removing entries one at a time would move all other entries each time.
    if times.count >= Self.limit + Self.limit / 8 { trim(to: Self.limit) }
  }

  mutating func append(_ log: StorageLog) {
    times += log.times
    earlier += log.earlier
    trim(to: Self.limit)
  }

  private mutating func trim(to limit: Int) {
    guard times.count > limit else { return }
    earlier += times.count - limit
    times.removeFirst(times.count - limit)
  }
}

/// One event of the SDK's history.
package enum EventLogEntry: Hashable, Sendable {
  /// A placement or an event of the SDK.
  case event(name: String, at: Instant)
  /// A rule with an occurrence limit applied.
  case occurrence(key: String, at: Instant)

  /// The change that adds the entry to its log.
  package var change: StorageChange {
    switch self {
    case .event(let name, let time): .append(to: StorageKey.event(name), time)
    case .occurrence(let key, let time): .append(to: StorageKey.occurrence(key), time)
    }
  }
}

/// The keys of records and the names of logs.
package enum StorageKey {
  package static let state = "state/"
  package static let config = "config"
  package static let unsent = "unsent/"
  /// The prefix of damaged records that were set aside.
  package static let damaged = "damaged/"
  package static let event = "event:"
  package static let occurrence = "occurrence:"

  package static func event(_ name: String) -> String { event + escape(name) }

  package static func occurrence(_ key: String) -> String { occurrence + escape(key) }

  /// The key of an event that is not uploaded yet. Keys sort by the events' numbers.
  package static func unsent(_ number: Int) -> String {
    let digits = String(number)
    return unsent + String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }

  /// Escapes a name to ASCII. Names are compared by their bytes, but dictionary keys are not. For ASCII strings, both
  /// comparisons give the same result.
  package static func escape(_ name: String) -> String {
    if name.utf8.allSatisfy(isPlain) { return name }
    let digits = Array("0123456789ABCDEF".utf8)
    var escaped: [UInt8] = []
    for byte in name.utf8 {
      if isPlain(byte) {
        escaped.append(byte)
      } else {
        escaped += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x24, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }

  package static func unescape(_ key: some StringProtocol) -> String {
    guard key.utf8.contains(0x25) else { return String(key) }
    let bytes = Array(key.utf8)
    var name: [UInt8] = []
    var place = 0
    while place < bytes.count {
      if bytes[place] == 0x25, place + 2 < bytes.count,
        let byte = UInt8(String(decoding: bytes[place + 1...place + 2], as: UTF8.self), radix: 16)
      {
        name.append(byte)
        place += 3
      } else {
        name.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: name, as: UTF8.self)
  }
}

public import Expressions

/// Keeps what has to survive the end of the process: records by key, and logs, which tell when
/// something happened.
///
/// Keys and names are ASCII: what is not a letter, a digit or one of `_-.$/:` is written as `%` and two
/// digits for each byte. Changes are written one batch at a time; what is read may be read meanwhile. The
/// SDK asks once when it starts, and again for what the rules of a config ask; it passes on what changes, and
/// a call that changed something returns when ``write(_:)`` has, or has not for a second.
///
/// What a function throws is written to the log, once until one succeeds. Changes that could not be
/// written come again with the next ones.
public protocol StateStorage: Sendable {
  /// The records whose keys begin with `prefix`, by key.
  func records(_ prefix: String) async throws -> [String: Value]
  /// What the logs with these names hold, nil being all names. Those that hold nothing are left out.
  func logs(_ names: [String]?) async throws -> [String: StorageLog]
  /// Makes all of the changes, in order, or none. What they are survives the process when this returns.
  func write(_ changes: [StorageChange]) async throws
  /// What could not be read and was put aside since this was asked last, each for a person.
  func takeFaults() async -> [String]
}

extension StateStorage {
  public func takeFaults() async -> [String] { [] }
}

/// A change of what a ``StateStorage`` keeps.
public enum StorageChange: Hashable, Sendable {
  /// The record with this key is this one from now on.
  case set(String, Value)
  /// There is no record with this key, or none any more.
  case remove(String)
  /// Something happened that the log with this name tells of.
  case append(to: String, Instant)
  /// Everything that logs tell is forgotten, but for those with these names.
  case clearLogs(except: Set<String>)
}

/// When something happened.
public struct StorageLog: Hashable, Sendable {
  /// How many times are kept; the oldest go first.
  public static let limit = 10_000

  /// In the order in which they came.
  public private(set) var times: [Instant]
  /// How many there were before those.
  public private(set) var earlier: Int

  public init(times: [Instant] = [], earlier: Int = 0) {
    (self.times, self.earlier) = (times, max(0, earlier))
    trim(to: Self.limit)
  }

  public mutating func append(_ time: Instant) {
    times.append(time)
    // Not one at a time, which would move all of them for every one.
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

/// One thing that happened, as the SDK's history has it.
package enum EventLogEntry: Hashable, Sendable {
  /// A placement or an event of the SDK.
  case event(name: String, at: Instant)
  /// A rule with an occurrence limit applied.
  case occurrence(key: String, at: Instant)

  /// Adds it to the log that tells of such things.
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
  /// Records that were read and are not what they should be.
  package static let damaged = "damaged/"
  package static let event = "event:"
  package static let occurrence = "occurrence:"

  package static func event(_ name: String) -> String { event + escape(name) }

  package static func occurrence(_ key: String) -> String { occurrence + escape(key) }

  /// In order of the numbers.
  package static func unsent(_ number: Int) -> String {
    let digits = String(number)
    return unsent + String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }

  /// Names differ by their bytes, and keys of dictionaries do not: as ASCII they do.
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

package import CivilTime
package import Expressions
internal import RuleEngine

/// Recorded placements, grouped by user: 16 bytes per placement, and 8 per user.
///
/// The placements of a user are a linked list. Placements are stored in blocks, in order of
/// arrival, so that adding a placement copies nothing, and sorting is never needed.
package struct RecordedTraffic: Sendable {
  private struct Event: Sendable {
    /// Milliseconds since the first placement, shifted above the number of the placement.
    var bits: UInt64
    /// The number of the user's next placement plus one, or 0.
    var next: UInt32
    /// The number of the parameters plus one, or 0.
    var params: UInt32
  }

  private static let placementBits: UInt64 = 15
  private static let blockSize = 1 << 16

  private var blocks: [[Event]] = []
  private var count = 0
  /// For each user, the index of the first and the last placement plus one, or 0.
  private var ends: [(first: UInt32, last: UInt32)]
  private var start: Instant?
  private var latest: Instant?
  /// The distinct parameters.
  private var params: [[UInt8]] = []
  private var numberOfParams: [[UInt8]: UInt32] = [:]

  package init(users: Int) { ends = Array(repeating: (0, 0), count: users) }

  /// The number of placements.
  package var placements: Int { count }

  /// The maximum number of different placements of a config.
  package static let placementLimit = 1 << Int(placementBits)

  /// The time of the latest placement.
  package var lastTime: Instant? { latest }

  /// The memory that the recording takes, in bytes.
  package var memory: Int {
    blocks.count * RecordedTraffic.blockSize * MemoryLayout<Event>.stride + 8 * ends.count
      + params.reduce(0) { $0 + $1.count + 80 }
  }

  /// Adds a placement that is not earlier than the placements before it.
  ///
  /// - Returns: false if the recording is full.
  package mutating func add(_ place: Int, of user: Int, at time: Instant, params json: ByteView?)
    -> Bool
  {
    guard count < Int(UInt32.max) - 1 else { return false }
    if start == nil { start = time }
    latest = time
    let span = UInt64(max(0, time - (start ?? time)))
    if count % RecordedTraffic.blockSize == 0 {
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(RecordedTraffic.blockSize)
    }
    blocks[blocks.count - 1].append(
      Event(
        bits: span << RecordedTraffic.placementBits | UInt64(place), next: 0,
        params: json.map { number(ofParams: $0) } ?? 0))
    count += 1
    let last = Int(ends[user].last)
    if last == 0 {
      ends[user].first = UInt32(count)
    } else {
      let (block, at) = (last - 1).quotientAndRemainder(dividingBy: RecordedTraffic.blockSize)
      blocks[block][at].next = UInt32(count)
    }
    ends[user].last = UInt32(count)
    return true
  }

  private mutating func number(ofParams json: ByteView) -> UInt32 {
    // SAFETY: The view is copied into an array first. Tests: TrafficPartsTests.
    let bytes = Array(json)
    if let known = numberOfParams[bytes] { return known }
    params.append(bytes)
    numberOfParams[bytes] = UInt32(params.count)
    return UInt32(params.count)
  }

  /// A placement that a user triggers.
  struct Asked {
    var place: Int
    var time: Instant
    var params: [UInt8]?
    fileprivate var next: UInt32
  }

  /// The first placement of a user.
  func first(ofUser user: Int) -> Asked? { asked(ends[user].first) }

  /// The next placement of the same user.
  func event(after event: Asked) -> Asked? { asked(event.next) }

  private func asked(_ number: UInt32) -> Asked? {
    guard number != 0 else { return nil }
    let (block, at) = Int(number - 1).quotientAndRemainder(
      dividingBy: RecordedTraffic.blockSize)
    let event = blocks[block][at]
    return Asked(
      place: Int(event.bits & (1 << RecordedTraffic.placementBits - 1)),
      time: (start ?? 0) + Int64(event.bits >> RecordedTraffic.placementBits),
      params: event.params == 0 ? nil : params[Int(event.params) - 1], next: event.next)
  }
}

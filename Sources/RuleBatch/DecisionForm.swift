internal import Expressions
internal import RuleEngine

/// How decisions are kept for later runs: an entry for each user, in the order of the users.
///
/// An entry is the ``RecordHash``, and in 32 bits the count of bytes that follow: a byte that says whether
/// the record tells of the past; the identity, as a count of bytes in 32 bits and the bytes; for each
/// placement the number of its choice, in as many bytes as ``width`` says; and then remarks, each of which
/// begins with a byte that says what it is. All that few users have is a remark. Numbers are
/// little-endian, and have their meaning from one rule set alone: ``fingerprint`` says which.
package struct DecisionForm: Sendable {
  /// A placement's choices and rules.
  struct Span: Sendable {
    /// The choice when no audience takes the user, which has the number 0 here.
    var unmatched: Int32
    /// The choice that has the number 1 here.
    var first: Int32
    var count: Int
    var rules: Range<Int>
  }

  /// What a remark is about.
  enum Remark: UInt8 {
    /// Of a placement: a rule that is held back, with what counts for its limit; one that passes the user
    /// over; one that failed; and that the variant was stored.
    case heldBack = 1
    case owned, failed, stored
    /// Of the record: a key that nobody knows, a status that there is not, a key that appears twice.
    case unknownKey, unknownStatus, repeatedKey
  }

  let spans: [Span]
  /// Bytes of the number of a choice.
  let width: Int
  /// Differs where an entry would mean something else.
  package let fingerprint: UInt64

  init(_ plan: BatchPlan) {
    let table = plan.table
    spans = plan.placements.indices.map { number in
      let rules = table.ruleRanges[number] ?? 0..<0
      guard let first = rules.first, let last = rules.last else {
        return Span(unmatched: table.unmatched[number], first: 0, count: 1, rules: 0..<0)
      }
      let from = table.rules[first].variants.lowerBound
      return Span(
        unmatched: table.unmatched[number], first: from,
        count: Int(table.rules[last].withoutVariants - from) + 2, rules: rules)
    }
    let most = spans.map(\.count).max() ?? 1
    width = most <= 1 << 8 ? 1 : most <= 1 << 16 ? 2 : 4
    var meaning = plan.ruleSet.program.layout + plan.placementNames
    meaning += spans.map { "\($0.unmatched) \($0.first) \($0.count) \($0.rules)" }
    var stream = XXH64.Stream()
    for text in meaning {
      withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { stream.add($0) }
      Array(text.utf8).withUnsafeBytes { stream.add($0) }
    }
    fingerprint = stream.finish()
  }

  /// The number of a choice in an entry.
  func number(of choice: Int32, placement: Int) -> Int {
    let span = spans[placement]
    return choice == span.unmatched ? 0 : Int(choice - span.first) + 1
  }

  /// The choice of a number; nil when there is none.
  func choice(_ number: Int, placement: Int) -> Int32? {
    let span = spans[placement]
    guard number < span.count else { return nil }
    return number == 0 ? span.unmatched : span.first + Int32(number - 1)
  }
}

/// Reads an entry, or what is left of it. Whatever is not there is nil.
struct EntryCursor {
  private let bytes: UnsafeRawBufferPointer
  private(set) var at: Int
  let end: Int

  init(_ bytes: UnsafeRawBufferPointer, from: Int, to end: Int) {
    (self.bytes, at, self.end) = (bytes, from, end)
  }

  var isAtEnd: Bool { at >= end }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard size <= end - at else { return nil }
    defer { at += size }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: type))
  }

  /// A number of so many bytes.
  mutating func number(width: Int) -> Int? {
    switch width {
    case 1: number(UInt8.self).map { Int($0) }
    case 2: number(UInt16.self).map { Int($0) }
    default: number(UInt32.self).map { Int($0) }
    }
  }

  /// A count in 32 bits, and so many bytes.
  mutating func text() -> ByteView? {
    guard let count = number(UInt32.self), Int(count) <= end - at, let base = bytes.baseAddress
    else { return nil }
    defer { at += Int(count) }
    return ByteView(
      start: (base + at).assumingMemoryBound(to: UInt8.self), count: Int(count))
  }
}

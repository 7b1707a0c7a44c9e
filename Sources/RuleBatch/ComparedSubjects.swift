internal import Expressions
internal import RuleEngine

/// A subject of a chunk with a hash of its content, for finding subjects that appear twice with
/// different content.
package struct SubjectRecord: Sendable {
  /// The hashes of the identity and of the record's bytes.
  var subject: UInt64
  var record: UInt64
  /// The line of the chunk, from 0.
  package var line: Int
  package var id: String
}

/// Collects the subjects of a chunk that should be compared.
struct SubjectCollector {
  /// The limit for hashes. Only subjects with hashes below it are collected.
  var limit: UInt64 = 0
  private var found: [SubjectRecord] = []

  @inline(__always)
  mutating func add(_ subject: ByteView, _ record: ByteView, _ line: Int) {
    if limit > 0 { compare(subject, record, line) }
  }

  private mutating func compare(_ subject: ByteView, _ record: ByteView, _ line: Int) {
    // SAFETY: The views are hashed during the call, and the identity is copied.
    // Tests: ComparedSubjectsTests.
    let hash = XXH64.hash(UnsafeRawBufferPointer(subject))
    guard hash < limit else { return }
    // A line may end in either kind of line break.
    let isReturn = record.last == UInt8(ascii: "\r")
    let bytes = ByteView(rebasing: record[..<(record.count - (isReturn ? 1 : 0))])
    found.append(
      SubjectRecord(
        subject: hash, record: XXH64.hash(UnsafeRawBufferPointer(bytes)), line: line,
        id: String(decoding: subject, as: UTF8.self)))
  }

  mutating func take() -> [SubjectRecord] {
    defer { found = [] }
    return found
  }
}

/// Finds subjects that appear twice with different content. The memory does not grow with the
/// number of subjects.
///
/// Up to ``capacity`` subjects are all compared. If there are more, a sample is compared, however
/// far apart the records are: the subjects whose hashes are below a limit. The limit is halved
/// whenever there are too many subjects.
package struct ComparedSubjects {
  package static let capacity = 1 << 16

  /// A subject that appeared before with different content.
  package struct Contradiction: Hashable, Sendable {
    /// The position of the first record: file and line, as passed in.
    package var file: Int
    package var line: Int
  }

  /// The limit for hashes. Only subjects with hashes below it are compared.
  package private(set) var limit = UInt64.max
  private var known = KnownSubjects()
  private let capacity: Int

  package init(capacity: Int = ComparedSubjects.capacity) { self.capacity = capacity }

  /// Whether some subjects are not compared.
  package var isPartial: Bool { limit != .max }

  /// Adds a record, in the order of the input.
  ///
  /// - Returns: the first record of this subject, if its content differs.
  package mutating func add(_ user: SubjectRecord, file: Int, line: Int) -> Contradiction? {
    // The subject may have been collected before the limit was lowered.
    guard user.subject < limit else { return nil }
    let first = known.first(
      user.subject,
      or: .init(record: user.record, file: Int32(truncatingIfNeeded: file), line: line))
    if let first {
      return first.record == user.record
        ? nil : Contradiction(file: Int(first.file), line: first.line)
    }
    while known.count > capacity {
      limit /= 2
      known.keep(below: limit)
    }
    return nil
  }
}

/// The first records of subjects, by the hash of their identity. A dictionary would hash the hashes again, which would
/// take longer than everything else.
private struct KnownSubjects {
  struct Record {
    var record: UInt64 = 0
    var file: Int32 = 0
    var line = 0
  }

  private(set) var count = 0
  /// An open-addressing table of hashes. Zero marks an empty slot.
  private var hashes = [UInt64](repeating: 0, count: 1 << 10)
  /// The record in each slot.
  private var records = [Record](repeating: Record(), count: 1 << 10)

  /// The first record of a subject; nil if there was none, and this record is now the first.
  mutating func first(_ subject: UInt64, or record: Record) -> Record? {
    if count * 4 >= hashes.count * 3 { fill(hashes.count * 2, below: .max) }
    let hash = max(subject, 1)
    let place = place(of: hash)
    if hashes[place] == hash { return records[place] }
    hashes[place] = hash
    records[place] = record
    count += 1
    return nil
  }

  mutating func keep(below limit: UInt64) { fill(hashes.count, below: limit) }

  /// The slot of a hash, or the empty slot for it.
  private func place(of hash: UInt64) -> Int {
    let mask = hashes.count - 1
    var place = Int(truncatingIfNeeded: hash) & mask
    while hashes[place] != 0, hashes[place] != hash { place = (place + 1) & mask }
    return place
  }

  private mutating func fill(_ size: Int, below limit: UInt64) {
    let (oldHashes, oldRecords) = (hashes, records)
    hashes = Array(repeating: 0, count: size)
    records = Array(repeating: Record(), count: size)
    count = 0
    for (hash, record) in zip(oldHashes, oldRecords) where hash != 0 && hash < limit {
      let place = place(of: hash)
      hashes[place] = hash
      records[place] = record
      count += 1
    }
  }
}

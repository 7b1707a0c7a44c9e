internal import Expressions
internal import RuleEngine

/// A subject of a chunk with its content, to find subjects that appear twice with different
/// content.
package struct SubjectRecord: Sendable {
  /// Hashes of the identity, and of the record's bytes.
  var subject: UInt64
  var record: UInt64
  /// Line of the chunk, from 0.
  package var line: Int
  package var id: String
}

/// Collects the subjects of a chunk that should be compared.
struct SubjectCollector {
  /// Subjects with hashes below it are collected.
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

/// Finds subjects that appear twice with different content, in memory that does not grow with their
/// number.
///
/// Up to ``capacity`` subjects are all compared. Beyond that a sample is compared, however far
/// apart the records are: the subjects whose hashes are below a limit, which is halved whenever
/// there are too many.
package struct ComparedSubjects {
  package static let capacity = 1 << 16

  /// A subject that appeared before with different content.
  package struct Contradiction: Hashable, Sendable {
    /// The place of the first record: file and line, as passed in.
    package var file: Int
    package var line: Int
  }

  private struct Known {
    var record: UInt64
    var file: Int32
    var line: Int
  }

  /// Subjects with hashes below it are compared.
  package private(set) var limit = UInt64.max
  private var known: [UInt64: Known] = [:]
  private let capacity: Int

  package init(capacity: Int = ComparedSubjects.capacity) { self.capacity = capacity }

  /// Whether some subjects are not compared.
  package var isPartial: Bool { limit != .max }

  /// Adds a record, in the order of the input.
  ///
  /// - Returns: the first record of this subject, if its content differs.
  package mutating func add(_ user: SubjectRecord, file: Int, line: Int) -> Contradiction? {
    // It may have been collected before the limit was lowered.
    guard user.subject < limit else { return nil }
    if let first = known[user.subject] {
      return first.record == user.record
        ? nil : Contradiction(file: Int(first.file), line: first.line)
    }
    // Growing step by step would insert every subject several times.
    if known.count == known.capacity, known.count >= 1 << 12 { known.reserveCapacity(capacity + 1) }
    known[user.subject] = Known(
      record: user.record, file: Int32(truncatingIfNeeded: file), line: line)
    while known.count > capacity {
      limit /= 2
      known = known.filter { $0.key < limit }
    }
    return nil
  }
}

internal import Expressions
internal import RuleEngine

/// Who is in a chunk, with what: so that one who comes twice with different content is found.
package struct SubjectRecord: Sendable {
  /// Hashes of the identity, and of the record's bytes.
  var subject: UInt64
  var record: UInt64
  /// Line of the chunk, from 0.
  package var line: Int
  package var id: String
}

/// Collects the subjects of a chunk that are to be compared.
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
    // What ends a line may be of either kind.
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

/// Finds subjects who come twice with different content, in memory that does not grow with their number.
///
/// Up to ``capacity`` all are compared. Of more it is a share of them, however far apart their records
/// are: those whose hashes are below a limit, which is halved whenever there are too many.
package struct ComparedSubjects {
  package static let capacity = 1 << 16

  /// A subject who came before with different content.
  package struct Contradiction: Hashable, Sendable {
    /// Where the first record is: file and line, as they were given.
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

  /// Takes in a record, in the order of the input.
  ///
  /// - Returns: the first record of this subject, if it is another one.
  package mutating func add(_ user: SubjectRecord, file: Int, line: Int) -> Contradiction? {
    // It may have been collected before the limit was lowered.
    guard user.subject < limit else { return nil }
    if let first = known[user.subject] {
      return first.record == user.record
        ? nil : Contradiction(file: Int(first.file), line: first.line)
    }
    known[user.subject] = Known(
      record: user.record, file: Int32(truncatingIfNeeded: file), line: line)
    while known.count > capacity {
      limit /= 2
      known = known.filter { $0.key < limit }
    }
    return nil
  }
}

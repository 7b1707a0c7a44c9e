internal import Expressions
internal import RuleEngine

/// The dimensions of a ``ColumnFrame``, as constants. Reading them from another module is a call,
/// and a call in a loop over rows costs as much as the loop.
package enum BlockShape {
  package static var rows: Int { 512 }
  /// The number of words in a mask of rows.
  static var words: Int { rows / 64 }
  /// The distance from one column to the next.
  static var stride: Int { rows + 4 }
}

/// Users that are decided together: their attributes in columns, and their choices at each
/// placement.
///
/// Users that were decided alone have a row as well, so that outcomes keep the order of the file.
/// Rows of such users are not in ``inColumns``, and their attributes are never read.
struct BatchBlock: ~Copyable {
  // SAFETY: `init` allocates and initializes everything for 512 rows, and `deinit` frees it. A user
  // decided alone vacates its row and is not in `inColumns`. Tests: InputFormsTests,
  // BatchDifferentialTests, asan.

  var columns: ColumnFrame
  /// The users' identities, in the chunk or in the block's memory.
  let subjects: UnsafeMutablePointer<ByteView>
  /// The identities as words for hashing, by row.
  let subjectWords: UnsafeMutablePointer<UInt64>
  /// The users' choices, by placement and row.
  let choices: UnsafeMutablePointer<Int32>
  /// The rows whose attributes are in the columns. The rows are the set ``ColumnFrame/filled`` of
  /// the columns.
  let inColumns: RowMask
  let placements: Int
  private(set) var count = 0
  /// The length in bytes of every subject; nil when the lengths differ.
  var commonLength: Int? { lengths.lower == lengths.upper ? lengths.lower : nil }
  private var lengths = (lower: Int.max, upper: 0)
  private var memory = Arena(limit: .max)

  init(_ program: Program, placements: Int) {
    precondition(BlockShape.rows == ColumnFrame.rows && BlockShape.stride == ColumnFrame.stride)
    columns = ColumnFrame(for: program)
    inColumns = columns.filled
    self.placements = placements
    subjects = .allocate(capacity: BlockShape.rows)
    subjects.initialize(repeating: ByteView(start: nil, count: 0), count: BlockShape.rows)
    subjectWords = .allocate(capacity: SubjectWords.count * BlockShape.rows)
    subjectWords.initialize(repeating: 0, count: SubjectWords.count * BlockShape.rows)
    choices = .allocate(capacity: max(placements, 1) * BlockShape.rows)
    choices.initialize(repeating: 0, count: max(placements, 1) * BlockShape.rows)
  }

  deinit {
    subjects.deallocate()
    choices.deallocate()
    subjectWords.deallocate()
  }

  var isFull: Bool { count == BlockShape.rows }

  /// Removes all rows. Afterwards, the block points neither into a chunk nor into its own memory.
  mutating func begin() {
    // SAFETY: Drops identities, columns and copies together, so nothing points into the last chunk.
    // Tests: BatchDifferentialTests, asan.
    subjects.update(repeating: ByteView(start: nil, count: 0), count: count)
    count = 0
    lengths = (.max, 0)
    columns.reset()
    memory.reset()
  }

  /// Accepts the row that was just filled.
  mutating func addRow(subject: ByteView) {
    setSubject(subject)
    inColumns[count >> 6] |= 1 << UInt64(count & 63)
    count += 1
  }

  /// Adds a row for a user that is decided alone.
  mutating func addRow(copying subject: Cell) -> Int {
    // SAFETY: The identity is copied into the block's memory inside the closure.
    // Tests: BatchDifferentialTests, asan.
    let row = count
    // A reader may have filled part of the row already.
    columns.vacateRow(row)
    withUnsafePointer(to: subject) {
      let bytes = $0.textBytes
      guard let copy = memory.allocate(bytes.count), let start = bytes.baseAddress else {
        return setSubject(ByteView(start: nil, count: 0))
      }
      copy.copyMemory(from: start, byteCount: bytes.count)
      setSubject(
        ByteView(start: copy.assumingMemoryBound(to: UInt8.self), count: bytes.count))
    }
    count += 1
    return row
  }

  /// Adds a row for a user without any decision.
  mutating func addVoidRow() {
    columns.vacateRow(count)
    subjects[count] = ByteView(start: nil, count: 0)
    for placement in 0..<placements {
      setChoice(BatchBlock.noChoice, placement: placement, row: count)
    }
    count += 1
  }

  /// The value instead of a choice, for rows without a decision.
  static let noChoice: Int32 = -1

  @inline(__always)
  private mutating func setSubject(_ subject: ByteView) {
    subjects[count] = subject
    lengths = (min(lengths.lower, subject.count), max(lengths.upper, subject.count))
    SubjectWords.write(subject, to: words(ofRow: count))
  }

  @inline(__always)
  func words(ofRow row: Int) -> UnsafeMutablePointer<UInt64> {
    subjectWords + row &* SubjectWords.count
  }

  func setChoice(_ choice: Int32, placement: Int, row: Int) {
    choices[placement &* BlockShape.rows &+ row] = choice
  }
}

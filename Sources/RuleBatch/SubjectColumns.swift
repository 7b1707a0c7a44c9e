internal import Expressions
internal import RuleEngine

/// The way in which XXH64 reads a prefix and a subject whose lengths are known.
struct HashLayout {
  /// The length of prefix and subject in bytes, including the four bytes with the subject's length.
  let bytes: Int
  /// The number of prefix bits in the word in which the prefix ends. The subject continues after
  /// these bits.
  let shift: UInt64
  /// The number of words with bytes of the subject. Words that go into lanes come first.
  let words: Int
  let laneWords: Int
  /// The number of bytes after the last whole word.
  let rest: Int

  /// Nil if the subject fills no word, because the remaining bytes would include bytes of the
  /// prefix.
  init?(prefix: Int, subject: Int) {
    bytes = prefix + 4 + subject
    shift = UInt64(prefix % 8) * 8
    words = bytes / 8 - prefix / 8
    laneWords = max(bytes / 32 * 4 - prefix / 8, 0)
    rest = bytes % 8
    if words == 0 { return nil }
  }

  /// The number of columns of subjects' contributions: one for each word, one for four of the
  /// remaining bytes, and one for each further byte.
  var columns: Int { words + rest / 4 + rest % 4 }
}

/// The contributions of a block's subjects to hashes with prefixes of a certain length. All
/// subjects must have the same length.
///
/// XXH64 multiplies its input by constants before it mixes the products. The products do not depend
/// on the bytes of the prefix, so they are computed once for all rules with prefixes of the same
/// length. A draw only has to mix them.
struct SubjectColumns: ~Copyable {
  // SAFETY: Thirteen columns are the most that a layout has. They are filled to the end of the last
  // word of a mask, and `deinit` frees them. Tests: FixedLengthHashTests.agreesWithBytes,
  // AssignerTests, asan.

  /// The columns for each prefix length, and whether they belong to the current block.
  private var memory: [UnsafeMutablePointer<UInt64>] = []
  private var isReady: [Bool] = []

  /// The maximum number of columns: whole words, four bytes, and three single bytes.
  private static let most = SubjectWords.count + 4

  deinit { for columns in memory { columns.deallocate() } }

  /// Discards the last block.
  mutating func begin() {
    for number in isReady.indices { isReady[number] = false }
  }

  /// The columns for prefixes of a length, given by its number. Each column has
  /// ``BlockShape/stride`` words:
  /// - for words in lanes and the first word, to which the prefix adds: the word times `prime2`;
  /// - for other words: the word's round;
  /// - for the bytes after words: the contribution of these bytes.
  mutating func columns(
    _ number: Int, _ layout: HashLayout, _ block: borrowing BatchBlock
  ) -> UnsafePointer<UInt64> {
    while memory.count <= number {
      memory.append(.allocate(capacity: SubjectColumns.most * BlockShape.stride))
      isReady.append(false)
    }
    let columns = memory[number]
    if !isReady[number] {
      isReady[number] = true
      // The columns are filled to the end of a mask's word, because draws for some of its rows read
      // all of them.
      SubjectColumns.fill(
        columns, layout, block.subjectWords, rows: (block.count &+ 63) & ~63)
    }
    return UnsafePointer(columns)
  }

  static func fill(
    _ columns: UnsafeMutablePointer<UInt64>, _ layout: HashLayout,
    _ subjects: UnsafePointer<UInt64>, rows: Int
  ) {
    // SAFETY: Each subject has nine words, and a layout asks for at most one word behind the last.
    // Tests: FixedLengthHashTests.agreesWithBytes, asan.
    let shift = layout.shift
    // Two shifts, because a single shift by 64 would have no effect.
    @inline(__always)
    func word(_ number: Int, _ row: Int) -> UInt64 {
      let words = subjects + (row &* SubjectWords.count &+ number)
      return words[0] &<< shift | (words[-1] &>> 1) &>> (63 &- shift)
    }
    for row in 0..<rows {
      columns[row] = subjects[row &* SubjectWords.count] &<< shift &* XXH64.prime2
    }
    var column = columns + BlockShape.stride
    for number in 1..<max(layout.words, 1) {
      if number < layout.laneWords {
        for row in 0..<rows { column[row] = word(number, row) &* XXH64.prime2 }
      } else {
        for row in 0..<rows { column[row] = XXH64.round(0, word(number, row)) }
      }
      column += BlockShape.stride
    }
    if layout.rest >= 4 {
      for row in 0..<rows {
        column[row] = (word(layout.words, row) & 0xFFFF_FFFF) &* XXH64.prime1
      }
      column += BlockShape.stride
    }
    for number in 0..<layout.rest % 4 {
      let bits = UInt64((layout.rest / 4 * 4 + number) * 8)
      for row in 0..<rows {
        column[row] = (word(layout.words, row) &>> bits & 0xFF) &* XXH64.prime5
      }
      column += BlockShape.stride
    }
  }
}

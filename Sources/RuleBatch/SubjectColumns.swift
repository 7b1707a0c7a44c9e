internal import Expressions
internal import RuleEngine

/// How XXH64 takes in a prefix and a subject when the length of both is known.
struct HashLayout {
  /// Bytes of both, with the four that tell the subject's length.
  let bytes: Int
  /// Bits of a word that the prefix ends in: the subject goes on behind them.
  let shift: UInt64
  /// Words that hold bytes of the subject: those that go into lanes come first.
  let words: Int
  let laneWords: Int
  /// Bytes behind the last whole word.
  let rest: Int

  /// Nil when the subject fills no word: what is left over would hold bytes of the prefix.
  init?(prefix: Int, subject: Int) {
    bytes = prefix + 4 + subject
    shift = UInt64(prefix % 8) * 8
    words = bytes / 8 - prefix / 8
    laneWords = max(bytes / 32 * 4 - prefix / 8, 0)
    rest = bytes % 8
    if words == 0 { return nil }
  }

  /// What subjects add to a hash: a column for each word, for four of the bytes behind these, and for
  /// each byte that is left.
  var columns: Int { words + rest / 4 + rest % 4 }
}

/// What the subjects of a block do to hashes behind prefixes of some length, where all subjects have
/// one length.
///
/// XXH64 multiplies what it takes in by constants before it mixes it with the rest. That does not
/// depend on the bytes of the prefix, so that it is done once for all rules whose prefixes have one
/// length, and a draw is left with the mixing.
struct SubjectColumns: ~Copyable {
  // SAFETY: Thirteen columns are the most that a layout has. They are filled to the end of the last
  // word of a mask, and `deinit` frees them. Tests: FixedLengthHashTests.agreesWithBytes,
  // AssignerTests, asan.

  /// By number of the prefix length: the columns, and whether they are those of the present block.
  private var memory: [UnsafeMutablePointer<UInt64>] = []
  private var isReady: [Bool] = []

  /// Whole words, four bytes and three more.
  private static let most = SubjectWords.count + 4

  deinit { for columns in memory { columns.deallocate() } }

  /// Forgets the last block.
  mutating func begin() {
    for number in isReady.indices { isReady[number] = false }
  }

  /// The columns for prefixes of the length that has this number, each of them
  /// ``BlockShape/stride`` long:
  /// - for words in lanes and the first word, to which the prefix adds: the word times `prime2`;
  /// - for other words: the round that they add;
  /// - for the bytes behind words: what they add.
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
      // To the end of a word of a mask: whoever draws for some of its rows looks at all of them.
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
    // Two shifts: one by 64 would be none.
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

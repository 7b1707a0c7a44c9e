package import Expressions
package import RuleBatch
internal import RuleEngine

/// Decides users by two configs, chunk by chunk, and finds users with different outcomes. Each
/// thread has its own worker.
package struct ComparisonWorker: ~Copyable {
  // SAFETY: Views lead into the chunk, which stays until the call ends; results are copies. Choices
  // are numbers of the plans whose tables they index. Tests: ComparisonTests, DiffCommandTests.

  /// The results of a chunk.
  package struct Part: Sendable {
    /// A kind of move in the chunk.
    package struct Moved: Sendable {
      package var kind: RuleComparison.Kind
      package var users: Int
      /// The identity of the first user with this move.
      package var example: String
    }

    /// The results of a worker for the lines.
    package var output: BatchWorker.Output
    /// The kinds of moves, in order of appearance.
    package var moved: [Moved]
    /// The number of users that move at one placement or more.
    package var movedUsers: Int
    /// The users that move, in the form of ``RuleComparison/form``. A row is the number of the kind
    /// in ``moved`` and the length of the identity in bytes, each in 32 bits, then the identity.
    package var lines: [UInt8]
  }

  private let comparison: RuleComparison
  private var old: BatchWorker
  private var new: BatchWorker
  /// A buffer that the workers require but do not write to.
  private let buffer = OutcomeBuffer()
  /// Whether the user of each row of a block moves.
  private var marks = Array(repeating: false, count: BlockShape.rows)
  private var kinds: KindTable
  private var lines: MoveLines?
  private let reader: MoveReader

  package init(_ comparison: RuleComparison) {
    self.comparison = comparison
    old = BatchWorker(comparison.old.plan)
    new = BatchWorker(comparison.new.plan)
    kinds = KindTable(comparison)
    lines = comparison.form.map { MoveLines($0) }
    reader = MoveReader(comparison)
  }

  /// Decides every line of a chunk twice.
  ///
  /// - Parameters:
  ///   - chunk: whole lines.
  ///   - slack: bytes after the chunk that may be read, whatever they contain.
  package mutating func process(_ chunk: ByteView, slack: Int = 0) -> Part {
    // SAFETY: Lines that one worker rejects are blanked for both, so both read the same users.
    // `blanked` returns a copy, whose view stays in the closure. Tests: ComparisonTests,
    // DiffCommandTests.
    var before = old.process(chunk, slack: slack, into: buffer)
    let after = new.process(chunk, slack: slack, into: buffer)
    before.notes = after.notes
    guard before.rejected.map({ $0.line }) != after.rejected.map({ $0.line }) else {
      return compare(before, chunk)
    }
    // Users that one of the two workers rejects are not compared.
    let refused = RejectedLines(before.rejected, after.rejected)
    let rest = refused.blanked(in: chunk)
    before.rejected = refused.lines
    before.sums.rejected = refused.lines.count
    return rest.withUnsafeBufferPointer { rest in
      let again = old.process(rest, into: buffer)
      _ = new.process(rest, into: buffer)
      before.sums.users = again.sums.users
      before.sums.numbers = again.sums.numbers
      return compare(before, rest)
    }
  }

  private mutating func compare(_ output: BatchWorker.Output, _ chunk: ByteView) -> Part {
    kinds.beginChunk()
    lines?.clear()
    var output = output
    // The output gets another buffer, because this one belongs to the worker.
    output.buffer = OutcomeBuffer()
    var movedUsers = 0
    if let before = old.kept, let after = new.kept {
      var records = ChunkRecords(chunk, refused: output.rejected.map { $0.line })
      let pairs = ChoicePairs(before, after, placements: comparison.placements.count)
      for block in before.blocks.indices {
        pairs.mark(&marks, block, comparison.old.shown, comparison.new.shown)
        for row in marks.indices where marks[row] {
          movedUsers += 1
          add(row, block, pairs, before, &records)
        }
      }
    }
    let moved = kinds.inChunk.map {
      Part.Moved(kind: kinds.kinds[$0], users: kinds.users[$0], example: kinds.examples[$0])
    }
    return Part(
      output: output, moved: moved, movedUsers: movedUsers, lines: lines?.bytes ?? [])
  }

  /// Adds a user that moves.
  private mutating func add(
    _ row: Int, _ block: Int, _ pairs: ChoicePairs, _ kept: KeptChoices,
    _ records: inout ChunkRecords
  ) {
    let number = kept.blocks[block].firstRow + row
    for placement in comparison.placements.indices {
      let (from, to) = pairs.choices(block, row, placement)
      if comparison.old.shown[Int(from)] == comparison.new.shown[Int(to)] { continue }
      let kind = kinds.number(from, to) { question in
        reader.reason(question, records.record(number))
      }
      kept.withSubject(number) { add(kind, $0) }
    }
  }

  private mutating func add(_ kind: Int, _ subject: ByteView) {
    let place = kinds.count(kind, subject)
    guard lines != nil else { return }
    while let next = kinds.unwritten {
      lines?.addKind(kinds.kinds[next], comparison)
      kinds.written += 1
    }
    lines?.write(subject, kind: kind, place: place)
  }
}

/// The choices of two workers for the same users, side by side.
private struct ChoicePairs {
  private let old: KeptChoices
  private let new: KeptChoices
  private let placements: Int

  init(_ old: KeptChoices, _ new: KeptChoices, placements: Int) {
    self.old = old
    self.new = new
    self.placements = placements
  }

  /// Marks the rows of a block with a difference. Placements are compared one by one, because most
  /// users do not move.
  func mark(_ marks: inout [Bool], _ block: Int, _ oldShown: [Int32], _ newShown: [Int32]) {
    // SAFETY: The precondition makes both counts equal. Rows are below the count, and views of
    // arrays stay in their closures. Tests: ComparisonTests.
    let count = old.count(ofBlock: block)
    precondition(new.count(ofBlock: block) == count, "workers have read other users")
    let (first, second) = (old.blocks[block].start, new.blocks[block].start)
    marks.withUnsafeMutableBufferPointer { marks in
      marks.update(repeating: false)
      old.choices.withUnsafeBufferPointer { before in
        new.choices.withUnsafeBufferPointer { after in
          oldShown.withUnsafeBufferPointer { oldShown in
            newShown.withUnsafeBufferPointer { newShown in
              for placement in 0..<placements {
                let offset = placement &* count
                for row in 0..<count {
                  let was = oldShown[Int(before[first &+ offset &+ row])]
                  let now = newShown[Int(after[second &+ offset &+ row])]
                  marks[row] = marks[row] || was != now
                }
              }
            }
          }
        }
      }
    }
  }

  /// The choices for a user of a block at a placement.
  func choices(_ block: Int, _ row: Int, _ placement: Int) -> (Int32, Int32) {
    let offset = placement * old.count(ofBlock: block) + row
    return (
      old.choices[old.blocks[block].start + offset], new.choices[new.blocks[block].start + offset]
    )
  }
}

/// The kinds of moves that a worker has found.
private struct KindTable {
  private let comparison: RuleComparison
  private(set) var kinds: [RuleComparison.Kind] = []
  /// The number of users of each kind in the current chunk.
  private(set) var users: [Int] = []
  private(set) var examples: [String] = []
  /// The kinds of the current chunk, in order of appearance; and the index there of each kind.
  private(set) var inChunk: [Int] = []
  private var places: [Int] = []
  /// The number of kinds that were already passed to the writer.
  var written = 0
  /// The kind or question of each pair of choices.
  private var pairs: [UInt64: Pair] = [:]
  private var numbers: [RuleComparison.Kind: Int] = [:]
  /// Pairs that were looked up recently, by a few of their bits.
  private var recent: [(pair: UInt64, kind: Int)] = Array(repeating: (.max, 0), count: recentCount)
  private static let recentCount = 1_024

  private enum Pair {
    case kind(Int)
    /// The kind depends on the user.
    case question(MoveQuestion, MoveCause)
  }

  init(_ comparison: RuleComparison) { self.comparison = comparison }

  var unwritten: Int? { written < kinds.count ? written : nil }

  mutating func beginChunk() {
    for kind in inChunk { users[kind] = 0 }
    inChunk.removeAll(keepingCapacity: true)
  }

  /// The number of a kind.
  ///
  /// - Parameter ask: returns the result of a rule for the user.
  @inline(__always)
  mutating func number(
    _ from: Int32, _ to: Int32, _ ask: (MoveQuestion) -> Decision.Reason?
  ) -> Int {
    let pair = UInt64(UInt32(bitPattern: from)) << 32 | UInt64(UInt32(bitPattern: to))
    let slot = Int(truncatingIfNeeded: (pair &* 0x9E37_79B9_7F4A_7C15) >> 54)
    if recent[slot].pair == pair { return recent[slot].kind }
    let found = pairs[pair] ?? self.pair(from, to)
    pairs[pair] = found
    switch found {
    case .kind(let kind):
      recent[slot] = (pair, kind)
      return kind
    case .question(let question, let cause):
      return number(from, to, ComparedPlacement.reason(ask(question), cause))
    }
  }

  private mutating func pair(_ from: Int32, _ to: Int32) -> Pair {
    let (old, new) = (comparison.old, comparison.new)
    let cause = comparison.cause(from, to)
    guard let before = old.outcomes[Int(from)], let after = new.outcomes[Int(to)] else {
      return .kind(number(from, to, .condition))
    }
    let placement = comparison.placements[Int(old.placements[Int(from)])]
    let (reason, question) = placement.reason(cause, before, after)
    if let question { return .question(question, cause) }
    return .kind(number(from, to, reason ?? .condition))
  }

  private mutating func number(_ from: Int32, _ to: Int32, _ reason: MoveReason) -> Int {
    let kind = RuleComparison.Kind(
      from: comparison.old.first[Int(from)], to: comparison.new.first[Int(to)], reason: reason)
    if let known = numbers[kind] { return known }
    numbers[kind] = kinds.count
    kinds.append(kind)
    users.append(0)
    examples.append("")
    places.append(0)
    return kinds.count - 1
  }

  /// Counts a user.
  ///
  /// - Returns: the index of the kind among those of the chunk.
  mutating func count(_ kind: Int, _ subject: ByteView) -> Int {
    // SAFETY: The identity is copied into a string. Tests: ComparisonTests.
    if users[kind] == 0 {
      places[kind] = inChunk.count
      inChunk.append(kind)
      examples[kind] = String(decoding: subject, as: UTF8.self)
    }
    users[kind] += 1
    return places[kind]
  }
}

/// Lines that at least one of two workers rejects.
private struct RejectedLines {
  private(set) var lines: [BatchWorker.RejectedLine] = []

  init(_ first: [BatchWorker.RejectedLine], _ second: [BatchWorker.RejectedLine]) {
    let known = Set(first.map { $0.line })
    lines = (first + second.filter { !known.contains($0.line) }).sorted { $0.line < $1.line }
  }

  /// The chunk, with these lines blank.
  func blanked(in chunk: ByteView) -> [UInt8] {
    // SAFETY: The chunk is copied. Tests: ComparisonTests.
    let refused = Set(lines.map { $0.line })
    var kept: [UInt8] = []
    var (start, number) = (0, 0)
    while start < chunk.count {
      let end = LineScan.newline(in: chunk, from: start)
      if !refused.contains(number) { kept += chunk[start..<end] }
      kept.append(UInt8(ascii: "\n"))
      start = end + 1
      number += 1
    }
    return kept
  }
}

/// The records of a chunk by row number. Rows must be requested in ascending order.
private struct ChunkRecords {
  // SAFETY: Records are views of the chunk between two line feeds. A record that is asked about is
  // copied into the frame. Tests: ComparisonTests, DiffCommandTests.

  private let chunk: ByteView
  private let refused: Set<Int>
  private var start = 0
  private var line = 0
  private var row = -1
  private var current = ByteView(start: nil, count: 0)

  init(_ chunk: ByteView, refused: [Int]) {
    self.chunk = chunk
    self.refused = Set(refused)
  }

  mutating func record(_ number: Int) -> ByteView {
    while row < number, start < chunk.count {
      let end = LineScan.newline(in: chunk, from: start)
      let text = ByteView(rebasing: chunk[start..<end])
      let isBlank = text.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
      if !isBlank, !refused.contains(line) {
        row += 1
        current = text
      }
      start = end + 1
      line += 1
    }
    return current
  }
}

internal import Expressions
internal import RuleEngine

/// Hashes of one prefix with many subjects of the same length. The part before the subject is
/// precomputed, and ``SubjectColumns`` has the contributions of the subjects.
struct FixedLengthHash {
  // SAFETY: Lists hold rows of the block, and `columns` has the columns that `layout` asks for,
  // each with `BlockShape.stride` places. Tests: FixedLengthHashTests.agreesWithBytes, asan.

  /// The four lanes of a hash, or the values that remain when the lanes are merged.
  typealias Lanes = (a: UInt64, b: UInt64, c: UInt64, d: UInt64)

  private let layout: HashLayout
  /// The precomputed state. Without lanes, the state is the hash of the bytes before the subject.
  /// With lanes, the state is the length of the whole input in bytes.
  private(set) var begun: UInt64
  /// The contribution of the prefix's bytes to the first word of the subject.
  let tail: UInt64
  /// The lanes before the first word of the subject, and the number of lanes that the subject's
  /// first stripe does not change.
  private(set) var lanes: Lanes = (0, 0, 0, 0)
  private(set) var known = 0
  /// The merge contributions of lanes that no subject changes.
  private(set) var merging: Lanes = (0, 0, 0, 0)
  /// The number of stripes after the stripe in which the subject begins.
  private(set) var stripes = 0

  init(_ prefix: HashPrefix, _ layout: HashLayout) {
    self.layout = layout
    tail = prefix.tail &* XXH64.prime2
    let all = layout.bytes / 32
    let whole = min(prefix.wordCount / 4, all)
    var lanes: Lanes = (
      XXH64.prime1 &+ XXH64.prime2, XXH64.prime2, 0, 0 &- XXH64.prime1
    )
    for stripe in 0..<whole {
      let words = prefix.words + 4 * stripe
      lanes = (
        XXH64.round(lanes.a, words[0]), XXH64.round(lanes.b, words[1]),
        XXH64.round(lanes.c, words[2]), XXH64.round(lanes.d, words[3])
      )
    }
    if whole < all {
      begun = UInt64(layout.bytes)
      known = prefix.wordCount - 4 * whole
      let words = prefix.words + 4 * whole
      if known > 0 { lanes.a = XXH64.round(lanes.a, words[0]) }
      if known > 1 { lanes.b = XXH64.round(lanes.b, words[1]) }
      if known > 2 { lanes.c = XXH64.round(lanes.c, words[2]) }
      self.lanes = lanes
      merging = (XXH64.round(0, lanes.a), XXH64.round(0, lanes.b), XXH64.round(0, lanes.c), 0)
      stripes = all - whole - 1
    } else {
      var hash = XXH64.Words(
        state: (all > 0 ? XXH64.merged(lanes.a, lanes.b, lanes.c, lanes.d) : XXH64.prime5)
          &+ UInt64(layout.bytes))
      for number in 4 * all..<prefix.wordCount { hash.add(round: prefix.rounds[number]) }
      begun = hash.state
    }
  }

  /// Computes the upper 53 bits of the hashes of some rows. ``PlacementDraws`` does the same with
  /// wide vectors.
  ///
  /// Each step runs for all rows before the next step. The steps of one hash depend on each other,
  /// but steps of different rows do not, so the processor can run a step for many rows at once.
  ///
  /// - Parameters:
  ///   - columns: the columns of ``SubjectColumns`` for this layout.
  ///   - draws: memory with room for all rows of a block.
  func draw(
    _ rows: UnsafePointer<Int32>, _ count: Int, _ columns: UnsafePointer<UInt64>,
    to draws: UnsafeMutablePointer<UInt64>
  ) {
    begin(rows, count, columns, draws)
    for i in 0..<count { draws[i] = XXH64.avalanche(draws[i]) &>> 11 }
  }

  /// Computes the hashes of some rows, without the final mixing.
  @inline(__always)
  private func begin(
    _ rows: UnsafePointer<Int32>, _ count: Int, _ columns: UnsafePointer<UInt64>,
    _ hashes: UnsafeMutablePointer<UInt64>
  ) {
    var column = columns
    if layout.laneWords > 0 {
      for i in 0..<count { hashes[i] = inLanes(columns + Int(rows[i])) }
      column += layout.laneWords &* BlockShape.stride
    } else {
      for i in 0..<count {
        let round = XXH64.rotate(tail &+ column[Int(rows[i])], 31) &* XXH64.prime1
        hashes[i] = XXH64.rotate(begun ^ round, 27) &* XXH64.prime1 &+ XXH64.prime4
      }
      column += BlockShape.stride
    }
    for _ in max(layout.laneWords, 1)..<layout.words {
      for i in 0..<count {
        let mixed = XXH64.rotate(hashes[i] ^ column[Int(rows[i])], 27)
        hashes[i] = mixed &* XXH64.prime1 &+ XXH64.prime4
      }
      column += BlockShape.stride
    }
    if layout.rest >= 4 {
      for i in 0..<count {
        let mixed = XXH64.rotate(hashes[i] ^ column[Int(rows[i])], 23)
        hashes[i] = mixed &* XXH64.prime2 &+ XXH64.prime3
      }
      column += BlockShape.stride
    }
    for _ in 0..<layout.rest & 3 {
      for i in 0..<count {
        hashes[i] = XXH64.rotate(hashes[i] ^ column[Int(rows[i])], 11) &* XXH64.prime1
      }
      column += BlockShape.stride
    }
  }

  /// The hash of a row, including the words in lanes.
  @inline(__always)
  private func inLanes(_ columns: UnsafePointer<UInt64>) -> UInt64 {
    var column = columns
    var tail = tail
    @inline(__always)
    func round(_ lane: UInt64) -> UInt64 {
      let mixed = XXH64.rotate(lane &+ column.pointee &+ tail, 31) &* XXH64.prime1
      column += BlockShape.stride
      tail = 0
      return mixed
    }
    var (a, b, c, d) = lanes
    if known < 1 { a = round(a) }
    if known < 2 { b = round(b) }
    if known < 3 { c = round(c) }
    d = round(d)
    for _ in 0..<stripes {
      a = round(a)
      b = round(b)
      c = round(c)
      d = round(d)
    }
    let isChanged = stripes > 0
    var hash = XXH64.sum(a, b, c, d)
    hash = XXH64.merge(isChanged || known < 1 ? XXH64.round(0, a) : merging.a, into: hash)
    hash = XXH64.merge(isChanged || known < 2 ? XXH64.round(0, b) : merging.b, into: hash)
    hash = XXH64.merge(isChanged || known < 3 ? XXH64.round(0, c) : merging.c, into: hash)
    hash = XXH64.merge(XXH64.round(0, d), into: hash)
    return hash &+ begun
  }
}

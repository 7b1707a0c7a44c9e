/// The hash of a prefix and subjects of one length: what comes before the subject is worked in, and
/// how many words follow is known.
struct FixedLengthHash {
  /// Four lanes, or what is left of them when they are merged.
  private typealias Lanes = (a: UInt64, b: UInt64, c: UInt64, d: UInt64)

  /// Whether subjects reach into lanes.
  let hasLanes: Bool
  /// Without lanes: the hash of what comes before. With lanes: bytes of the whole text.
  private var begun: UInt64
  private let carry: UInt64
  private let shift: UInt64
  /// Whole words that follow, behind those in lanes, and the bytes behind them.
  private let words: Int
  private let rest: Int
  /// Words of the subject that go into lanes.
  private var laneWords = 0
  /// The lanes before the first of these words, and how many of them it does not change.
  private var lanes: Lanes = (0, 0, 0, 0)
  private var known = 0
  /// What lanes that no subject changes add when lanes are merged.
  private var merging: Lanes = (0, 0, 0, 0)
  /// Stripes behind the one that the subject begins in.
  private var stripes = 0

  init(_ prefix: HashPrefix, length: Int) {
    let count = prefix.bytes + 4 + length
    carry = prefix.tail
    shift = prefix.shift
    let all = count / 32
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
    hasLanes = whole < all
    if hasLanes {
      begun = UInt64(count)
      known = prefix.wordCount - 4 * whole
      let words = prefix.words + 4 * whole
      if known > 0 { lanes.a = XXH64.round(lanes.a, words[0]) }
      if known > 1 { lanes.b = XXH64.round(lanes.b, words[1]) }
      if known > 2 { lanes.c = XXH64.round(lanes.c, words[2]) }
      self.lanes = lanes
      merging = (XXH64.round(0, lanes.a), XXH64.round(0, lanes.b), XXH64.round(0, lanes.c), 0)
      stripes = all - whole - 1
      laneWords = 4 * all - prefix.wordCount
    } else {
      var hash = XXH64.Words(
        state: (all > 0 ? XXH64.merged(lanes.a, lanes.b, lanes.c, lanes.d) : XXH64.prime5)
          &+ UInt64(count))
      for number in 4 * all..<prefix.wordCount { hash.add(round: prefix.rounds[number]) }
      begun = hash.state
    }
    let left = count - 8 * (prefix.wordCount + laneWords)
    words = left / 8
    rest = left % 8
  }

  /// The hash with all whole words.
  @inline(__always)
  func begin(_ subject: UnsafePointer<UInt64>) -> UInt64 {
    hasLanes ? beginInLanes(subject) : add(words, of: subject, carry, to: begun)
  }

  @inline(__always)
  private func beginInLanes(_ subject: UnsafePointer<UInt64>) -> UInt64 {
    var subject = subject
    var carry = carry
    @inline(__always)
    func next() -> UInt64 {
      let word = carry | subject.pointee &<< shift
      carry = (subject.pointee &>> 1) &>> (63 &- shift)
      subject += 1
      return word
    }
    var (a, b, c, d) = lanes
    if known < 1 { a = XXH64.round(a, next()) }
    if known < 2 { b = XXH64.round(b, next()) }
    if known < 3 { c = XXH64.round(c, next()) }
    d = XXH64.round(d, next())
    for _ in 0..<stripes {
      a = XXH64.round(a, next())
      b = XXH64.round(b, next())
      c = XXH64.round(c, next())
      d = XXH64.round(d, next())
    }
    let isChanged = stripes > 0
    var hash = XXH64.sum(a, b, c, d)
    hash = XXH64.merge(isChanged || known < 1 ? XXH64.round(0, a) : merging.a, into: hash)
    hash = XXH64.merge(isChanged || known < 2 ? XXH64.round(0, b) : merging.b, into: hash)
    hash = XXH64.merge(isChanged || known < 3 ? XXH64.round(0, c) : merging.c, into: hash)
    hash = XXH64.merge(XXH64.round(0, d), into: hash)
    return add(words, of: subject, carry, to: hash &+ begun)
  }

  @inline(__always)
  private func add(
    _ words: Int, of subject: UnsafePointer<UInt64>, _ carry: UInt64, to state: UInt64
  ) -> UInt64 {
    var hash = XXH64.Words(state: state)
    var carry = carry
    for number in 0..<words {
      let word = subject[number]
      hash.add(carry | word &<< shift)
      // Two shifts: one by 64 would be none.
      carry = (word &>> 1) &>> (63 &- shift)
    }
    return hash.state
  }

  /// What ``begin(_:)`` gave, with the bytes behind the words.
  @inline(__always)
  func finish(_ state: UInt64, _ subject: UnsafePointer<UInt64>) -> UInt64 {
    let hash = XXH64.Words(state: state)
    if rest == 0 { return hash.finish() }
    let at = laneWords &+ words
    let carry = at == 0 ? carry : (subject[at &- 1] &>> 1) &>> (63 &- shift)
    return hash.finish(carry | subject[at] &<< shift, bytes: rest)
  }
}

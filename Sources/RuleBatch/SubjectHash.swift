internal import Expressions
internal import RuleEngine

/// A subject in the form that the hash of ``Assigner/hash(salt:)`` reads: 64-bit words with its
/// length in four bytes, and its bytes. The words are written once per user. Hashing the words
/// after many prefixes shifts them and copies nothing.
enum SubjectWords {
  // SAFETY: A row has nine words, 72 bytes: a length of four bytes, at most 60 bytes of identity,
  // and a last word that stays zero. Longer identities are hashed from their bytes.
  // Tests: FixedLengthHashTests.agreesWithBytes, AssignerTests, asan.

  /// The number of words of a subject, including a zero word at the end.
  static let count = 9
  /// The maximum length in bytes. Longer subjects are hashed from their bytes.
  static let longest = 60

  @inline(__always)
  static func write(_ subject: ByteView, to words: UnsafeMutablePointer<UInt64>) {
    guard subject.count <= longest else { return }
    for i in 0..<count { words[i] = 0 }
    let raw = UnsafeMutableRawPointer(words)
    raw.storeBytes(of: UInt32(subject.count).littleEndian, as: UInt32.self)
    guard let start = UnsafeRawPointer(subject.baseAddress) else { return }
    let (to, bytes) = (raw + 4, subject.count)
    guard bytes >= 8 else {
      for i in 0..<bytes {
        let byte = start.load(fromByteOffset: i, as: UInt8.self)
        to.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
      }
      return
    }
    // Reads whole words. The last word overlaps the previous one, which is cheaper than a call.
    var at = 0
    while at < bytes {
      let from = min(at, bytes &- 8)
      to.storeBytes(
        of: start.loadUnaligned(fromByteOffset: from, as: UInt64.self), toByteOffset: from,
        as: UInt64.self)
      at &+= 8
    }
  }
}

/// The part of a rule's hashes before the subject, prepared for ``SubjectWords``. The memory
/// belongs to a ``VariantChooser``. The value is trivial, so that it can stay in registers during a
/// loop over subjects.
struct HashPrefix {
  // SAFETY: `VariantChooser` owns the words. Reading ends at the word behind the subject, which is
  // zero. Tests: FixedLengthHashTests.agreesWithBytes, AssignerTests, asan.

  /// The whole words, and the rounds that a hash computes from them.
  let words: UnsafeMutablePointer<UInt64>
  let rounds: UnsafeMutablePointer<UInt64>
  let wordCount: Int
  /// The bytes at the start of the first incomplete word, and their number of bits.
  let tail: UInt64
  let shift: UInt64
  let bytes: Int

  /// Writes the prefix to memory with room for twice as many words as the prefix has, and advances
  /// the pointer.
  init(_ prefix: ArraySlice<UInt8>, _ memory: inout UnsafeMutablePointer<UInt64>) {
    bytes = prefix.count
    wordCount = bytes / 8
    shift = UInt64(bytes % 8) * 8
    words = memory
    rounds = memory + wordCount
    memory += 2 * wordCount
    var word: UInt64 = 0
    for (i, byte) in prefix.enumerated() {
      word |= UInt64(byte) << UInt64(i % 8 * 8)
      if i % 8 == 7 {
        (words + i / 8).initialize(to: word)
        (rounds + i / 8).initialize(to: XXH64.Words.round(word))
        word = 0
      }
    }
    tail = word
  }

  /// The hash of the prefix and a subject of `length` bytes.
  @inline(__always)
  func hash(_ subject: UnsafePointer<UInt64>, length: Int) -> UInt64 {
    let count = bytes &+ 4 &+ length
    if count >= 32 { return hashWithLanes(subject, count) }
    var hash = XXH64.Words(short: count)
    for number in 0..<wordCount { hash.add(round: rounds[number]) }
    return finish(hash, subject, tail, left: count &- wordCount &* 8)
  }

  @inline(never)
  private func hashWithLanes(_ subject: UnsafePointer<UInt64>, _ count: Int) -> UInt64 {
    var hash = XXH64.Words(count: count)
    var text = Text(subject: subject, carry: tail, shift: shift)
    var number = 0
    while (number &+ 4) &* 8 <= count {
      let first = next(number, &text)
      let second = next(number &+ 1, &text)
      let third = next(number &+ 2, &text)
      hash.add(first, second, third, next(number &+ 3, &text))
      number &+= 4
    }
    hash.endLanes()
    while number < wordCount {
      hash.add(round: rounds[number])
      number &+= 1
    }
    return finish(hash, text.subject, text.carry, left: count &- number &* 8)
  }

  /// Adds the remaining words of a subject, and finishes the hash.
  @inline(__always)
  private func finish(
    _ begun: XXH64.Words, _ subject: UnsafePointer<UInt64>, _ carry: UInt64, left: Int
  ) -> UInt64 {
    var hash = begun
    var text = Text(subject: subject, carry: carry, shift: shift)
    var left = left
    while left >= 8 {
      hash.add(text.next())
      left &-= 8
    }
    return left == 0 ? hash.finish() : hash.finish(text.next(), bytes: left)
  }

  /// The words of a subject after the last bytes of the prefix.
  private struct Text {
    var subject: UnsafePointer<UInt64>
    var carry: UInt64
    let shift: UInt64

    @inline(__always)
    mutating func next() -> UInt64 {
      let word = subject.pointee
      subject += 1
      // Two shifts, because a single shift by 64 would have no effect.
      defer { carry = (word &>> 1) &>> (63 &- shift) }
      return carry | word &<< shift
    }
  }

  /// The word of the whole input at an index. Words must be requested in order.
  @inline(__always)
  private func next(_ number: Int, _ text: inout Text) -> UInt64 {
    number < wordCount ? words[number] : text.next()
  }
}

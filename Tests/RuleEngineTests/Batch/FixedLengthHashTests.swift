import Testing

@testable import Expressions
@testable import RuleEngine

/// Hashes of a prefix and a subject in words, against the hash of their bytes.
@Suite struct FixedLengthHashTests {
  @Test func agreesWithBytes() {
    var random = SplitMix(seed: 7)
    let memory = UnsafeMutablePointer<UInt64>.allocate(capacity: 64)
    let rows = 3
    let words = UnsafeMutablePointer<UInt64>.allocate(capacity: rows * SubjectWords.count)
    let columns = UnsafeMutablePointer<UInt64>.allocate(
      capacity: (SubjectWords.count + 4) * ColumnFrame.stride)
    defer {
      memory.deallocate()
      words.deallocate()
      columns.deallocate()
    }
    for prefixLength in 0...80 {
      let prefix = (0..<prefixLength).map { _ in UInt8.random(in: 0...255, using: &random) }
      var free = memory
      let hash = HashPrefix(prefix[...], &free)
      for length in 0...SubjectWords.longest {
        let count = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        let expected = (0..<rows).map { row in
          let subject = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
          let own = words + row * SubjectWords.count
          subject.withUnsafeBufferPointer { SubjectWords.write($0, to: own) }
          let expected = (prefix + count + subject).withUnsafeBytes { XXH64.hash($0) }
          #expect(hash.hash(own, length: length) == expected, "\(prefixLength) \(length)")
          return expected
        }
        guard let layout = HashLayout(prefix: prefixLength, subject: length) else {
          #expect(prefixLength % 8 + 4 + length < 8)
          continue
        }
        SubjectColumns.fill(columns, layout, words, rows: rows)
        var fixed: [UInt64] = [0, 0]
        FixedLengthHash(hash, layout).begin([2, 0], 2, columns, &fixed)
        #expect(
          fixed.map { XXH64.avalanche($0) } == [expected[2], expected[0]],
          "\(prefixLength) \(length)")
      }
    }
  }

  /// Bytes in pieces of any size hash like the whole, also when the stream was put away between.
  @Test func streams() throws {
    var random = SplitMix(seed: 8)
    for count in [0, 1, 31, 32, 33, 64, 1_000, 5_003] {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let expected = bytes.withUnsafeBytes { XXH64.hash($0) }
      for _ in 0..<20 {
        var stream = XXH64.Stream()
        var rest = bytes[...]
        while !rest.isEmpty {
          let piece = Array(rest.prefix(Int.random(in: 0...100, using: &random)))
          rest = rest.dropFirst(piece.count)
          piece.withUnsafeBytes { stream.add($0) }
          stream = try #require(XXH64.Stream(state: stream.state, count: stream.count))
        }
        #expect(stream.finish() == expected)
      }
    }
  }
}

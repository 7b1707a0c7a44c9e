import CShims
import Testing

@testable import Expressions
@testable import RuleEngine

/// Hashes of a prefix and a subject in words, against the hash of their bytes.
@Suite struct FixedLengthHashTests {
  @Test func agreesWithBytes() {
    var random = SplitMix(seed: 7)
    let memory = UnsafeMutablePointer<UInt64>.allocate(capacity: 64)
    let rows = 13
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
        // More than eight and not a multiple of it, and one row alone: steps of eight and what is left.
        for list: [Int32] in [[2, 0, 1, 12, 3, 3, 7, 5, 11, 4, 9], [6]] {
          var fixed = [UInt64](repeating: 0, count: 16)
          let draws = list.map { expected[Int($0)] >> 11 }
          let fixedLength = FixedLengthHash(hash, layout)
          fixedLength.draw(list, list.count, columns, to: &fixed)
          #expect(fixed.prefix(list.count) == draws[...], "\(prefixLength) \(length)")
          fixedLength.drawPlainly(list, list.count, columns, to: &fixed)
          #expect(fixed.prefix(list.count) == draws[...], "\(prefixLength) \(length)")
        }
      }
    }
  }

  /// What draws come to, eight at a time and one by one.
  @Test func choices() {
    guard isWide() else { return }
    var random = SplitMix(seed: 9)
    for _ in 0..<300 {
      let count = Int.random(in: 0...40, using: &random)
      let rows = (0..<64).map { Int32($0) }.shuffled(using: &random).prefix(count)
      let most: UInt64 = Bool.random(using: &random) ? 20 : 1 << 53
      let draws = (0..<64).map { _ in UInt64.random(in: 0..<most, using: &random) }
      let limits = (0..<Int.random(in: 0...9, using: &random))
        .map { _ in UInt64.random(in: 0...most, using: &random) }.sorted()
      for limit in limits + [0, 1 << 53] {
        let below = draws.prefix(count).count { $0 < limit }
        #expect(countDraws(draws, count: count, below: limit) == below)
      }
      var choices = [Int32](repeating: -1, count: 64)
      var expected = choices
      writeChoices(
        draws, Array(rows), count: count, limits: limits, limits.count, first: 7, to: &choices)
      for (row, draw) in zip(rows, draws) {
        expected[Int(row)] = 7 + Int32(limits.count { $0 <= draw })
      }
      #expect(choices == expected)
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

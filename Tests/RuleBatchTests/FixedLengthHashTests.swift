import TestSupport
import Testing

@testable import Expressions
@testable import RuleBatch
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
          FixedLengthHash(hash, layout).draw(list, list.count, columns, to: &fixed)
          #expect(fixed.prefix(list.count) == draws[...], "\(prefixLength) \(length)")
        }
      }
    }
  }

  /// Counts and choices of a rule with several variants, in both forms, against its choices alone;
  /// and what a batch counts, against what it writes.
  @Test func countsOfVariants() throws {
    let ids = ["first", "second", "third", "rest"]
    let variants = zip(ids, [20.0, 45, 5, 30]).map {
      Variant(id: $0, kind: .treatment, weight: $1, paywallID: "of \($0)")
    }
    let audience = Audience(index: 0, experimentID: "e", campaignID: "g", variants: variants)
    let config = Config(placements: [Placement(name: "p", audiences: [audience])])
    let rules = try #require(RuleSet.compile(config).output)
    let plan = BatchPlan(
      rules, now: 0, assigner: .hash(salt: "a salt that is long enough for lanes"))
    let chooser = VariantChooser(plan)
    let draws = try #require(chooser[0].draws(subjectsOf: 6))
    let subjects = (0..<BlockShape.rows).map { Array("u\(10_000 + $0)".utf8) }
    var words = [UInt64](repeating: 0, count: (BlockShape.rows + 1) * SubjectWords.count)
    for (row, subject) in subjects.enumerated() {
      subject.withUnsafeBufferPointer { subject in
        words.withUnsafeMutableBufferPointer {
          SubjectWords.write(subject, to: $0.baseAddress! + row * SubjectWords.count)
        }
      }
    }
    var columns = [UInt64](repeating: 0, count: (SubjectWords.count + 4) * BlockShape.stride)
    SubjectColumns.fill(&columns, draws.layout, words, rows: BlockShape.rows)
    let rows = (0..<BlockShape.rows).map { Int32($0) }.filter { $0 % 3 != 0 }
    let first = plan.table.rules[0].variants.lowerBound
    let expected = rows.map { row in
      subjects[Int(row)].withUnsafeBufferPointer {
        chooser.next(0, plan.table.rules[0], subject: $0, plan.table)
      }
    }
    var scratch = [UInt64](repeating: 0, count: BlockShape.rows)
    var counts = [Int](repeating: 0, count: plan.table.choices.count)
    var choices = [Int32](repeating: -1, count: BlockShape.rows)
    draws.draw(rows, rows.count, columns, &scratch, counts: &counts, choices: &choices)
    #expect(rows.map { choices[Int($0)] } == expected)
    for choice in counts.indices {
      #expect(counts[choice] == expected.count { Int($0) == choice })
    }

    let lines = subjects.map {
      "{\"userId\":\"\(String(decoding: $0, as: UTF8.self))\",\"nothing\":0}\n"
    }
    var worker = BatchWorker(plan)
    let output = worker.process(Array(lines.joined().utf8))
    let text = String(decoding: output.outcomes, as: UTF8.self).split(separator: "\n")
    for (number, id) in ids.enumerated() {
      let counted = output.sums.numbers[3 * rules.rules.count + Int(first) + number]
      #expect(counted == text.count { $0.contains("\"of \(id)\"") })
      #expect(counted > 10)
    }
  }

  /// What JSON has to escape is found wherever it stands.
  @Test func plainIdentities() {
    for count in 0...20 {
      for at in 0..<count {
        for byte in UInt8.min...UInt8.max {
          var text = [UInt8](repeating: 0x61, count: count)
          text[at] = byte
          let isPlain = text.withUnsafeBufferPointer { OutcomeWriter.isPlain($0) }
          #expect(isPlain == !(byte < 0x20 || byte == 0x22 || byte == 0x5C), "\(text)")
        }
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

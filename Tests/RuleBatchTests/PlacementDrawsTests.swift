import CShims
import TestSupport
import Testing

@testable import Expressions
@testable import RuleBatch
@testable import RuleEngine

/// Draws of many rules side by side, against the hash of each subject's bytes.
@Suite(.enabled(if: isWide(), "the processor has no wide vectors")) struct PlacementDrawsTests {
  /// Prefixes and their rules, as ``VariantChooser`` keeps them.
  private final class Rules {
    private var words: [UnsafeMutablePointer<UInt64>] = []
    private(set) var prefixes: [[UInt8]] = []
    private(set) var limits: [[UInt64]] = []
    private(set) var firsts: [Int32] = []
    private(set) var draws: [VariantChooser.Draws?] = []
    private(set) var choices = 0

    /// Whether a rule draws beside others.
    func waits(_ rule: Int) -> Bool {
      draws[rule] != nil && limits[rule].count <= PlacementDraws.mostLimits
    }

    deinit { for words in words { words.deallocate() } }

    func add(_ prefix: [UInt8], subjectsOf length: Int, limits: [UInt64]) {
      let memory = UnsafeMutablePointer<UInt64>.allocate(
        capacity: prefix.count / 8 * 2 + limits.count + 1)
      words.append(memory)
      let kept = UnsafeMutableBufferPointer(start: memory, count: limits.count)
      _ = kept.initialize(from: limits)
      var free = memory + limits.count
      let hash = HashPrefix(prefix[...], &free)
      draws.append(
        HashLayout(prefix: prefix.count, subject: length).map {
          VariantChooser.Draws(
            layout: $0, prefixLength: prefix.count, hash: FixedLengthHash(hash, $0),
            limits: UnsafeBufferPointer(kept), first: Int32(choices))
        })
      firsts.append(Int32(choices))
      choices += limits.count + 1
      prefixes.append(prefix)
      self.limits.append(limits)
    }

    /// What a rule chooses for a subject.
    func choice(_ rule: Int, _ subject: [UInt8]) -> Int32 {
      let drawn = Self.drawn(prefixes[rule], subject)
      return firsts[rule] + Int32(limits[rule].count { $0 <= drawn })
    }

    static func drawn(_ prefix: [UInt8], _ subject: [UInt8]) -> UInt64 {
      let count = (0..<4).map { UInt8(truncatingIfNeeded: subject.count >> (8 * $0)) }
      return (prefix + count + subject).withUnsafeBytes { XXH64.hash($0) } >> 11
    }
  }

  private static func program() throws -> Program {
    try #require(RuleSet.compile(Config(placements: [])).output).program
  }

  private static func bytes(_ count: Int, _ random: inout SplitMix) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  /// Gives rows to rules, draws for them, and compares choices and counts with those of the bytes.
  private static func check(
    _ rules: Rules, _ subjects: [[UInt8]], _ owners: [Int?], _ block: inout BatchBlock,
    _ comment: Comment
  ) {
    let flat = subjects.flatMap { $0 }
    flat.withUnsafeBufferPointer { flat in
      block.begin()
      var at = 0
      for subject in subjects {
        block.addRow(subject: ByteView(rebasing: flat[at..<at + subject.count]))
        at += subject.count
      }
      let draws = PlacementDraws(rules.draws, from: 100)
      var columns = SubjectColumns()
      let mask = RowMasks.allocate()
      defer { mask.deallocate() }
      // Nothing of a round is left in the next one.
      for round in 0..<2 {
        let owners = round == 0 ? owners : owners.reversed()
        columns.begin()
        for rule in rules.draws.indices {
          mask.update(repeating: 0, count: BlockShape.words)
          for (row, owner) in owners.enumerated() where owner == rule {
            mask[row / 64] |= 1 << UInt64(row % 64)
          }
          if !RowMasks.isEmpty(mask) {
            #expect(draws.add(100 + rule, mask) == rules.waits(rule), comment)
          }
        }
        var counts = [Int](repeating: 0, count: rules.choices)
        var choices = [Int32](repeating: -1, count: BlockShape.rows)
        draws.draw(block, &columns, counts: &counts, choices: &choices)
        var counted = [Int](repeating: 0, count: rules.choices)
        draws.draw(block, &columns, counts: &counted, choices: nil)
        #expect(counted.allSatisfy { $0 == 0 }, "nobody waits twice")
        var expected = [Int32](repeating: -1, count: BlockShape.rows)
        for (row, owner) in owners.enumerated() {
          guard let owner, rules.waits(owner) else { continue }
          expected[row] = rules.choice(owner, subjects[row])
          counted[Int(expected[row])] += 1
        }
        #expect(choices == expected, comment)
        #expect(counts == counted, comment)
      }
    }
  }

  /// Each row has a rule of its own, with limits just above and below its draw: all bits of it count.
  @Test func everyLength() throws {
    var random = SplitMix(seed: 11)
    var block = BatchBlock(try Self.program(), placements: 1)
    for prefixLength in 0...80 {
      let prefix = Self.bytes(prefixLength, &random)
      for length in 1...SubjectWords.longest {
        let rules = Rules()
        let subjects = (0..<5).map { _ in Self.bytes(length, &random) }
        for subject in subjects {
          let drawn = Rules.drawn(prefix, subject)
          rules.add(prefix, subjectsOf: length, limits: [drawn, drawn + 1])
        }
        Self.check(
          rules, subjects, Array(subjects.indices), &block, "\(prefixLength) \(length)")
      }
    }
  }

  /// Rules with other prefixes, some of other lengths, with other numbers of variants, for some of the rows.
  @Test(arguments: [1, 7, 16, 17, 40, 900]) func manyRules(count: Int) throws {
    var random = SplitMix(seed: 12 + UInt64(count))
    var block = BatchBlock(try Self.program(), placements: 1)
    for length in [1, 2, 9, 36, 60] {
      let lengths = (0..<3).map { _ in Int.random(in: 0...70, using: &random) }
      let rules = Rules()
      for _ in 0..<count {
        let most = UInt64(1) << 53
        rules.add(
          Self.bytes(lengths.randomElement(using: &random) ?? 0, &random), subjectsOf: length,
          limits: (0..<Int.random(in: 1...18, using: &random))
            .map { _ in UInt64.random(in: 0...most, using: &random) }.sorted())
      }
      let rows = Int.random(in: 1...BlockShape.rows, using: &random)
      let subjects = (0..<rows).map { _ in Self.bytes(length, &random) }
      let owners = subjects.map { _ in
        Int.random(in: 0..<5, using: &random) == 0 ? nil : Int.random(in: 0..<count, using: &random)
      }
      Self.check(rules, subjects, owners, &block, "\(count) \(length)")
    }
  }
}

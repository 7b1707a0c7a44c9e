internal import Expressions
internal import RuleEngine

/// Chooses variants for many subjects. The part of a draw that is the same for all subjects of a
/// rule is prepared once.
package struct VariantChooser: ~Copyable {
  // SAFETY: `init` allocates twice the whole words of all prefixes, which do not overlap, and a
  // limit for each choice. `deinit` frees them. Tests: FixedLengthHashTests.countsOfVariants, asan.

  private let assigner: Assigner
  private let rules: RuleTable
  /// The prepared data of each rule.
  private let prepared: UnsafeMutablePointer<Prepared>
  // The memory of ``prepared``.
  private let words: UnsafeMutablePointer<UInt64>
  private let limits: UnsafeMutablePointer<UInt64>
  /// Whether the assigner is the hash that draws are prepared for.
  let hashes: Bool

  /// The prepared data of a rule with several variants. The value is trivial, because a loop over
  /// subjects copies it first.
  struct Prepared {
    fileprivate let prefix: HashPrefix
    /// The number of the prefix's length among the lengths of all prefixes.
    fileprivate let prefixLength: Int
    /// For each variant, the first 53-bit hash above its range.
    fileprivate let limits: UnsafeMutablePointer<UInt64>
    fileprivate let count: Int
    fileprivate let first: Int32
    /// Whether the limits ascend, because no weight is negative.
    fileprivate let ascends: Bool

    /// The choice of a subject of at most ``SubjectWords/longest`` bytes; nil if zero weights or
    /// rounding require the exact method.
    @inline(__always)
    func choice(_ words: UnsafePointer<UInt64>, length: Int) -> Int32? {
      let drawn = prefix.hash(words, length: length) >> 11
      // The code has no branches, because the variant is unpredictable. Both numbers are below
      // 2^63, so the sign of their difference decides.
      var variant: UInt64 = 0
      for i in 0..<count { variant &+= 1 &- ((drawn &- limits[i]) &>> 63) }
      return variant < UInt64(count) ? first &+ Int32(truncatingIfNeeded: variant) : nil
    }

    /// The draw of a subject of at most ``SubjectWords/longest`` bytes, as a number below 2^53.
    func draw(_ words: UnsafePointer<UInt64>, length: Int) -> UInt64 {
      prefix.hash(words, length: length) >> 11
    }

    /// The draws of subjects of a certain length, with everything but the subject prepared; nil if
    /// a draw may require the exact method.
    func draws(subjectsOf length: Int) -> Draws? {
      guard length <= SubjectWords.longest, count > 1, ascends, limits[count - 1] == 1 << 53,
        let layout = HashLayout(prefix: prefix.bytes, subject: length)
      else { return nil }
      return Draws(
        layout: layout, prefixLength: prefixLength, hash: FixedLengthHash(prefix, layout),
        limits: UnsafeBufferPointer(start: limits, count: count - 1), first: first)
    }
  }

  /// The draws of a rule for subjects of one length.
  struct Draws {
    // SAFETY: The chooser owns the limits. Rows in the list are below 512, and choices are those of
    // the plan. Tests: FixedLengthHashTests.countsOfVariants, asan.

    let layout: HashLayout
    /// The number of the prefix's length, as in ``SubjectColumns``.
    let prefixLength: Int
    let hash: FixedLengthHash
    /// The limits that a draw may reach. The memory belongs to the chooser.
    let limits: UnsafeBufferPointer<UInt64>
    let first: Int32

    /// Draws variants for some rows of a block.
    ///
    /// - Parameters:
    ///   - columns: the columns of ``SubjectColumns`` for this layout.
    ///   - scratch: memory with room for all rows of a block.
    ///   - counts: the counts by choice, to which the draws are added.
    ///   - choices: receives the choices by row of the block; nil if they are not read.
    func draw(
      _ rows: UnsafePointer<Int32>, _ found: Int, _ columns: UnsafePointer<UInt64>,
      _ scratch: UnsafeMutablePointer<UInt64>, counts: UnsafeMutablePointer<Int>,
      choices: UnsafeMutablePointer<Int32>?
    ) {
      hash.draw(rows, found, columns, to: scratch)
      // Counts, for each variant, the draws below its limit. Incrementing a count for each draw
      // would be slow, because each increment would wait for the previous one.
      var counted = 0
      for (variant, limit) in limits.enumerated() {
        var below: UInt64 = 0
        for i in 0..<found { below &+= (scratch[i] &- limit) &>> 63 }
        counts[Int(first) &+ variant] &+= Int(truncatingIfNeeded: below) &- counted
        counted = Int(truncatingIfNeeded: below)
      }
      counts[Int(first) &+ limits.count] &+= found &- counted
      guard let choices else { return }
      for i in 0..<found {
        var variant: UInt64 = 0
        for limit in limits { variant &+= 1 &- ((scratch[i] &- limit) &>> 63) }
        choices[Int(rows[i])] = first &+ Int32(truncatingIfNeeded: variant)
      }
    }
  }

  init(_ plan: BatchPlan) {
    assigner = plan.assigner
    rules = plan.ruleSet.storage.table
    if case .hash = plan.assigner { hashes = true } else { hashes = false }
    let table = plan.table
    prepared = .allocate(capacity: max(table.rules.count, 1))
    words = .allocate(capacity: table.prefixes.count / 8 * 2 + table.rules.count * 2 + 1)
    limits = .allocate(capacity: max(table.choices.count, 1))
    var nextWord = words
    var lengths: [Int: Int] = [:]
    for (number, rule) in table.rules.enumerated() {
      let prefix = HashPrefix(
        table.prefixes[Int(rule.prefix.lowerBound)..<Int(rule.prefix.upperBound)], &nextWord)
      let first = limits + Int(rule.variants.lowerBound)
      for (i, choice) in rule.variants.enumerated() {
        let limit = VariantChooser.limit(table.cumulative[Int(choice)], range: rule.drawRange)
        (first + i).initialize(to: limit)
      }
      (prepared + number).initialize(
        to: Prepared(
          prefix: prefix, prefixLength: lengths[prefix.bytes, default: lengths.count],
          limits: first, count: rule.variants.count, first: rule.variants.lowerBound,
          ascends: (1..<max(rule.variants.count, 1)).allSatisfy { first[$0 - 1] <= first[$0] }))
      lengths[prefix.bytes] = prepared[number].prefixLength
    }
  }

  deinit {
    prepared.deallocate()
    words.deallocate()
    limits.deallocate()
  }

  /// The smallest 53-bit number whose draw is not below a sum of weights. Draws grow with their
  /// numbers, so comparing numbers is enough.
  package static func limit(_ sum: Double, range: Double) -> UInt64 {
    var low: UInt64 = 0
    var high: UInt64 = 1 << 53
    while low < high {
      let middle = (low + high) / 2
      if sum > Double(middle) * 0x1p-53 * range { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The prepared data of a rule.
  @inline(__always)
  subscript(rule: Int) -> Prepared { prepared[rule] }

  /// The draw of a rule for a row of a block, in `0..<1`.
  func draw(_ number: Int, row: Int, of block: borrowing BatchBlock) -> Draw {
    let subject = block.subjects[row]
    if hashes, subject.count <= SubjectWords.longest {
      return .bits(prepared[number].draw(block.words(ofRow: row), length: subject.count))
    }
    let drawn = rules.withExperiment(of: rules.rows[number]) {
      assigner.draw(experiment: $0, subject: subject, range: 1)
    }
    return hashes ? .bits(UInt64(drawn * 0x1p53)) : .other(drawn)
  }

  /// A draw before its conversion to a double.
  enum Draw {
    /// The numerator of a draw whose denominator is 2^53.
    case bits(UInt64)
    case other(Double)
  }

  /// The choice of one subject for any rule.
  func choice(
    _ number: Int, _ rule: BatchTable.Rule, subject: ByteView, _ table: BatchTable
  ) -> Int32 {
    guard rule.variants.count > 1 else {
      return rule.variants.isEmpty ? rule.withoutVariants : rule.variants.lowerBound
    }
    return next(number, rule, subject: subject, table)
  }

  /// The choice of a subject for a rule with several variants, with any assigner.
  func next(
    _ number: Int, _ rule: BatchTable.Rule, subject: ByteView, _ table: BatchTable
  ) -> Int32 {
    // SAFETY: The range is that of the rule's variants in the plan's table.
    // Tests: FixedLengthHashTests, BatchDifferentialTests.
    let drawn = rules.withExperiment(of: rules.rows[number]) {
      assigner.draw(experiment: $0, subject: subject, range: rule.drawRange)
    }
    let (first, end) = (Int(rule.variants.lowerBound), Int(rule.variants.upperBound))
    let variant = table.cumulative.withUnsafeBufferPointer {
      WeightTable.variant(
        draw: drawn, cumulative: UnsafeBufferPointer(rebasing: $0[first..<end]))
    }
    return variant.map { Int32(first + $0) } ?? rule.withoutVariants
  }
}

internal import Expressions

/// Chooses variants for many subjects: what a rule's draws have in common is prepared once.
struct VariantChooser: ~Copyable {
  private let assigner: Assigner
  private let rules: RuleTable
  private(set) var prepared: Prepared

  /// A rule with several variants. The value is trivial: a loop over subjects copies it first.
  struct Prepared {
    fileprivate var prefix: HashPrefix
    /// Sums of the weights.
    fileprivate let cumulative: UnsafeMutablePointer<Double>
    fileprivate var count = 0
    fileprivate var first: Int32 = 0
    fileprivate var sum = 0.0
    fileprivate var range = 0.0

    /// The choice of a subject of at most ``SubjectWords/longest`` bytes; nil where weights that
    /// are all zero or rounding need a second look.
    @inline(__always)
    func choice(_ words: UnsafePointer<UInt64>, length: Int) -> Int32? {
      let hash = prefix.hash(words, length: length)
      let drawn = Double(Int64(bitPattern: hash >> 11)) * 0x1p-53 * range
      guard sum > drawn else { return nil }
      // Without branches: which variant it is cannot be predicted.
      var variant: Int32 = 0
      for i in 0..<count { variant &+= cumulative[i] > drawn ? 0 : 1 }
      return first &+ variant
    }
  }

  init(_ plan: BatchPlan) {
    assigner = plan.assigner
    rules = plan.ruleSet.storage.table
    if case .hash = plan.assigner { hashes = true } else { hashes = false }
    let most = max(plan.table.rules.map(\.variants.count).max() ?? 0, 1)
    let cumulative = UnsafeMutablePointer<Double>.allocate(capacity: most)
    cumulative.initialize(repeating: 0, count: most)
    prepared = Prepared(
      prefix: HashPrefix(longest: plan.table.rules.map(\.prefix.count).max() ?? 0),
      cumulative: cumulative)
  }

  deinit {
    prepared.prefix.deallocate()
    prepared.cumulative.deallocate()
  }

  /// Whether the assigner is the hash that is prepared for.
  let hashes: Bool

  /// Prepares for subjects of a rule.
  mutating func begin(_ rule: BatchTable.Rule, _ table: BatchTable) {
    prepared.first = rule.variants.lowerBound
    prepared.count = rule.variants.count
    for i in 0..<prepared.count {
      prepared.cumulative[i] = table.cumulative[Int(prepared.first) + i]
    }
    prepared.sum = prepared.count > 0 ? prepared.cumulative[prepared.count - 1] : 0
    prepared.range = rule.drawRange
    guard hashes else { return }
    let prefix = table.prefixes[Int(rule.prefix.lowerBound)..<Int(rule.prefix.upperBound)]
    prepared.prefix.set(prefix)
  }

  /// The choice of one subject of any rule.
  func choice(
    _ number: Int, _ rule: BatchTable.Rule, subject: ByteView, _ table: BatchTable
  ) -> Int32 {
    guard rule.variants.count > 1 else {
      return rule.variants.isEmpty ? rule.withoutVariants : rule.variants.lowerBound
    }
    return next(number, rule, subject: subject, table)
  }

  /// The choice of a subject, whatever the assigner, of a rule with several variants.
  func next(
    _ number: Int, _ rule: BatchTable.Rule, subject: ByteView, _ table: BatchTable
  ) -> Int32 {
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

internal import Expressions

/// Chooses variants for many subjects: what a rule's draws have in common is prepared once.
struct VariantChooser: ~Copyable {
  /// The draw of an assigner that does not hash.
  private let draw: Double?
  private(set) var prepared: Prepared
  /// What hashes begin with, for subjects that are too long to be laid out in words.
  private var bytes: [UInt8] = []

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
    if case .draw(let fraction) = plan.assigner { draw = fraction } else { draw = nil }
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

  /// Whether subjects are hashed.
  var hashes: Bool { draw == nil }

  /// Prepares for subjects of a rule.
  mutating func begin(_ rule: BatchTable.Rule, _ table: BatchTable) {
    prepared.first = rule.variants.lowerBound
    prepared.count = rule.variants.count
    for i in 0..<prepared.count {
      prepared.cumulative[i] = table.cumulative[Int(prepared.first) + i]
    }
    prepared.sum = prepared.count > 0 ? prepared.cumulative[prepared.count - 1] : 0
    prepared.range = rule.drawRange
    guard draw == nil else { return }
    let prefix = table.prefixes[Int(rule.prefix.lowerBound)..<Int(rule.prefix.upperBound)]
    prepared.prefix.set(prefix)
    bytes.removeAll(keepingCapacity: true)
    bytes += prefix
  }

  /// The choice of one subject of any rule.
  mutating func choice(of rule: BatchTable.Rule, subject: ByteView, _ table: BatchTable) -> Int32 {
    guard rule.variants.count > 1 else {
      return rule.variants.isEmpty ? rule.withoutVariants : rule.variants.lowerBound
    }
    begin(rule, table)
    return next(rule, subject: subject, table)
  }

  /// The choice of any subject of the rule that was prepared for, which has several variants.
  func next(_ rule: BatchTable.Rule, subject: ByteView, _ table: BatchTable) -> Int32 {
    let drawn = (draw ?? fraction(subject)) * rule.drawRange
    let (first, end) = (Int(rule.variants.lowerBound), Int(rule.variants.upperBound))
    let variant = WeightTable.variant(draw: drawn, cumulative: table.cumulative[first..<end])
    return variant.map { Int32(first + $0) } ?? rule.withoutVariants
  }

  private func fraction(_ subject: ByteView) -> Double {
    withUnsafeTemporaryAllocation(
      byteCount: bytes.count + 4 + subject.count, alignment: 8
    ) { buffer in
      buffer.copyBytes(from: bytes)
      return Assigner.fraction(buffer, prefix: bytes.count, subject: subject)
    }
  }
}

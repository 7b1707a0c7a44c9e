/// Reassigns the subjects of one experiment by new weights, so that as few of them as possible
/// change their variant.
///
/// Each variant gets its share of all subjects by largest remainder: whole parts first, then one more subject for the
/// largest fractions. Among equal fractions, earlier variants come first. A variant keeps as many of its subjects as
/// fit its share. Hashes determine which subjects move, and to which variant, so the result does not depend on the
/// order of the subjects.
package struct WeightMigration {
  /// A subject's previous variant.
  package enum Former: Hashable, Sendable {
    /// The variant with this number.
    case variant(Int)
    /// A variant that the experiment no longer has.
    case gone
    /// The subject had no variant.
    case none
  }

  /// The result of a migration.
  package struct Result: Hashable, Sendable {
    /// The number of subjects of each variant after the migration.
    package var targets: [Int]
    /// The number of subjects of each variant before the migration.
    package var former: [Int]
    /// The number of each subject's variant, in the order in which the subjects were added.
    package var variants: [Int32]
    /// The number of subjects whose variant changes. Subjects without a previous variant do not
    /// count.
    package var moved: Int
    /// The number of moved subjects whose variant no longer exists.
    package var gone: Int
  }

  private let shares: [Ratio]
  private var hashes: [UInt64] = []
  private var formers: [Int32] = []

  private static let noVariant: Int32 = -1
  private static let goneVariant: Int32 = -2

  /// - Parameter weights: the weights of the variants, at least one. Shares are computed as in ``Distribution``.
  package init(weights: [Double]) { shares = Ratio.shares(of: weights) }

  /// The number of subjects.
  package var count: Int { hashes.count }

  /// - Parameter hash: the subject's hash, which is the same in every run.
  package mutating func add(_ former: Former, hash: UInt64) {
    hashes.append(hash)
    switch former {
    case .variant(let number): formers.append(Int32(number))
    case .gone: formers.append(Self.goneVariant)
    case .none: formers.append(Self.noVariant)
    }
  }

  /// Divides the subjects among the variants.
  package func result() -> Result {
    let targets = Self.parts(of: count, shares)
    var members = [[Int]](repeating: [], count: shares.count)
    var free: [Int] = []
    for (subject, former) in formers.enumerated() {
      if former >= 0 { members[Int(former)].append(subject) } else { free.append(subject) }
    }
    let former = members.map { $0.count }
    var variants = [Int32](repeating: 0, count: count)
    var moved = formers.count { $0 == Self.goneVariant }
    let gone = moved
    for variant in members.indices {
      // Equal hashes belong to one subject that was added twice.
      let order = members[variant].sorted { (hashes[$0], $0) < (hashes[$1], $1) }
      for subject in order.prefix(targets[variant]) { variants[subject] = Int32(variant) }
      let rest = order.dropFirst(targets[variant])
      moved += rest.count
      free += rest
    }
    // A second hash gives the order, because the moving subjects have the largest values of the first hash.
    let order = free.map { (Self.mixed(hashes[$0]), $0) }.sorted { $0 < $1 }.map { $0.1 }
    var next = order.makeIterator()
    for variant in members.indices {
      for _ in 0..<max(targets[variant] - former[variant], 0) {
        if let subject = next.next() { variants[subject] = Int32(variant) }
      }
    }
    return Result(targets: targets, former: former, variants: variants, moved: moved, gone: gone)
  }

  /// Splits a count into whole parts by shares that sum to one, by largest remainder.
  package static func parts(of count: Int, _ shares: [Ratio]) -> [Int] {
    var parts: [Int] = []
    var rests: [(part: Int, rest: Ratio)] = []
    for (number, share) in shares.enumerated() {
      let product = share.numerator.multipliedFullWidth(by: UInt128(count))
      let (quotient, rest) = share.denominator.dividingFullWidth(product)
      parts.append(Int(quotient))
      rests.append((number, Ratio(rest, share.denominator)))
    }
    let left = count - parts.reduce(0, +)
    let order = rests.sorted { a, b in
      a.rest.isLess(than: b.rest) ? false : b.rest.isLess(than: a.rest) || a.part < b.part
    }
    for (part, _) in order.prefix(max(left, 0)) { parts[part] += 1 }
    return parts
  }

  /// The finishing step of SplitMix64, which spreads every bit over all others.
  private static func mixed(_ hash: UInt64) -> UInt64 {
    var bits = hash &+ 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

extension Ratio {
  fileprivate func isLess(than other: Ratio) -> Bool {
    let a = numerator.multipliedFullWidth(by: other.denominator)
    let b = other.numerator.multipliedFullWidth(by: denominator)
    return (a.high, a.low) < (b.high, b.low)
  }
}

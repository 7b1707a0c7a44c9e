internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// Checks the draws of a run: whether their shares match the weights, and whether the draws of different experiments
/// are independent.
struct DrawChecks {
  /// The verdict of a test.
  enum Verdict: Equatable {
    case fine(p: Double)
    case suspicious(p: Double)
    case tooFew
  }

  /// An audience with several variants.
  struct Balance {
    /// The number of the placement.
    let placement: Int
    let name: String
    let audience: Reach.Audience
    let users: Int
    let stored: Int
    let test: ChiSquared?
    /// The variant whose share deviates most from its weight.
    let farthest: (variant: String, drawn: Double, weight: Double)?
  }

  struct Pair {
    let drawn: DrawnPair
    let users: Int
    let association: Association?
  }

  let balances: [Balance]
  let pairs: [Pair]
  let pairsLeftOut: Int

  /// The probability of a false alarm, for all tests of a kind on a page together.
  static let alarm = 0.01

  init(_ placements: [Reach], pairs: [DrawnPair], pairsLeftOut: Int) {
    balances = placements.enumerated().flatMap { number, placement in
      placement.audiences.filter { $0.variants.count > 1 }.map {
        Balance($0, placement: number, name: placement.counts.name)
      }
    }
    self.pairs = pairs.map { Pair($0) }.filter { $0.users > 0 }
    self.pairsLeftOut = pairsLeftOut
  }

  func verdict(_ balance: Balance) -> Verdict {
    Self.verdict(balance.test?.p, among: balances.count { $0.test != nil })
  }

  func verdict(_ pair: Pair) -> Verdict {
    Self.verdict(pair.association?.test.p, among: pairs.count { $0.association != nil })
  }

  private static func verdict(_ p: Double?, among tests: Int) -> Verdict {
    guard let p else { return .tooFew }
    return p * Double(tests) < alarm ? .suspicious(p: p) : .fine(p: p)
  }
}

extension DrawChecks.Balance {
  fileprivate init(_ audience: Reach.Audience, placement: Int, name: String) {
    self.audience = audience
    self.placement = placement
    self.name = name
    let counts = audience.variants.map(\.drawn)
    let users = counts.reduce(0, +)
    self.users = users
    stored = audience.variants.reduce(0) { $0 + $1.stored }
    test = Statistics.fit(counts, to: audience.variants.map(\.weight))
    var farthest: (variant: String, drawn: Double, weight: Double)?
    var distance = -1.0
    for (variant, count) in zip(audience.variants, counts) where users > 0 {
      let drawn = ReportNumber.share(count, of: users)
      guard abs(drawn - variant.weight) > distance else { continue }
      distance = abs(drawn - variant.weight)
      farthest = (variant.id, drawn, variant.weight)
    }
    self.farthest = farthest
  }
}

extension DrawChecks.Pair {
  fileprivate init(_ drawn: DrawnPair) {
    self.drawn = drawn
    users = drawn.users.joined().reduce(0, +)
    association = Statistics.association(drawn.users)
  }

  var name: String { "\(drawn.first.id) and \(drawn.second.id)" }
}

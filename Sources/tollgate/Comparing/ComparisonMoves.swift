internal import RuleEngine
internal import RuleInsight

/// The moves of users by placement, as pages show them.
struct ComparisonMoves {
  /// The effect of a move on a user's paywall.
  enum Effect: Int, CaseIterable {
    case gains, loses, another, variant, other
  }

  struct Placement {
    var name: String
    /// The placement's index among placements with a section; nil if no user moves.
    var place: Int?
    /// The kinds of moves, the most frequent kinds first.
    var kinds: [ComparisonSums.Moved]
    /// The distinct outcomes that users see with the old config, and the number of users for each outcome.
    var before: [(shown: String, users: Int)]
    var users: Int { kinds.reduce(0) { $0 + $1.users } }
    /// The numbers of users that see a paywall with the old config and with the new config.
    var seeing: (old: Int, new: Int) = (0, 0)
    /// The number of moves with each ``Effect``.
    var effects = Effect.allCases.map { _ in 0 }
  }

  let sums: ComparisonSums
  var users: Int { sums.users }
  var rejected: Int { sums.rejected }
  var movedUsers: Int { sums.movedUsers }
  private(set) var placements: [Placement] = []
  private let comparison: RuleComparison

  init(_ comparison: RuleComparison, _ sums: ComparisonSums) {
    self.comparison = comparison
    self.sums = sums
    var place = 0
    let all = zip(sums.kinds(comparison), sums.outcomes(comparison))
    for (name, (kinds, outcomes)) in zip(comparison.placementNames, all) {
      var placement = Placement(name: name, kinds: kinds, before: [])
      if !kinds.isEmpty {
        placement.place = place
        place += 1
      }
      for (outcome, users) in outcomes {
        if outcome.isPaywall { placement.seeing.old += users }
        let known = placement.before.firstIndex { $0.shown == outcome.shown }
        if let known {
          placement.before[known].users += users
        } else {
          placement.before.append((outcome.shown, users))
        }
      }
      placement.seeing.new = placement.seeing.old
      for moved in kinds {
        let effect = effect(moved.kind)
        placement.effects[effect.rawValue] += moved.users
        if effect == .gains { placement.seeing.new += moved.users }
        if effect == .loses { placement.seeing.new -= moved.users }
      }
      placements.append(placement)
    }
  }

  /// The placements where users move.
  var moved: [Placement] { placements.filter { $0.place != nil } }

  func effect(_ kind: RuleComparison.Kind) -> Effect {
    let (from, to) = (comparison.from(kind), comparison.to(kind))
    switch (from.isPaywall, to.isPaywall) {
    case (false, true): return .gains
    case (true, false): return .loses
    case (true, true): return from.shown == to.shown ? .variant : .another
    case (false, false): return .other
    }
  }

  /// The number of moves and of placements, by reason.
  var reasons: [(reason: MoveReason, moves: Int, placements: Int)] {
    MoveReason.allCases.compactMap { reason in
      let counts = placements.map { placement in
        placement.kinds.reduce(0) { $0 + ($1.kind.reason == reason ? $1.users : 0) }
      }
      let moves = counts.reduce(0, +)
      return moves > 0 ? (reason, moves, counts.count { $0 > 0 }) : nil
    }.sorted { $0.moves > $1.moves }
  }

  // MARK: The matrix

  /// Moves from outcomes of the old config to outcomes of the new config.
  struct Matrix {
    var rows: [String]
    var columns: [String]
    var users: [[Int]]
  }

  /// The outcomes that users move from or to: all of them, or if there are many, those with the most moves.
  func matrix(_ placement: Placement, most: Int) -> Matrix {
    var moves: [[String]: Int] = [:]
    var weight: [String: Int] = [:]
    for moved in placement.kinds {
      let (from, to) = (comparison.from(moved.kind).shown, comparison.to(moved.kind).shown)
      guard from != to else { continue }
      moves[[from, to], default: 0] += moved.users
      weight[from, default: 0] += moved.users
      weight[to, default: 0] += moved.users
    }
    var names: [String] = []
    let all = placement.before.map(\.shown) + placement.kinds.map { comparison.to($0.kind).shown }
    for name in all where !names.contains(name) { names.append(name) }
    // Outcomes without any move have no row.
    names = names.filter { weight[$0] != nil }
    if names.count > most {
      let kept = Set(names.sorted { (weight[$0] ?? 0, $1) > (weight[$1] ?? 0, $0) }.prefix(most))
      names = names.filter(kept.contains)
    }
    var left: [String: Int] = [:]
    for (pair, users) in moves { left[pair[0], default: 0] += users }
    let before = Dictionary(uniqueKeysWithValues: placement.before.map { ($0.shown, $0.users) })
    func users(_ from: String, _ to: String) -> Int {
      from == to ? (before[from] ?? 0) - (left[from] ?? 0) : moves[[from, to]] ?? 0
    }
    let columns = names.filter { to in names.contains { users($0, to) > 0 } }
    let rows = names.filter { before[$0] != nil }
    return Matrix(
      rows: rows, columns: columns, users: rows.map { from in columns.map { users(from, $0) } })
  }
}

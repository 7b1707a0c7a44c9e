package import Expressions
internal import RuleBatch
internal import RuleEngine

/// The number of users for each kind of move and reason.
package struct ComparisonSums: Sendable {
  package struct Moved: Sendable {
    package var kind: RuleComparison.Kind
    package var users: Int
    /// The identity of the first of these users.
    package var example: String
  }

  package private(set) var users = 0
  package private(set) var rejected = 0
  /// The number of users that move at one placement or more.
  package private(set) var movedUsers = 0
  /// The kinds of moves, in order of appearance.
  package private(set) var moved: [Moved] = []
  private var numbers: [RuleComparison.Kind: Int] = [:]
  /// The counts of the old plan.
  private var before: [Int] = []

  package init() {}

  /// Adds the next part of the input.
  ///
  /// - Returns: the numbers of the part's kinds in ``moved``.
  @discardableResult
  package mutating func add(_ part: ComparisonWorker.Part) -> [Int] {
    users += part.output.sums.users
    rejected += part.output.sums.rejected
    movedUsers += part.movedUsers
    let counts = part.output.sums.numbers
    if before.isEmpty {
      before = counts
    } else {
      for i in counts.indices { before[i] += counts[i] }
    }
    return part.moved.map { kind in
      if let known = numbers[kind.kind] {
        moved[known].users += kind.users
        return known
      }
      numbers[kind.kind] = moved.count
      moved.append(Moved(kind: kind.kind, users: kind.users, example: kind.example))
      return moved.count - 1
    }
  }

  /// The kinds of moves at each placement, the most frequent first.
  package func kinds(_ comparison: RuleComparison) -> [[Moved]] {
    var kinds: [[Moved]] = Array(repeating: [], count: comparison.placementNames.count)
    let sorted = moved.enumerated().sorted {
      ($1.element.users, $0.offset) < ($0.element.users, $1.offset)
    }
    for (_, kind) in sorted { kinds[comparison.placement(of: kind.kind)].append(kind) }
    return kinds
  }

  /// The outcomes at each placement by the old config, with the number of users.
  package func outcomes(_ comparison: RuleComparison) -> [[(outcome: ComparedOutcome, users: Int)]]
  {
    let side = comparison.old
    let numbers = BatchNumbers(side.plan)
    var outcomes = comparison.placementNames.map { _ in [(outcome: ComparedOutcome, users: Int)]() }
    for (choice, outcome) in side.outcomes.enumerated() {
      guard let outcome, !before.isEmpty, before[numbers.choice(choice)] > 0 else { continue }
      outcomes[Int(side.placements[choice])].append((outcome, before[numbers.choice(choice)]))
    }
    return outcomes
  }

  /// The sums as a JSON value, without the parts that depend only on the configs.
  ///
  /// - Parameter shown: the display form of a user's ID.
  package func value(_ comparison: RuleComparison, shown: (String) -> String) -> [Value.Entry] {
    let placements = zip(comparison.placementNames, kinds(comparison)).map { name, kinds in
      let values = kinds.map { moved -> Value in
        .object([
          "from": comparison.from(moved.kind).value, "to": comparison.to(moved.kind).value,
          "users": .int(Int64(moved.users)), "example": .string(shown(moved.example)),
          "reason": .string(moved.kind.reason.rawValue),
          "text": .string(comparison.text(moved.kind)),
        ])
      }
      return Value.Entry(
        key: .string(name),
        value: .object([
          "moved": .int(Int64(kinds.reduce(0) { $0 + $1.users })), "kinds": .list(values),
        ]))
    }
    return [
      .init(key: "users", value: .int(Int64(users))),
      .init(key: "rejected", value: .int(Int64(rejected))),
      .init(key: "moved", value: .int(Int64(movedUsers))),
      .init(key: "placements", value: .map(placements)),
    ]
  }
}

public import Expressions

/// Counts of a batch: outcomes by placement, and what became of each audience.
public struct Tally: Hashable, Sendable {
  /// What happened to one audience.
  public struct Audience: Hashable, Sendable {
    /// Position in the config, from 0.
    public var index: Int
    public var experimentID: String
    /// Users for whom it was tried.
    public var reached = 0
    /// Users for whom its expression held.
    public var matched = 0
    /// Users for whom it decided.
    public var taken = 0
  }

  /// What happened at one placement.
  public struct Placement: Hashable, Sendable {
    public var name: String
    public var paywall = 0
    public var holdout = 0
    public var noAudienceMatch = 0
    public var placementNotFound = 0
    public var error = 0
    public var audiences: [Audience] = []

    /// Users whom no audience took.
    public var unmatched: Int { noAudienceMatch + placementNotFound }
  }

  public var users = 0
  public var rejected = 0
  public var placements: [Placement]

  /// Adds the counts of another part of the same batch.
  public mutating func add(_ other: Tally) {
    users += other.users
    rejected += other.rejected
    for (i, part) in other.placements.enumerated() {
      placements[i].paywall += part.paywall
      placements[i].holdout += part.holdout
      placements[i].noAudienceMatch += part.noAudienceMatch
      placements[i].placementNotFound += part.placementNotFound
      placements[i].error += part.error
      for (j, audience) in part.audiences.enumerated() {
        placements[i].audiences[j].reached += audience.reached
        placements[i].audiences[j].matched += audience.matched
        placements[i].audiences[j].taken += audience.taken
      }
    }
  }

  /// The counts as JSON.
  public var value: Value {
    .object([
      "users": .int(Int64(users)), "rejected": .int(Int64(rejected)),
      "placements": .map(
        placements.map { Value.Entry(key: .string($0.name), value: $0.value) }),
    ])
  }
}

extension Tally.Placement {
  fileprivate var value: Value {
    func count(_ number: Int) -> Value { .int(Int64(number)) }
    return .object([
      "outcomes": .object([
        "paywall": count(paywall), "holdout": count(holdout),
        "noAudienceMatch": count(noAudienceMatch),
        "placementNotFound": count(placementNotFound), "error": count(error),
      ]),
      "audiences": .list(
        audiences.map {
          .object([
            "index": count($0.index), "reached": count($0.reached), "matched": count($0.matched),
            "taken": count($0.taken),
          ])
        }),
      "unmatched": count(unmatched),
    ])
  }
}

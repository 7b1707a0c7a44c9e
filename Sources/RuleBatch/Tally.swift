public import Expressions
public import RuleEngine

/// The counts of a batch: the outcomes of each placement and the results of each audience.
public struct Tally: Hashable, Sendable {
  /// The counts of one audience.
  public struct Audience: Hashable, Sendable {
    /// The position of the audience in its placement, from 0.
    public var index: Int
    public var experimentID: String
    /// The audience's label in reports, such as `1 (export-free)`.
    package var label: String
    /// The limit that may hold the audience back, and the entitlement whose owners skip it.
    package var limit: OccurrenceLimit?
    package var entitlement: String?
    /// The number of users for whom the audience was tried.
    public var reached = 0
    /// The number of users for whom the audience's expression was true.
    public var matched = 0
    /// The number of users that the audience took.
    public var taken = 0
    /// The number of users that the expression matched but the occurrence limit excluded.
    public var heldBack = 0
    /// The number of users that skipped the audience because they own an entitlement.
    public var owned = 0
    /// Clauses whose missing attribute decided the result of the audience's expression.
    package var missing: [MissingAttribute] = []
  }

  /// A clause in which a missing attribute counts as another value, and the number of users for
  /// whom this decided the result of the audience's expression.
  package struct MissingAttribute: Hashable, Sendable {
    package var clause: String
    package var path: String
    /// The value that the attribute counts as; nil if a comparison with the attribute is false.
    package var standIn: Value?
    package var matched: Int
    package var unmatched: Int
    package var matchedExample: String?
    package var unmatchedExample: String?
  }

  /// An error in a rule, and the number of users that it affected.
  public struct RuleErrors: Hashable, Sendable {
    public var error: RuleError
    public var users: Int
    /// The ID of the first affected user.
    public var example: String

    /// Sorts the most frequent errors first.
    static func isBefore(_ a: RuleErrors, _ b: RuleErrors) -> Bool {
      if a.users != b.users { return a.users > b.users }
      let (left, right) = (a.error, b.error)
      if left.audience != right.audience { return left.audience < right.audience }
      if left.clause != right.clause { return left.clause < right.clause }
      if left.code != right.code { return left.code < right.code }
      return (left.path ?? "") < (right.path ?? "")
    }
  }

  /// The counts of one placement.
  public struct Placement: Hashable, Sendable {
    public var name: String
    public var paywall = 0
    public var holdout = 0
    public var noAudienceMatch = 0
    public var placementNotFound = 0
    public var error = 0
    /// The number of users for whom only the device can decide.
    public var undecidable = 0
    public var audiences: [Audience] = []
    /// The errors in rules, with the most frequent error first.
    public var errors: [RuleErrors] = []

    /// The number of users that no audience matched.
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
      placements[i].undecidable += part.undecidable
      placements[i].add(part.errors)
      for (j, audience) in part.audiences.enumerated() {
        placements[i].audiences[j].reached += audience.reached
        placements[i].audiences[j].matched += audience.matched
        placements[i].audiences[j].taken += audience.taken
        placements[i].audiences[j].heldBack += audience.heldBack
        placements[i].audiences[j].owned += audience.owned
        placements[i].audiences[j].add(audience.missing)
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

extension Tally.MissingAttribute {
  /// The attribute as JSON: `{"clause", "path", "countsAs"?, "matched", "unmatched",
  /// "matchedExample"?, "unmatchedExample"?}`.
  func value(hasExamples: Bool) -> Value {
    .members([
      "clause": .string(clause), "path": .string(path), "countsAs": standIn,
      "matched": .int(Int64(matched)), "unmatched": .int(Int64(unmatched)),
      "matchedExample": hasExamples ? matchedExample.map { .string($0) } : nil,
      "unmatchedExample": hasExamples ? unmatchedExample.map { .string($0) } : nil,
    ])
  }

  /// The value of a missing attribute in words, such as `counts as 0`.
  package static func words(_ standIn: Value?) -> String {
    standIn.map { "counts as \($0.json)" } ?? "the comparison is then false"
  }

  /// The effect of the clause in words, such as `matched 'user.seed < 50' because user.seed is
  /// missing (counts as 0)`. The text differs for users that match and users that do not.
  package func words(matched: Bool) -> String {
    let clause = clause.split { $0.isWhitespace }.joined(separator: " ")
    return (matched ? "matched" : "did not match")
      + " '\(clause)' because \(path) is missing (\(Self.words(standIn)))"
  }
}

extension Tally.Audience {
  fileprivate mutating func add(_ more: [Tally.MissingAttribute]) {
    for clause in more {
      let known = missing.firstIndex { $0.clause == clause.clause && $0.path == clause.path }
      guard let known else {
        missing.append(clause)
        continue
      }
      missing[known].matched += clause.matched
      missing[known].unmatched += clause.unmatched
      missing[known].matchedExample = missing[known].matchedExample ?? clause.matchedExample
      missing[known].unmatchedExample = missing[known].unmatchedExample ?? clause.unmatchedExample
    }
  }

  /// The counts as JSON: `{"index", "reached", "matched", "taken", "heldBack", "limit"?, "owned"?,
  /// "entitlement"?, "missing"?}`. `limit` exists if the audience has a limit, and `owned` and
  /// `entitlement` if it has an entitlement.
  package var value: Value {
    func count(_ number: Int) -> Value { .int(Int64(number)) }
    return .members([
      "index": count(index), "reached": count(reached), "matched": count(matched),
      "taken": count(taken), "heldBack": count(heldBack),
      "limit": limit.map { $0.value(count: nil) }, "owned": entitlement.map { _ in count(owned) },
      "entitlement": entitlement.map { .string($0) },
      "missing": missing.isEmpty ? nil : .list(missing.map { $0.value(hasExamples: false) }),
    ])
  }

  /// The limit in words, such as `at most 2 in the last 24 hours, counted as 'export_free'`.
  package var limitText: String? { limit.map { LimitWords.rule($0) } }
}

extension Tally.Placement {
  /// The maximum number of rule errors in the JSON of a summary. The number of omitted errors
  /// follows them.
  private static let mostErrors = 20

  fileprivate mutating func add(_ more: [Tally.RuleErrors]) {
    if more.isEmpty { return }
    var places: [RuleError: Int] = [:]
    for (i, known) in errors.enumerated() { places[known.error] = i }
    for new in more {
      if let known = places[new.error] {
        errors[known].users += new.users
      } else {
        errors.append(new)
      }
    }
    errors.sort { Tally.RuleErrors.isBefore($0, $1) }
  }

  package var value: Value {
    func count(_ number: Int) -> Value { .int(Int64(number)) }
    var members: Value = .object([
      "outcomes": .members([
        "paywall": count(paywall), "holdout": count(holdout),
        "noAudienceMatch": count(noAudienceMatch),
        "placementNotFound": count(placementNotFound), "error": count(error),
        "undecidable": undecidable > 0 ? count(undecidable) : nil,
      ]),
      "audiences": .list(audiences.map { $0.value }),
      "unmatched": count(unmatched),
      "errors": .list(
        errors.prefix(Tally.Placement.mostErrors).map { failed in
          guard case .map(let entries) = failed.error.value else { return .null }
          return .map(
            entries + [
              .init(key: "users", value: count(failed.users)),
              .init(key: "example", value: .string(failed.example)),
            ])
        }),
    ])
    if errors.count > Tally.Placement.mostErrors, case .map(var entries) = members {
      entries.append(
        .init(key: "more", value: count(errors.count - Tally.Placement.mostErrors)))
      members = .map(entries)
    }
    return members
  }
}

package import Expressions
internal import RuleBatch
internal import RuleEngine
package import RuleInsight

/// Finds the users with different outcomes in another config. The members of a request are `{"new",
/// "old"?, "users"?, "placements"?, "now"?, "seed"?, "platform"?}`.
extension PreparedConfig {
  /// - Parameter other: the new config, or nil if it is in the request.
  package func difference(to other: PreparedConfig? = nil, _ body: JSONRequest)
    throws(RequestError) -> Value
  {
    let request = body.value
    let users = try request.givenLines("users", of: "user records")
    let names = try request.givenTexts("placements")
    let (now, seed) = (try time(of: request), try request.givenText("seed"))
    let platform = try request.givenPlatform()
    let old = try config(of: body, "old").following(platform)
    var new = self
    if let other {
      new = other.following(platform)
    } else if request.given("new") == nil {
      throw .missing("new", "a config, as an object or as a string with its JSON")
    } else {
      new = try config(of: body, "new").following(platform)
    }
    for name in names ?? []
    where old.ruleSet.placement(named: name) == nil && new.ruleSet.placement(named: name) == nil {
      throw RequestError(
        .request, "unknown_placement", "neither config has a placement '\(name)'")
    }
    return old.difference(to: new, users: users, placements: names, now: now, seed: seed)
  }

  /// - Parameters:
  ///   - users: lines of records, or nil for all possible users.
  ///   - placements: the names of the placements to compare, or nil for the placements of both configs.
  package func difference(
    to other: PreparedConfig, users: [UInt8]?, placements: [String]? = nil, now: Instant? = nil,
    seed: String? = nil
  ) -> Value {
    let comparison = RuleComparison(
      ruleSet, other.ruleSet, placements: placements, clock: clock(now),
      assigners: (assigner(seed: seed), other.assigner(seed: seed)))
    guard let users else {
      return comparison.answer(comparison.differences(), settings.redaction)
    }
    var worker = ComparisonWorker(comparison)
    var sums = ComparisonSums()
    LineScan.forEachChunk(of: users) { _ = sums.add(worker.process($0)) }
    return comparison.answer(sums, settings.redaction)
  }
}

extension RuleComparison {
  /// The answer for all possible users: `{"placements":{..}, "changes":[..]}`.
  package func answer(_ differences: [PlacementDifference], _ redaction: Redaction) -> Value {
    .object([
      "placements": .map(
        differences.map {
          .init(key: .string($0.placement), value: $0.value(shown: redaction.record))
        }), "changes": .list(changes.map { $0.value }),
    ])
  }

  /// The answer for given users: `{"users", .., "placements":{..}, "changes":[..]}`.
  package func answer(_ sums: ComparisonSums, _ redaction: Redaction) -> Value {
    .map(
      sums.value(self, shown: redaction.id)
        + [.init(key: "changes", value: .list(changes.map { $0.value }))])
  }
}

package import Expressions
internal import RuleBatch
internal import RuleEngine

/// One difference between two configs, in the terms of campaigns.
package struct ConfigChange: Sendable {
  /// The kind of change.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case placementAdded = "placement-added"
    case placementRemoved = "placement-removed"
    case audienceAdded = "audience-added"
    case audienceRemoved = "audience-removed"
    case audienceMoved = "audience-moved"
    case condition, entitlement, limit, experiment, status
    case variantAdded = "variant-added"
    case variantRemoved = "variant-removed"
    case variantOrder = "variant-order"
    case weight, paywall
  }

  package var kind: Kind
  package var placement: String
  /// The audience's number in each config; nil in a config without the audience, and for changes of
  /// whole placements.
  package var oldAudience: Int?
  package var newAudience: Int?
  /// The old and the new value, for changes that have values.
  package var from: String?
  package var to: String?
  /// The removed clauses and the added clauses, for a changed condition.
  package var clausesRemoved: [String] = []
  package var clausesAdded: [String] = []
  /// The changed part in words, without the placement and without ``from`` and ``to``: `audience 1
  /// (spring): weight of variant 'a'`.
  package var what: String
  /// The change in words, without the placement: `audience 1 (spring): weight of variant 'a' from
  /// 50 to 70`.
  package var text: String

  package var value: Value {
    func texts(_ texts: [String]) -> Value? {
      texts.isEmpty ? nil : .list(texts.map { .string($0) })
    }
    var audience: Value?
    if oldAudience != nil || newAudience != nil {
      audience = .object([
        "from": oldAudience.map { .int(Int64($0)) } ?? .null,
        "to": newAudience.map { .int(Int64($0)) } ?? .null,
      ])
    }
    return .members([
      "placement": .string(placement), "audience": audience, "change": .string(kind.rawValue),
      "from": from.map { .string($0) }, "to": to.map { .string($0) },
      "clausesRemoved": texts(clausesRemoved), "clausesAdded": texts(clausesAdded),
      "text": .string(text),
    ])
  }
}

extension RuleComparison {
  /// The differences between the two configs that can affect outcomes, placement by placement.
  package var changes: [ConfigChange] {
    placements.flatMap { placement in
      var changes = PlacementChanges(placement, old.plan.ruleSet, new.plan.ruleSet)
      changes.find()
      return changes.found
    }
  }
}

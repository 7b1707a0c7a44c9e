internal import Expressions
internal import RuleEngine

/// The parts of an audience that differ between two configs.
struct AudienceChange: OptionSet {
  let rawValue: UInt8

  /// The audience matches other users: its condition changed, or the entitlement whose owners skip it.
  static let condition = Self(rawValue: 1)
  static let limit = Self(rawValue: 2)
  /// The audience divides its users differently among variants.
  static let shares = Self(rawValue: 4)
  /// A variant has another outcome.
  static let paywall = Self(rawValue: 8)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ old: RuleSet.Rule, _ new: RuleSet.Rule) {
    self = []
    let (before, after) = (old.audience, new.audience)
    if !before.hasCondition(of: after) || old.isBroken != new.isBroken
      || !sameBytes(before.entitlementGuard, after.entitlementGuard)
    {
      insert(.condition)
    }
    if !sameLimit(before.occurrenceLimit, after.occurrenceLimit) { insert(.limit) }
    if !sameBytes(before.experimentID, after.experimentID)
      || before.experimentStatus != after.experimentStatus
      || !before.variants.elementsEqual(
        after.variants, by: { sameBytes($0.id, $1.id) && $0.weight == $1.weight })
    {
      insert(.shares)
    }
    let variants = VariantPlaces(after.variants)
    for variant in before.variants {
      guard let place = variants[variant] else { continue }
      let other = after.variants[place]
      if variant.kind != other.kind || !sameBytes(variant.paywallID, other.paywallID) {
        insert(.paywall)
      }
    }
  }
}

/// The positions of variants by the bytes of their IDs. If several variants have the same ID, the
/// first counts.
struct VariantPlaces {
  private var places: [[UInt8]: Int] = [:]

  init(_ variants: [Variant]) {
    for (place, variant) in variants.enumerated().reversed() {
      places[Array(variant.id.utf8)] = place
    }
  }

  subscript(variant: Variant) -> Int? { places[Array(variant.id.utf8)] }
}

extension Audience {
  /// Whether both audiences match the same users, judging by the text of their conditions.
  func hasCondition(of other: Audience) -> Bool {
    sameBytes(expression, other.expression) && filters == other.filters
  }
}

/// Whether strings have the same bytes. `==` treats some different strings as equal.
func sameBytes(_ a: String?, _ b: String?) -> Bool {
  switch (a, b) {
  case (nil, nil): true
  case (let a?, let b?): a.utf8.elementsEqual(b.utf8)
  default: false
  }
}

func sameLimit(_ a: OccurrenceLimit?, _ b: OccurrenceLimit?) -> Bool {
  sameBytes(a?.key, b?.key) && a?.maxCount == b?.maxCount && a?.interval == b?.interval
}

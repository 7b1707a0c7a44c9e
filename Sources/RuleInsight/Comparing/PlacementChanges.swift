internal import Expressions
internal import RuleEngine

/// Finds and describes the differences of a placement between two configs.
struct PlacementChanges {
  private let placement: ComparedPlacement
  private let old: RuleSet
  private let new: RuleSet
  private(set) var found: [ConfigChange] = []

  init(_ placement: ComparedPlacement, _ old: RuleSet, _ new: RuleSet) {
    self.placement = placement
    self.old = old
    self.new = new
  }

  mutating func find() {
    guard let newRules = placement.newRules else {
      let count = placement.oldRules?.count ?? 0
      add(.placementRemoved, "the placement is removed, with \(Self.audiences(count))")
      return
    }
    guard let oldRules = placement.oldRules else {
      add(.placementAdded, "the placement is added, with \(Self.audiences(newRules.count))")
      return
    }
    for rule in oldRules where placement.newRule(of: rule) == nil { addRemoved(rule) }
    let moved = placement.match.moved
    for rule in newRules {
      guard let was = placement.oldRule(of: rule) else {
        addAdded(rule)
        continue
      }
      let audience = new.rules[rule].audience
      if moved.contains(was - oldRules.lowerBound) {
        let number = old.rules[was].audience.index
        add(
          .audienceMoved, "audience \(audience.label) was number \(number)",
          what: "place of audience \(audience.label)", was, rule,
          from: "\(number)", to: "\(audience.index)")
      }
      compare(was, rule)
    }
  }

  private static func audiences(_ count: Int) -> String {
    count == 1 ? "1 audience" : "\(count) audiences"
  }

  private mutating func add(
    _ kind: ConfigChange.Kind, _ text: String, what: String? = nil, _ was: Int? = nil,
    _ rule: Int? = nil, from: String? = nil, to: String? = nil
  ) {
    found.append(
      ConfigChange(
        kind: kind, placement: placement.name,
        oldAudience: was.map { old.rules[$0].audience.index },
        newAudience: rule.map { new.rules[$0].audience.index }, from: from, to: to,
        what: what ?? text,
        text: text))
  }

  private mutating func addRemoved(_ rule: Int) {
    let audience = old.rules[rule].audience
    let text = Self.condition(audience, old)
    let what = "audience \(audience.label) is removed"
    add(.audienceRemoved, "\(what): \(text)", what: what, rule, nil, from: text)
  }

  private mutating func addAdded(_ rule: Int) {
    let audience = new.rules[rule].audience
    let text = Self.condition(audience, new)
    let what = "audience \(audience.label) is added"
    add(.audienceAdded, "\(what): \(text)", what: what, nil, rule, to: text)
  }

  // MARK: One audience

  private mutating func compare(_ was: Int, _ rule: Int) {
    let (before, after) = (old.rules[was].audience, new.rules[rule].audience)
    let label = "audience \(after.label)"
    func say(
      _ kind: ConfigChange.Kind, _ what: String, _ from: String, _ to: String,
      _ changes: inout PlacementChanges
    ) {
      if from.utf8.elementsEqual(to.utf8) { return }
      let what = "\(label): \(what)"
      changes.add(
        kind, "\(what) from \(from) to \(to)", what: what, was, rule, from: from, to: to)
    }
    compareConditions(was, rule)
    say(
      .entitlement, "skipped users", Self.owners(before), Self.owners(after), &self)
    say(.limit, "limit", Self.limit(before), Self.limit(after), &self)
    say(.experiment, "experiment", before.experimentName, after.experimentName, &self)
    if before.experimentStatus != .absent, after.experimentStatus != .absent {
      say(
        .status, "experiment", before.experimentStatus.rawValue, after.experimentStatus.rawValue,
        &self)
    }
    compareVariants(was, rule, label)
  }

  private mutating func compareConditions(_ was: Int, _ rule: Int) {
    let (before, after) = (old.rules[was].audience, new.rules[rule].audience)
    let label = "audience \(after.label)"
    if !before.hasCondition(of: after) {
      let (from, to) = (Self.condition(before, old), Self.condition(after, new))
      // Differences only in spaces and parentheses do not count.
      guard !from.utf8.elementsEqual(to.utf8) else { return }
      let (clauses, others) = (Self.clauses(before, old), Self.clauses(after, new))
      let what = "\(label): condition"
      add(.condition, "\(what) from \(from) to \(to)", what: what, was, rule, from: from, to: to)
      let last = found.count - 1
      found[last].clausesRemoved = clauses.filter { !others.contains($0) }
      found[last].clausesAdded = others.filter { !clauses.contains($0) }
    }
  }

  /// The condition of an audience, formatted.
  static func condition(_ audience: Audience, _ ruleSet: RuleSet) -> String {
    if let expression = audience.expression {
      return ruleSet.language.environment().format(expression).text
    }
    return audience.filters.isEmpty ? "every user" : FilterText(audience.filters).text
  }

  /// The clauses that a condition joins with `&&`.
  private static func clauses(_ audience: Audience, _ ruleSet: RuleSet) -> [String] {
    guard audience.expression != nil else { return audience.filters.map({ $0.text }) }
    let text = condition(audience, ruleSet)
    return ruleSet.language.environment().conjuncts(of: text)
  }

  private static func owners(_ audience: Audience) -> String {
    audience.entitlementGuard.map { "owners of '\($0)'" } ?? "no user"
  }

  private static func limit(_ audience: Audience) -> String {
    audience.occurrenceLimit.map { LimitWords.rule($0) } ?? "none"
  }

  // MARK: Variants

  private mutating func compareVariants(_ was: Int, _ rule: Int, _ label: String) {
    let (before, after) = (
      old.rules[was].audience.variants, new.rules[rule].audience.variants
    )
    let (earlierPlaces, laterPlaces) = (VariantPlaces(before), VariantPlaces(after))
    for variant in before where laterPlaces[variant] == nil {
      let (text, what) = (Self.words(variant), "\(label): variant '\(variant.id)' is removed")
      add(.variantRemoved, "\(what): \(text)", what: what, was, rule, from: text)
    }
    for variant in after {
      guard let earlier = earlierPlaces[variant].map({ before[$0] }) else {
        let (text, what) = (Self.words(variant), "\(label): variant '\(variant.id)' is added")
        add(.variantAdded, "\(what): \(text)", what: what, was, rule, to: text)
        continue
      }
      if earlier.weight != variant.weight {
        let (from, to) = (Self.number(earlier.weight), Self.number(variant.weight))
        let what = "\(label): weight of variant '\(variant.id)'"
        add(.weight, "\(what) from \(from) to \(to)", what: what, was, rule, from: from, to: to)
      }
      let (from, to) = (Self.gives(earlier), Self.gives(variant))
      if !from.utf8.elementsEqual(to.utf8) {
        add(
          .paywall, "\(label): variant '\(variant.id)' gives \(to) instead of \(from)",
          what: "\(label): outcome of variant '\(variant.id)'", was, rule, from: from, to: to)
      }
    }
    compareOrder(before, after, was, rule, label)
  }

  /// Reports variants in another order, because they are assigned to other users.
  private mutating func compareOrder(
    _ before: [Variant], _ after: [Variant], _ was: Int, _ rule: Int, _ label: String
  ) {
    let ids = [before, after].map { variants in variants.map { Array($0.id.utf8) } }
    let known = ids.map(Set.init)
    let kept = ids[0].filter { known[1].contains($0) }
    guard kept != ids[1].filter({ known[0].contains($0) }) else { return }
    let (from, to) = (
      before.map { $0.id }.joined(separator: ", "), after.map { $0.id }.joined(separator: ", ")
    )
    let what = "\(label): order of variants"
    add(.variantOrder, "\(what) from \(from) to \(to)", what: what, was, rule, from: from, to: to)
  }

  /// A variant in words: `paywall 'annual', weight 50`.
  private static func words(_ variant: Variant) -> String {
    "\(gives(variant)), weight \(number(variant.weight))"
  }

  private static func gives(_ variant: Variant) -> String {
    switch variant.kind {
    case .holdout: "no paywall (holdout)"
    case .treatment: variant.paywallID.map { "paywall '\($0)'" } ?? "no paywall"
    }
  }

  /// The weight, without a fraction if it is whole.
  private static func number(_ weight: Double) -> String {
    let whole = Int64(exactly: weight)
    return whole.map { "\($0)" } ?? "\(weight)"
  }
}

extension Audience {
  fileprivate var experimentName: String { experimentID.isEmpty ? "none" : "'\(experimentID)'" }
}

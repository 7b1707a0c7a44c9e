internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Finds the smallest change for one user and one audience.
final class ChangeFinder {
  /// The user, with the current entitlements or with other entitlements.
  private struct Variant {
    var record: Value
    var context: RecordContext
    /// The change of entitlements.
    var change: SmallestChange.Change?
    var search: ChangeSearch
    var holding: [ConditionSpace.Goal]
    var isDead = false
    /// Whether rules read the entitlements themselves, so that further lists are possible.
    var isPartial = false

    var cost: Int { change == nil ? 0 : 1 }
  }

  private let ruleSet: RuleSet
  private let name: String
  private let rule: Int
  /// The rules before this one.
  private let before: Range<Int>
  private let decider: WitnessDecider
  private let record: Value
  private let context: RecordContext
  private let model: ConditionModel
  /// The condition of each rule in the model, from the first rule of the placement.
  private let conditionOf: [Int?]
  private let derived: DerivedAttributes
  /// The steps of the longest search.
  private(set) var steps = 0

  init?(
    _ ruleSet: RuleSet, _ placement: RuleSet.CompiledPlacement, _ rule: Int, _ record: Value,
    _ clock: HistoryClock
  ) {
    self.ruleSet = ruleSet
    self.rule = rule
    let record = ruleSet.completed(record, at: clock)
    self.record = record
    name = placement.name
    before = placement.rules.lowerBound..<rule
    decider = WitnessDecider(ruleSet, at: clock)
    guard let context = RecordContext(record, decider) else { return nil }
    self.context = context
    derived = DerivedAttributes(record, on: ruleSet.language.platform)
    // The audience's own attributes come first.
    var sources: [ConditionModel.Source] = []
    var conditionOf: [Int?] = Array(repeating: nil, count: rule + 1 - before.lowerBound)
    for number in [rule] + Array(before) {
      let compiled = ruleSet.rules[number]
      guard !compiled.isBroken, compiled.entry != nil else { continue }
      conditionOf[number - before.lowerBound] = sources.count
      let audience = compiled.audience
      sources.append(audience.expression.map { .expression($0) } ?? .filters(audience.filters))
    }
    self.conditionOf = conditionOf
    model = ConditionModel(
      ruleSet.environment, sources
    ) { ruleSet.answers(to: $0) }
  }

  // MARK: Finding

  func find() -> SmallestChange {
    guard let reasons = decider.reasons(for: record, at: name) else { return refused }
    if reasons[rule - before.lowerBound] == .matched { return SmallestChange(verdict: .found) }
    if let why = hindrance { return none(why) }
    var variants = self.variants()
    for i in variants.indices where !variants[i].isDead {
      variants[i].isDead = variants[i].search.isImpossible()
    }
    if variants.allSatisfy({ $0.isDead }) { return none(reason(variants)) }
    guard isConsistent(reasons) else { return refused }
    var result = SmallestChange(verdict: .unknown)
    var isExcluded = true
    for size in 1...SmallestChange.most {
      for i in variants.indices where !variants[i].isDead && variants[i].cost <= size {
        switch self.search(&variants[i], size - variants[i].cost) {
        case .found(let found):
          result = found
          result.excluded = isExcluded ? size - 1 : result.excluded
          return result
        case .unknown: isExcluded = false
        case .excluded: if variants[i].isPartial { isExcluded = false }
        }
      }
      if isExcluded { result.excluded = size }
      if variants.allSatisfy({ $0.isDead || $0.search.isExhausted }) {
        return none(reason(variants))
      }
    }
    result.why =
      variants.contains { $0.search.isOutOfBudget }
      ? "the search reached its step limit"
      : isExcluded
        ? nil : "the conditions are only partly understood, and no example was found"
    return result
  }

  private enum Answer {
    case found(SmallestChange)
    case excluded, unknown
  }

  private func search(_ variant: inout Variant, _ size: Int) -> Answer {
    var found: [(place: Int, value: Value?)] = []
    let copy = variant
    defer { steps = max(steps, variant.search.steps) }
    let answer = variant.search.search(size: size) { witness, chosen in
      let values = chosen.map { place in
        (
          place: place,
          value: witness.attributes.value(at: copy.search.space.places[place].path.names)
        )
      }
      guard let taken = accepted(values, copy) else { return false }
      found = taken
      return true
    }
    switch answer {
    case .excluded: return .excluded
    case .unknown: return .unknown
    case .found: return .found(told(simplified(found, variant), variant))
    }
  }

  private var refused: SmallestChange {
    SmallestChange(verdict: .unknown, why: "the analysis and the decision disagree about this user")
  }

  private func none(_ why: String?) -> SmallestChange {
    let paths = space(context).places.count
    return SmallestChange(verdict: .none, excluded: paths, why: why)
  }

  /// Whether the analysis agrees with the decision for the user.
  private func isConsistent(_ reasons: [Decision.Reason]) -> Bool {
    let held = conditionOf.compactMap { $0 }
    let outcomes = model.outcomes(of: held.map { model.conditions[$0].root }, for: context.witness)
    guard let outcomes else { return false }
    let byCondition = Dictionary(uniqueKeysWithValues: zip(held, outcomes))
    return zip(conditionOf, reasons).allSatisfy { condition, reason in
      guard let condition, let outcome = byCondition[condition] else { return true }
      switch reason {
      case .matched, .occurrenceLimit: return outcome == .true
      case .expressionFalse, .expressionError: return outcome != .true
      case .expressionBroken, .entitled, .notReached, .undecidable: return true
      }
    }
  }

  // MARK: Reasons

  /// The reason why no change of attributes can make the audience match; nil if there is none.
  private var hindrance: String? {
    let compiled = ruleSet.rules[rule]
    if compiled.isBroken { return "its expression does not compile" }
    guard let limit = compiled.audience.occurrenceLimit else { return nil }
    let count = context.state.count(for: limit)
    guard !limit.allows(storedCount: count) else { return nil }
    return "its limit is reached (\(LimitWords.describe(limit, count: count))), and no "
      + "attribute changes that"
  }

  /// The reason why no change makes the audience match.
  private func reason(_ variants: [Variant]) -> String? {
    for earlier in before.reversed() where takes(earlier, context.state) {
      if conditionOf[earlier - before.lowerBound] == nil,
        ruleSet.rules[earlier].audience.entitlementGuard == nil
      {
        return "audience \(ruleSet.rules[earlier].audience.label) takes every user first"
      }
    }
    guard var variant = variants.first else { return nil }
    let asksForEvents = !ruleSet.questions.isEmpty || !context.fixed.isEmpty
    if variant.search.isImpossible(variant.holding) {
      return asksForEvents
        ? "with this user's events, no attributes can make its condition true"
        : "no user can make its condition true"
    }
    return "earlier audiences take every user that it would match"
      + (asksForEvents ? " with this user's events" : "")
  }

  /// Whether an earlier rule takes the users that match its condition.
  private func takes(_ earlier: Int, _ state: DecisionState) -> Bool {
    let compiled = ruleSet.rules[earlier]
    if compiled.isBroken { return false }
    if let limit = compiled.audience.occurrenceLimit,
      !limit.allows(storedCount: state.count(for: limit))
    {
      return false
    }
    return !(compiled.audience.entitlementGuard.map { state.owns($0) } ?? false)
  }

  // MARK: Variants

  /// The user with the current entitlements, and with other entitlements if audiences skip owners.
  private func variants() -> [Variant] {
    let own = context.state.entitlements
    let excluded = ruleSet.rules[rule].audience.entitlementGuard
    var guards: [String] = []
    for earlier in before where takes(earlier, context.state) {
      guard let guarded = ruleSet.rules[earlier].audience.entitlementGuard, guarded != excluded,
        !guards.contains(guarded)
      else { continue }
      guards.append(guarded)
    }
    let kept = own.filter { $0 != excluded }
    var lists = [kept]
    for guarded in guards.prefix(2) { lists += lists.map { $0 + [guarded] } }
    // A user that owns everything skips as many earlier audiences as possible.
    if guards.count > 2 { lists.append(kept + guards) }
    return lists.compactMap { list in
      if list == own { return variant(record, nil) }
      let to = Value.list(list.map { .string($0) })
      let from = record[UserMember.entitlements.key] ?? .null
      return variant(
        record.setting([UserMember.entitlements.key], to: to),
        SmallestChange.Change(
          path: UserMember.entitlements.key, from: from == .null ? nil : from, to: to))
    }
  }

  private func variant(_ record: Value, _ change: SmallestChange.Change?) -> Variant? {
    guard let context = RecordContext(record, decider) else { return nil }
    let space = space(context)
    var goals: [ConditionSpace.Goal] = []
    var isDead = false
    if let condition = conditionOf[rule - before.lowerBound] {
      goals.append(ConditionSpace.Goal(model.conditions[condition].root, .true))
    }
    let holding = goals
    for earlier in before where takes(earlier, context.state) {
      if let condition = conditionOf[earlier - before.lowerBound] {
        goals.append(ConditionSpace.Goal(model.conditions[condition].root, .notTrue))
      } else {
        isDead = true
      }
    }
    // Attributes that apps set come first, then attributes that depend on purchases, and last
    // attributes that change constantly.
    let ranks = space.places.map { Self.rank($0.path.names) }
    let order = (0...2).flatMap { rank in space.places.indices.filter { ranks[$0] == rank } }
    return Variant(
      record: record, context: context, change: change,
      search: ChangeSearch(space, goals, order: order), holding: holding, isDead: isDead,
      isPartial: change != nil && readsEntitlements(space, record))
  }

  /// The rank of an attribute among alternatives to change; lower ranks come first.
  private static func rank(_ names: [String]) -> Int {
    guard names.count > 1, names[0] == UserMember.device.key,
      let attribute = DeviceAttribute(named: names[1])
    else { return 0 }
    switch attribute {
    case .activeEntitlements, .activeEntitlementObjects, .activeEntitlementsObject, .activeProducts,
      .aliases, .publicApiKey, .vendorId, .deviceId, .appUserId:
      return 1
    default: return attribute.isOfTheMoment ? 2 : 0
    }
  }

  private func readsEntitlements(_ space: ChangeSpace, _ record: Value) -> Bool {
    space.readsAnything
      || space.places.contains {
        RecordContext.standIn(for: $0.path, in: record, ruleSet.format)
          == UserMember.entitlements.key
      }
  }

  private func space(_ context: RecordContext) -> ChangeSpace {
    ChangeSpace(
      model, roots: model.conditions.map { $0.root }, around: context.witness,
      isFixed: { context.fixed.contains($0) })
  }

  // MARK: Verifying

  private typealias Values = [(place: Int, value: Value?)]

  /// The values, adjusted if necessary, for which the audience takes the user; nil if there are none.
  private func accepted(_ values: Values, _ variant: Variant) -> Values? {
    let paths = values.map { variant.search.space.places[$0.place].path }
    let changed = apply(values, variant)
    if isTaken(changed, paths, variant) { return values }
    // If two values depend on each other, one of them must be adjusted.
    for isForward in [true, false] {
      let other = derived.reconciled(changed, paths, isForward: isForward)
      guard other != changed, isTaken(other, paths, variant) else { continue }
      return zip(values, paths).map { ($0.place, other.value(at: $1.names)) }
    }
    return nil
  }

  private func apply(_ values: Values, _ variant: Variant) -> Value {
    var changed = variant.record
    for (place, value) in values {
      let path = variant.search.space.places[place].path
      changed = changed.setting(path.names[...], to: value)
      if value == nil,
        let member = RecordContext.standIn(for: path, in: variant.record, ruleSet.format)
      {
        changed = changed.setting([member], to: nil)
      }
    }
    return changed
  }

  private func isTaken(_ changed: Value, _ paths: [AttributePath], _ variant: Variant) -> Bool {
    var changed = changed
    guard let followed = derived.follow(&changed, paths) else { return false }
    // Rules must not read the adjusted values, because such a change would have to be listed separately.
    let read = variant.search.space.places
    guard !followed.contains(where: { path in read.contains { $0.path == path } }),
      let reasons = decider.reasons(for: changed, at: name)
    else { return false }
    return reasons[rule - before.lowerBound] == .matched
  }

  // MARK: Choosing values

  /// The same changes with the most readable values, and the nearest numbers.
  private func simplified(_ found: Values, _ variant: Variant) -> Values {
    var values = found
    for i in values.indices {
      let place = values[i].place
      let candidates = variant.search.space.values(of: place).enumerated().sorted { a, b in
        (a.element.rank, a.element.distance, a.offset) < (
          b.element.rank, b.element.distance, b.offset
        )
      }
      let names = variant.search.space.places[place].path.names
      let known = Self.sent(names).map { Value?.some($0) }
      for value in known + candidates.prefix(400).map({ $0.element.value }) {
        if value == values[i].value { break }
        var others = values
        others[i].value = value
        guard let taken = accepted(others, variant) else { continue }
        values = taken
        break
      }
      values = nearest(values, i, variant)
    }
    return values
  }

  /// Values that SDKs send, which are easier to read than other matching values.
  private static func sent(_ names: [String]) -> [Value] {
    guard names.count == 2, names[0] == UserMember.device.key,
      let attribute = DeviceAttribute(named: names[1])
    else { return [] }
    switch attribute {
    case .subscriptionStatus: return ["INACTIVE", "ACTIVE"]
    case .platform: return ["iOS", "Android"]
    case .regionCode, .preferredRegionCode: return ["US", "DE"]
    case .deviceLanguageCode, .preferredLanguageCode: return ["en", "de"]
    case .deviceLocale: return ["en_US", "de_DE"]
    case .deviceCurrencyCode: return ["USD", "EUR"]
    case .interfaceStyle: return ["Light", "Dark"]
    case .radioType: return ["Wifi", "Cellular"]
    case .activeEntitlements, .activeProducts: return [.list([]), .list(["pro"])]
    default: return []
    }
  }

  /// The same changes with a whole number that is closer to the user's own.
  private func nearest(_ found: Values, _ i: Int, _ variant: Variant) -> Values {
    var values = found
    guard case .int(let start)? = variant.search.space.own(values[i].place),
      case .int(var best)? = values[i].value
    else { return values }
    var low = start
    while true {
      let distance =
        best > low ? best.subtractingReportingOverflow(low) : low.subtractingReportingOverflow(best)
      guard !distance.overflow, distance.partialValue > 1 else { return values }
      let middle = min(best, low) + distance.partialValue / 2
      var others = values
      others[i].value = .int(middle)
      if let taken = accepted(others, variant) {
        values = taken
        best = middle
      } else {
        low = middle
      }
    }
  }

  private func told(_ found: Values, _ variant: Variant) -> SmallestChange {
    let values = found.sorted { $0.place < $1.place }
    let space = variant.search.space
    var changed = apply(values, variant)
    let paths = values.map { space.places[$0.place].path }
    let followed = derived.follow(&changed, paths) ?? []
    var changes = zip(values, paths).map { value, path in
      let standIn =
        value.value == nil
        ? RecordContext.standIn(for: path, in: variant.record, ruleSet.format) : nil
      return SmallestChange.Change(
        path: standIn ?? path.description,
        from: variant.context.witness.attributes.value(at: path.names), to: value.value)
    }
    if let change = variant.change { changes.insert(change, at: 0) }
    let follows = followed.map { path in
      SmallestChange.Change(
        path: path.description, from: record.value(at: path.names),
        to: changed.value(at: path.names))
    }
    return SmallestChange(verdict: .found, changes: changes, follows: follows)
  }
}

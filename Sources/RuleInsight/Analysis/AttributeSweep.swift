internal import CivilTime
package import Expressions
package import RuleEngine

/// The outcomes for a user over the values of one attribute.
package struct AttributeSweep {
  /// A range of adjacent values with the same outcome. A nil bound is open.
  package struct Stretch {
    /// The smallest and the largest value of the range.
    package var from: Value?
    package var to: Value?
    /// Whether a bound is just outside the range.
    package var isAfter = false
    package var isBefore = false
    package var outcome: Outcome
    package var isOwn = false
    /// Whether the range's values are strings, in lexical order.
    package var isOfTexts = false
    /// A prefix that all strings of the range have, and no other strings.
    package var prefix: String?
    /// The prefix of the range before this one, if this range begins just after it.
    package var prefixBefore: String?
  }

  /// A separate value; nil is a missing attribute.
  package struct Single {
    package var value: Value?
    /// Whether this value represents all values of its type that are not listed.
    package var isAnyOther = false
    package var outcome: Outcome
    package var isOwn = false
  }

  /// The outcome of a placement, as in the differences of two configs.
  package struct Outcome: Hashable {
    package var result: String
    package var audience: Int?
    /// The audience's number and ID.
    package var label: String?
    package var variant: String?
    package var paywall: String?
  }

  package let path: String
  package let own: Value?
  package private(set) var stretches: [Stretch] = []
  package private(set) var singles: [Single] = []
  /// Whether there may be unknown outcomes between these values, because conditions use the
  /// attribute in ways that the analysis does not understand.
  package let isPartial: Bool

  private static let mostSingles = 24

  fileprivate init(
    _ path: AttributePath, own: Value?, _ values: [RankedValue], _ constants: [Value],
    isOrdered: Bool, isPartial: Bool, decide: (Value?) -> Outcome?
  ) {
    self.path = path.description
    self.own = own
    self.isPartial = isPartial
    let all = values.map { $0.value } + [own]
    addNumbers(all, constants, decide)
    if isOrdered {
      addTexts(all, constants, decide)
    }
    addSingles(values, constants, isOrdered: isOrdered, decide)
  }

  // MARK: Stretches

  private mutating func addNumbers(
    _ values: [Value?], _ constants: [Value], _ decide: (Value?) -> Outcome?
  ) {
    let numbers = (constants + [own].compactMap { $0 }).compactMap { $0.number }
    guard !numbers.isEmpty else { return }
    // Only conditions about fractions distinguish values between whole numbers.
    let isWhole = numbers.allSatisfy { $0 == $0.rounded() }
    var known: [(number: Double, value: Value)] = []
    for case let value? in Set(values) {
      switch value {
      case .int(let number): known.append((Double(number), value))
      case .double(let number) where !isWhole && number != number.rounded():
        known.append((number, value))
      default: continue
      }
    }
    known.sort { a, b in
      if case (.int(let first), .int(let second)) = (a.value, b.value) { return first < second }
      return a.number < b.number
    }
    add(known.map { $0.value }, isWhole: isWhole, constants, decide)
  }

  private mutating func addTexts(
    _ values: [Value?], _ constants: [Value], _ decide: (Value?) -> Outcome?
  ) {
    // Some conditions compare with "true" and "false" instead of bools. The strings "true" and
    // "false" are not part of the order.
    let ordered = Set(values).filter { value in
      let isBool = value?.text == "true" || value?.text == "false"
      return !isBool || value == own || value.map(constants.contains) ?? false
    }
    let texts = ordered.compactMap { $0?.text }.sorted {
      $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars)
    }
    add(texts.map { .string($0) }, isWhole: false, constants, decide)
  }

  /// Adds values in order. Adjacent values with the same outcome form a stretch.
  private mutating func add(
    _ values: [Value], isWhole: Bool, _ constants: [Value], _ decide: (Value?) -> Outcome?
  ) {
    var found: [(first: Value, last: Value, outcome: Outcome, isOwn: Bool)] = []
    for value in values {
      guard let outcome = decide(value) else { continue }
      if found.last?.outcome == outcome {
        found[found.count - 1].last = value
        if value == own { found[found.count - 1].isOwn = true }
      } else {
        found.append((value, value, outcome, value == own))
      }
    }
    if isPartial { return addPoints(values, decide) }
    let isConstant = Set(constants)
    for (i, stretch) in found.enumerated() {
      var told = Stretch(
        from: i == 0 ? nil : stretch.first, to: i == found.count - 1 ? nil : stretch.last,
        outcome: stretch.outcome, isOwn: stretch.isOwn, isOfTexts: stretch.first.text != nil)
      // There are more values between the tested values. At each border, the value on one side is a
      // constant.
      if !isWhole, i > 0, !isConstant.contains(stretch.first),
        isConstant.contains(found[i - 1].last)
      {
        told.from = found[i - 1].last
        told.isAfter = true
      }
      if !isWhole, i < found.count - 1, !isConstant.contains(stretch.last),
        isConstant.contains(found[i + 1].first)
      {
        told.to = found[i + 1].first
        told.isBefore = true
      }
      told.prefix = Self.prefix(
        stretch.first, stretch.last, next: i < found.count - 1 ? found[i + 1].first : nil,
        isConstant)
      if i > 0, !isConstant.contains(stretch.first) { told.prefixBefore = stretches.last?.prefix }
      stretches.append(told)
    }
  }

  /// The common prefix of adjacent strings, if a condition names it and no other strings have it.
  private static func prefix(
    _ first: Value, _ last: Value, next: Value?, _ isConstant: Set<Value>
  ) -> String? {
    guard let prefix = first.text, let end = last.text, isConstant.contains(first), first != last,
      !prefix.isEmpty, let next = next?.text
    else { return nil }
    let bytes = Array(prefix.utf8)
    return end.utf8.starts(with: bytes) && !next.utf8.starts(with: bytes) ? prefix : nil
  }

  /// Adds only the tested values and nothing in between, because the outcome may change there.
  private mutating func addPoints(_ values: [Value], _ decide: (Value?) -> Outcome?) {
    for value in values where value == own || !Self.isExtreme(value) {
      guard let outcome = decide(value) else { continue }
      // There are no other values between two consecutive whole numbers.
      if case (.int(let before)?, .int(let number)) = (stretches.last?.to, value),
        before == number - 1, stretches[stretches.count - 1].outcome == outcome
      {
        stretches[stretches.count - 1].to = value
        stretches[stretches.count - 1].isOwn = stretches[stretches.count - 1].isOwn || value == own
        continue
      }
      stretches.append(
        Stretch(
          from: value, to: value, outcome: outcome, isOwn: value == own,
          isOfTexts: value.text != nil))
    }
  }

  /// Whether a number is only tested because it is close to the limit of a type or a function.
  private static func isExtreme(_ value: Value) -> Bool {
    value.number.map { abs($0) >= 2_147_483_000 } ?? false
  }

  // MARK: Single values

  private mutating func addSingles(
    _ values: [RankedValue], _ constants: [Value], isOrdered: Bool,
    _ decide: (Value?) -> Outcome?
  ) {
    let isConstant = Set(constants)
    var chosen: [(value: Value?, isConstant: Bool)] = []
    if own == nil { chosen.append((nil, true)) }
    if let own, own.text == nil || !isOrdered, own.number == nil { chosen.append((own, true)) }
    for case let text? in constants.map({ $0.text }) where !isOrdered && text != own?.text {
      chosen.append((.string(text), true))
    }
    // One value for each type and outcome, and only of types that conditions or the user have.
    let kinds = Set((constants + [own].compactMap { $0 }).map(Self.kind))
    let absent = decide(nil)
    var seen: [String: Set<Outcome>] = [:]
    let others = values.enumerated().sorted { a, b in
      (a.element.rank, a.offset) < (b.element.rank, b.offset)
    }.map { $0.element.value }
    for value in others where value != own && !(value.map(isConstant.contains) ?? false) {
      guard let value else {
        chosen.append((nil, false))
        continue
      }
      if value.number != nil && !stretches.isEmpty || value.text != nil && isOrdered { continue }
      guard let outcome = decide(value) else { continue }
      let kind = Self.kind(value)
      // Values that no condition names are usually strings. Other types are listed only if their
      // outcome differs.
      let isUsual = !kinds.isEmpty || value.text != nil
      if value == .null || !isUsual {
        if outcome == absent { continue }
      } else if !kinds.isEmpty, !kinds.contains(kind) {
        continue
      }
      if value.truth == nil, !seen[kind, default: []].insert(outcome).inserted { continue }
      chosen.append((value, false))
    }
    for (value, isConstant) in chosen.prefix(Self.mostSingles) {
      guard let outcome = decide(value) else { continue }
      let isOther = value?.text != nil && !isConstant && !isPartial
      singles.append(
        Single(
          value: value,
          isAnyOther: isOther
            && !chosen.contains { $0.value?.text != nil && !$0.isConstant && $0.value != value },
          outcome: outcome, isOwn: value == own))
    }
  }

  private static func kind(_ value: Value) -> String {
    value.number == nil ? value.typeName : "number"
  }
}

extension RuleSet {
  /// The attributes that the conditions of a placement read, in order of first use.
  package func attributes(of placement: String) -> [AttributePath] {
    placementSpace(placement, nil)?.space.places.map { $0.path } ?? []
  }

  /// Attributes of the device that are computed from a user's events.
  package var attributesOfEvents: [AttributePath] {
    computed.map { AttributePath([UserMember.device.key, $0.property.attributeName]) }
  }

  /// The outcomes for a user over the values of an attribute.
  ///
  /// - Returns: nil if no condition of the placement reads the attribute, or if the record is rejected.
  package func sweep(
    _ path: AttributePath, of placement: String, for record: Value, at clock: HistoryClock,
    assigner: Assigner
  ) -> AttributeSweep? {
    let decider = WitnessDecider(self, at: clock)
    guard let context = RecordContext(record, decider),
      let (space, _) = placementSpace(placement, context),
      let place = space.places.firstIndex(where: { $0.path == path })
    else { return nil }
    // Attributes that depend on the swept attribute are derived from each of its values.
    let derived = DerivedAttributes(completed(record, at: clock), on: language.platform)
    let record = DeviceDerivation.withoutFollowers(of: path.names, in: record)
    let (constants, isOrdered) = space.constants(of: place)
    return AttributeSweep(
      path, own: space.own(place), space.values(of: place), constants, isOrdered: isOrdered,
      isPartial: !space.isUnderstood(place)
    ) { value in
      var changed = record.setting(path.names[...], to: value)
      if value == nil, let member = RecordContext.standIn(for: path, in: record, self.format) {
        changed = changed.setting([member], to: nil)
      }
      _ = derived.follow(&changed, [path])
      guard let state = decider.read(changed) else { return nil }
      return AttributeSweep.Outcome(
        decide(placement, frame: &decider.frame, state: state, assigner: assigner))
    }
  }

  private func placementSpace(_ placement: String, _ context: RecordContext?)
    -> (space: ChangeSpace, model: ConditionModel)?
  {
    guard let number = self.placement(named: placement) else { return nil }
    var sources: [ConditionModel.Source] = []
    for rule in placements[number].rules where !rules[rule].isBroken && rules[rule].entry != nil {
      let audience = rules[rule].audience
      sources.append(audience.expression.map { .expression($0) } ?? .filters(audience.filters))
    }
    let model = ConditionModel(
      environment, sources
    ) { answers(to: $0) }
    let space = ChangeSpace(
      model, roots: model.conditions.map { $0.root },
      around: context?.witness ?? AnalysisWitness(attributes: .map([])),
      isFixed: { context?.fixed.contains($0) ?? false })
    return (space, model)
  }
}

extension AttributeSweep.Outcome {
  package init(_ decision: Decision) {
    result = decision.outcome.code
    audience = decision.audience
    label = decision.decidingAudience?.label
    switch decision.outcome {
    case .paywall(let experiment):
      variant = experiment.variant.id
      paywall = experiment.variant.paywallID
    case .holdout(let experiment): variant = experiment.variant.id
    case .noAudienceMatch, .placementNotFound, .error, .undecidable: break
    }
  }
}

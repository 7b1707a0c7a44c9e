package import Expressions
package import RuleEngine

/// The users that reach the audiences of a placement, and the reasons why other users do not. The
/// result has the counts of a batch with an example user for each count, and the variants with
/// their expected shares.
package struct Reach: Sendable {
  /// A variant of an audience.
  package struct Variant: Sendable {
    package var id: String
    /// The result, as in ``TriggerResult``.
    package var result: String
    package var paywall: String
    package var users: Int
    /// The number of users whose variant was stored instead of drawn.
    package var stored: Int
    /// The share of the draws according to the variant's weight.
    package var weight: Double
    /// The variant's probability in a draw, and the expected number of users that draw it.
    package var share: Ratio
    /// The expected number of users; nil if the exact value takes more than 128 bits.
    package var expected: Ratio?
    package var example: String?

    package var drawn: Int { users - stored }
    package var isHoldout: Bool { result == "holdout" }
  }

  /// An example user for each count of an audience that is not zero.
  package struct Examples: Hashable, Sendable {
    package var reached: String?
    package var owned: String?
    package var matched: String?
    package var heldBack: String?
    package var taken: String?
    /// A user that the audience matched when there was no variant to assign.
    package var withoutVariant: String?
  }

  package struct Audience: Sendable {
    package var counts: Tally.Audience
    /// The condition as a string; nil if the audience matches every user.
    package var condition: String?
    package var examples: Examples
    package var variants: [Variant]
    /// The errors of the audience's rule, the most frequent first.
    package var errors: [Tally.RuleErrors]

    /// The number of users for whom the audience's rule failed.
    package var failed: Int { errors.reduce(0) { $0 + $1.users } }
    /// The number of users that the audience matched when there was no variant to assign.
    package var withoutVariant: Int { variants.reduce(counts.taken) { $0 - $1.users } }
  }

  package var counts: Tally.Placement
  package var audiences: [Audience]
  /// A user that no audience matched.
  package var unmatched: String?
}

extension Reach {
  /// Calls the body with the identity of every example user.
  package mutating func forEachID(_ body: (inout String?) -> Void) {
    body(&unmatched)
    for i in counts.errors.indices { counts.errors[i].forID(body) }
    for i in counts.audiences.indices {
      for j in counts.audiences[i].missing.indices {
        body(&counts.audiences[i].missing[j].matchedExample)
        body(&counts.audiences[i].missing[j].unmatchedExample)
      }
    }
    for i in audiences.indices { audiences[i].forEachID(body) }
  }
}

extension Reach.Audience {
  fileprivate mutating func forEachID(_ body: (inout String?) -> Void) {
    body(&examples.reached)
    body(&examples.owned)
    body(&examples.matched)
    body(&examples.heldBack)
    body(&examples.taken)
    body(&examples.withoutVariant)
    for i in errors.indices { errors[i].forID(body) }
    for i in counts.missing.indices {
      body(&counts.missing[i].matchedExample)
      body(&counts.missing[i].unmatchedExample)
    }
    for i in variants.indices { body(&variants[i].example) }
  }
}

extension Tally.RuleErrors {
  fileprivate mutating func forID(_ body: (inout String?) -> Void) {
    var id: String? = example
    body(&id)
    example = id ?? ""
  }
}

extension BatchPlan {
  /// The users that reach the audiences of each placement.
  ///
  /// - Parameter sums: counts with examples, from a plan with ``BatchPlan/wantsExamples``.
  package func reach(of sums: BatchSums) -> [Reach] {
    let numbers = BatchNumbers(self)
    func example(_ number: Int) -> String? {
      sums.examples.isEmpty ? nil : sums.examples[number]
    }
    return zip(placements, tally(of: sums).placements).enumerated().map { place, placement in
      let rules = placement.0.compiled?.rules ?? 0..<0
      let audiences = zip(rules, placement.1.audiences).map { rule, counts in
        Reach.Audience(
          counts: counts, condition: condition(of: rule),
          examples: Reach.Examples(
            reached: example(numbers.reached(rule)), owned: example(numbers.owned(rule)),
            matched: example(numbers.matched(rule)), heldBack: example(numbers.heldBack(rule)),
            taken: example(numbers.taken(rule)),
            withoutVariant: example(numbers.choice(Int(table.rules[rule].withoutVariants)))),
          variants: variants(of: rule, sums, example),
          errors: placement.1.errors.filter { $0.error.audience == counts.index })
      }
      return Reach(
        counts: placement.1, audiences: audiences,
        unmatched: example(numbers.choice(Int(table.unmatched[place]))))
    }
  }

  private func condition(of number: Int) -> String? {
    let rule = ruleSet.rules[number]
    if rule.audience.isEverybody { return nil }
    return rule.audience.expression ?? rule.entry.map { ruleSet.program.sources[$0.source] }
  }

  private func variants(of number: Int, _ sums: BatchSums, _ example: (Int) -> String?)
    -> [Reach.Variant]
  {
    let (numbers, rule) = (BatchNumbers(self), ruleSet.rules[number])
    let choices = table.rules[number].variants
    func count(_ choice: Int32) -> (all: Int, stored: Int) {
      (sums.numbers[numbers.choice(Int(choice))], sums.numbers[numbers.stored(Int(choice))])
    }
    let drawn = choices.reduce(0) { sum, choice in
      let (all, stored) = count(choice)
      return sum + all - stored
    }
    let weights = Ratio.shares(of: rule.audience.variants.map { $0.weight })
    return zip(choices, RuleSet.shares(of: rule, assigner)).map { choice, share in
      let variant = Int(choice - choices.lowerBound)
      let outcome = OutcomeValues(rule.outcome(variant), audience: rule.audience.index)
      let (all, stored) = count(choice)
      return Reach.Variant(
        id: rule.audience.variants[variant].id, result: outcome.result,
        paywall: outcome.paywall ?? "",
        users: all, stored: stored, weight: weights[variant].double, share: share,
        expected: share.times(drawn),
        example: example(numbers.choice(Int(choice))))
    }
  }
}

// MARK: JSON

extension Reach {
  /// The summary of a placement as JSON, with the details of ``Audience/value(expects:)``.
  ///
  /// - Parameter expects: whether variants include their shares and expected numbers.
  package func value(expects: Bool) -> Value {
    guard case .map(var entries) = counts.value else { return .null }
    if let place = entries.firstIndex(where: { $0.key == "audiences" }) {
      entries[place].value = .list(audiences.map { $0.value(expects: expects) })
    }
    if let unmatched { entries.append(.init(key: "unmatchedExample", value: .string(unmatched))) }
    return .map(entries)
  }
}

extension Reach.Audience {
  /// The counts of a summary, and `"failed"`, `"examples": {"reached"?, "owned"?, "failed"?, "matched"?, "heldBack"?,
  /// "taken"?}` and `"variants": [{"variant", "result", "paywall", "users", "stored", "probability"?, "share"?,
  /// "expected"?, "expectedUsers"?, "example"?}]`; `"missing"?` has examples.
  func value(expects: Bool) -> Value {
    guard case .map(let entries) = counts.value else { return .null }
    func text(_ text: String?) -> Value? { text.map { .string($0) } }
    let more = Value.members([
      "failed": .int(Int64(failed)),
      "examples": .members([
        "reached": text(examples.reached), "owned": text(examples.owned),
        "failed": text(errors.first?.example), "matched": text(examples.matched),
        "heldBack": text(examples.heldBack), "taken": text(examples.taken),
      ]),
      "variants": .list(variants.map { $0.value(expects: expects) }),
    ])
    guard case .map(let rest) = more else { return .map(entries) }
    let missing = Value.Entry(
      key: "missing", value: .list(counts.missing.map { $0.value(hasExamples: true) }))
    return .map(
      entries.filter { $0.key != "missing" } + rest + (counts.missing.isEmpty ? [] : [missing]))
  }
}

extension Reach.Variant {
  func value(expects: Bool) -> Value {
    .members([
      "variant": .string(id), "result": .string(result),
      "paywall": paywall.isEmpty ? .null : .string(paywall), "users": .int(Int64(users)),
      "stored": .int(Int64(stored)),
      "probability": expects ? .string(share.description) : nil,
      "share": expects ? .double(share.double) : nil,
      "expected": expects ? expected.map { .string($0.description) } : nil,
      "expectedUsers": expects ? expected.map { .double($0.double) } : nil,
      "example": example.map { .string($0) },
    ])
  }
}

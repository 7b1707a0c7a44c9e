internal import CivilTime
internal import Expressions
internal import Pricing
internal import RuleEngine

/// The components of generated users: base users, and values of all attributes that rules and
/// invariants read. Values are equal or close to the constants that an attribute is compared with.
struct FuzzSpace: Sendable {
  /// A part of a user record.
  struct Part: Sendable {
    var path: [String]
    /// The possible values; nil is a missing part. Values of usual types come first.
    var values: [Value?]
    var usualCount: Int
    /// Whether invariants read the part.
    var isClaimed: Bool
  }

  /// Base users: two for each audience and clause, one that matches and one that does not.
  private(set) var bases: [Value]
  private(set) var parts: [Part] = []
  /// The indices of parts that invariants read.
  private let claimed: [Int]
  /// For each part, the number of single changes in the parts before it.
  private let order: [Int]
  private let values: Int
  private var singles: Int { values * bases.count }
  let records: FuzzRecord
  private let seed: String

  /// One value of every type.
  static let oddValues: [Value] = [
    .null, true, false, 7, -1, 2.5, .int(.max), "7", "true", "$7", [], ["a"], .map([]), ["a": 1],
  ]
  static let hostileTexts = [
    "", " ", "\u{0}", "<x-tollgate>", "{{ 'tollgate' | upcase }}", "<< 'tollgate' | upcase >>",
    "%s%n", "' OR 1=1 --", "\u{202E}txet", "\u{1D54F}", "e\u{301}", "NaN", "-0", "1e999", "null",
    "\u{661}\u{662}", String(repeating: "a", count: 300), "\"", "\\", "\n",
  ]

  init(
    _ ruleSet: RuleSet, _ explored: [ExploredPlacement], _ search: InvariantSearch,
    seed: String, now: Instant
  ) {
    self.seed = seed
    var reads = Set(ruleSet.requirements.map { $0.names })
    var candidates = explored.flatMap { $0.space.candidates }
    let claims = search.candidates.flatMap { $0.withMembers }
    let claimedPaths = Set(claims.map { $0.path })
    reads.formUnion(claimedPaths)
    candidates = claims + candidates.flatMap { $0.withMembers }
    var builder = PartBuilder(search.kinds, claimedPaths)
    for candidate in candidates where candidate.question == nil { builder.add(candidate) }
    builder.addHistory(of: ruleSet, candidates, now: now)
    let entitlement = builder.firstEntitlement ?? "pro"
    records = FuzzRecord(
      reads, platform: ruleSet.language.platform, entitlement: entitlement,
      hasGuards: ruleSet.rules.contains { $0.audience.entitlementGuard != nil })
    bases = []
    let made = builder.parts()
    claimed = made.indices.filter { made[$0].isClaimed }
    order = claimed + made.indices.filter { !made[$0].isClaimed }
    parts = made
    values = made.reduce(0) { $0 + $1.values.count }
    let nobody = Value.object(["userId": .string(WitnessRecord.userID)])
    add([nobody] + explored.flatMap { $0.users.map { $0.record } })
  }

  /// Adds base users before the existing ones.
  mutating func add(_ users: [Value]) {
    var seen: Set<Value> = []
    bases = (users.map { records.consistent($0) } + bases).filter { seen.insert($0).inserted }
  }

  /// The generated user with a number. The result depends only on the seed.
  func user(_ number: Int) -> Value {
    if number < bases.count { return bases[number] }
    let further = number - bases.count
    if further % 2 == 0, further / 2 < singles { return records.consistent(single(further / 2)) }
    var random = TrafficRandom(seed: seed, "users", String(number))
    return records.consistent(mixed(&random))
  }

  /// One base user with one value changed.
  private func single(_ number: Int) -> Value {
    let base = bases[number % bases.count]
    var value = number / bases.count
    for place in order {
      let part = parts[place]
      if value < part.values.count {
        let changed = Self.extended(part.values[value], part.path, of: base)
        return base.setting(part.path[...], to: changed)
      }
      value -= part.values.count
    }
    return base
  }

  /// The value, or for a list, the record's list with the value's elements added, because one list
  /// may have to meet several conditions.
  private static func extended(_ value: Value?, _ path: [String], of record: Value) -> Value? {
    guard let more = value?.elements, let known = record.value(at: path)?.elements else {
      return value
    }
    return .list(known + more.filter { !known.contains($0) })
  }

  private func mixed(_ random: inout TrafficRandom) -> Value {
    var record = bases[random.number(below: bases.count)]
    if random.number(below: 4) == 0 {
      record = Self.joined(record, bases[random.number(below: bases.count)])
    }
    guard !parts.isEmpty else { return record }
    for _ in 0...random.number(below: 4) {
      let isClaimed = !claimed.isEmpty && random.number(below: 10) < 6
      let part =
        parts[
          isClaimed
            ? claimed[random.number(below: claimed.count)] : random.number(below: parts.count)]
      let isUsual = part.usualCount > 0 && random.number(below: 8) > 0
      let count = isUsual ? part.usualCount : part.values.count
      var value = part.values[random.number(below: count)]
      if random.number(below: 2) == 0 { value = Self.extended(value, part.path, of: record) }
      record = record.setting(part.path[...], to: value)
    }
    if random.number(below: 3) == 0 {
      let id = "u-\(random.number(below: 10_000))"
      record = record.setting([UserMember.userID.key], to: .string(id))
    }
    return record
  }

  /// Two users merged into one. The second takes precedence.
  private static func joined(_ first: Value, _ second: Value) -> Value {
    guard case .map(let entries) = second, case .map = first else { return second }
    return entries.reduce(first) { joined, entry in
      guard let name = entry.key.text else { return joined }
      let own = joined[name].map { Self.joined($0, entry.value) } ?? entry.value
      return joined.setting([name], to: own)
    }
  }
}

extension ConditionSpace.Candidate {
  /// The candidate, and candidates for the members of its map. Rules and invariants may each read a
  /// different member of one map, and a counterexample may need both.
  fileprivate var withMembers: [ConditionSpace.Candidate] {
    guard case .map(let entries)? = value, question == nil else { return [self] }
    return [self]
      + entries.flatMap { entry -> [ConditionSpace.Candidate] in
        guard let name = entry.key.text else { return [] }
        var member = self
        (member.path, member.value) = (path + [name], entry.value)
        return member.withMembers
      }
  }
}

/// Collects values of parts.
private struct PartBuilder {
  private let kinds: UsualKinds
  private let claimed: Set<[String]>
  private var paths: [[String]] = []
  private var values: [[String]: (usual: [Value?], other: [Value?])] = [:]

  private static let mostValues = 200

  init(_ kinds: UsualKinds, _ claimed: Set<[String]>) {
    self.kinds = kinds
    self.claimed = claimed
  }

  /// The first entitlement that conditions name.
  private(set) var firstEntitlement: String?

  mutating func add(_ candidate: ConditionSpace.Candidate) {
    let isOwned =
      candidate.path == [UserMember.entitlements.key]
      || candidate.path == ["device", DeviceAttribute.activeEntitlements.rawValue]
    if isOwned {
      guard let elements = candidate.value?.elements, elements.allSatisfy({ $0.text != nil }) else {
        return
      }
      if firstEntitlement == nil, let first = elements.first?.text, !first.hasPrefix("other") {
        firstEntitlement = first
      }
    }
    add(candidate.path, candidate.value, kinds.isUsual(candidate.path, candidate.value))
  }

  private mutating func add(_ path: [String], _ value: Value?, _ isUsual: Bool) {
    guard !path.isEmpty else { return }
    if values[path] == nil {
      paths.append(path)
      values[path] = ([], [])
    }
    guard let known = values[path], known.usual.count + known.other.count < Self.mostValues,
      !known.usual.contains(value), !known.other.contains(value)
    else { return }
    if isUsual { values[path]?.usual.append(value) } else { values[path]?.other.append(value) }
  }

  /// Adds stored assignments, occurrences of limits, and events that rules ask about.
  mutating func addHistory(
    of ruleSet: RuleSet, _ candidates: [ConditionSpace.Candidate], now: Instant
  ) {
    for path in paths where path.count > 1 && path[0] != "occurrences" {
      for value in FuzzSpace.oddValues + FuzzSpace.hostileTexts.map({ .string($0) }) {
        add(path, value, kinds.isUsual(path, value))
      }
    }
    for rule in ruleSet.rules {
      let audience = rule.audience
      if let limit = audience.occurrenceLimit { add(limit, now) }
      if let owners = audience.entitlementGuard {
        firstEntitlement = firstEntitlement ?? owners
        add([UserMember.entitlements.key], nil, true)
        add([UserMember.entitlements.key], .list([.string(owners)]), true)
      }
      guard audience.variants.count > 1, !audience.experimentID.isEmpty else { continue }
      add([UserMember.assignments.key], nil, true)
      for variant in audience.variants.map({ $0.id }) + ["gone"] {
        add(
          [UserMember.assignments.key],
          .list([
            .object([
              "experimentId": .string(audience.experimentID), "variantId": .string(variant),
            ])
          ]), true)
      }
    }
    for candidate in candidates {
      guard let question = candidate.question, let value = candidate.value else { continue }
      let record = WitnessRecord(
        AnalysisWitness(attributes: .map([]), answers: [(question, value)]), heldBack: [],
        owned: [], platform: ruleSet.language.platform, now: now
      ).value
      guard case .map(let events)? = record[UserMember.events.key] else { continue }
      for event in events {
        guard let name = event.key.text else { continue }
        add([UserMember.events.key, name], nil, true)
        add([UserMember.events.key, name], event.value, true)
      }
    }
  }

  /// Adds occurrences around a limit: one fewer than the limit allows and exactly as many, now and
  /// at the edge of the limit's time span.
  private mutating func add(_ limit: OccurrenceLimit, _ now: Instant) {
    let path = [UserMember.occurrences.key, limit.key]
    add(path, nil, true)
    var ages: [Int64] = [1_000]
    if case .minutes(let minutes) = limit.interval, minutes > 0, minutes < 5_256_000 {
      let span = Int64(minutes) * 60_000
      ages += [span - 1_000, span, span + 1_000]
    }
    for count in Set([limit.maxCount - 1, limit.maxCount, limit.maxCount + 1]).sorted()
    where (1...100).contains(count) {
      for age in ages {
        let time = Value.string((now - age).text ?? "1970-01-01T00:00:00Z")
        add(path, .list(Array(repeating: time, count: count)), true)
      }
    }
    if limit.interval == .session {
      add([UserMember.sessionStart.key], .string((now - Int64(60_000)).text ?? ""), true)
    }
  }

  func parts() -> [FuzzSpace.Part] {
    paths.map { path in
      let found = values[path] ?? ([], [])
      return FuzzSpace.Part(
        path: path, values: found.usual + found.other, usualCount: found.usual.count,
        isClaimed: claimed.contains(path))
    }
  }
}

package import Expressions
internal import RuleEngine
internal import RuleInsight

/// Why a user gets what they get:
/// `{"user":<record>, "placement"?, "audience"?, "set"?, "now"?, "seed"?, "text"?}`; the record may also be
/// the request itself.
extension PreparedConfig {
  package func explain(_ body: Value) throws(RequestError) -> Value {
    let record = try Self.changed(Self.user(of: body), body.given("set"))
    let json = Array(record.json.utf8)
    let now = try body.given("now").map { (value) throws(RequestError) in
      try RequestTime.instant(value, "now")
    }
    let wantsText = try body.givenTruth("text") ?? false
    let asked = try body.givenText("placement")
    try check(placements: asked.map { [$0] } ?? [])
    if let audience = body.given("audience") {
      guard let asked else {
        throw RequestError("'audience' is for one 'placement', which is missing")
      }
      return try explain(audience, of: asked, record, json, now, wantsText: wantsText)
    }
    let assigner = assigner(seed: try body.givenText("seed"))
    let found = try read(json, now: now) { (frame, state, clock) in
      (asked.map { [$0] } ?? ruleSet.placementNames).map { name in
        var explanation = ruleSet.explain(
          name, frame: &frame, state: state, assigner: assigner, clock: clock)
        explanation.addOwnership(from: record, config: config)
        explanation.showNulls(of: record)
        return wantsText ? .string(explanation.text) : explanation.value
      }
    }
    if wantsText {
      return .object(["text": .string(found.compactMap(\.text).joined(separator: "\n\n"))])
    }
    return asked == nil ? .list(found) : found[0]
  }

  /// One audience by itself, and what would make it take the user.
  private func explain(
    _ audience: Value, of placement: String, _ record: Value, _ json: [UInt8], _ now: Instant?,
    wantsText: Bool
  ) throws(RequestError) -> Value {
    let index = try Self.audience(audience, of: placement, ruleSet)
    let found = try read(json, now: now) { (frame, state, clock) -> Value? in
      var found = ruleSet.explain(
        audience: index, of: placement, frame: &frame, state: state, clock: clock)
      found?.showNulls(of: record)
      return wantsText ? found.map { .string($0.text) } : found?.value
    }
    if wantsText, let found { return .object(["text": found]) }
    guard case .map(var entries)? = found else {
      throw RequestError("the placement '\(placement)' has no audience \(index)")
    }
    let change = ruleSet.smallestChange(audience: index, of: placement, for: record, at: clock(now))
    if case .map(let more)? = change?.value { entries += more }
    return .map(entries)
  }

  /// The number of the audience that somebody names: by its number, ID, experiment or name.
  private static func audience(
    _ name: Value, of placement: String, _ ruleSet: RuleSet
  ) throws(RequestError) -> Int {
    let rules = ruleSet.placement(named: placement).map { ruleSet.placements[$0].rules } ?? 0..<0
    let audiences = ruleSet.rules[rules].map(\.audience)
    if let index = name.wholeNumber ?? name.text.flatMap({ Int($0) }),
      audiences.contains(where: { $0.index == index })
    {
      return index
    }
    if let text = name.text,
      let found = audiences.first(where: {
        $0.id == text || $0.experimentID == text || $0.name == text
      })
    {
      return found.index
    }
    throw RequestError(
      .request, "unknown_audience",
      "the placement '\(placement)' has no audience \(name.json); it has "
        + (audiences.isEmpty ? "none" : audiences.prefix(8).map(\.label).joined(separator: ", ")))
  }

  /// The record of a request's user.
  static func user(of body: Value) throws(RequestError) -> Value {
    // A record has a member 'user' itself, of attributes.
    if body["userId"] != nil { return body }
    switch body.given("user") {
    case .string(let text)?:
      do throws(JSONFault) {
        return try Value.parse(json: text.utf8)
      } catch {
        throw RequestError(error, of: "'user'")
      }
    case .some(let value): return value
    case nil: throw RequestError("'user' is missing; it is a user record, {\"userId\": ..}")
    }
  }

  /// The record with other values of attributes: `"set":{"user.plan":"pro"}`.
  static func changed(_ record: Value, _ settings: Value?) throws(RequestError) -> Value {
    guard let settings else { return record }
    guard let members = settings.members else {
      throw .wrong("set", "an object of paths and values, such as {\"user.plan\":\"pro\"}")
    }
    var record = record
    for (path, value) in members {
      let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard !names.contains(""), names.count <= 32 else {
        throw RequestError("'\(path)' is not the path of an attribute, such as user.plan")
      }
      record = record.setting(names[...], to: value)
    }
    return record
  }
}

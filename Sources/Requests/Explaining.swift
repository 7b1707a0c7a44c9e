package import Expressions
internal import RuleEngine
internal import RuleInsight

/// Explains a user's outcomes. The members of a request are `{"user":<record>, "placement"?, "all"?, "audience"?,
/// "set"?, "sweep"?, "config"?, "now"?, "seed"?, "platform"?, "sdkVersion"?, "text"?}`. The record may also be the
/// request itself.
extension PreparedConfig {
  /// Answers an explain request.
  ///
  /// - Parameter stored: the state that the caller has stored for the user.
  package func explain(_ body: JSONRequest, stored: StoredState = StoredState())
    throws(RequestError) -> Value
  {
    var request = try ExplainRequest(body.value)
    if !stored.isEmpty {
      let record = stored.appended(to: Array(request.record.json.utf8))
      request.record = (try? Value.parse(json: record)) ?? request.record
    }
    let config = try config(of: body).following(request.platform)
    return try config.following(request.sdkVersion, record: request.record).explain(request)
  }

  /// The ID of the user in an explain request, or nil if the request is invalid.
  package static func userID(ofExplain body: JSONRequest) -> String? {
    (try? ExplainRequest(body.value))?.record["userId"]?.text
  }

  private func explain(_ request: ExplainRequest) throws(RequestError) -> Value {
    try check(placements: request.placement.map { [$0] } ?? [])
    let names = request.placement.map { [$0] } ?? ruleSet.placementNames
    let assigner = assigner(seed: request.seed)
    var record = request.record
    var before: [Decision] = []
    let whatIf = request.settings.isEmpty ? nil : try WhatIf(request.settings, record, ruleSet)
    if let whatIf {
      before = try read(Array(record.json.utf8), now: request.now) { (frame, state, _) in
        names.map { ruleSet.decide($0, frame: &frame, state: state, assigner: assigner) }
      }
      record = whatIf.record
    }
    let result = try read(Array(record.json.utf8), now: request.now) { (frame, state, clock) in
      let user = ExplainedUser(
        ruleSet: ruleSet, config: config, record: record, state: state, clock: clock,
        assigner: assigner, whatIf: whatIf, family: request.sdkVersion == nil ? nil : family)
      return Result { () throws(RequestError) in
        try answer(request, user, names, &frame, before)
      }
    }
    return try result.get()
  }

  private func answer(
    _ request: ExplainRequest, _ user: ExplainedUser, _ names: [String], _ frame: inout Frame,
    _ before: [Decision]
  ) throws(RequestError) -> Value {
    func text(_ texts: [String]) -> Value {
      .object(["text": .string(texts.joined(separator: "\n\n"))])
    }
    if let placement = request.placement {
      if let path = request.sweep {
        let sweep = try user.sweep(path, of: placement)
        return request.wantsText ? text([sweep.text]) : user.value(sweep.value, before.first)
      }
      if let name = request.audience {
        let audience = try user.audience(
          name, of: placement, &frame, wantsChange: !request.wantsText)
        return request.wantsText
          ? text([audience.explanation.text]) : user.value(audience.value, before.first)
      }
    }
    let explanations = names.map { user.explanation(of: $0, &frame) }
    if request.wantsText {
      return text(
        explanations.map {
          ([$0.text] + user.versionLines(of: $0.decision.placement)).joined(separator: "\n")
        })
    }
    let values = user.values(explanations, before)
    return request.placement == nil ? .list(values) : values[0]
  }
}

/// The contents of an explain request.
private struct ExplainRequest {
  var record: Value
  /// The placement to explain, or nil for all placements.
  var placement: String?
  /// The only audience to explain, by its number, ID, experiment or name; nil for all.
  var audience: String?
  var settings: [AttributeSetting] = []
  var sweep: String?
  var now: Instant?
  var seed: String?
  var platform: SDKName?
  /// The SDK that decides. Nil means the SDK of the config, which the answer does not mention.
  var sdkVersion: SDKSelection?
  var wantsText: Bool

  init(_ body: Value) throws(RequestError) {
    placement = try body.givenText("placement")
    sweep = try body.givenText("sweep")
    now = try body.givenTime("now")
    seed = try body.givenText("seed")
    platform = try body.givenPlatform()
    sdkVersion = try body.givenSDKVersion()
    wantsText = try body.givenTruth("text") ?? false
    let isForAll = try body.givenTruth("all") ?? false
    switch body.given("audience") {
    case nil: break
    case .string(let name)?: audience = name
    case .some(let value):
      guard let number = value.wholeNumber else {
        throw .wrong("audience", "a number from 0, an ID or a name")
      }
      audience = String(number)
    }
    if let given = body.given("set") {
      guard let members = given.members else {
        throw .wrong("set", "an object of paths and values, such as {\"user.plan\": \"pro\"}")
      }
      for (path, value) in members { settings.append(try AttributeSetting(path, value)) }
    }
    if isForAll, placement != nil { throw RequestError("give 'placement' or 'all', not both") }
    for (name, isGiven) in [("audience", audience != nil), ("sweep", sweep != nil)]
    where isGiven && placement == nil {
      throw .about(name, "'\(name)' needs one 'placement', which is missing")
    }
    if audience != nil, sweep != nil { throw RequestError("give 'sweep' or 'audience', not both") }
    record = try Self.user(of: body)
  }

  private static func user(of body: Value) throws(RequestError) -> Value {
    // The member `user` of a record has its attributes, so an object with `userId` is the record itself.
    if body["userId"] != nil { return body }
    switch body.given("user") {
    case .string(let text)?:
      do throws(JSONFault) {
        return try Value.parse(json: text.utf8)
      } catch {
        throw RequestError(error, of: "'user'")
      }
    case .some(let value): return value
    case nil: throw .missing("user", "a user record, {\"userId\": ..}")
    }
  }
}

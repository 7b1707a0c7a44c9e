internal import Expressions
internal import HTTPTypes
internal import Hummingbird
internal import Requests
internal import RuleEngine

/// `POST /v1/explain`: `{"user":<record>, "placement"|"all", "audience"?, "set"?, "now"?, "config"?}`;
/// the record may also be the body itself.
extension DecisionService {
  func explain(_ body: Value, _ application: ServedApplication) throws(ServiceError) -> Value {
    let config = try config(of: body, application)
    let record = try changed(user(of: body), body["set"])
    let json = Array(record.json.utf8)
    let now = try body["now"].map { (value) throws(ServiceError) in
      try ServiceTime.instant(value, "now")
    }
    let names = try placements(of: body, config)
    let isOne = body["placement"] != nil
    if let audience = body["audience"], audience != .null {
      guard isOne else { throw .badRequest("'audience' is for one 'placement'") }
      return try explain(audience, of: names[0], record, json, config, now)
    }
    let found = try read(json, config, now: now) { (frame, state, _, clock) in
      names.map { name in
        var explanation = config.ruleSet.explain(
          name, frame: &frame, state: state, assigner: config.assigner, clock: clock)
        explanation.addOwnership(from: record, config: config.config)
        explanation.showNulls(of: record)
        return explanation.value
      }
    }
    return isOne ? found[0] : .list(found)
  }

  /// One audience by itself, and what would make it take the user.
  private func explain(
    _ audience: Value, of placement: String, _ record: Value, _ json: [UInt8],
    _ config: LoadedConfig, _ now: Instant?
  ) throws(ServiceError) -> Value {
    let ruleSet = config.ruleSet
    let index = try Self.audience(audience, of: placement, ruleSet)
    let found = try read(json, config, now: now) { (frame, state, _, clock) -> Value? in
      var found = ruleSet.explain(
        audience: index, of: placement, frame: &frame, state: state, clock: clock)
      found?.showNulls(of: record)
      return found?.value
    }
    guard case .map(var entries)? = found else {
      throw .notFound("the placement '\(placement)' has no audience \(index)")
    }
    let change = ruleSet.smallestChange(
      audience: index, of: placement, for: record, at: clock(now))
    if case .map(let more)? = change?.value { entries += more }
    return .map(entries)
  }

  /// The number of the audience that somebody names: by its number, ID, experiment or name.
  private static func audience(
    _ name: Value, of placement: String, _ ruleSet: RuleSet
  ) throws(ServiceError) -> Int {
    guard let number = ruleSet.placement(named: placement) else {
      throw .notFound("the config has no placement '\(placement)'")
    }
    let audiences = ruleSet.rules[ruleSet.placements[number].rules].map(\.audience)
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
    throw ServiceError(
      .badRequest, "unknown_audience",
      "the placement '\(placement)' has no audience \(name.json); it has "
        + (audiences.isEmpty ? "none" : audiences.prefix(8).map(\.label).joined(separator: ", ")))
  }

  // MARK: What bodies have in common

  /// The config of a body, or the one that decides; with the body's `seed`, where it has one.
  func config(of body: Value, _ application: ServedApplication) throws(ServiceError)
    -> LoadedConfig
  {
    try loaded(
      Self.bytes(body["config"]), "config", seed: body["seed"]?.text, else: application)
  }

  /// A config that a request brings, or an application's own.
  func loaded(
    _ bytes: [UInt8]?, _ name: String, seed: String?, else application: ServedApplication? = nil
  ) throws(ServiceError) -> LoadedConfig {
    if bytes == nil, seed == nil || seed == options.seed, let application {
      return application.current
    }
    let text = ConfigText(bytes ?? application?.current.bytes ?? [], language: options.language)
    var assigner = options.assigner
    if let seed, case .hash? = assigner { assigner = .hash(salt: seed) }
    guard
      let loaded = LoadedConfig(
        number: 0, text, seed: seed ?? options.seed, assigner: assigner)
    else {
      throw ServiceError(
        .unprocessableContent, "invalid_config", "'\(name)' cannot be used",
        details: [.init(key: "diagnostics", value: .list(text.findings(file: name)))])
    }
    return loaded
  }

  /// JSON that stands in a body as text, or as it is.
  static func bytes(_ value: Value?) -> [UInt8]? {
    switch value {
    case nil, .null?: nil
    case .string(let text)?: Array(text.utf8)
    case .some(let value): Array(value.json.utf8)
    }
  }

  /// The record of a body's user.
  private func user(of body: Value) throws(ServiceError) -> Value {
    // A record has a member 'user' itself, of attributes.
    if body["userId"] != nil { return body }
    switch body["user"] {
    case .string(let text)?:
      guard let value = try? Value.parse(json: text.utf8) else {
        throw .badRequest("'user' is not JSON")
      }
      return value
    case .some(let value): return value
    case nil: throw .badRequest("'user' is missing; it is a user record, {\"userId\":..}")
    }
  }

  private func placements(of body: Value, _ config: LoadedConfig) throws(ServiceError) -> [String] {
    guard let asked = body["placement"], asked != .null else {
      return config.ruleSet.placementNames
    }
    guard let name = asked.text, config.ruleSet.placement(named: name) != nil else {
      throw ServiceError(
        .badRequest, "unknown_placement", config.hint(forPlacement: asked.text ?? asked.json))
    }
    return [name]
  }

  /// The record with other values of attributes: `"set":{"user.plan":"pro"}`.
  private func changed(_ record: Value, _ settings: Value?) throws(ServiceError) -> Value {
    guard let settings, settings != .null else { return record }
    guard let members = settings.members else {
      throw .badRequest("'set' is an object of paths and values, such as {\"user.plan\":\"pro\"}")
    }
    var record = record
    for (path, value) in members {
      let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard !names.contains(""), names.count <= 32 else {
        throw .badRequest("'\(path)' is not the path of an attribute, such as user.plan")
      }
      record = record.setting(names[...], to: value)
    }
    return record
  }
}

internal import Expressions
internal import Pricing
internal import RuleEngine
internal import Scenarios

/// Suite `sdk-version-cases`: the behavior of SDK versions for a config and a user. Each range is tested at both ends
/// and at the neighbouring versions. Cases about the evaluator are also tested for pods.
enum SDKVersionCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let ranges = testCase.content["ranges"]?.elements,
      let area = testCase.content["area"]?.text
    else { throw CaseFileError(message: "case \(testCase.id) has no 'area' or 'ranges'") }
    var got: [Value] = []
    for range in ranges {
      guard let sdk = range["sdk"]?.text.flatMap(SDKName.init(rawValue:)),
        let text = range["versions"]?.text, let versions = versions(text, sdk),
        let expected = range["result"]?.text
      else {
        throw CaseFileError(message: "case \(testCase.id): a range has no SDK, versions or result")
      }
      let evaluator = range["evaluator"]?.text
      let pods = evaluator.map { podsVersions($0, versions) } ?? []
      let tried =
        versions.map { SDKProfile(sdk, $0) }
        + (sdk == .ios ? pods.map { SDKProfile(sdk, $0, .pods) } : [])
      var result = expected
      for profile in tried {
        if let evaluator, profile.behavior?.rawValue != evaluator {
          result = "\(profile.name): evaluator \(profile.behavior?.rawValue ?? "none")"
          break
        }
        let came = try VersionedCase(testCase, area, profile).result()
        guard !isSame(came, expected) else { continue }
        result = "\(profile.name): \(came)"
        break
      }
      got.append(.object(["sdk": .string(sdk.rawValue), "result": .string(result)]))
    }
    let expected = ranges.map { range -> Value in
      .object(["sdk": range["sdk"] ?? .null, "result": range["result"] ?? .null])
    }
    return got == expected
      ? .passed(got: .list(got)) : .failed(expected: .list(expected), got: .list(got))
  }

  /// Whether two outcomes are the same. Cases express `ignored` in several ways.
  private static func isSame(_ came: String, _ expected: String) -> Bool {
    came == expected || came == "ignored" && expected.hasPrefix("ignored")
  }

  /// Pod versions for a range that may be only a part of an evaluator's range. Pods change evaluators later than SDKs,
  /// so a range that ends with the evaluator is tested with the pods after it, too.
  private static func podsVersions(_ evaluator: String, _ versions: [SDKVersion]) -> [SDKVersion] {
    guard let first = versions.first, let last = versions.last else { return [] }
    let next = SDKFacts.evaluators.first {
      $0.sdk == .ios && $0.packaging != .pods && $0.since > last
    }
    let goesOn = next?.behavior?.rawValue == evaluator
    return (podVersions[evaluator] ?? []).filter { $0 >= first && ($0 <= last || !goesOn) }
  }

  /// The pod versions with each evaluator, at the ends of their ranges.
  private static let podVersions: [String: [SDKVersion]] = [
    "raw": ["4.0.0", "4.6.0", "4.8.0"], "numeric": ["4.8.1", "4.11.2"],
    "skip": ["4.12.0", "4.12.9", "4.12.11"], "text": ["4.13.0", "4.16.1", "4.16.2"],
  ]

  /// The ends of a range such as `4.0.0..4.6.0` or `4.12.9..`, and the neighbouring versions inside the range.
  private static func versions(_ text: String, _ sdk: SDKName) -> [SDKVersion]? {
    guard let dots = text.firstRange(of: ".."), let first = SDKVersion(text[..<dots.lowerBound])
    else { return nil }
    let end = text[dots.upperBound...]
    let newest = SDKFacts.newest(sdk).notes
    guard let last = end.isEmpty ? max(newest, first) : SDKVersion(end) else { return nil }
    let after = SDKVersion(first.major, first.minor, first.patch + 1)
    let before = SDKVersion(last.major, last.minor, max(last.patch - 1, 0))
    return [first, after, before, last].filter { $0 >= first && $0 <= last }
  }
}

/// A case for one version of an SDK.
private struct VersionedCase {
  let testCase: Case
  let area: String
  let profile: SDKProfile
  let config: Value
  let user: Value

  init(_ testCase: Case, _ area: String, _ profile: SDKProfile) {
    self.testCase = testCase
    self.area = area
    self.profile = profile
    config = testCase.content["config"] ?? .map([])
    user = testCase.content["user"] ?? .map([])
  }

  func result() throws(CaseFileError) -> String {
    switch area {
    case "config": return configResult()
    case "variant": return variantResult()
    case "placement":
      switch profile.use(ofPlacementName: config["placement"]?.text ?? "") {
      case .ordinary: return "an ordinary placement"
      case .ignored: return "ignored"
      case .error: return "error to the handler"
      }
    case "implicit": return profile.has(.exitOfferChain) ? "second paywall" : "stays closed"
    case "status":
      let isWeb = user["webEntitlements"] != nil
      if profile.has(isWeb ? .keepsWebEntitlements : .keepsStatus) { return "kept while unexpired" }
      return isWeb ? "web entitlements lost until the next answer" : "INACTIVE"
    case "price": return try price()
    case "agentwallie": return try agentWallieResult()
    default: return try outcome()
    }
  }

  // MARK: Deciding

  /// The name of the outcome of a rule with the case's condition.
  private func outcome() throws(CaseFileError) -> String {
    if let steps = user["scenario"]?.elements, steps.contains("reset") { return try afterReset() }
    return try outcome(of: record(), events: user["events"])
  }

  private func outcome(of record: Value, events: Value?) throws(CaseFileError) -> String {
    // Parameters of placements do not depend on the language of the rule.
    let deciding =
      area == "params"
      ? SDKProfile(profile.sdk, max(profile.known, profile.sdk == .ios ? "4.0.0" : "2.0.0"))
      : profile
    let decoded = try decodedConfig()
    let ruleSet = RuleSetFamily(decoded).ruleSet(for: deciding)
    guard let now = try? WireTime.instant(user["now"]?.text ?? "2026-03-01T12:00:00Z") else {
      throw CaseFileError(message: "case \(testCase.id): 'now' is not a time")
    }
    var record = record
    if let events { record = record.adding("events", Self.series(events)) }
    var frame = Frame(for: ruleSet.program)
    var reader = UserRecordReader(ruleSet, at: HistoryClock(now: now))
    do throws(UserRecordReader.Rejection) {
      try reader.read(json: record.json.utf8, into: &frame)
    } catch {
      throw CaseFileError(message: "case \(testCase.id): \(error.reason)")
    }
    let decision = ruleSet.decide(
      decoded.placements[0].name, frame: &frame, state: reader.state(now: now),
      assigner: .draw(0))
    let isSubscribed = record["subscriptionStatus"]?.text == "ACTIVE"
    if deciding.skips(decision.outcome, isSubscribed: isSubscribed, in: decoded) {
      return "skipped userIsSubscribed"
    }
    switch decision.outcome {
    case .undecidable: return "by the JavaScript: not decidable here"
    case .error(let failure): return failure.code ?? "error"
    default: return decision.outcome.code
    }
  }

  /// Converts `[{"name", "at"}]` to the form of events in user records.
  private static func series(_ events: Value) -> Value {
    var times: [(name: String, at: [Value])] = []
    for event in events.elements ?? [] {
      guard let name = event["name"]?.text, let at = event["at"] else { continue }
      if let known = times.firstIndex(where: { $0.name == name }) {
        times[known].at.append(at)
      } else {
        times.append((name, [at]))
      }
    }
    return .map(times.map { Value.Entry(key: .string($0.name), value: .list($0.at)) })
  }

  /// The user record, with the data that this SDK version adds.
  private func record() -> Value {
    var record = user.without(["events", "now", "scenario"])
    if record["userId"]?.text == nil {
      record = record.without(["userId"]).adding("userId", "u1")
    }
    if var device = record["device"], device["appVersionPadded"] == nil,
      let version = device["appVersion"]?.text
    {
      let locale = device["deviceLocale"]?.text ?? ""
      let digits = profile.has(.localDigits) ? PaddedVersion.digits(ofLocale: locale) : nil
      let padded = PaddedVersion.text(version, digits: digits)
      device = device.adding("appVersionPadded", .string(padded))
      record = record.without(["device"]).adding("device", device)
    }
    if let placement = config["placement"]?.text {
      record = record.adding("params", sentParameters(placement, record["params"]))
    }
    return record
  }

  /// The parameters that the SDK sends with one of its own placements, with the values that the case's condition reads.
  private func sentParameters(_ placement: String, _ given: Value?) -> Value {
    var params = given ?? .map([])
    let source = config["expression_cel"]?.text ?? ""
    for part in ExpressionPart.all(of: source, in: .superscript) ?? [] {
      for value in part.constants {
        for row in SDKFacts.parameters where row.placement == placement {
          for name in part.names(of: "params") where row.matches(name) && params[name] == nil {
            if profile.sends(parameter: name, of: placement) { params = params.adding(name, value) }
          }
        }
      }
    }
    return params
  }

  /// The outcome of a rule after `reset`, with the data that the SDK keeps.
  private func afterReset() throws(CaseFileError) -> String {
    var record = record()
    var events: Value?
    if user["scenario"]?.elements?.contains("install") == true, !profile.has(.forgetsInstall) {
      events = [["name": "app_install", "at": "2026-02-24T12:00:00Z"]]
    }
    guard user["scenario"]?.elements?.contains("install") != true else {
      return try outcome(of: record, events: events)
    }
    if profile.has(.losesSeed) { return try outcome(of: record, events: nil) }
    // A new seed can have any value, so all outcomes are collected.
    var outcomes: Set<String> = []
    for seed in [0, 50, 99] {
      record = record.without(["user"]).adding("user", .object(["seed": .int(Int64(seed))]))
      outcomes.insert(try outcome(of: record, events: nil))
    }
    return outcomes.count == 1 ? outcomes.first ?? "" : "by the new seed"
  }

  // MARK: Configs

  private func decodedConfig() throws(CaseFileError) -> Config {
    guard let decoded = Config.decode(superwall: wholeConfig.json.utf8).output else {
      throw CaseFileError(message: "case \(testCase.id): the config cannot be read")
    }
    return decoded
  }

  /// A config that resembles an export, with one rule and the changes of the case.
  private var wholeConfig: Value {
    var rule = Self.rule
    var paywall = Self.paywall
    var root = Self.root
    for (key, value) in config.members ?? [] {
      switch key {
      case "expression_cel", "expression_js", "expression", "computed_properties":
        rule = rule.without([key]).adding(key, value)
      case "presentation_condition": paywall = paywall.without([key]).adding(key, value)
      case "paywall without": paywall = paywall.without([value.text ?? ""])
      case "rule without": rule = rule.without([value.text ?? ""])
      case "without": root = root.without([value.text ?? ""])
      case "placement": break
      default: root = root.without([key]).adding(key, value)
      }
    }
    let trigger = Value.object([
      "event_name": .string(config["placement"]?.text ?? "p"), "rules": .list([rule]),
    ])
    return root.adding("trigger_options", .list([trigger]))
      .adding("paywall_responses", .list([paywall]))
  }

  private static let root: Value = [
    "build_id": "b", "log_level": 10, "app_session_timeout_ms": 3_600_000, "toggles": [],
    "disable_preload": ["all": false, "triggers": []], "localization": ["locales": []],
    "products": [], "postback": [],
  ]

  private static let rule: Value = [
    "experiment_id": "e", "experiment_group_id": "g", "preload": ["behavior": "ALWAYS"],
    "variants": [
      [
        "variant_id": "v", "variant_type": "TREATMENT", "percentage": 100,
        "paywall_identifier": "x",
      ]
    ],
  ]

  private static let paywall: Value = [
    "id": "1", "identifier": "x", "name": "X", "cache_key": "k", "build_id": "b",
    "url": "https://example.com", "url_config": ["endpoints": [], "max_attempts": 1],
    "paywalljs_event": "", "presentation_style_v2": "MODAL",
    "presentation_style_v3": ["type": "MODAL"], "presentation_delay": 0,
    "presentation_condition": "ALWAYS", "background_color_hex": "#FFFFFF",
  ]

  private func configResult() -> String {
    guard let decoded = Config.decode(superwall: wholeConfig.json.utf8).output else {
      return "configRejected"
    }
    if profile.rejection(of: decoded) != nil { return "configRejected" }
    let stores: [(name: String, SDKFacts.Switch)] = [
      ("STRIPE", .stripeProducts), ("PADDLE", .paddleProducts), ("CUSTOM", .customProducts),
    ]
    let products = config["products"]?.elements ?? []
    for (store, what) in stores where profile.sdk == .ios && !profile.has(what) {
      if products.contains(where: { $0["store_product"]?["store"]?.text == store }) {
        return "product dropped, its entitlements unknown"
      }
    }
    let dropsProperty = decoded.computedProperties.contains { !profile.reads($0) }
    return dropsProperty ? "element dropped" : "decoded"
  }

  // MARK: Variants

  private func variantResult() -> String {
    guard let draw = config["draw"]?.number else {
      return profile.has(.redrawsUnconfirmed)
        ? "drawn again at every launch until confirmed" : "kept from the first draw"
    }
    let weights = config["percentages"]?.elements?.compactMap(\.number) ?? []
    let table = WeightTable(weights, areFloating: profile.has(.floatingShares))
    return table.variant(draw: draw).map { "variant \($0 + 1)" } ?? "none"
  }

  // MARK: Prices

  private func price() throws(CaseFileError) -> String {
    guard let product = config["product"], let code = product["currency"]?.text,
      let text = product["price"]?.text, let name = config["attribute"]?.text
    else { throw CaseFileError(message: "case \(testCase.id) has no product") }
    do throws(PricingError) {
      guard let currency = Currency(code) else { throw PricingError.notAPrice }
      let priced = PricedProduct(
        identifier: "p", store: profile.sdk == .android ? .playStore : .appStore,
        price: try Money(text, currency),
        period: product["period"]?.text.flatMap { ISOPeriod($0)?.period })
      var context = PricingContext(now: 0)
      context.iosEra = profile.priceEra
      context.androidEra = profile.priceEra
      var producer = try AttributeProducer(
        profile.sdk == .android ? .androidPlay : .iosStoreKit2, context)
      return try producer.attributes(of: priced)[name]?.text ?? ""
    } catch {
      throw CaseFileError(message: "case \(testCase.id): \(error.message)")
    }
  }

  // MARK: AgentWallie

  private func agentWallieResult() throws(CaseFileError) -> String {
    if config["display_period"] != nil {
      return profile.has(.displayPeriods)
        ? config["display_period"]?.text ?? "" : "day (sandbox) or the store's unit"
    }
    if config["filters"] == nil, config["frequency_cap"] == nil {
      return profile.has(.queuesPlacements)
        ? "queued until the config is there" : "handler runs at once, nothing is shown"
    }
    var audience: Value = [
      "id": "a", "name": "A", "priority_order": 0, "filters": [],
      "experiment": [
        "id": "e", "status": "running", "holdout_percentage": 0,
        "variants": [["id": "v", "paywall_id": "x", "traffic_percentage": 100]],
      ],
    ]
    for (key, value) in config.members ?? [] {
      audience = audience.without([key]).adding(key, value)
    }
    let root = Value.object([
      "campaigns": .list([
        .object([
          "id": "c", "name": "C", "status": "active",
          "placements": [["id": "1", "name": "p", "type": "custom", "status": "active"]],
          "audiences": .list([audience]),
        ])
      ]), "paywalls": .map([]), "products": [],
    ])
    guard let decoded = Config.decode(agentWallie: root.json.utf8).output,
      profile.rejection(of: decoded) == nil
    else { return "configRejected" }
    guard config["filters"] != nil, !decoded.placements.isEmpty else { return "decoded" }
    let ruleSet = RuleSetFamily(decoded).ruleSet(for: profile)
    var frame = Frame(for: ruleSet.program)
    let clock = HistoryClock(now: 0)
    var reader = UserRecordReader(ruleSet, at: clock)
    let record = record().adding("platform", "ios").adding("os_version", "17.0")
    do throws(UserRecordReader.Rejection) {
      try reader.read(json: record.json.utf8, into: &frame)
    } catch {
      throw CaseFileError(message: "case \(testCase.id): \(error.reason)")
    }
    let decision = ruleSet.decide(
      decoded.placements[0].name, frame: &frame, state: reader.state(now: 0), assigner: .draw(0))
    return decision.rule == nil ? "no match" : "match"
  }
}

extension ExpressionPart {
  /// The names of a root's members that an expression reads.
  fileprivate func names(of root: String) -> [String] {
    var names: [String] = []
    var rest = Substring(text)
    while let found = rest.firstRange(of: root + ".") {
      rest = rest[found.upperBound...]
      names.append(String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
    }
    return names
  }
}

extension Value {
  fileprivate func adding(_ key: String, _ value: Value) -> Value {
    guard case .map(let entries) = self else { return self }
    return .map(entries + [.init(key: .string(key), value: value)])
  }

  fileprivate func without(_ keys: [String]) -> Value {
    guard case .map(let entries) = self else { return self }
    return .map(entries.filter { entry in !keys.contains { .string($0) == entry.key } })
  }
}

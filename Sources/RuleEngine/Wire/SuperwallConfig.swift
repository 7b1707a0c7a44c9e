public import Expressions

extension Config {
  /// Decodes Superwall's static config (`/api/v1/static_config`).
  ///
  /// Decoding is tolerant: an element that cannot be used becomes a diagnostic with its path, and
  /// its siblings work. A note says where the SDKs in the field would reject the whole config.
  /// Only text that is no JSON object gives no config at all.
  public static func decode(superwall json: some Sequence<UInt8>) -> Compilation<Config> {
    let value: Value
    do throws(JSONFault) {
      value = try Value.parse(json: json)
    } catch {
      let range = SourceRange(from: error.offset, to: error.offset + 1)
      let problem = Diagnostic(.decodeFailure, error.message, range: range)
      return Compilation(output: nil, diagnostics: [problem])
    }
    var decoder = SuperwallConfigDecoder()
    let config = decoder.config(ConfigElement(value: value, path: ""))
    return Compilation(output: config, diagnostics: decoder.log.diagnostics)
  }
}

/// Turns the wire words of the static config into the engine's own.
private struct SuperwallConfigDecoder {
  var log = DecodingLog()

  /// Keys of the whole config: those the SDKs need, those they read if present.
  private static let requiredKeys = [
    "build_id", "trigger_options", "paywall_responses", "log_level", "app_session_timeout_ms",
    "toggles", "disable_preload", "localization", "postback", "products",
  ]
  private static let optionalKeys = [
    "attribution_options", "products_v3", "web2app_config", "ios_app_id", "bundle_id_config",
    "prioritized_campaign_id", "test_mode_user_ids", "application", "requestId",
  ]
  private static let ruleKeys = [
    "experiment_id", "experiment_group_id", "expression_cel", "expression", "expression_js",
    "variants", "occurrence", "computed_properties", "preload",
  ]
  private static let variantKeys = [
    "variant_id", "variant_type", "percentage", "paywall_identifier",
  ]

  mutating func config(_ root: ConfigElement) -> Config? {
    guard root.isObject else {
      log.report(.decodeFailure, "a static config is a JSON object", at: "")
      return nil
    }
    for key in Self.requiredKeys where root.member(key) == nil {
      log.report(
        .decodeFailure, "'\(key)' is missing",
        severity: key == "trigger_options" ? .error : .warning, at: "",
        notes: [DecodingLog.fatalForSDKs])
    }
    log.checkKeys(of: root, known: Self.requiredKeys + Self.optionalKeys)
    if let buildID = root.member("build_id"), buildID.text == nil {
      log.missing("build_id", "a string", root)
    }
    let paywalls = self.paywalls(root)
    var config = Config(
      buildID: root.member("build_id")?.text ?? "", placements: [], paywalls: paywalls)
    // Names by their bytes: strings compare normalised.
    var places: [[UInt8]: Int] = [:]
    for element in list("trigger_options", of: root) {
      guard let placement = placement(element) else { continue }
      if let known = places[Array(placement.name.utf8)] {
        log.report(
          .duplicateTrigger, "there are two triggers named '\(placement.name)'; the later counts",
          severity: .warning, at: element.path,
          notes: ["which of them the SDKs take is not defined"])
        config.placements[known] = placement
      } else {
        places[Array(placement.name.utf8)] = config.placements.count
        config.placements.append(placement)
      }
    }
    checkPaywalls(config)
    return config
  }

  /// The elements of a list, or none with a diagnostic when something else stands there.
  private mutating func list(_ key: String, of element: ConfigElement) -> [ConfigElement] {
    guard let member = element.member(key) else { return [] }
    if let elements = member.elements { return elements }
    log.report(.decodeFailure, "'\(key)' must be a list", at: member.path)
    return []
  }

  private mutating func paywalls(_ root: ConfigElement) -> [Paywall] {
    list("paywall_responses", of: root).compactMap { element in
      guard let identifier = log.text("identifier", of: element) else { return nil }
      let name = element.member("name")?.text
      if name == nil {
        log.report(
          .decodeFailure, "'name' must be a string; the identifier stands for it",
          severity: .warning, at: element.path, notes: [DecodingLog.fatalForSDKs])
      }
      return Paywall(identifier: identifier, name: name ?? identifier)
    }
  }

  private mutating func placement(_ element: ConfigElement) -> Placement? {
    guard let name = log.text("event_name", of: element) else { return nil }
    log.checkKeys(of: element, known: ["event_name", "rules"])
    if element.member("rules") == nil { log.missing("rules", "a list", element) }
    var audiences: [Audience] = []
    for (index, rule) in list("rules", of: element).enumerated() {
      if let audience = audience(rule, index) { audiences.append(audience) }
    }
    return Placement(name: name, audiences: audiences)
  }

  private mutating func audience(_ element: ConfigElement, _ index: Int) -> Audience? {
    guard element.isObject else {
      log.report(.decodeFailure, "a rule is a JSON object", at: element.path)
      return nil
    }
    log.checkKeys(of: element, known: Self.ruleKeys)
    guard let experiment = log.text("experiment_id", of: element) else { return nil }
    let campaign = log.text("experiment_group_id", of: element) ?? ""
    if element.member("variants") == nil { log.missing("variants", "a list", element) }
    if element.member("preload")?.isObject != true {
      log.report(
        .decodeFailure, "'preload' is missing", severity: .warning, at: element.path,
        notes: [DecodingLog.fatalForSDKs])
    }
    let variants = list("variants", of: element).compactMap { variant($0) }
    checkWeights(variants, at: element.path)
    var audience = Audience(
      index: index, experimentID: experiment, campaignID: campaign, variants: variants,
      path: element.path)
    if let expression = element.member("expression_cel") {
      guard let text = expression.text else {
        log.report(.decodeFailure, "'expression_cel' must be a string", at: expression.path)
        return nil
      }
      audience.expression = text
    }
    if let occurrence = element.member("occurrence") {
      // Without its limit the rule would apply too often, so a bad limit takes the rule with it.
      guard let limit = occurrenceLimit(occurrence) else { return nil }
      audience.occurrenceLimit = limit
    }
    audience.computedProperties = list("computed_properties", of: element).compactMap {
      computedProperty($0)
    }
    return audience
  }

  private mutating func computedProperty(_ element: ConfigElement) -> ComputedProperty? {
    log.checkKeys(of: element, known: ["type", "event_name"])
    guard let type = log.text("type", of: element), let event = log.text("event_name", of: element)
    else { return nil }
    guard let kind = ComputedProperty.Kind(rawValue: type) else {
      let names = ComputedProperty.Kind.allCases.map(\.rawValue)
      log.report(
        .decodeFailure, "'\(type)' is no computed property", severity: .warning, at: element.path,
        notes: ["the Android SDK rejects the whole config because of this"],
        suggestion: Suggestion.closest(to: type, among: names).map { "did you mean '\($0)'?" })
      return nil
    }
    return ComputedProperty(kind: kind, eventName: event)
  }

  private mutating func occurrenceLimit(_ element: ConfigElement) -> OccurrenceLimit? {
    log.checkKeys(of: element, known: ["key", "max_count", "interval"])
    guard let key = log.text("key", of: element) else { return nil }
    guard let count = element.member("max_count")?.wholeNumber else {
      log.missing("max_count", "a whole number", element)
      return nil
    }
    guard let interval = element.member("interval") else {
      log.missing("interval", "an object", element)
      return nil
    }
    let type = interval.member("type")?.text ?? ""
    let minutes = interval.member("minutes")?.wholeNumber
    if type == "MINUTES", let minutes {
      return OccurrenceLimit(key: key, maxCount: count, interval: .minutes(minutes))
    }
    if type != "INFINITY" {
      log.report(
        .decodeFailure,
        type == "MINUTES"
          ? "an interval of type MINUTES needs 'minutes'; the limit counts for ever"
          : "'\(type)' is no interval type; the limit counts for ever",
        severity: .warning, at: interval.path, notes: ["the Android SDK behaves differently"],
        suggestion: "write MINUTES with minutes, or INFINITY")
    }
    return OccurrenceLimit(key: key, maxCount: count, interval: .infinity)
  }

  private mutating func variant(_ element: ConfigElement) -> Variant? {
    log.checkKeys(of: element, known: Self.variantKeys)
    guard let id = log.text("variant_id", of: element) else { return nil }
    let type = log.text("variant_type", of: element) ?? ""
    let kind = Variant.Kind(rawValue: type)
    if kind == nil, !type.isEmpty {
      log.report(
        .decodeFailure, "'\(type)' is no variant type; it counts as TREATMENT",
        severity: .warning, at: "\(element.path).variant_type",
        notes: ["the Android SDK rejects the whole config because of this"])
    }
    let weight = weight(element)
    let paywall = element.member("paywall_identifier")?.text
    if kind ?? .treatment == .treatment, paywall ?? "" == "" {
      log.report(
        .variantWithoutPaywall, "the treatment '\(id)' names no paywall: its outcome is an error",
        severity: .warning, at: element.path)
    }
    return Variant(id: id, kind: kind ?? .treatment, weight: weight, paywallID: paywall)
  }

  private mutating func weight(_ element: ConfigElement) -> Double {
    guard let member = element.member("percentage"), let weight = member.number else {
      log.missing("percentage", "a number", element)
      return 0
    }
    guard weight >= 0, weight.isFinite else {
      log.report(.decodeFailure, "a weight is not negative; it counts as 0", at: member.path)
      return 0
    }
    if weight != weight.rounded() {
      log.report(
        .decodeFailure, "the weight is a fraction", severity: .note, at: member.path,
        notes: [DecodingLog.fatalForSDKs])
    }
    return weight
  }

  // MARK: Checks over several elements

  private mutating func checkWeights(_ variants: [Variant], at path: String) {
    guard variants.count > 1 else { return }
    let sum = variants.reduce(0) { $0 + $1.weight }
    if sum == 0 {
      log.report(
        .weightsZero, "all weights are 0: every variant is as likely as the others",
        severity: .warning, at: "\(path).variants")
    } else if sum != 100 {
      log.report(
        .weightsNot100, "the weights sum to \(sum.formattedShort), not 100",
        severity: .note, at: "\(path).variants", notes: ["they are weights, so this is allowed"])
    }
  }

  private mutating func checkPaywalls(_ config: Config) {
    guard !config.paywalls.isEmpty else { return }
    let known = Set(config.paywalls.map { Array($0.identifier.utf8) })
    let names = config.paywalls.map(\.identifier).sorted()
    // Looking for the closest name takes long in a large config with many wrong ones.
    var suggestions = 50
    for audience in config.placements.flatMap(\.audiences) {
      for (i, variant) in audience.variants.enumerated() {
        guard let paywall = variant.paywallID, !paywall.isEmpty, !known.contains(Array(paywall.utf8))
        else { continue }
        suggestions -= 1
        let close =
          suggestions >= 0 ? Suggestion.closest(to: paywall, among: names.prefix(2_000)) : nil
        log.report(
          .unknownPaywall, "the config holds no paywall '\(paywall)'", severity: .warning,
          at: "\(audience.path).variants[\(i)].paywall_identifier",
          suggestion: close.map { "did you mean '\($0)'?" })
      }
    }
  }
}

extension Double {
  /// The number without a needless `.0`.
  fileprivate var formattedShort: String {
    self == rounded() && magnitude < 1e15 ? String(Int64(self)) : description
  }
}

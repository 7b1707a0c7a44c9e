internal import Expressions

/// Reads triggers, rules and variants.
extension SuperwallConfigDecoder {
  package static let ruleKeys = [
    ConfigKey("experiment_id", requiredBy: native),
    ConfigKey("experiment_group_id", requiredBy: native), ConfigKey("variants", requiredBy: native),
    ConfigKey("preload", requiredBy: native),
    ConfigKey("expression_cel", misspelt: "the audience matches every user"),
    ConfigKey("expression"), ConfigKey("expression_js"),
    ConfigKey("occurrence", misspelt: "the audience has no limit"),
    ConfigKey("computed_properties"),
  ]
  package static let variantKeys = [
    ConfigKey("variant_id", requiredBy: native), ConfigKey("variant_type", requiredBy: native),
    ConfigKey("percentage", requiredBy: native), ConfigKey("paywall_identifier"),
  ]
  package static let triggerKeys = [ConfigKey("event_name"), ConfigKey("rules")]
  package static let preloadKeys = [
    ConfigKey("behavior", requiredBy: native), ConfigKey("requires_re_evaluation"),
  ]
  package static let occurrenceKeys = [
    ConfigKey("key"), ConfigKey("max_count"), ConfigKey("interval"),
  ]
  package static let variantKinds: [Variant.Kind] = [.treatment, .holdout]
  package static let intervalTypes = ["MINUTES", "INFINITY"]

  mutating func addPlacements(_ elements: [ConfigElement], to config: inout Config) {
    // Names are compared by their bytes, because strings compare normalised.
    var places: [[UInt8]: Int] = [:]
    var paths: [String] = []
    for element in elements {
      guard let placement = placement(element) else {
        config.unreadPlacements.append(element.path)
        continue
      }
      if let known = places[Array(placement.name.utf8)] {
        log.report(
          .duplicateTrigger,
          "there are two triggers named '\(placement.name)'; the last one is used",
          severity: .warning, at: element.path,
          related: [Diagnostic.Related(path: paths[known], message: "the earlier one")],
          peers: [
            Diagnostic.PeerEffect(
              Self.native, .differs, "use one of them, but which one is undefined")
          ])
        config.placements[known] = placement
        paths[known] = element.path
      } else {
        places[Array(placement.name.utf8)] = config.placements.count
        config.placements.append(placement)
        paths.append(element.path)
      }
    }
  }

  private mutating func placement(_ element: ConfigElement) -> Placement? {
    guard let name = log.text("event_name", of: element) else { return nil }
    log.checkKeys(of: element, Self.triggerKeys)
    var index = -1
    let (audiences, unread) = required("rules", of: element) { decoder, rule -> Audience? in
      index += 1
      return decoder.audience(rule, index)
    }
    var placement = Placement(name: name, audiences: audiences)
    placement.unreadAudiences = unread
    return placement
  }

  /// Reads a required list, like ``readable(_:of:_:)``.
  private mutating func required<Item>(
    _ key: String, of element: ConfigElement, _ read: (inout Self, ConfigElement) -> Item?
  ) -> (items: [Item], unread: [String]) {
    guard element.member(key) != nil else {
      log.missing(key, "a list", element)
      return ([], [element.memberPath(key)])
    }
    return readable(key, of: element, read)
  }

  private mutating func audience(_ element: ConfigElement, _ index: Int) -> Audience? {
    guard element.isObject else {
      log.report(
        .decodeFailure, "a rule must be a JSON object", at: element.path, peers: log.rejected)
      return nil
    }
    log.checkKeys(
      of: element, Self.ruleKeys, reported: ["experiment_id", "experiment_group_id", "variants"])
    guard let experiment = log.text("experiment_id", of: element) else {
      log.forgetAbsences(of: element)
      return nil
    }
    let campaign = element.member("experiment_group_id")?.text
    if campaign == nil { log.missing("experiment_group_id", "a string", element, meaning: nil) }
    let (variants, unread) = required("variants", of: element) { $0.variant($1) }
    checkWeights(variants, at: element.path, areRead: areWeightsRead(of: element))
    var audience = Audience(
      index: index, experimentID: experiment, campaignID: campaign ?? "", variants: variants,
      path: element.path, preload: preload(element),
      computedProperties: computedProperties(element))
    audience.unreadVariants = unread
    audience.hasScript =
      element.member("expression") != nil || element.member("expression_js") != nil
    if let expression = element.member("expression_cel") {
      guard let text = expression.text else {
        log.missing("expression_cel", "a string", element)
        return nil
      }
      audience.expression = text
    } else {
      noteLegacyExpression(element)
    }
    if let occurrence = element.member("occurrence") {
      // Without its limit, the rule would apply too often, so a rule with an invalid limit is dropped.
      guard let limit = occurrenceLimit(occurrence) else { return nil }
      audience.occurrenceLimit = limit
    }
    return audience
  }

  /// Conditions in the formats before CEL are preserved and never evaluated.
  private mutating func noteLegacyExpression(_ element: ConfigElement) {
    for key in ["expression", "expression_js"] where element.member(key) != nil {
      log.report(
        .legacyExpression, "'\(key)' is no longer evaluated: this audience matches every user",
        severity: .warning, at: element.memberPath(key), suggestion: "write 'expression_cel'")
    }
  }

  // MARK: Parts of a rule

  /// Reads the preload behavior of a rule. If `requires_re_evaluation` is true, the rule's paywall is always loaded.
  private mutating func preload(_ rule: ConfigElement) -> Preload {
    guard let element = rule.member("preload") else { return .always }
    guard element.isObject else {
      log.missing("preload", "an object", rule, meaning: nil)
      return .always
    }
    return preload(element: element)
  }

  mutating func preload(element: ConfigElement) -> Preload {
    log.checkKeys(of: element, Self.preloadKeys)
    if log.optionalBool("requires_re_evaluation", of: element) == true { return .always }
    guard let text = log.optionalText("behavior", of: element) else { return .always }
    if let behavior = Preload(rawValue: text) { return behavior }
    if let behavior = Preload(rawValue: text.uppercased()) {
      log.report(
        .platformDifference, "'\(text)' is not in capitals", severity: .warning,
        at: element.memberPath("behavior"), suggestion: "write \(behavior.rawValue)",
        peers: [Diagnostic.PeerEffect([.ios], .rejectsConfig)])
      return behavior
    }
    log.report(
      .decodeFailure, "'\(text)' is not a preload behavior; treated as ALWAYS",
      severity: .warning, at: element.memberPath("behavior"),
      suggestion: "write IF_TRUE, ALWAYS or NEVER", peers: log.rejected)
    return .always
  }

  /// Reads the computed properties of a rule or a paywall. Properties of an unknown type are dropped.
  mutating func computedProperties(_ element: ConfigElement) -> [ComputedProperty] {
    log.list("computed_properties", of: element, severity: .warning).compactMap { element in
      guard let type = log.text("type", of: element),
        let event = log.text("event_name", of: element)
      else { return nil }
      guard let kind = ComputedProperty.Kind(rawValue: type) else {
        let known = ComputedProperty.Kind.allCases.map { $0.rawValue }
        log.report(
          .decodeFailure, "'\(type)' is not a computed property; ignored",
          severity: .warning,
          at: element.memberPath("type"),
          suggestion: Suggestion.closest(to: type, among: known).map { "did you mean \($0)?" },
          peers: [
            Diagnostic.PeerEffect([.android], .rejectsConfig),
            Diagnostic.PeerEffect([.ios], .dropsElement),
          ])
        return nil
      }
      return ComputedProperty(kind: kind, eventName: event)
    }
  }

  private mutating func occurrenceLimit(_ element: ConfigElement) -> OccurrenceLimit? {
    log.checkKeys(of: element, Self.occurrenceKeys)
    guard let key = log.text("key", of: element) else { return nil }
    guard let count = element.member("max_count")?.wholeNumber else {
      log.missing("max_count", "a whole number", element)
      return nil
    }
    guard let interval = element.member("interval") else {
      log.missing("interval", "an object", element)
      return nil
    }
    guard interval.isObject else {
      let minutes = interval.wholeNumber ?? interval.text.flatMap { Int($0) }
      log.report(
        .decodeFailure,
        "'interval' must be an object, not \(interval.kind); the limit never resets",
        severity: .warning, at: interval.path,
        suggestion: minutes.map { #"write {"type": "MINUTES", "minutes": \#($0)}"# }
          ?? "write MINUTES with minutes, or INFINITY",
        peers: [Diagnostic.PeerEffect([.android], .rejectsConfig)])
      return OccurrenceLimit(key: key, maxCount: count, interval: .infinity)
    }
    let type = interval.member("type")?.text ?? ""
    let minutes = log.optionalWholeNumber("minutes", of: interval)
    if type == "MINUTES", let minutes {
      return OccurrenceLimit(key: key, maxCount: count, interval: .minutes(minutes))
    }
    if type == "MINUTES", interval.member("minutes") == nil {
      log.noteMisread("interval", of: element)
      log.report(
        .platformDifference,
        "an interval of type MINUTES needs 'minutes'; the limit never resets",
        severity: .warning, at: interval.path,
        suggestion:
          #"write {"type": "MINUTES", "minutes": 1440} for a day, or {"type": "INFINITY"}"#,
        peers: [Diagnostic.PeerEffect([.android], .differs, "counts the last 0 minutes")])
    } else if !Self.intervalTypes.contains(type) {
      log.noteMisread("interval", of: element)
      log.report(
        .decodeFailure, "'\(type)' is not an interval type; the limit never resets",
        severity: .warning, at: interval.path,
        suggestion: "write MINUTES with minutes, or INFINITY",
        peers: [Diagnostic.PeerEffect([.android], .rejectsConfig)])
    }
    return OccurrenceLimit(key: key, maxCount: count, interval: .infinity)
  }

  private mutating func variant(_ element: ConfigElement) -> Variant? {
    log.checkKeys(
      of: element, Self.variantKeys, reported: ["variant_id", "variant_type", "percentage"])
    guard let id = log.text("variant_id", of: element) else { return nil }
    let type = element.member("variant_type")?.text
    let kind = type.flatMap { Variant.Kind(rawValue: $0) }
    if type == nil {
      log.missing("variant_type", "a string", element, meaning: "treated as TREATMENT")
    } else if let type, kind == nil {
      log.noteMisread("variant_type", of: element)
      log.report(
        .decodeFailure, "'\(type)' is not a variant type; treated as TREATMENT",
        severity: .warning, at: "\(element.path).variant_type",
        suggestion: Suggestion.closest(to: type, among: Self.variantKinds.map { $0.rawValue })
          .map { "did you mean \($0)?" } ?? "write TREATMENT or HOLDOUT",
        peers: [Diagnostic.PeerEffect([.android], .rejectsConfig)])
    }
    let weight = weight(element)
    let paywall = log.optionalText("paywall_identifier", of: element)
    // A name of another type is already reported.
    let isMistyped = paywall == nil && element.member("paywall_identifier") != nil
    if kind ?? .treatment == .treatment, paywall ?? "" == "", !isMistyped {
      log.report(
        .variantWithoutPaywall, "the treatment '\(id)' names no paywall: its outcome is an error",
        at: element.path)
    }
    return Variant(id: id, kind: kind ?? .treatment, weight: weight, paywallID: paywall)
  }

  private mutating func weight(_ element: ConfigElement) -> Double {
    guard let member = element.member("percentage"), let weight = member.number else {
      if element.has("percentage") {
        log.badPercentage("percentage", of: element)
      } else {
        log.missing("percentage", "a number", element)
      }
      return 0
    }
    guard weight >= 0, weight.isFinite else {
      log.report(.decodeFailure, "a weight must not be negative; 0 is used", at: member.path)
      return 0
    }
    if weight >= 0x1p31 {
      checkSize(weight, at: member.path)
    } else if weight != weight.rounded() {
      log.report(
        .wouldReject, "the percentage \(weight.shortText) is a fraction", at: member.path,
        suggestion: "write whole numbers; they are weights and need not sum to 100",
        peers: log.rejected)
    }
    return weight
  }

  /// Reports a weight that some SDKs cannot represent. The iOS SDK reads 64 bits, and the Android SDK reads 32 bits.
  private mutating func checkSize(_ weight: Double, at path: String) {
    let isTooLargeForAll = weight >= 0x1p63
    log.report(
      .wouldReject,
      "the percentage \(weight.shortText) does not fit into \(isTooLargeForAll ? 64 : 32) bits",
      at: path, suggestion: "write a small whole number; weights need not sum to 100",
      peers: [
        Diagnostic.PeerEffect(isTooLargeForAll ? [.ios, .android] : [.android], .rejectsConfig)
      ])
  }

  /// Whether all variants of a rule have readable weights.
  private func areWeightsRead(of rule: ConfigElement) -> Bool {
    guard let variants = rule.member("variants")?.elements else { return false }
    for variant in variants {
      guard let weight = variant.member("percentage")?.number, weight >= 0 else { return false }
    }
    return true
  }

  /// - Parameter areRead: whether all weights are readable. The effect of unreadable weights on the sum is reported
  ///   with each weight.
  private mutating func checkWeights(_ variants: [Variant], at path: String, areRead: Bool) {
    guard variants.count > 1 else { return }
    let sum = variants.reduce(0) { $0 + $1.weight }
    if sum == 0 {
      log.report(
        .weightsZero, "all weights are 0: all variants are equally likely",
        severity: .warning, at: "\(path).variants")
    } else if areRead, (sum - 100).magnitude > 1e-9 {
      log.report(
        .weightsNot100, "the weights sum to \(sum.shortText), not 100",
        severity: .note, at: "\(path).variants", notes: ["weights need not sum to 100"])
    }
  }
}

extension Double {
  /// The number without a needless `.0`.
  var shortText: String {
    self == rounded() && magnitude < 1e15 ? String(Int64(self)) : description
  }
}

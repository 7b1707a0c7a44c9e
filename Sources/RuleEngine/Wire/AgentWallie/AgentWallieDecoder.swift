internal import Expressions

/// Reads AgentWallie's wire format: the config, campaigns and audiences.
package struct AgentWallieDecoder: LoggingDecoder {
  typealias Peer = Diagnostic.PeerEffect.Peer

  var log = DecodingLog(strictPeers: native, deciding: deciding)

  static let deciding: Set<String> = [
    "status", "priority_order", "entitlement_check", "limit", "conjunction", "traffic_percentage",
    "paywall_id",
  ]

  static let native: [Peer] = [.agentWallie]

  package static let configKeys = [
    ConfigKey("campaigns"), ConfigKey("paywalls", requiredBy: native), ConfigKey("products"),
  ]
  package static let campaignKeys = [
    ConfigKey("id"), ConfigKey("name", requiredBy: native),
    ConfigKey("status", requiredBy: native, absent: "the campaign is treated as inactive"),
    ConfigKey("placements", requiredBy: native), ConfigKey("audiences", requiredBy: native),
    ConfigKey("description"), ConfigKey("notes"),
  ]
  package static let placementKeys = [
    ConfigKey("id", requiredBy: native), ConfigKey("name"), ConfigKey("type", requiredBy: native),
    ConfigKey("status", requiredBy: native, absent: "the placement is treated as paused"),
  ]
  package static let audienceKeys = [
    ConfigKey("id"), ConfigKey("name", requiredBy: native), ConfigKey("priority_order"),
    ConfigKey("filters", requiredBy: native, misspelt: "the audience matches every user"),
    ConfigKey("entitlement_check", misspelt: "the audience also takes owners of the entitlement"),
    ConfigKey("frequency_cap", misspelt: "the audience has no cap"),
    ConfigKey("experiment", misspelt: "the audience has no experiment"),
  ]
  package static let experimentKeys = [
    ConfigKey("id"), ConfigKey("variants", requiredBy: native),
    ConfigKey("holdout_percentage", requiredBy: native),
    ConfigKey("status", requiredBy: native, absent: "the experiment is treated as paused"),
    ConfigKey("name"),
  ]
  package static let variantKeys = [
    ConfigKey("id"), ConfigKey("paywall_id", requiredBy: native),
    ConfigKey("traffic_percentage", requiredBy: native, absent: "it counts as 0"),
    ConfigKey("name"),
  ]
  /// The statuses that an experiment can have in a config.
  package static let experimentStatuses = ExperimentStatus.allCases.filter { $0 != .absent }

  mutating func config(_ root: ConfigElement) -> Config? {
    guard let model = model(root) else { return nil }
    var importer = AgentWallieImport(model: model, log: log)
    let config = importer.config()
    log = importer.log
    return config
  }

  mutating func model(_ root: ConfigElement) -> AgentWallieModel? {
    guard root.isObject else {
      log.report(
        .decodeFailure, "an AgentWallie config must be a JSON object", at: "", peers: log.rejected)
      return nil
    }
    if root.member("campaigns") == nil { log.missing("campaigns", "a list", root) }
    log.checkKeys(of: root, Self.configKeys)
    var model = AgentWallieModel()
    (model.campaigns, model.unreadPlacements) = readable("campaigns", of: root) {
      $0.campaign($1)
    }
    model.products = log.list("products", of: root).compactMap { product($0) }
    if let paywalls = log.optionalObject("paywalls", of: root) {
      for id in paywalls.keys {
        guard let element = paywalls.member(id), let schema = schema(element) else { continue }
        model.paywalls.append(AgentWallieModel.PaywallEntry(id: id, schema: schema))
      }
    }
    return model
  }

  // MARK: Campaigns

  mutating func campaign(_ element: ConfigElement) -> AgentWallieModel.Campaign? {
    guard let id = log.text("id", of: element) else { return nil }
    log.checkKeys(of: element, Self.campaignKeys)
    var campaign = AgentWallieModel.Campaign(
      id: id, name: log.optionalText("name", of: element) ?? id,
      status: log.word("status", of: element, default: .inactive, peers: log.rejected),
      placements: [], audiences: [], path: element.path)
    (campaign.placements, campaign.unreadPlacements) = readable("placements", of: element) {
      $0.placement($1)
    }
    (campaign.audiences, campaign.unreadAudiences) = readable("audiences", of: element) {
      $0.audience($1)
    }
    return campaign
  }

  mutating func placement(_ element: ConfigElement) -> AgentWallieModel.CampaignPlacement? {
    guard let name = log.text("name", of: element) else { return nil }
    log.checkKeys(of: element, Self.placementKeys)
    return AgentWallieModel.CampaignPlacement(
      id: log.optionalText("id", of: element) ?? name, name: name,
      kind: log.word("type", of: element, default: .custom, peers: log.rejected),
      status: log.word("status", of: element, default: .paused, peers: log.rejected))
  }

  mutating func audience(_ element: ConfigElement) -> AgentWallieModel.CampaignAudience? {
    guard let id = log.text("id", of: element) else { return nil }
    log.checkKeys(of: element, Self.audienceKeys)
    var audience = AgentWallieModel.CampaignAudience(
      id: id, name: log.optionalText("name", of: element) ?? id, priority: Int.max,
      filters: log.list("filters", of: element).map { filter($0) },
      entitlementCheck: log.optionalText("entitlement_check", of: element), path: element.path)
    if let priority = element.member("priority_order")?.wholeNumber {
      audience.priority = priority
    } else {
      log.missing("priority_order", "a whole number", element, meaning: "it comes last")
    }
    if let cap = element.member("frequency_cap") {
      // Without the cap, users of the audience would see the paywall too often.
      guard let cap = frequencyCap(cap) else { return nil }
      audience.cap = cap
    }
    if let experiment = element.member("experiment") {
      guard let experiment = self.experiment(experiment) else { return nil }
      audience.experiment = experiment
    }
    return audience
  }

  mutating func frequencyCap(_ element: ConfigElement) -> AgentWallieModel.FrequencyCap? {
    // Older configs contain only the type, as a string.
    let text = element.text ?? element.member("type")?.text
    guard let kind = text.flatMap(AgentWallieModel.FrequencyCap.Kind.init(rawValue:)) else {
      let known = AgentWallieModel.FrequencyCap.Kind.allCases.map { $0.rawValue }
      log.report(
        .decodeFailure, "\(text.map { "'\($0)'" } ?? "this") is not a frequency cap type",
        at: element.path,
        suggestion: text.flatMap { Suggestion.closest(to: $0, among: known) }
          .map { "did you mean \($0)?" } ?? "write \(known.joined(separator: ", "))",
        peers: log.rejected)
      return nil
    }
    let limit =
      element.isObject ? log.optionalWholeNumber("limit", of: element) : nil
    if kind == .nTimesTotal, limit == nil {
      log.report(
        .decodeFailure, "a cap of type n_times_total needs 'limit'; 1 is used",
        severity: .warning, at: element.path)
    }
    return AgentWallieModel.FrequencyCap(kind: kind, limit: limit)
  }

  // MARK: Experiments

  mutating func experiment(_ element: ConfigElement) -> AgentWallieModel.Experiment? {
    guard let id = log.text("id", of: element) else { return nil }
    log.checkKeys(of: element, Self.experimentKeys)
    let text = log.optionalText("status", of: element)
    let status = Self.experimentStatuses.first { $0.rawValue == text } ?? .paused
    if let text, text != status.rawValue {
      log.noteMisread("status", of: element)
      log.report(
        .decodeFailure, "'\(text)' is not an experiment status; treated as paused",
        severity: .warning, at: element.memberPath("status"),
        suggestion: "write running, paused or completed", peers: log.rejected)
    }
    var experiment = AgentWallieModel.Experiment(
      id: id, variants: [],
      holdoutPercentage: holdoutPercentage(element), status: status)
    (experiment.variants, experiment.unreadVariants) = readable("variants", of: element) {
      $0.variant($1)
    }
    return experiment
  }

  mutating func variant(_ element: ConfigElement) -> AgentWallieModel.Variant? {
    guard let id = log.text("id", of: element) else { return nil }
    log.checkKeys(of: element, Self.variantKeys)
    return AgentWallieModel.Variant(
      id: id, paywallID: log.optionalText("paywall_id", of: element) ?? "",
      trafficPercentage: trafficPercentage(element))
  }

  /// Reads the holdout percentage. SDKs ignore it, so it is only compared with the share that no variant covers.
  private mutating func holdoutPercentage(_ element: ConfigElement) -> Double {
    guard let number = log.optionalNumber("holdout_percentage", of: element) else { return 0 }
    checkFraction(number, "holdout_percentage", element)
    return number
  }

  private mutating func trafficPercentage(_ element: ConfigElement) -> Double {
    guard let member = element.member("traffic_percentage") else { return 0 }
    guard let number = member.number else {
      log.badPercentage("traffic_percentage", of: element)
      return 0
    }
    checkFraction(number, "traffic_percentage", element)
    return number
  }

  private mutating func checkFraction(_ number: Double, _ key: String, _ element: ConfigElement) {
    if number != number.rounded() {
      log.report(
        .wouldReject, "the percentage \(number.shortText) is a fraction",
        at: element.memberPath(key), suggestion: "write whole numbers", peers: log.rejected)
    }
  }
}

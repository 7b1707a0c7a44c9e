internal import Expressions

/// Turns AgentWallie's model into a ``Config``. Inactive parts are dropped, audiences are sorted by their order of
/// evaluation, caps become occurrence limits, and the share of subjects that no variant covers becomes a holdout
/// variant.
struct AgentWallieImport {
  let model: AgentWallieModel
  var log: DecodingLog

  mutating func config() -> Config {
    var config = Config(format: .agentWallie, products: model.products)
    config.paywalls = model.paywalls.map { paywall($0) }
    // Names are compared by their bytes, because strings compare normalised.
    var places: [[UInt8]: Int] = [:]
    for campaign in model.campaigns where campaign.status == .active {
      let audiences = audiences(of: campaign)
      for placement in campaign.placements where placement.status == .active {
        let name = Array(placement.name.utf8)
        if let place = places[name] {
          // A placement that one campaign repeats has no further effect.
          let last = config.placements[place].audiences.last
          if last?.campaignID == campaign.id, last?.path == audiences.last?.path { continue }
          config.placements[place].audiences += audiences
          config.placements[place].unreadAudiences += campaign.unreadAudiences
        } else {
          places[name] = config.placements.count
          var made = Placement(name: placement.name, audiences: audiences)
          made.unreadAudiences = campaign.unreadAudiences
          config.placements.append(made)
        }
      }
    }
    for place in config.placements.indices { number(&config.placements[place]) }
    config.inactivePlacements = inactivePlacements(beside: config)
    config.unreadPlacements =
      model.unreadPlacements + model.campaigns.flatMap { $0.unreadPlacements }
    checkReferences()
    checkCorrelation()
    return config
  }

  /// The placements that the config omits, with the reasons.
  private func inactivePlacements(beside config: Config) -> [InactivePlacement] {
    let active = Set(config.placements.map { Array($0.name.utf8) })
    return model.campaigns.flatMap { campaign in
      campaign.placements.filter { !active.contains(Array($0.name.utf8)) }.map { placement in
        let reason =
          campaign.status == .active
          ? "it is \(placement.status.rawValue) in the campaign '\(campaign.name)'"
          : "it is in the campaign '\(campaign.name)', which is \(campaign.status.rawValue)"
        return InactivePlacement(name: placement.name, reason: reason)
      }
    }
  }

  /// Numbers audiences from 0 within their placement, regardless of their campaign.
  private func number(_ placement: inout Placement) {
    for index in placement.audiences.indices { placement.audiences[index].index = index }
  }

  private func paywall(_ entry: AgentWallieModel.PaywallEntry) -> Paywall {
    let schema = entry.schema
    let style: PresentationStyle =
      switch schema.settings.presentation {
      case .modal: .modal
      case .fullscreen: .fullscreen
      case .sheet: .sheet
      case .inline: .inline
      }
    var paywall = Paywall(
      identifier: entry.id, name: schema.name.isEmpty ? entry.id : schema.name,
      presentationStyle: style, backgroundColor: schema.settings.backgroundColor,
      isScrollEnabled: schema.settings.isScrollEnabled, schema: schema)
    let config = Config(format: .agentWallie, products: model.products)
    paywall.products = schema.slots.compactMap { slot in
      guard var product = slot.productID.flatMap(config.product) else { return nil }
      product.slot = slot.slot
      return product
    }
    return paywall
  }

  // MARK: Audiences

  /// The audiences in the order of their priority. Audiences with equal priority stay in the order of the file.
  private mutating func audiences(of campaign: AgentWallieModel.Campaign) -> [Audience] {
    let sorted = campaign.audiences.enumerated().sorted {
      ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
    }
    var audiences: [Audience] = []
    for (_, audience) in sorted { audiences.append(self.audience(audience, in: campaign)) }
    return audiences
  }

  private mutating func audience(
    _ audience: AgentWallieModel.CampaignAudience, in campaign: AgentWallieModel.Campaign
  ) -> Audience {
    let key = "\(campaign.id)/\(audience.id)"
    var result = Audience(
      index: 0, experimentID: audience.experiment?.id ?? "", campaignID: campaign.id,
      occurrenceLimit: audience.cap.flatMap { limit($0, key) },
      path: audience.path, id: audience.id, name: audience.name, filters: audience.filters,
      entitlementGuard: audience.entitlementCheck,
      experimentStatus: audience.experiment?.status ?? .absent)
    if let experiment = audience.experiment {
      result.unreadVariants = experiment.unreadVariants
      result.variants = variants(of: experiment, at: "\(audience.path).experiment")
    }
    return result
  }

  private func limit(_ cap: AgentWallieModel.FrequencyCap, _ key: String) -> OccurrenceLimit? {
    switch cap.kind {
    case .unlimited: nil
    case .oncePerDay: OccurrenceLimit(key: key, maxCount: 1, interval: .minutes(1_440))
    case .oncePerSession: OccurrenceLimit(key: key, maxCount: 1, interval: .session)
    case .nTimesTotal:
      OccurrenceLimit(key: key, maxCount: cap.limit ?? 1, interval: .infinity)
    }
  }

  /// The variants with their actual percentages. Percentages are added in order up to a hundred, and the remainder is
  /// the holdout.
  private mutating func variants(of experiment: AgentWallieModel.Experiment, at path: String)
    -> [Variant]
  {
    var variants: [Variant] = []
    var left = 100.0
    for (i, variant) in experiment.variants.enumerated() {
      var weight = variant.trafficPercentage
      if weight < 0 {
        log.report(
          .decodeFailure, "a percentage must not be negative; 0 is used", severity: .warning,
          at: "\(path).variants[\(i)].traffic_percentage")
        weight = 0
      }
      weight = min(weight, left)
      left = AgentWallieImport.rounded(left - weight)
      if variant.paywallID.isEmpty {
        log.report(
          .variantWithoutPaywall,
          "the variant '\(variant.id)' names no paywall: its outcome is an error",
          at: "\(path).variants[\(i)]")
      }
      variants.append(
        Variant(
          id: variant.id, kind: .treatment, weight: weight,
          paywallID: variant.paywallID.isEmpty ? nil : variant.paywallID))
    }
    checkTraffic(experiment, left: left, at: path)
    if left > 0 {
      let ids = Set(variants.map { Array($0.id.utf8) })
      var id = "holdout"
      var number = 2
      while ids.contains(Array(id.utf8)) {
        id = "holdout-\(number)"
        number += 1
      }
      variants.append(Variant(id: id, kind: .holdout, weight: left, isGap: true))
    }
    return variants
  }

  /// Removes the rounding errors of decimal fractions.
  private static func rounded(_ number: Double) -> Double { (number * 1e9).rounded() / 1e9 }

  private mutating func checkTraffic(
    _ experiment: AgentWallieModel.Experiment, left: Double, at path: String
  ) {
    // The shares of unreadable variants are unknown.
    guard experiment.unreadVariants.isEmpty else { return }
    let sum = experiment.variants.reduce(0) { $0 + max(0, $1.trafficPercentage) }
    if sum > 100 {
      log.report(
        .weightsNot100,
        "the percentages sum to \(sum.shortText); variants beyond the first 100 % get no users",
        severity: .warning, at: "\(path).variants")
    } else if AgentWallieImport.rounded(experiment.holdoutPercentage - left) != 0 {
      log.report(
        .weightsNot100,
        "the variants leave \(left.shortText) % of users for the holdout, not "
          + "\(experiment.holdoutPercentage.shortText)", severity: .note,
        at: "\(path).holdout_percentage",
        notes: [
          "'holdout_percentage' is ignored: the holdout gets the remaining users"
        ])
    }
  }

  // MARK: Checks of the whole config

  private mutating func checkReferences() {
    let paywalls = Set(model.paywalls.map { Array($0.id.utf8) })
    let config = Config(format: .agentWallie, products: model.products)
    for audience in model.campaigns.flatMap({ $0.audiences }) {
      for (i, variant) in (audience.experiment?.variants ?? []).enumerated() {
        guard !variant.paywallID.isEmpty, !paywalls.contains(Array(variant.paywallID.utf8)),
          !paywalls.isEmpty
        else { continue }
        log.report(
          .unknownPaywall, "the config has no paywall '\(variant.paywallID)'",
          at: "\(audience.path).experiment.variants[\(i)].paywall_id",
          suggestion: Suggestion.closest(
            to: variant.paywallID, among: model.paywalls.prefix(2_000).map { $0.id }
          ).map { "did you mean '\($0)'?" })
      }
    }
    for paywall in model.paywalls {
      for (i, slot) in paywall.schema.slots.enumerated() {
        guard let id = slot.productID, config.product(id) == nil else { continue }
        log.report(
          .unknownProduct, "the config has no product '\(id)'", severity: .warning,
          at: "paywalls.\(paywall.id).products[\(i)].product_id")
      }
    }
  }

  /// If the IDs of two experiments have the same length, their djb2 buckets differ by a constant.
  private mutating func checkCorrelation() {
    var byLength: [Int: [(id: String, path: String)]] = [:]
    for audience in model.campaigns.filter({ $0.status == .active }).flatMap({ $0.audiences }) {
      guard let experiment = audience.experiment, experiment.status == .running,
        !(byLength[experiment.id.utf8.count] ?? []).contains(where: { $0.id == experiment.id })
      else { continue }
      byLength[experiment.id.utf8.count, default: []].append(
        (experiment.id, "\(audience.path).experiment.id"))
    }
    for (_, group) in byLength.sorted(by: { $0.key < $1.key }) where group.count > 1 {
      let names = group.prefix(3).map { "'\($0.id)'" }.joined(separator: ", ")
      log.report(
        .djb2Correlated,
        "with the assigner djb2, \(group.count) experiments are not independent: \(names)"
          + (group.count > 3 ? ", ..." : ""),
        severity: .warning, at: group[1].path,
        related: [Diagnostic.Related(path: group[0].path, message: "the first of them")],
        notes: [
          "the experiments' IDs have the same length, so a subject's buckets always differ by the same number"
        ],
        suggestion: "assign by hash (--assigner hash), which makes experiments independent")
    }
  }
}

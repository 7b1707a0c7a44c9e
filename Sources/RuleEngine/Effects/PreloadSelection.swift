package import Expressions

/// Paywalls to load in advance, by identifier.
package struct PreloadSelection: Hashable, Sendable {
  /// The paywalls of the campaign that the config prioritizes.
  package var prioritized: [String]
  package var others: [String]

  package var all: [String] { prioritized + others }

  init(prioritized: [String] = [], others: [String] = []) {
    self.prioritized = prioritized
    self.others = others
  }
}

extension ConfigSettings.DisabledPreloads {
  /// The placements that may be preloaded.
  package func allowed(_ placements: [String]) -> [String] {
    if all { return [] }
    return placements.filter { name in
      !self.placements.contains { $0.utf8.elementsEqual(name.utf8) }
    }
  }
}

extension RuleSet {
  /// The paywalls to load when a config is applied. If the rules request preloading, the paywalls of the subject's
  /// treatments at one placement of each campaign are loaded.
  ///
  /// - Parameters:
  ///   - frame: filled with the subject's attributes, and with the empty string as parameters. Rules with `IF_TRUE` are
  ///     evaluated with these parameters, because there is no placement.
  package func preloadedPaywalls(
    settings: ConfigSettings, frame: inout Frame, state: DecisionState
  ) -> PreloadSelection {
    let allowed = Set(
      settings.disabledPreloads.allowed(placementNames).map { Array($0.utf8) })
    var selection = PreloadSelection()
    var campaigns: Set<[UInt8]> = []
    for placement in placements where allowed.contains(Array(placement.name.utf8)) {
      guard let first = placement.rules.first else { continue }
      let campaign = rules[first].audience.campaignID
      guard format != .superwall || campaigns.insert(Array(campaign.utf8)).inserted else {
        continue
      }
      let isFirst = settings.prioritizedCampaignID.map { $0.utf8.elementsEqual(campaign.utf8) }
      for rule in placement.rules where wantsPreload(rule, &frame) {
        guard let paywall = assignedPaywall(rule, state) else { continue }
        if isFirst == true {
          selection.prioritized.appendIfNew(paywall)
        } else {
          selection.others.appendIfNew(paywall)
        }
      }
    }
    return selection
  }

  /// The paywalls to preload for the placements that an app names: the paywalls of all treatments that the subject is
  /// assigned to, whatever the preloading settings are.
  public func preloadedPaywalls(placements names: [String], state: DecisionState) -> [String] {
    var paywalls: [String] = []
    for name in names {
      guard let number = placement(named: name) else { continue }
      for rule in placements[number].rules {
        if let paywall = assignedPaywall(rule, state) { paywalls.appendIfNew(paywall) }
      }
    }
    return paywalls
  }

  private func wantsPreload(_ rule: Int, _ frame: inout Frame) -> Bool {
    switch rules[rule].audience.preload {
    case .always: return true
    case .never: return false
    case .ifTrue:
      guard let entry = rules[rule].entry else { return true }
      return !rules[rule].isBroken && program.isTrue(entry, in: &frame)
    }
  }

  private func assignedPaywall(_ rule: Int, _ state: DecisionState) -> String? {
    let audience = rules[rule].audience
    guard let stored = state.assignment(in: audience.experimentID) else { return nil }
    let variant = audience.variants.first { $0.id.utf8.elementsEqual(stored.variantID.utf8) }
    guard let variant, variant.kind == .treatment else { return nil }
    return variant.paywallID
  }
}

extension [String] {
  fileprivate mutating func appendIfNew(_ text: String) {
    if !contains(where: { $0.utf8.elementsEqual(text.utf8) }) { append(text) }
  }
}

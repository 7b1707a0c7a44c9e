package import Expressions

/// A subject's purchases, and whether they mattered. Only conditions and guards of audiences read purchases.
/// Superwall's SDKs for iOS and Android show a paywall to subscribers too, and a gated feature affects only what
/// happens after the paywall.
package struct Ownership: Hashable, Sendable {
  struct Owned: Hashable, Sendable {
    var name: String
    /// Whether the paywall grants the entitlement. Nil if the config does not name the paywall's entitlements.
    var isGranted: Bool?
  }

  /// The subscription status as a string; nil if the record has no status.
  var status: String?
  var entitlements: [Owned]
  /// Whether the deciding audience's condition reads the status or the entitlements.
  var isAsked: Bool
  /// Whether the rules follow the Web SDK, in which subscribers see no paywall.
  var isWeb: Bool

  /// The purchases as JSON: `{"status"?, "entitlements": [{"entitlement", "granted"?}], "asked"}`.
  package var value: Value {
    .members([
      "status": status.map { .string($0) },
      "entitlements": .list(
        entitlements.map {
          .members(["entitlement": .string($0.name), "granted": $0.isGranted.map { .bool($0) }])
        }),
      "asked": .bool(isAsked),
    ])
  }

  /// Why a paywall is shown to an owner, one reason per line.
  var lines: [String] {
    guard !isAsked else { return [] }
    let isActive = status == "ACTIVE"
    if isActive, isWeb {
      return ["subscription status ACTIVE: Superwall's SDK for the Web shows this user no paywall"]
    }
    var lines: [String] = []
    for owned in entitlements {
      let relation =
        switch owned.isGranted {
        case true?: ", which the paywall grants; the audience does not check for it"
        case false?: ", which the paywall does not grant"
        case nil: "; the audience does not check for it"
        }
      lines.append("has the entitlement \(owned.name)\(relation)")
    }
    if isActive {
      lines.append(
        "subscription status ACTIVE: the paywall is shown anyway, because the audience does not "
          + "check for it")
    }
    return lines
  }
}

extension Explanation {
  /// Adds the purchases from a record. The purchases are stored only if a paywall is shown.
  package mutating func addOwnership(from record: Value, config: Config) {
    guard case .paywall(let experiment) = decision.outcome,
      let audience = audiences.first(where: { $0.step.index == decision.audience })
    else { return }
    let device = record[UserMember.device.key]
    let status =
      device?[DeviceAttribute.subscriptionStatus.rawValue] ?? record[UserMember.status.key]
    let listed =
      device?[DeviceAttribute.activeEntitlements.rawValue] ?? record[UserMember.entitlements.key]
    var owned: [String] = []
    if case .list(let names)? = listed { owned = names.compactMap({ $0.text }) }
    // A subject without a status and entitlements has no purchases to report.
    guard status?.text != nil || !owned.isEmpty else { return }
    let granted = config.entitlements(ofPaywall: experiment.variant.paywallID ?? "")
    let asked: [DeviceAttribute] = [.subscriptionStatus, .activeEntitlements, .activeProducts]
    ownership = Ownership(
      status: status?.text,
      entitlements: owned.map { name in
        Ownership.Owned(name: name, isGranted: granted.map { $0.contains(name) })
      },
      isAsked: audience.clauses.contains { clause in
        clause.attributes.contains { attribute in
          let names = attribute.path.names
          return names.first == UserMember.device.key
            && (names.count == 1 || asked.contains { $0.rawValue == names[1] })
        }
      }, isWeb: decision.ruleSet.language.platform == .web)
  }
}

extension Config {
  /// The entitlements that a paywall's products grant; nil if none of them are known.
  fileprivate func entitlements(ofPaywall identifier: String) -> Set<String>? {
    guard let paywall = paywall(identifier) else { return nil }
    let products =
      paywall.products.map { $0.id } + (paywall.schema?.slots.compactMap { $0.productID } ?? [])
    guard !products.isEmpty else { return nil }
    return Set(products.flatMap { entitlements(ofProduct: $0) }.map { $0.id })
  }
}

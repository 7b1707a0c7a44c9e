public import Expressions
public import RuleEngine

/// A part of the app that a purchase gives access to.
public typealias Entitlement = RuleEngine.Entitlement

extension Entitlement: ExpressibleByStringLiteral {
  public init(stringLiteral id: String) { self.init(id: id) }
}

extension Entitlement {
  /// The JSON form in the SDK contract: `{"id", "type"}`.
  public var value: Value { .object(["id": .string(id), "type": .string(type)]) }
}

/// Whether the user has access to paid features.
///
/// While the status is `unknown`, presentations wait up to five seconds (``Timeouts/subscriptionStatus``), and then end
/// with an error. The status is saved between launches.
public enum SubscriptionStatus: Hashable, Sendable {
  case unknown
  case inactive
  /// The user has at least one active entitlement. The list has no duplicates, and its order has no meaning.
  case active([Entitlement])

  /// Creates an active status from a set of entitlements, or `inactive` if the set is empty.
  public static func active(_ entitlements: Set<Entitlement>) -> SubscriptionStatus {
    SubscriptionStatus(entitlements: entitlements.sorted { $0.id < $1.id })
  }

  @available(*, unavailable, message: "name the entitlements: .active([\"pro\"])")
  public static var active: SubscriptionStatus { .unknown }

  /// Creates an active status from entitlements, or `inactive` if there are no entitlements. If several entitlements
  /// have the same ID, the first one is used.
  public init(entitlements: some Sequence<Entitlement>) {
    var seen: Set<String> = []
    let distinct = entitlements.filter { seen.insert($0.id).inserted }
    self = distinct.isEmpty ? .inactive : .active(distinct)
  }

  /// Decodes JSON leniently. An unrecognized status becomes `unknown`, and `ACTIVE` without a well-formed entitlement
  /// becomes `inactive`.
  public init(coercing value: Value) {
    switch value["status"]?.text?.uppercased() {
    case "INACTIVE": self = .inactive
    case "ACTIVE":
      let ids = (value["entitlements"]?.elements ?? []).compactMap { $0["id"]?.text }
      self.init(entitlements: ids.map { Entitlement(id: $0) })
    default: self = .unknown
    }
  }

  public var entitlements: [Entitlement] {
    if case .active(let entitlements) = self { entitlements } else { [] }
  }

  public var isActive: Bool { if case .active = self { true } else { false } }

  /// The name of the status in JSON: `UNKNOWN`, `INACTIVE` or `ACTIVE`.
  public var name: String {
    switch self {
    case .unknown: "UNKNOWN"
    case .inactive: "INACTIVE"
    case .active: "ACTIVE"
    }
  }

  /// The status as JSON: `{"status"}`, and `entitlements` if it is active.
  public var value: Value {
    switch self {
    case .unknown, .inactive: .object(["status": .string(name)])
    case .active(let entitlements):
      .object(["status": .string(name), "entitlements": .list(entitlements.map(\.value))])
    }
  }

  /// Whether two statuses are equal, regardless of the order of their entitlements.
  func means(_ other: SubscriptionStatus) -> Bool {
    name == other.name && Set(entitlements) == Set(other.entitlements)
  }
}

/// Entitlements of the user.
public struct EntitlementsInfo: Hashable, Sendable {
  /// The entitlements in the subscription status.
  public var active: [Entitlement]
  /// The entitlements that the config's products grant but the user does not have.
  public var inactive: [Entitlement]
  /// The entitlements in ``active`` that were bought on the web. A purchase controller merges these entitlements with
  /// the entitlements from the store on the device.
  public var web: [Entitlement]

  public var all: [Entitlement] { active + inactive }

  public init(active: [Entitlement] = [], inactive: [Entitlement] = [], web: [Entitlement] = []) {
    self.active = active
    self.inactive = inactive
    self.web = web
  }

  /// The JSON form in the SDK contract: `{"active", "inactive"}`.
  public var value: Value {
    .object(["active": .list(active.map(\.value)), "inactive": .list(inactive.map(\.value))])
  }
}

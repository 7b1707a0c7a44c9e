public import Expressions
public import RuleEngine

/// A part of the app that a purchase gives access to.
public typealias Entitlement = RuleEngine.Entitlement

extension Entitlement: ExpressibleByStringLiteral {
  public init(stringLiteral id: String) { self.init(id: id) }
}

extension Entitlement {
  /// The contract's JSON: `{"id", "type"}`.
  public var value: Value { .object(["id": .string(id), "type": .string(type)]) }
}

/// Whether the user has access to paid features.
///
/// `unknown` delays presentations by up to five seconds (``Timeouts/subscriptionStatus``), after
/// which they end with an error. It is cached between launches.
public enum SubscriptionStatus: Hashable, Sendable {
  case unknown
  case inactive
  /// At least one entitlement, without duplicates. Their order has no meaning.
  case active([Entitlement])

  /// Active with a set of entitlements; inactive when the set is empty.
  public static func active(_ entitlements: Set<Entitlement>) -> SubscriptionStatus {
    SubscriptionStatus(entitlements: entitlements.sorted { $0.id < $1.id })
  }

  @available(*, unavailable, message: "name the entitlements: .active([\"pro\"])")
  public static var active: SubscriptionStatus { .unknown }

  /// Active when there are entitlements, otherwise inactive. If several have the same ID the first
  /// counts.
  public init(entitlements: some Sequence<Entitlement>) {
    var seen: Set<String> = []
    let distinct = entitlements.filter { seen.insert($0.id).inserted }
    self = distinct.isEmpty ? .inactive : .active(distinct)
  }

  /// Reads the contract's JSON leniently: an unknown status is `unknown`, and ACTIVE without a
  /// well-formed entitlement is `inactive`.
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

  /// The wire's name: UNKNOWN, INACTIVE or ACTIVE.
  public var name: String {
    switch self {
    case .unknown: "UNKNOWN"
    case .inactive: "INACTIVE"
    case .active: "ACTIVE"
    }
  }

  /// The contract's JSON: `{"status"}`, with `entitlements` when active.
  public var value: Value {
    switch self {
    case .unknown, .inactive: .object(["status": .string(name)])
    case .active(let entitlements):
      .object(["status": .string(name), "entitlements": .list(entitlements.map(\.value))])
    }
  }

  /// Whether both are equal, regardless of the order of their entitlements.
  func means(_ other: SubscriptionStatus) -> Bool {
    name == other.name && Set(entitlements) == Set(other.entitlements)
  }
}

/// Entitlements of the user.
public struct EntitlementsInfo: Hashable, Sendable {
  /// Those in the subscription status.
  public var active: [Entitlement]
  /// Those that the config's products grant and the user does not have.
  public var inactive: [Entitlement]
  /// The part of ``active`` that was bought on the web. A purchase controller merges it with those
  /// of the store on the device.
  public var web: [Entitlement]

  public var all: [Entitlement] { active + inactive }

  public init(active: [Entitlement] = [], inactive: [Entitlement] = [], web: [Entitlement] = []) {
    self.active = active
    self.inactive = inactive
    self.web = web
  }

  /// The contract's JSON: `{"active", "inactive"}`.
  public var value: Value {
    .object(["active": .list(active.map(\.value)), "inactive": .list(inactive.map(\.value))])
  }
}

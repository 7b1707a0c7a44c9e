internal import CivilTime
internal import Crypto
internal import Expressions
internal import Foundation
internal import Pricing
internal import Requests
internal import RuleEngine
internal import Service

/// An application of the fixtures as served by the sandbox, with all data that requests look up.
struct SandboxApplication: Sendable {
  let id: String
  let publicKey: String
  let secretKey: String
  /// The key in AgentWallie's paths, or the public key if the fixtures have none.
  let wallieKey: String
  /// The static config, unchanged.
  let config: [UInt8]
  let configValue: Value
  /// Identifies the config, so that a client need not read it again.
  let tag: String
  let wallieConfig: Value?
  let products: [PricedProduct]
  let codes: [FixtureCode]
  /// The whole entry of the fixtures.
  let entry: Value
  private let decoded: Config?
  private let rules: PreparedConfig?
  private let experiments: [String: Set<String>]

  init(_ fixture: Fixtures.Application) throws {
    id = fixture.id
    publicKey = fixture.publicKey
    secretKey = fixture.secretKey
    entry = fixture.entry
    config = fixture.config
    wallieKey = entry["agentwallieKey"]?.text ?? fixture.publicKey
    do throws(JSONFault) { configValue = try Value.parse(json: fixture.config) } catch {
      throw FixtureFault(
        message: "the config of application \(fixture.id) is not JSON: \(error.message)")
    }
    tag = "\"" + SHA256.hash(data: fixture.config).prefix(12).map { $0.hexPair }.joined() + "\""
    wallieConfig =
      entry["agentwallieConfig"] ?? (configValue["campaigns"] == nil ? nil : configValue)
    decoded = Config.decode(superwall: fixture.config).output
    rules = try? PreparedConfig(
      fixture.config, PreparedConfig.Settings(clock: ServiceTime.now))
    experiments = Self.experiments(of: configValue)
    codes = (entry["codes"]?.elements ?? []).compactMap { FixtureCode(decoding: $0) }
    products = try Self.products(fixture)
  }

  /// The experiments of a config and their variants.
  private static func experiments(of config: Value) -> [String: Set<String>] {
    var experiments: [String: Set<String>] = [:]
    for trigger in config["trigger_options"]?.elements ?? [] {
      for rule in trigger["rules"]?.elements ?? [] {
        guard let id = rule["experiment_id"]?.text else { continue }
        let variants = (rule["variants"]?.elements ?? []).compactMap { $0["variant_id"]?.text }
        experiments[id, default: []].formUnion(variants)
      }
    }
    return experiments
  }

  /// Products in the fixtures themselves, or in a file that the fixtures name.
  private static func products(_ fixture: Fixtures.Application) throws -> [PricedProduct] {
    var json = fixture.products
    if json == nil, let member = fixture.entry["products"], member != .null {
      json = Array((member.elements == nil ? member : .object(["products": member])).json.utf8)
    }
    guard let json else { return [] }
    guard let list = ProductList.decode(json: json).output else {
      throw FixtureFault(
        message: "'products' of application \(fixture.id) is not a list of products")
    }
    return list.products
  }

  /// The identifier of the user's paywall at a placement, or nil if there is none. Only the attributes in the request
  /// are known.
  func paywall(
    atPlacement name: String, of user: String, params: Value,
    confirmed: [(experiment: String, variant: String)], now: Instant
  ) throws(ServiceError) -> String? {
    guard let rules else { return nil }
    let clock = HistoryClock(now: now)
    let record = Array(Value.object(["userId": .string(user), "params": params]).json.utf8)
    let result = record.withUnsafeBufferPointer { bytes in
      rules.withReader(at: clock) { reader, frame -> Result<String?, ServiceError> in
        do throws(UserRecordReader.Rejection) { try reader.read(bytes, into: &frame) } catch {
          return .failure(invalid("'event' cannot be decided: \(error.reason)"))
        }
        var state = reader.state(now: clock.now)
        state.assignments = confirmed.map {
          Assignment(experimentID: $0.experiment, variantID: $0.variant)
        }
        let decision = rules.ruleSet.decide(
          name, frame: &frame, state: state, assigner: rules.assigner)
        guard case .paywall(let experiment) = decision.outcome else { return .success(nil) }
        return .success(experiment.variant.paywallID)
      }
    }
    return try result.get()
  }

  /// The variants of an experiment, or nil if the config does not have the experiment.
  func variants(ofExperiment id: String) -> Set<String>? { experiments[id] }

  func product(_ id: String) -> PricedProduct? {
    products.first { $0.identifier == id || $0.fullIdentifier == id }
  }

  /// The entitlements of a product, from the products and from both configs.
  func entitlements(ofProduct id: String) -> [String] {
    var names = product(id)?.entitlements ?? []
    names += (decoded?.entitlements(ofProduct: id) ?? []).map(\.id)
    for product in wallieConfig?["products"]?.elements ?? []
    where product["store_product_id"]?.text == id {
      names += (product["entitlements"]?.elements ?? []).compactMap(\.text)
    }
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// All products that grant an entitlement.
  func products(granting entitlement: String) -> [String] {
    products.filter { $0.entitlements.contains(entitlement) }.map(\.identifier)
  }

  // MARK: Description in the config API

  var domain: String? { entry["domain"]?.text }
  /// The number of the application in the config API.
  var number: Int { Int(id) ?? 1 }

  /// The application's IDs at the stores. If the fixtures list no stores, the application is connected to all stores
  /// except Paddle.
  var stores: [(store: String, id: Int?)] {
    let names = ["stripe", "paddle", "ios", "android", "promotional"]
    guard let given = entry["storeApplicationIds"] else {
      return names.map { ($0, ["stripe": 9, "ios": 3, "android": 4][$0]) }
    }
    return names.map { ($0, given[$0]?.wholeNumber) }
  }

  func isConnected(to store: String) -> Bool {
    stores.contains { $0.store == store && $0.id != nil }
  }
}

/// An error in the fixtures.
struct FixtureFault: Error, CustomStringConvertible {
  var message: String
  var description: String { message }
}

/// A code of the fixtures: `{"code","entitlements"?,"product"?,"email"?,"expiresAt"?,
/// "subscriptionEndsAt"?,"shared"?,"error"?}`.
struct FixtureCode: Sendable {
  let code: String
  let entitlements: [String]
  let product: String?
  let email: String?
  let expiresAt: Instant?
  let subscriptionEndsAt: Instant?
  /// Whether several people may have the code. True by default, as for promotions.
  let isShared: Bool
  /// The error that redeeming the code returns instead of a result.
  let error: String?

  init?(decoding value: Value) {
    guard let code = value["code"]?.text ?? value.text, !code.isEmpty else { return nil }
    self.code = code
    entitlements = (value["entitlements"]?.elements ?? []).compactMap(\.text)
    product = value["product"]?.text
    email = value["email"]?.text
    expiresAt = value["expiresAt"].flatMap { WallTime.instant($0) }
    subscriptionEndsAt = value["subscriptionEndsAt"].flatMap { WallTime.instant($0) }
    isShared = value["shared"]?.truth ?? true
    error = value["error"]?.text
  }
}

extension UInt8 {
  /// The number as two hexadecimal digits.
  var hexPair: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

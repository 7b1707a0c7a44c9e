internal import Expressions
internal import HTTPTypes
internal import Pricing
internal import Service

extension SandboxBackend {
  /// The endpoints of the config API. Known clients use the paths of the reads and of the manifest of retention
  /// messages. The manifest of an application is inferred from these paths.
  var artifactEndpoints: [Endpoint] {
    [
      .get("/config-api/read/{group}/{name}/{resource}/{version}", .open) { exchange in
        guard exchange.parameter("version") == "v1" else {
          throw Self.noArtifact(exchange, "the only response version is v1")
        }
        guard let artifact = read(exchange) else { throw Self.noArtifact(exchange) }
        return artifact
      },
      .get("/config-api/public/manifest/{group}/{name}/{resource}", .open) { exchange in
        guard let artifact = manifest(exchange) else { throw Self.noArtifact(exchange) }
        return artifact
      },
    ]
  }

  private static func noArtifact(_ exchange: Exchange, _ reason: String? = nil) -> ServiceError {
    let path = ["group", "name", "resource"].map { exchange.parameter($0) }.joined(separator: "/")
    return ServiceError(
      .notFound, "artifact_not_found", reason ?? "there is no artifact '\(path)'")
  }

  private func read(_ exchange: Exchange) -> Answer? {
    let name = exchange.parameter("name")
    switch (exchange.parameter("group"), exchange.parameter("resource")) {
    case ("v1-application-public-api-key", "application"):
      return application(publicKey: name).map { Answer($0.artifact) }
    case ("v1-web-paywall-domain", "application"):
      return application(domain: name).map { Answer($0.shortArtifact) }
    case ("v1-web-paywall-domain", "static-config"):
      return application(domain: name).map { Answer(json: $0.config) }
    case ("v1-application-id", "entitlements"):
      return applications.first { $0.id == name }.map { Answer($0.entitlementsArtifact) }
    default: return nil
    }
  }

  private func manifest(_ exchange: Exchange) -> Answer? {
    let name = exchange.parameter("name")
    switch (exchange.parameter("group"), exchange.parameter("resource")) {
    case ("v1-retention-messaging-config", "config"):
      return application(publicKey: name).map { Answer($0.retentionArtifact) }
    // This path is inferred.
    case ("v1-application-public-api-key", "application"):
      return application(publicKey: name).map { Answer($0.artifact) }
    default: return nil
    }
  }

  private func application(domain: String) -> SandboxApplication? {
    applications.first { $0.domain?.lowercased() == domain.lowercased() }
  }
}

extension SandboxApplication {
  fileprivate var artifact: Value {
    .object([
      "applicationId": .whole(number),
      "organizationId": entry["organizationId"] ?? 1, "projectId": entry["projectId"] ?? 1,
      "stripeApplicationId": storeIDs["stripe"] ?? .null, "storeApplicationIds": storeIDs,
      "webPaywallDomain": domain.map { .string($0) } ?? .null,
      "applicationIcon": entry["applicationIcon"] ?? .null,
    ])
  }

  fileprivate var shortArtifact: Value {
    .object(["applicationId": .whole(number), "storeApplicationIds": storeIDs])
  }

  private var storeIDs: Value {
    .map(
      stores.map {
        .init(key: .string($0.store), value: $0.id.map { .whole($0) } ?? .null)
      })
  }

  fileprivate var entitlementsArtifact: Value {
    let products = products.map { product -> Value in
      let reply = SandboxBackend.productValue(product, isDecimal: true)
      let price = reply["price"]?["amount"].map { Value.string($0.json) }
      return .members([
        "productId": .string(product.identifier),
        "store": reply["platform"], "entitlements": reply["entitlements"],
        "rawPrice": price, "period": reply["subscription"]?["period"],
        "trialPeriodDays": reply["subscription"]?["trial_period_days"],
      ])
    }
    return .object(["products": .list(products)])
  }

  /// The signing key comes from the fixtures or is missing, because a sandbox has no secrets to return.
  fileprivate var retentionArtifact: Value {
    let given = entry["retentionMessaging"]
    func part(_ name: String) -> Value {
      given?[name] ?? .object(["realtime": .map([]), "defaultMessages": .map([])])
    }
    return .members([
      "production": part("production"), "sandbox": part("sandbox"),
      "signingKey": given?["signingKey"],
    ])
  }
}

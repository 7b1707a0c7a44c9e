internal import Expressions
internal import HTTPTypes
internal import Hummingbird
internal import Service

extension SandboxBackend {
  /// The config, paywalls, what enriches attributes, and services of Superwall's that only have to
  /// answer something.
  var configEndpoints: [Endpoint] {
    [
      .get("/api/v1/static_config", .queryKey) { exchange in
        guard exchange.application.configValue["trigger_options"] != nil else {
          throw ServiceError(
            .notFound, "config_not_found", "the application has no config of Superwall's kind")
        }
        let tag = exchange.application.tag
        if exchange.header("If-None-Match") == tag {
          return Answer(json: [], status: .notModified, headers: [.eTag: tag])
        }
        return Answer(
          json: exchange.application.config,
          headers: [.eTag: tag, .cacheControl: "no-cache"])
      },
      .get("/api/v1/paywall/{identifier}", .queryKey) { exchange in
        let identifier = exchange.parameter("identifier")
        guard let paywall = exchange.application.paywall(identifier) else {
          throw ServiceError(
            .notFound, "paywall_not_found", "the config has no paywall '\(identifier)'")
        }
        return Answer(paywall)
      },
      .get("/api/v1/paywalls", .key) { exchange in
        Answer(.object(["paywalls": .list(exchange.application.paywalls)]))
      },
      .post("/api/v1/enrich", .key) { exchange in
        let enrichment = exchange.application.entry["enrichment"]
        return Answer(
          .object([
            "user": enrichment?["user"] ?? .map([]), "device": enrichment?["device"] ?? .map([]),
          ]))
      },
      .post("/api/v1/apple-search-ads/token", .key) { _ in
        Answer(.object(["attribution": .map([])]))
      },
      .post("\(SandboxBackend.subscriptions)/app-store/intro-eligibility/jws", .key) { _ in
        Answer(.object(["tokens": .map([])]))
      },
      .post("/api/match", .open) { _ in Answer(.object(["matched": false])) },
    ]
  }
}

extension SandboxApplication {
  var paywalls: [Value] { configValue["paywall_responses"]?.elements ?? [] }

  func paywall(_ identifier: String) -> Value? {
    paywalls.first { $0["identifier"]?.text == identifier }
  }
}

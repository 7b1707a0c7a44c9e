internal import Expressions
internal import HTTPTypes
internal import Hummingbird
internal import Service

extension SandboxBackend {
  /// The endpoints for the config, paywalls, the enrichment of attributes, and Superwall's services that need only some
  /// answer.
  var configEndpoints: [Endpoint] {
    [
      .get("/api/v1/static_config", .queryKey) { exchange in
        guard exchange.application.configValue["trigger_options"] != nil else {
          throw ServiceError(
            .notFound, "config_not_found", "the application has no config of Superwall's kind")
        }
        let tag = exchange.application.tag
        if exchange.header("If-None-Match")?.contains(tag) == true {
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
      .post("/api/v1/paywall", .key, needsBody: false) { try await self.paywall($0) },
      .get("/v2/paywalls/resolve", .key) { exchange in
        let id = exchange.query("id") ?? ""
        let paywall = exchange.application.paywalls.first {
          $0.id == id || $0["identifier"]?.text == id
        }
        guard let paywall else {
          throw ServiceError(.notFound, "paywall_not_found", "the config has no paywall '\(id)'")
        }
        return Answer(paywall.preview)
      },
      .get("/v2/paywalls/preview-list", .key) { exchange in
        Answer(.object(["data": .list(exchange.application.paywalls.map(\.preview))]))
      },
      .get("/api/v1/paywalls", .key) { exchange in
        Answer(.object(["paywalls": .list(exchange.application.paywalls)]))
      },
      .post("/api/v1/enrich", .key, needsBody: false) { exchange in
        let enrichment = exchange.application.entry["enrichment"]
        return Answer(
          .object([
            "user": enrichment?["user"] ?? .map([]), "device": enrichment?["device"] ?? .map([]),
          ]))
      },
      .post("/api/v1/apple-search-ads/token", .key, needsBody: false) { _ in
        Answer(.object(["attribution": .map([])]))
      },
      .post(
        "\(SandboxBackend.subscriptions)/app-store/intro-eligibility/jws", .key, needsBody: false
      ) { _ in
        Answer(.object(["tokens": .map([])]))
      },
      .post("/api/match", .open, needsBody: false) { _ in Answer(.object(["matched": false])) },
    ]
  }

  /// The paywall of a user at the placement of an event, or the config's first paywall.
  private func paywall(_ exchange: Exchange) async throws -> Answer {
    let application = exchange.application
    let user = try exchange.optionalText("app_user_id") ?? exchange.identity.user
    let event = exchange.body["event"] ?? .null
    guard event != .null else {
      guard let first = application.paywalls.first else {
        throw ServiceError(.notFound, "paywall_not_found", "the config has no paywalls")
      }
      return Answer(first)
    }
    guard let name = event["event_name"]?.text ?? event["name"]?.text else {
      throw invalid("'event' lacks 'event_name' as a string")
    }
    var identity = exchange.identity
    identity.user = user
    let confirmed = try await store.assignments(of: identity, in: application.id, now: now())
    let subject = user ?? identity.alias ?? identity.vendor ?? "anonymous"
    let params = event["parameters"]?.isObject == true ? event["parameters"] : nil
    let identifier = try application.paywall(
      atPlacement: name, of: subject, params: params ?? .map([]), confirmed: confirmed, now: now())
    guard let identifier, let paywall = application.paywall(identifier) else {
      throw ServiceError(
        .notFound, "paywall_not_found", "no paywall is shown at '\(name)' for this request")
    }
    return Answer(paywall)
  }
}

extension Value {
  /// The ID of a paywall, which is a string or a number in configs.
  fileprivate var id: String? { self["id"]?.text ?? self["id"]?.wholeNumber.map { String($0) } }

  /// The debugger's view of a paywall.
  fileprivate var preview: Value {
    let identifier = self["identifier"]?.text ?? ""
    return .object([
      "id": .string(id ?? identifier), "identifier": .string(identifier),
      "name": .string(self["name"]?.text ?? identifier),
    ])
  }
}

extension SandboxApplication {
  var paywalls: [Value] { configValue["paywall_responses"]?.elements ?? [] }

  func paywall(_ identifier: String) -> Value? {
    paywalls.first { $0["identifier"]?.text == identifier }
  }
}

internal import Expressions

/// What `/openapi.json` says of the service: the routes, what they take, and what they answer.
enum APIDescription {
  static var document: Value {
    .object([
      "openapi": "3.1.0",
      "info": [
        "title": "Tollgate", "version": "1",
        "description": "Decides which paywall a user sees, and says why.",
      ],
      "paths": .map(routes.map(\.entry).merged),
      "components": [
        "securitySchemes": ["key": ["type": "http", "scheme": "bearer"]],
        "schemas": .map(schemas),
      ],
    ])
  }

  // MARK: Routes

  private struct Route {
    var path: String
    var method: String
    var summary: String
    /// The schema of the body; nil where there is none.
    var body: Value?
    var answer: Value
    var type = "application/json"
    var errors: [Int] = [400, 401, 403, 404, 408, 413, 429]
    var parameters: [Value] = []
    var isOpen = false

    /// The route below its path.
    var entry: Value.Entry {
      var responses: [Value.Entry] = [
        .init(
          key: "200",
          value: ["description": "done", "content": .map([content(type, answer)])])
      ]
      for status in errors {
        responses.append(
          .init(
            key: .string(String(status)),
            value: [
              "description": "refused",
              "content": .map([content("application/json", reference("Error"))]),
            ]))
      }
      var operation: [Value.Entry] = [
        .init(key: "summary", value: .string(summary)),
        .init(key: "responses", value: .map(responses)),
        .init(
          key: "security", value: isOpen ? .list([]) : .list([["key": .list([])]])),
      ]
      if !parameters.isEmpty {
        operation.append(.init(key: "parameters", value: .list(parameters)))
      }
      if let body {
        operation.append(
          .init(
            key: "requestBody",
            value: ["required": true, "content": .map([content(bodyType, body)])]))
      }
      return .init(
        key: .string(path), value: .map([.init(key: .string(method), value: .map(operation))]))
    }

    private var bodyType: String { type.hasPrefix("text/") ? "application/json" : type }

    private func content(_ type: String, _ schema: Value) -> Value.Entry {
      .init(key: .string(type), value: ["schema": schema])
    }
  }

  private static func reference(_ name: String) -> Value {
    ["$ref": .string("#/components/schemas/\(name)")]
  }

  private static func query(_ name: String, _ schema: Value, _ text: String) -> Value {
    [
      "name": .string(name), "in": "query", "schema": schema, "description": .string(text),
    ]
  }

  private static let text: Value = ["type": "string"]
  private static let truth: Value = ["type": "boolean"]
  private static let anything: Value = ["type": "object"]
  private static let application = query(
    "application", text, "which application, for the admin token")
  private static let configText: Value = ["type": ["object", "string", "null"]]
  private static let time: Value = ["type": ["string", "null"], "format": "date-time"]

  private static func object(_ properties: KeyValuePairs<Value, Value>, required: [Value] = [])
    -> Value
  {
    [
      "type": "object",
      "properties": .map(properties.map { .init(key: $0.key, value: $0.value) }),
      "required": .list(required),
    ]
  }

  private static let routes: [Route] = [
    Route(
      path: "/v1/decide", method: "post", summary: "What one user gets.",
      body: reference("DecideRequest"), answer: reference("Decisions"),
      errors: [400, 401, 403, 404, 408, 409, 413, 429], parameters: [application]),
    Route(
      path: "/v1/decide/stream", method: "post",
      summary: "What many users get: a request a line, and an answer or an error a line.",
      body: text, answer: text, type: "application/x-ndjson",
      parameters: [
        application, query("placements", text, "names with commas; all without it"),
        query("layout", ["enum": ["decisions", "long", "wide"]], "how answers are written"),
        query("now", text, "the time of all decisions"),
        query("reasons", text, "say why, in short"), query("texts", text, "render texts"),
      ]),
    Route(
      path: "/v1/explain", method: "post", summary: "Why a user gets what they get.",
      body: object([
        "user": ["type": ["object", "string"]], "placement": ["type": ["string", "null"]],
        "audience": ["type": ["string", "integer", "null"]],
        "set": ["type": ["object", "null"]], "now": time, "config": configText, "seed": text,
      ]),
      answer: ["type": ["object", "array"]], errors: [400, 401, 403, 404, 408, 413, 422, 429],
      parameters: [application]),
    Route(
      path: "/v1/check", method: "post", summary: "What is wrong with a config.",
      body: object([
        "config": configText, "schema": ["type": ["object", "string", "null"]], "now": time,
        "platform": ["enum": ["ios", "android", "web", "cel"]],
      ]),
      answer: object(
        ["diagnostics": ["type": "array"], "counts": anything],
        required: ["diagnostics", "counts"]), parameters: [application]),
    Route(
      path: "/v1/diff", method: "post", summary: "Who gets something else by another config.",
      body: object(
        [
          "new": ["type": ["object", "string"]], "old": configText,
          "users": ["type": ["array", "string", "null"]],
          "placements": ["type": ["array", "null"], "items": text], "now": time, "seed": text,
        ], required: ["new"]),
      answer: object(
        ["placements": anything, "changes": ["type": "array"]], required: ["placements"]),
      errors: [400, 401, 403, 404, 408, 413, 422, 429], parameters: [application]),
    Route(
      path: "/v1/render", method: "post", summary: "The text of a template.",
      body: object(
        [
          "template": text, "products": configText, "user": configText, "html": truth,
          "dialect": ["enum": ["superwall", "shopify", "agentwallie"]], "select": text,
          "locale": text, "profile": text, "timeZone": text, "now": time,
        ], required: ["template"]),
      answer: object(
        ["text": ["type": ["string", "null"]], "isComplete": truth, "errors": ["type": "array"]],
        required: ["text", "isComplete", "errors"]), parameters: [application]),
    Route(
      path: "/v1/match", method: "post",
      summary: "How users spread over the outcomes of each placement.",
      body: object([
        "users": ["type": ["array", "string", "null"]], "config": configText,
        "placements": ["type": ["array", "null"], "items": text], "now": time, "seed": text,
      ]),
      answer: object(
        ["users": ["type": "integer"], "rejected": ["type": "integer"], "placements": anything],
        required: ["users", "rejected", "placements"]),
      errors: [400, 401, 403, 404, 408, 413, 422, 429], parameters: [application]),
    Route(
      path: "/v1/cover", method: "post", summary: "What of a config no test exercises.",
      body: object([
        "tests": ["type": ["array", "string", "null"]], "config": configText,
        "render": configText, "products": configText, "now": time, "seed": text,
      ]),
      answer: object(
        [
          "audiences": ["type": "array"], "clauses": ["type": "array"],
          "tests": ["type": "integer"], "exercised": ["type": "integer"],
          "points": ["type": "integer"], "impossible": ["type": "integer"],
          "share": ["type": "number"],
        ], required: ["audiences", "clauses", "share"]),
      errors: [400, 401, 403, 404, 408, 413, 422, 429], parameters: [application]),
    Route(
      path: "/v1/products", method: "post", summary: "What paywalls say about products.",
      body: object([
        "products": configText, "locale": text, "profile": text, "timeZone": text, "now": time,
      ]),
      answer: object(["products": ["type": "array"]], required: ["products"]),
      parameters: [application]),
    Route(
      path: "/v1/superscript/evaluate", method: "post", summary: "What an expression comes to.",
      body: object(
        [
          "expression": text, "variables": anything, "device": anything, "computed": anything,
          "answers": anything,
        ], required: ["expression"]),
      answer: ["type": "object"], parameters: [application]),
    Route(
      path: "/v1/config", method: "get", summary: "The config that decides.",
      answer: ["type": "object"], errors: [400, 401, 403, 404, 429], parameters: [application]),
    Route(
      path: "/v1/config", method: "put", summary: "Put a config in the place of the present one.",
      body: ["type": "object"], answer: ["type": "object"],
      errors: [400, 401, 403, 404, 408, 412, 413, 422, 429],
      parameters: [
        application, query("dry-run", text, "only say what would change"),
        query("note", text, "why, for the history"),
      ]),
    Route(
      path: "/v1/config/rollback", method: "post", summary: "Go back to an earlier version.",
      body: object(["version": ["type": "integer"]]), answer: ["type": "object"],
      errors: [400, 401, 403, 404, 408, 412, 413, 422, 429], parameters: [application]),
    Route(
      path: "/v1/config/history", method: "get", summary: "The versions that there were.",
      answer: object(["current": ["type": "integer"], "versions": ["type": "array"]]),
      errors: [400, 401, 403, 404, 429], parameters: [application]),
    Route(
      path: "/v1/audit", method: "get", summary: "Who changed what.",
      answer: object(["entries": ["type": "array"]]), errors: [400, 401, 403, 404, 429],
      parameters: [application, query("limit", ["type": "integer"], "how many")]),
    Route(
      path: "/ofrep/v1/evaluate/flags/{key}", method: "post",
      summary: "A placement as a flag of OpenFeature.", body: reference("EvaluationRequest"),
      answer: ["type": "object"], errors: [401, 404, 408, 413, 429],
      parameters: [["name": "key", "in": "path", "required": true, "schema": text]]),
    Route(
      path: "/ofrep/v1/evaluate/flags", method: "post", summary: "All placements as flags.",
      body: reference("EvaluationRequest"), answer: ["type": "object"],
      errors: [401, 404, 408, 413, 429]),
    Route(
      path: "/healthz", method: "get", summary: "Whether the server is there.",
      answer: object(["status": text], required: ["status"]), errors: [429], isOpen: true),
    Route(
      path: "/readyz", method: "get", summary: "Whether the server can answer.",
      answer: object(["status": text], required: ["status"]), errors: [429, 503], isOpen: true),
    Route(
      path: "/metrics", method: "get", summary: "What was counted, for Prometheus.", answer: text,
      type: "text/plain", errors: [429], isOpen: true),
  ]

  // MARK: Schemas

  private static let schemas: [Value.Entry] = [
    .init(
      key: "Error",
      value: object(
        ["error": object(["code": text, "message": text], required: ["code", "message"])],
        required: ["error"])),
    .init(
      key: "DecideRequest",
      value: object(
        [
          "userId": ["type": "string", "minLength": 1], "user": ["type": ["object", "null"]],
          "device": ["type": ["object", "null"]], "params": ["type": ["object", "null"]],
          "placements": ["type": ["array", "null"], "items": text, "maxItems": 1_000],
          "explain": truth, "reasons": truth, "texts": truth, "products": truth, "record": truth,
          "now": time, "requestId": ["type": "string", "minLength": 1, "maxLength": 200],
        ], required: ["userId"])),
    .init(
      key: "Decisions",
      value: object(
        [
          "decisions": [
            "type": "array",
            "items": object(
              [
                "userId": text, "placement": text, "result": anything,
                "audience": ["type": ["integer", "null"]], "paywall": ["type": ["string", "null"]],
              ], required: ["userId", "placement", "result", "audience", "paywall"]),
          ]
        ], required: ["decisions"])),
    .init(
      key: "EvaluationRequest",
      value: object(
        [
          "context": object(
            ["targetingKey": ["type": "string", "minLength": 1]],
            required: ["targetingKey"])
        ], required: ["context"])),
  ]
}

extension [Value.Entry] {
  /// Maps under one key put together.
  fileprivate var merged: [Value.Entry] {
    var merged: [Value.Entry] = []
    for entry in self {
      if let place = merged.firstIndex(where: { $0.key == entry.key }),
        case .map(let known) = merged[place].value, case .map(let more) = entry.value
      {
        merged[place].value = .map(known + more)
      } else {
        merged.append(entry)
      }
    }
    return merged
  }
}

package import Expressions
internal import Requests

/// What `/openapi.json` says: the routes, what they take, and what they answer.
package enum APIDescription {
  /// The whole of it, for these routes.
  package static func document(_ operations: [APIOperation]) -> Value {
    .object([
      "openapi": "3.1.0",
      "info": [
        "title": "Tollgate", "version": "1",
        "description": "Decides which paywall a user sees, and says why.",
      ],
      "paths": .map(operations.map(\.entry).merged),
      "components": [
        "securitySchemes": [
          "key": ["type": "http", "scheme": "bearer"],
          "publicKey": ["type": "apiKey", "in": "query", "name": "pk"],
        ],
        "schemas": .map(schemas),
      ],
    ])
  }

  /// Those of the decision service.
  package static var service: [APIOperation] {
    routes.map { route in
      guard route.key != .none else { return route }
      var route = route
      // The admin token has to say which application.
      route.parameters.append(application)
      route.errors += [400, 403, 404]
      return route
    }
  }

  /// What a route takes.
  static func body(of path: String) -> Value {
    routes.first { $0.path == path && $0.method == "post" }?.body ?? .map([])
  }

  // MARK: Routes

  private typealias Route = APIOperation
  private typealias Schema = APISchema

  private static let text = Schema.text
  private static let truth = Schema.truth
  private static let anything = Schema.someObject
  private static let application = query(
    "application", text, "which application, for the admin token")
  private static let configText: Value = ["type": ["object", "string", "null"]]
  private static let time: Value = ["type": ["string", "null"], "format": "date-time"]

  private static func object(_ properties: KeyValuePairs<Value, Value>, required: [Value] = [])
    -> Value
  {
    Schema.object(properties, required: required)
  }

  private static func reference(_ name: String) -> Value { Schema.reference(name) }

  private static func query(_ name: String, _ schema: Value, _ text: String) -> Value {
    Schema.query(name, schema, text)
  }

  /// What OpenFeature's clients are refused with, or anybody else.
  private static let failure: Value = [
    "anyOf": [
      object(["key": text, "errorCode": text, "errorDetails": text], required: ["errorCode"]),
      reference("Error"),
    ]
  ]

  private static let routes: [Route] = [
    Route(
      path: "/v1/decide", method: "post", summary: "What one user gets.",
      body: reference("DecideRequest"), answer: reference("Decisions"),
      errors: [409]),
    Route(
      path: "/v1/decide/stream", method: "post",
      summary: "What many users get: a request a line, and an answer or an error a line.",
      body: Schema.anything, answer: text, type: "application/x-ndjson",
      bodyType: "application/x-ndjson",
      parameters: [
        query("placements", text, "names with commas; all without it"),
        query("layout", ["enum": ["decisions", "long", "wide"]], "how answers are written"),
        query("now", text, "the time of all decisions"),
        query("reasons", text, "say why, in short"), query("texts", text, "render texts"),
      ]),
    Route(
      path: "/v1/explain", method: "post", summary: "Why a user gets what they get.",
      body: Schema.body([
        "user": ["type": ["object", "string"]], "placement": ["type": ["string", "null"]],
        "audience": ["type": ["string", "integer", "null"]],
        "set": ["type": ["object", "null"]], "now": time, "config": configText, "seed": text,
      ]),
      answer: ["type": ["object", "array"]], errors: [422]),
    Route(
      path: "/v1/check", method: "post", summary: "What is wrong with a config.",
      body: Schema.body([
        "config": configText, "schema": ["type": ["object", "string", "null"]], "now": time,
        "platform": ["enum": ["ios", "android", "web", "cel"]],
      ]),
      answer: object(
        ["diagnostics": ["type": "array"], "counts": anything],
        required: ["diagnostics", "counts"])),
    Route(
      path: "/v1/diff", method: "post", summary: "Who gets something else by another config.",
      body: Schema.body(
        [
          "new": ["type": ["object", "string"]], "old": configText,
          "users": ["type": ["array", "string", "null"]],
          "placements": ["type": ["array", "null"], "items": text], "now": time, "seed": text,
        ], required: ["new"]),
      answer: object(
        ["placements": anything, "changes": ["type": "array"]], required: ["placements"]),
      errors: [422]),
    Route(
      path: "/v1/render", method: "post", summary: "The text of a template.",
      body: Schema.body(
        [
          "template": text, "products": configText, "user": configText, "html": truth,
          "dialect": ["enum": ["superwall", "shopify", "agentwallie"]], "select": text,
          "locale": text, "profile": text, "timeZone": text, "now": time,
        ], required: ["template"]),
      answer: object(
        ["text": ["type": ["string", "null"]], "isComplete": truth, "errors": ["type": "array"]],
        required: ["text", "isComplete", "errors"])),
    Route(
      path: "/v1/match", method: "post",
      summary: "How users spread over the outcomes of each placement.",
      body: Schema.body(
        [
          "users": ["type": ["array", "string"]], "config": configText,
          "placements": ["type": ["array", "null"], "items": text], "now": time, "seed": text,
        ], required: ["users"]),
      answer: object(
        ["users": ["type": "integer"], "rejected": ["type": "integer"], "placements": anything],
        required: ["users", "rejected", "placements"]),
      errors: [422]),
    Route(
      path: "/v1/cover", method: "post", summary: "What of a config no test exercises.",
      body: Schema.body([
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
      errors: [422]),
    Route(
      path: "/v1/products", method: "post", summary: "What paywalls say about products.",
      body: Schema.body([
        "products": configText, "locale": text, "profile": text, "timeZone": text, "now": time,
      ]),
      answer: object(["products": ["type": "array"]], required: ["products"])),
    Route(
      path: "/v1/superscript/evaluate", method: "post", summary: "What an expression comes to.",
      body: Schema.body(
        [
          "expression": text, "variables": anything, "device": anything, "computed": anything,
          "answers": anything,
        ], required: ["expression"]),
      answer: ["type": "object"]),
    Route(
      path: "/v1/config", method: "get", summary: "The config that decides.",
      answer: ["type": "object"]),
    Route(
      path: "/v1/config", method: "put", summary: "Put a config in the place of the present one.",
      body: ["type": "object"], answer: ["type": "object"],
      errors: [412, 422],
      parameters: [
        query("dry-run", text, "only say what would change"),
        query("note", text, "why, for the history"),
      ]),
    Route(
      path: "/v1/config/rollback", method: "post", summary: "Go back to an earlier version.",
      body: Schema.body(["version": Schema.wholeOrNull]), needsBody: false,
      answer: ["type": "object"],
      errors: [412, 422]),
    Route(
      path: "/v1/config/history", method: "get", summary: "The versions that there were.",
      answer: object(["current": ["type": "integer"], "versions": ["type": "array"]])),
    Route(
      path: "/v1/audit", method: "get", summary: "Who changed what.",
      answer: object(["entries": ["type": "array"]]),
      parameters: [query("limit", ["type": "integer", "minimum": 1, "maximum": 1_000], "how many")]),
    Route(
      path: "/ofrep/v1/evaluate/flags/{key}", method: "post",
      summary: "A placement as a flag of OpenFeature.", body: reference("EvaluationRequest"),
      answer: object(
        ["key": text, "reason": text, "variant": text, "metadata": anything],
        required: ["key", "reason"]),
      errorShapes: [400: failure, 404: failure]),
    Route(
      path: "/ofrep/v1/evaluate/flags", method: "post", summary: "All placements as flags.",
      body: reference("EvaluationRequest"),
      answer: object(["flags": ["type": "array", "items": anything]], required: ["flags"]),
      errors: [304], errorShapes: [400: failure]),
    Route(
      path: "/healthz", method: "get", summary: "Whether the server is there.",
      answer: object(["status": text], required: ["status"]), key: .none),
    Route(
      path: "/readyz", method: "get", summary: "Whether the server can answer.",
      answer: object(["status": text], required: ["status"]), errors: [503], key: .none),
    Route(
      path: "/metrics", method: "get", summary: "What was counted, for Prometheus.", answer: text,
      type: "text/plain", key: .none),
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
      value: Schema.body(
        [
          "userId": ["type": "string", "minLength": 1], "user": ["type": ["object", "null"]],
          "device": ["type": ["object", "null"]], "params": ["type": ["object", "null"]],
          "placements": ["type": ["array", "null"], "items": text, "maxItems": 1_000],
          "explain": truth, "reasons": truth, "texts": truth, "products": truth, "record": truth,
          "now": time, "seed": text,
          "requestId": ["type": "string", "minLength": 1, "maxLength": 200],
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

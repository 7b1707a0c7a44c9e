package import Expressions

/// The contents of `/openapi.json`: the routes, their requests and their answers.
package enum APIDescription {
  /// The whole document for these routes.
  package static func document(_ operations: [APIOperation]) -> Value {
    .object([
      "openapi": "3.1.0",
      "info": [
        "title": "Tollgate", "version": "1",
        "description": "Decides which paywall a user sees, and explains why.",
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

  /// The operations of the decision service.
  package static var service: [APIOperation] {
    routes.map { route in
      guard route.key != .none else { return route }
      var route = route
      // The admin token must name an application.
      route.parameters.append(application)
      route.errors += [400, 403, 404, 503]
      return route
    }
  }

  // MARK: Routes

  private typealias Route = APIOperation
  private typealias Schema = APISchema

  private static let text = Schema.text
  private static let anything = Schema.someObject
  private static let application = query(
    "application", text, "the application that the admin token acts on")

  private static func object(_ properties: KeyValuePairs<Value, Value>, required: [Value] = [])
    -> Value
  {
    Schema.object(properties, required: required)
  }

  private static func reference(_ name: String) -> Value { Schema.reference(name) }

  private static func query(_ name: String, _ schema: Value, _ text: String) -> Value {
    Schema.query(name, schema, text)
  }

  /// The errors of OpenFeature evaluations, and of other requests.
  private static let failure: Value = [
    "anyOf": [
      object(
        ["key": text, "errorCode": text, "errorDetails": text, "metadata": anything],
        required: ["errorCode"]),
      reference("Error"),
    ]
  ]

  /// A route for a request with this name: `ExplainRequest` at `/v1/explain`.
  private static func question(_ name: String, _ summary: String) -> Route {
    Route(
      path: "/v1/\(name.lowercased())", method: "post", summary: summary,
      body: reference("\(name)Request"), answer: reference("\(name)Answer"), errors: [422])
  }

  private static let routes: [Route] = [
    Route(
      path: "/v1/decide", method: "post", summary: "Decide for one user.",
      body: reference("DecideRequest"), answer: reference("DecideAnswer"), errors: [409]),
    Route(
      path: "/v1/decide/stream", method: "post",
      summary: "Decide for many users: each line is a request, and gets a response or an error.",
      body: Schema.anything, answer: text, type: "application/x-ndjson",
      bodyType: "application/x-ndjson",
      parameters: [
        query("placements", text, "names separated by commas; the default is all"),
        query("layout", ["enum": ["decisions", "long", "wide"]], "the layout of the response"),
        query("now", text, "the time of all decisions"),
        query("reasons", text, "add a short reason to each outcome"),
        query("texts", text, "render texts"),
        query(
          "platform", ["enum": ["ios", "android", "web"]], "the platform whose newest SDK decides"),
        query("sdkVersion", text, "the SDK that decides: newest, record, or a version"),
      ]),
    question("Explain", "Explain the outcome for a user."),
    question("Check", "Check a config."),
    question("Diff", "Find users whose outcomes change with another config."),
    question("Render", "Render a template, or the texts of a paywall."),
    question("Match", "Show the distribution of users over the outcomes of each placement."),
    question("Cover", "Find parts of the rules that no test exercises."),
    question("Products", "Compute prices, periods and trials."),
    Route(
      path: "/v1/superscript/evaluate", method: "post", summary: "Evaluate an expression.",
      body: Schema.body(
        [
          "expression": text, "variables": anything, "device": anything, "computed": anything,
          "answers": anything, "evaluator": text, "questions": Schema.truth,
        ], required: ["expression"]),
      answer: ["type": "object"]),
    Route(
      path: "/v1/config", method: "get", summary: "The current config.",
      answer: ["type": "object"]),
    Route(
      path: "/v1/config", method: "put", summary: "Replace the config.",
      body: ["type": "object"], answer: ["type": "object"],
      errors: [412, 422],
      parameters: [
        query("dry-run", text, "report what would change, and publish nothing"),
        query("note", text, "the reason, for the history"),
      ]),
    Route(
      path: "/v1/config/rollback", method: "post", summary: "Go back to an earlier version.",
      body: Schema.body(["version": Schema.wholeOrNull]), needsBody: false,
      answer: ["type": "object"],
      errors: [412, 422]),
    Route(
      path: "/v1/config/history", method: "get", summary: "All versions of the config.",
      answer: object(["current": ["type": "integer"], "versions": ["type": "array"]])),
    Route(
      path: "/v1/audit", method: "get", summary: "All changes and their authors.",
      answer: object(["entries": ["type": "array"]]),
      parameters: [
        query(
          "limit", ["type": "integer", "minimum": 1, "maximum": 1_000],
          "the maximum number of entries")
      ]),
    Route(
      path: "/v1/users/{id}", method: "get", summary: "All stored data of a user.",
      answer: object(
        [
          "userId": text, "assignments": ["type": "array"], "occurrences": anything,
          "answers": ["type": "array"],
        ], required: ["userId", "assignments", "occurrences", "answers"])),
    Route(
      path: "/v1/users/{id}", method: "delete", summary: "Delete all stored data of a user.",
      answer: object(["deleted": anything], required: ["deleted"])),
    Route(
      path: "/ofrep/v1/evaluate/flags/{key}", method: "post",
      summary: "Evaluate a placement as an OpenFeature flag.", body: reference("EvaluationRequest"),
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
      path: "/healthz", method: "get", summary: "Whether the server is running.",
      answer: object(["status": text], required: ["status"]), key: .none),
    Route(
      path: "/readyz", method: "get", summary: "Whether the server can answer.",
      answer: object(["status": text, "withoutState": Schema.truth], required: ["status"]),
      errors: [503], key: .none),
    Route(
      path: "/metrics", method: "get", summary: "Metrics for Prometheus.", answer: text,
      type: "text/plain", key: .none),
  ]

  // MARK: Schemas

  /// The definitions of `corpus/schemas`, and definitions that only the HTTP API has.
  private static let schemas: [Value.Entry] =
    definitions(PackageResources.requests_schema_json)
    + definitions(PackageResources.outcome_schema_json) + [
      .init(
        key: "Error",
        value: object(["error": reference("RequestError")], required: ["error"])),
      .init(
        key: "EvaluationRequest",
        value: object(
          [
            "context": object(
              ["targetingKey": ["type": "string", "minLength": 1]],
              required: ["targetingKey"])
          ], required: ["context"])),
    ]

  /// The definitions of a schema, with references to components.
  private static func definitions(_ file: [UInt8]) -> [Value.Entry] {
    let text = String(decoding: file, as: UTF8.self)
      .replacing("outcome.schema.json#/$defs/", with: "#/components/schemas/")
      .replacing("#/$defs/", with: "#/components/schemas/")
    guard case .map(let entries)? = (try? Value.parse(json: text.utf8))?["$defs"] else {
      return []
    }
    return entries
  }
}

extension [Value.Entry] {
  /// The maps of a list, merged under one key.
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

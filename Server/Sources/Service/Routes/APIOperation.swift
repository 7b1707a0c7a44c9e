package import Expressions

/// The description of one route in `/openapi.json`.
package struct APIOperation: Sendable {
  package var path: String
  /// The HTTP method, in lower case.
  package var method: String
  package var summary: String
  /// The schema of the body, or nil if there is no body.
  package var body: Value?
  /// Whether a request without a body is rejected.
  package var needsBody: Bool
  /// The schema of the answer.
  package var answer: Value
  package var status: Int
  package var type: String
  package var bodyType: String
  /// Statuses of errors, in addition to the errors for any body or key.
  package var errors: [Int]
  /// The schemas of errors that differ from the usual schema, by status.
  package var errorShapes: [Int: Value]
  package var parameters: [Value]
  package var key: Key

  /// The key that a request needs.
  package enum Key: Sendable {
    case bearer
    /// A bearer, or the public key in the query.
    case bearerOrQuery
    /// No key, or the key in the path.
    case none
  }

  package init(
    path: String, method: String, summary: String, body: Value? = nil, needsBody: Bool = true,
    answer: Value, status: Int = 200, type: String = "application/json", bodyType: String? = nil,
    errors: [Int] = [], errorShapes: [Int: Value] = [:], parameters: [Value] = [],
    key: Key = .bearer
  ) {
    self.path = path
    self.method = method
    self.summary = summary
    self.body = body
    self.needsBody = needsBody
    self.answer = answer
    self.status = status
    self.type = type
    self.bodyType = bodyType ?? "application/json"
    self.errors = errors
    self.errorShapes = errorShapes
    self.parameters = parameters
    self.key = key
  }

  /// The possible errors of every similar request.
  private var usualErrors: [Int] {
    (key == .none ? [] : [401]) + (body == nil ? [] : [400, 408, 413, 415]) + [429]
  }

  /// The operation below its path.
  package var entry: Value.Entry {
    var responses: [Value.Entry] = [
      .init(
        key: .string(String(status)),
        value: ["description": "done", "content": .map([Self.content(type, answer)])])
    ]
    for error in Set(errors + usualErrors).sorted() {
      if error < 400 {
        responses.append(
          .init(key: .string(String(error)), value: ["description": "nothing new"]))
        continue
      }
      let shape = errorShapes[error] ?? APISchema.reference("Error")
      responses.append(
        .init(
          key: .string(String(error)),
          value: [
            "description": "rejected", "content": .map([Self.content("application/json", shape)]),
          ]))
    }
    let security: [Value] =
      switch key {
      case .bearer: [["key": .list([])]]
      case .bearerOrQuery: [["key": .list([])], ["publicKey": .list([])]]
      case .none: []
      }
    var operation: [Value.Entry] = [
      .init(key: "summary", value: .string(summary)),
      .init(key: "responses", value: .map(responses)),
      .init(key: "security", value: .list(security)),
    ]
    let all = pathParameters + parameters
    if !all.isEmpty { operation.append(.init(key: "parameters", value: .list(all))) }
    if let body {
      operation.append(
        .init(
          key: "requestBody",
          value: [
            "required": .bool(needsBody), "content": .map([Self.content(bodyType, body)]),
          ]))
    }
    return .init(
      key: .string(path), value: .map([.init(key: .string(method), value: .map(operation))]))
  }

  /// The parameters of the path that have no description.
  private var pathParameters: [Value] {
    let known = parameters.compactMap { $0["in"] == "path" ? $0["name"]?.text : nil }
    return path.split(separator: "/").compactMap { part in
      guard part.hasPrefix("{") else { return nil }
      let name = String(part.dropFirst().dropLast())
      if known.contains(name) { return nil }
      return [
        "name": .string(name), "in": "path", "required": true, "schema": APISchema.name,
      ]
    }
  }

  private static func content(_ type: String, _ schema: Value) -> Value.Entry {
    .init(key: .string(type), value: ["schema": schema])
  }
}

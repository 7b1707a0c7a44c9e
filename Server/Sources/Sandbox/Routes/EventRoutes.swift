internal import Expressions
internal import HTTPTypes
internal import Service

extension SandboxBackend {
  /// The endpoints to which clients send events.
  var eventEndpoints: [Endpoint] {
    [
      .post("/api/v1/events", .key) { exchange in
        try await collect(
          try exchange.list("events"), id: "event_id", exchange.identity, exchange.application)
      },
      .post("/api/v1/session_events", .key) { exchange in
        let transactions = exchange.body["transactions"]?.elements ?? []
        let events = transactions.map {
          ReceivedEvent(name: "transaction", user: exchange.identity.user, body: $0)
        }
        try await store.add(
          events, from: "superwall", to: exchange.application.id, now: now())
        return Answer(.object(["status": "ok"]))
      },
      .post("/v1/events/{key}", .pathKey) { exchange in
        let elements = try exchange.list("events")
        // A rejected client would repeat the request forever, so invalid events are skipped.
        let events = elements.compactMap { element in
          element["event_name"]?.text.map { name in
            ReceivedEvent(
              id: element["id"]?.text, name: name, user: element["user_id"]?.text,
              body: element)
          }
        }
        try await store.add(
          events, from: "agentwallie", to: exchange.application.id, now: now())
        return Answer(
          .object(["status": "ok", "accepted": .whole(events.count)]), status: .accepted)
      },
    ]
  }

  /// Stores the events and reports invalid events.
  private func collect(
    _ elements: [Value], id: String, _ identity: Identity, _ application: SandboxApplication
  ) async throws -> Answer {
    var events: [ReceivedEvent] = []
    var others: [Value] = []
    for (i, element) in elements.enumerated() {
      guard let name = element["event_name"]?.text else {
        others.append(.whole(i))
        continue
      }
      events.append(
        ReceivedEvent(
          id: element[id]?.text, name: name, user: identity.user ?? identity.alias,
          body: element))
    }
    try await store.add(events, from: "superwall", to: application.id, now: now())
    return Answer(
      .members(["status": "ok", "invalid_indexes": others.isEmpty ? nil : .list(others)]))
  }
}

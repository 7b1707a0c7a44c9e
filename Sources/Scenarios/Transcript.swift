internal import Expressions
internal import SDK

/// The log of a simulation, in order: events, commands to the host, deliveries to subscribers, and requests.
final class Transcript: Sendable {
  struct Content {
    var entries: [Value] = []
    var requests: [Value] = []
    /// The indices of the requests that no backend rule answered.
    var unanswered: Set<Int> = []
  }

  private let content = Locked(Content())

  /// Returns the new entries and removes them.
  func take() -> Content {
    content.withLock { content in
      defer { content = Content() }
      return content
    }
  }

  func add(event: String, _ payload: Value) {
    add(["ev": .string(event), "p": payload])
  }

  func add(host command: String, _ payload: Value) {
    add(["host": .string(command), "p": payload])
  }

  func add(delivery event: String, to subscriber: String, _ payload: Value) {
    add(["to": .string(subscriber), "cb": .string(event), "p": payload])
  }

  private func add(_ entry: Value) { content.withLock { $0.entries.append(entry) } }

  func add(_ request: BackendRequest, isAnswered: Bool) {
    func object(_ fields: [BackendRequest.Field]) -> Value {
      .map(fields.map { Value.Entry(key: .string($0.name), value: .string($0.value)) })
    }
    let entry = Value.members([
      "method": .string(request.method.rawValue), "path": .string(request.path),
      "query": object(request.query), "body": request.body,
      "headers": object(request.headers.filter { $0.name == "Authorization" }),
    ])
    content.withLock { content in
      if !isAnswered { content.unanswered.insert(content.requests.count) }
      content.requests.append(entry)
    }
  }

  func add(_ command: ScriptedPresenter.Command) {
    switch command {
    case .present(let identifier, let url):
      add(host: "present", ["identifier": .string(identifier), "url": .string(url)])
    case .dismiss(let identifier): add(host: "dismiss", ["identifier": .string(identifier)])
    case .survey(let id): add(host: "survey", ["id": .string(id)])
    case .message(let message): add(host: "message", message.value)
    case .alert(let alert):
      var code: String?
      if case .purchaseFailed(_, let known) = alert { code = known }
      add(
        host: "alert",
        .members(["kind": .string(alert.kind), "code": code.map { .string($0) }]))
    case .open(let url, let external):
      add(host: "openUrl", ["url": .string(url), "external": .bool(external)])
    case .schedule(let notification): add(host: "scheduleNotification", notification.value)
    case .checkout(let directive): add(host: "checkout", directive)
    }
  }

  func add(_ command: SimulatedStore.Command) {
    switch command {
    case .purchase(let request):
      add(host: "store.purchase", ["productId": .string(request.productID)])
    case .restore: add(host: "store.restore", .map([]))
    }
  }
}

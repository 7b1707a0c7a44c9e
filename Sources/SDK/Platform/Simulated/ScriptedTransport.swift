package import Expressions

/// A backend that answers from a script.
package final class ScriptedTransport: Transport {
  /// The answers to matching requests, in order. The last answer repeats.
  package struct Rule: Sendable {
    package var method: BackendRequest.Method
    /// The path to match, in which `*` matches any characters.
    package var path: String
    package var replies: [Reply]

    package init(_ method: BackendRequest.Method, _ path: String, _ replies: [Reply]) {
      self.method = method
      self.path = path
      self.replies = replies
    }

    /// Whether the rule answers a request.
    package func answers(_ request: BackendRequest) -> Bool {
      method == request.method && !replies.isEmpty && ScriptedTransport.fits(path, request.path)
    }
  }

  /// An answer to a request, sent after a delay in milliseconds.
  package enum Reply: Sendable {
    case json(Value?, status: Int = 200, delay: Int64 = 0)
    case networkError(String, delay: Int64 = 0)
    /// Confirms the request's assignments.
    case echoAssignments(delay: Int64 = 0)
  }

  private let rules: [Rule]
  private let used: Locked<[Int: Int]> = Locked([:])
  private let time: any TimeSource
  private let observe: @Sendable (BackendRequest) -> Void

  /// - Parameters:
  ///   - rules: the rules. The first rule that matches answers. Without a match the answer is 404.
  ///   - observe: called with every request, in order.
  package init(
    rules: [Rule], time: any TimeSource,
    observe: @escaping @Sendable (BackendRequest) -> Void = { _ in }
  ) {
    self.rules = rules
    self.time = time
    self.observe = observe
  }

  package func send(_ request: BackendRequest) async throws(TransportFailure) -> BackendResponse {
    observe(request)
    switch reply(to: request) {
    case .networkError(let message, let delay):
      try await wait(delay)
      throw .network(message)
    case .echoAssignments(let delay):
      try await wait(delay)
      let assignments = request.body?["assignments"] ?? .list([])
      let body = Value.object(["status": "ok", "assignments": assignments])
      return BackendResponse(status: 200, body: Array(body.json.utf8))
    case .json(let body, let status, let delay):
      try await wait(delay)
      return BackendResponse(status: status, body: Array((body?.json ?? "").utf8))
    }
  }

  private func wait(_ delay: Int64) async throws(TransportFailure) {
    guard delay > 0 else { return }
    do {
      try await time.sleep(milliseconds: delay)
    } catch {
      throw .network("cancelled")
    }
  }

  private func reply(to request: BackendRequest) -> Reply {
    let fitting = rules.firstIndex { rule in
      rule.method == request.method && Self.fits(rule.path, request.path)
    }
    guard let number = fitting, !rules[number].replies.isEmpty else {
      return .json(.object(["error": .object(["code": "not_found"])]), status: 404)
    }
    let replies = rules[number].replies
    let count = used.withLock { used in
      defer { used[number, default: 0] += 1 }
      return used[number, default: 0]
    }
    return replies[min(count, replies.count - 1)]
  }

  /// Whether a path matches a pattern in which each `*` matches any characters.
  static func fits(_ pattern: String, _ path: String) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count > 1, let first = parts.first, let last = parts.last else {
      return pattern == path
    }
    guard path.hasPrefix(first), path.hasSuffix(last), path.count >= first.count + last.count
    else { return false }
    var rest = path.dropFirst(first.count).dropLast(last.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let place = Self.range(of: part, in: rest) else { return false }
      rest = rest[place...].dropFirst(part.count)
    }
    return true
  }

  private static func range(of part: Substring, in text: Substring) -> Substring.Index? {
    text.indices.first { text[$0...].hasPrefix(part) }
  }
}

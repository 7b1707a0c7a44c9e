internal import Expressions

/// Runs requests that change the same user one after another.
final class UserTurns: Sendable {
  /// The requests that wait, by user. A user has an entry while a body runs.
  private let waiting = Locked<[StateKey: [CheckedContinuation<Void, Never>]]>([:])

  /// Runs a body while no other body runs for the user.
  func run<Result>(_ key: StateKey, _ body: () async throws -> Result) async rethrows -> Result {
    let user = StateKey(key.user, in: key.application)
    await take(user)
    defer { giveBack(user) }
    return try await body()
  }

  private func take(_ user: StateKey) async {
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        if waiting[user] != nil {
          waiting[user]?.append(continuation)
          return false
        }
        waiting[user] = []
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  private func giveBack(_ user: StateKey) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      guard var others = waiting[user], !others.isEmpty else {
        waiting[user] = nil
        return nil
      }
      let next = others.removeFirst()
      waiting[user] = others
      return next
    }
    next?.resume()
  }
}

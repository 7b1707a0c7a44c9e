internal import Hummingbird
internal import NIOCore

/// The parts of a body as they arrive, with pauses: a stream sends the available answers when no more data arrives.
///
/// One task reads the body and adds its parts, and another task takes them. The reader waits while the maximum is
/// stored, so that reading stops if a client does not read its answers.
actor BodyParts {
  enum Next: Sendable {
    case part(ByteBuffer)
    /// No data arrived for ``pause``.
    case pause
    case end
  }

  /// The time without data that counts as a pause.
  private static let pause = Duration.milliseconds(20)
  private static let most = 8

  private var parts: [ByteBuffer] = []
  private var isAtEnd = false
  private var failure: (any Error)?
  private var reader: CheckedContinuation<Void, Never>?
  private var taker: CheckedContinuation<Next, any Error>?
  /// Distinguishes the waits of the taker, so that a late timer only ends its own wait.
  private var wait = 0

  /// Calls the body with the parts while they are read.
  static func read(
    _ body: RequestBody, _ take: (BodyParts) async throws -> Void
  ) async throws {
    let parts = BodyParts()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          for try await part in body { try await parts.add(part) }
          await parts.end(nil)
        } catch {
          await parts.end(error)
        }
      }
      defer { group.cancelAll() }
      do {
        try await take(parts)
      } catch {
        await parts.abandon()
        throw error
      }
    }
  }

  /// - Parameter stopsAtPauses: whether a pause is a result. Otherwise the function waits until the pause ends.
  func next(stopsAtPauses: Bool) async throws -> Next {
    if !parts.isEmpty {
      let part = parts.removeFirst()
      reader?.resume()
      reader = nil
      return .part(part)
    }
    if let failure { throw failure }
    if isAtEnd { return .end }
    wait += 1
    let number = wait
    let timer = stopsAtPauses ? Task { try await self.endWait(number) } : nil
    defer { timer?.cancel() }
    return try await withCheckedThrowingContinuation { taker = $0 }
  }

  private func endWait(_ number: Int) async throws {
    try await Task.sleep(for: Self.pause)
    guard wait == number, let taker else { return }
    self.taker = nil
    taker.resume(returning: .pause)
  }

  private func add(_ part: ByteBuffer) async throws {
    if let taker {
      self.taker = nil
      return taker.resume(returning: .part(part))
    }
    while parts.count >= Self.most, !isAtEnd { await withCheckedContinuation { reader = $0 } }
    if isAtEnd { throw CancellationError() }
    if let taker {
      self.taker = nil
      return taker.resume(returning: .part(part))
    }
    parts.append(part)
  }

  private func end(_ error: (any Error)?) {
    isAtEnd = true
    failure = failure ?? error
    guard let taker else { return }
    self.taker = nil
    if let error { taker.resume(throwing: error) } else { taker.resume(returning: .end) }
  }

  /// Ends the reader when no task takes its parts any more.
  private func abandon() {
    isAtEnd = true
    reader?.resume()
    reader = nil
  }
}

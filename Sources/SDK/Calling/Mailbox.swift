internal import Expressions

/// Holds reports from other threads until the SDK takes them, in order.
final class Mailbox: Sendable {
  private struct Content {
    weak var owner: Tollgate?
    var inputs: [Input] = []
    /// Whether the owner was notified of waiting reports.
    var isAnnounced = false
  }

  private let executor: (any TaskExecutor)?
  private let content = Locked(Content())

  init(executor: (any TaskExecutor)?) { self.executor = executor }

  func setOwner(_ owner: Tollgate) { content.withLock { $0.owner = owner } }

  func post(_ input: Input) {
    let owner = content.withLock { content -> Tollgate? in
      content.inputs.append(input)
      guard !content.isAnnounced else { return nil }
      content.isAnnounced = true
      return content.owner
    }
    guard let owner else { return }
    Task(executorPreference: executor) { await owner.emptyMailbox() }
  }

  func take() -> [Input] {
    content.withLock { content in
      content.isAnnounced = false
      defer { content.inputs = [] }
      return content.inputs
    }
  }
}

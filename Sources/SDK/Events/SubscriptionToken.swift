internal import Expressions

/// Keeps a subscription going: it ends when the token is cancelled, or gone with whoever keeps it.
public final class SubscriptionToken: Sendable {
  private let end: Locked<(@Sendable () -> Void)?>

  package init(_ end: @escaping @Sendable () -> Void) { self.end = Locked(end) }

  deinit { cancel() }

  /// Ends the subscription. Nothing is called from then on, save what runs already.
  public func cancel() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

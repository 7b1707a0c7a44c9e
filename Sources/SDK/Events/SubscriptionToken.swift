internal import Expressions

/// Owns a subscription, which ends when the token is cancelled or released.
public final class SubscriptionToken: Sendable {
  private let end: Locked<(@Sendable () -> Void)?>

  package init(_ end: @escaping @Sendable () -> Void) { self.end = Locked(end) }

  deinit { cancel() }

  /// Ends the subscription. No callback starts after this call, but a callback may still be running.
  public func cancel() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

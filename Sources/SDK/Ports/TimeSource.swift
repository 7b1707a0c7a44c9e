package import CivilTime

/// The SDK's only clock. ``SystemTime`` is the real one; a ``VirtualClock`` is moved by hand.
package protocol TimeSource: Sendable {
  var now: Instant { get }
  /// Returns when that much time has passed.
  ///
  /// - Throws: `CancellationError` when the task was cancelled meanwhile.
  func sleep(milliseconds: Int64) async throws
}

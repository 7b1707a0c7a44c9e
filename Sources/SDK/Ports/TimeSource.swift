public import CivilTime

/// The SDK's only clock: ``SystemTime``, or one of the app's own.
public protocol TimeSource: Sendable {
  var now: Instant { get }
  /// Returns when that much time has passed.
  ///
  /// - Throws: `CancellationError` when the task was cancelled meanwhile.
  func sleep(milliseconds: Int64) async throws
}

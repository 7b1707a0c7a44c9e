public import CivilTime

/// The only clock that the SDK uses: ``SystemTime``, or a clock of the app.
public protocol TimeSource: Sendable {
  var now: Instant { get }
  /// Returns when that much time has passed.
  ///
  /// - Throws: `CancellationError` when the task was cancelled meanwhile.
  func sleep(milliseconds: Int64) async throws
}

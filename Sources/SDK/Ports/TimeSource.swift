public import CivilTime

/// The only clock that the SDK uses: ``SystemTime``, or a clock of the app.
public protocol TimeSource: Sendable {
  var now: Instant { get }
  /// Returns after a number of milliseconds.
  ///
  /// - Throws: `CancellationError` if the task is cancelled meanwhile.
  func sleep(milliseconds: Int64) async throws
}

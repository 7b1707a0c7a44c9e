internal import CShims

/// A value that threads use one at a time.
///
/// The standard library's `Mutex` would do the same, but on Linux the thread sanitizer does not
/// see it, and a test that always warns is worth nothing.
package final class Locked<Value: Sendable>: @unchecked Sendable {
  // SAFETY: `init` sets up the lock and `deinit` frees it. Only `withLock` touches the value,
  // between lock and unlock. Tests: tsan over batches, StressTests.

  // Behind a pointer, because the system may not move it.
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  /// Nobody else has the value while `body` runs, which must not ask for it again.
  package func withLock<Result, Problem: Error>(
    _ body: (inout Value) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value)
  }
}

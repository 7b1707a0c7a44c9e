internal import CShims

/// A value that only one thread uses at a time.
///
/// The standard library's `Mutex` would do the same, but the thread sanitizer does not see it on Linux, and a test
/// that always warns is useless.
package final class Locked<Value: Sendable>: @unchecked Sendable {
  // SAFETY: `init` sets up the lock and `deinit` frees it. Only `withLock` touches the value,
  // between lock and unlock. Tests: tsan over batches, StressTests.

  // The lock is behind a pointer, because it must not be moved.
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

  /// Runs the body with exclusive access to the value. The body must not call this method again.
  package func withLock<Result, Problem: Error>(
    _ body: (inout Value) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value)
  }
}

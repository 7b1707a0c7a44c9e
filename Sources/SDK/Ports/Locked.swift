internal import Foundation

/// A value that threads use one at a time.
///
/// The standard library's `Mutex` would do the same, but on Linux the thread sanitizer does not
/// see it, and a stress test that always warns is worth nothing.
package final class Locked<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}

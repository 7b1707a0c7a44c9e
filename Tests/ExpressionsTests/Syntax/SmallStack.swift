import Foundation

/// Runs a body on a thread with a stack of this size, as secondary threads of apps have it, and waits
/// for its end. Overflowing the stack ends the process.
func onStack(of size: Int, _ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  thread.stackSize = size
  thread.start()
  done.wait()
}

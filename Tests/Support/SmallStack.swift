import Foundation

/// Whether a sanitizer is linked in, which gives every call a frame several times as large.
package let hasSanitizer = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

/// Runs a body on a thread with a stack of this size, as secondary threads of apps have it, and waits
/// for its end. Overflowing the stack ends the process. With a sanitizer the stack is larger.
package func onStack(of size: Int, _ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  thread.stackSize = hasSanitizer ? 16 * size : size
  thread.start()
  done.wait()
}

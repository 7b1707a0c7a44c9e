internal import Synchronization

/// Signals: requests to stop from a user, and crashes reported by the system.
enum Signals {
  /// The signal that requested the process to stop; 0 without a signal.
  private static let requested = Atomic<Int32>(0)
  /// Whether ``requested`` is being polled. Otherwise a request ends the process immediately.
  private static let isHeeded = Atomic<Bool>(false)
  /// Both ends of a pipe that contains a byte after the first request, for code that waits.
  private static let pipe: (read: Int32, write: Int32) = {
    let ends = try? FileDescriptor.pipe()
    return (ends?.readEnd.rawValue ?? -1, ends?.writeEnd.rawValue ?? -1)
  }()

  static let reporting = """
    Please report it with the command line, its input if you can share it, and 'tollgate --version'.
    """

  private static let crashText = Array(
    ("\nerror: internal error in tollgate\n" + reporting
      + "\nSet SWIFT_BACKTRACE=enable=yes to see where it happened.\n").utf8)

  /// Sets up signal handling. Call this function before anything else.
  static func install() {
    // With a closed reader, or a limit on file sizes, the write fails instead of ending the process silently.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    installStops()
    installCrashes()
  }

  /// Sets up handlers for interrupts and for the default signal of kill.
  private static func installStops() {
    // The values that the handlers read must exist before the handlers.
    _ = (
      pipe.read, patience, stopText.count, lastText.load(ordering: .relaxed),
      requested.load(ordering: .relaxed),
      isHeeded.load(ordering: .relaxed)
    )
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      // A background job of a script, or a job under nohup, continues.
      sigaction(number, nil, &action)
      if isIgnored(action) { continue }
      set(number, SA_RESTART) { number in
        let isFirst = Signals.requested.exchange(number, ordering: .sequentiallyConsistent) == 0
        let isHeeded = Signals.isHeeded.load(ordering: .sequentiallyConsistent)
        guard isFirst, isHeeded else { Signals.stop(number) }
        var byte: UInt8 = 1
        _ = write(Signals.pipe.write, &byte, 1)
        // The process may be waiting for something that never happens.
        alarm(Signals.patience)
      }
    }
    set(SIGALRM, 0) { _ in Signals.stop(Signals.requested.load(ordering: .relaxed)) }
  }

  private static let stopText = Array("Stopped.\n".utf8)
  /// The address of the zero-terminated message to print instead. Earlier messages stay in memory.
  private static let lastText = Atomic<UInt>(0)

  /// Sets the message for when the process must end before its command can; nil for the default.
  static func lastWords(_ text: String?) {
    let copy = text.flatMap { strdup($0 + "\n") }
    lastText.store(UInt(bitPattern: copy), ordering: .sequentiallyConsistent)
  }

  /// Ends the process from a signal handler.
  private static func stop(_ number: Int32) -> Never {
    // SAFETY: Handlers read atomics and strings that were made before they were installed, and call
    // only what handlers may. The last text is never freed. Tests: StoppingTests, ProcessTests.
    let last = lastText.load(ordering: .sequentiallyConsistent)
    if let text = UnsafePointer<CChar>(bitPattern: last) {
      _ = write(2, text, strlen(text))
    } else {
      stopText.withUnsafeBytes { _ = write(2, $0.baseAddress, $0.count) }
    }
    _exit(Ending.signal(number))
  }

  /// The number of seconds in which the process must end after a request.
  private static let patience: UInt32 = 3

  /// Handles traps and bad memory: prints one line for the user instead of registers, unless a debugging user requests
  /// registers.
  private static func installCrashes() {
    // SAFETY: `crashText` is made before the handlers, which call only what handlers may.
    // Tests: ProcessTests.
    guard tellsCrashes else { return }
    _ = crashText.count
    addStack()
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] {
      set(number, Int32(truncatingIfNeeded: SA_ONSTACK)) { _ in
        Signals.crashText.withUnsafeBytes { _ = write(2, $0.baseAddress, $0.count) }
        _exit(Ending.ourFault)
      }
    }
  }

  private static let tellsCrashes: Bool = {
    let sanitizers = ["__asan_init", "__tsan_init"]
    let hasSanitizer = sanitizers.contains { dlsym(nil, $0) != nil }
    return !hasSanitizer && getenv("SWIFT_BACKTRACE") == nil
  }()

  /// Gives the current thread a second stack for the message about a crash, because an overflowed stack has no room for
  /// the message. The thread keeps the second stack until it ends.
  static func addStack() {
    // SAFETY: The system keeps the stack for the thread, so it is never freed. Tests: StackTests,
    // ProcessTests.
    guard tellsCrashes else { return }
    var stack = stack_t()
    guard sigaltstack(nil, &stack) == 0, stack.ss_flags & Int32(SS_DISABLE) != 0 else { return }
    let size = 64 << 10
    stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    stack.ss_size = numericCast(size)
    sigaltstack(&stack, nil)
  }

  private static func set(
    _ number: Int32, _ flags: Int32, _ handler: @escaping @convention(c) (Int32) -> Void
  ) {
    var action = sigaction()
    action.handler = handler
    action.sa_flags = flags
    sigaction(number, &action, nil)
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    // SAFETY: Handlers are addresses. They are compared and not called. Tests: StoppingTests.
    unsafeBitCast(action.handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  // MARK: Requests to stop

  /// A request to stop the process.
  struct Stop: Error {
    var signal: Int32
    /// The message about the request.
    var message = "Stopped."

    var exitCode: Int32 { Ending.signal(signal) }
  }

  /// Runs a body that polls for requests to stop with ``check()`` and ends in its own way. A second
  /// request ends the process.
  static func heeding<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    isHeeded.store(true, ordering: .sequentiallyConsistent)
    defer { isHeeded.store(false, ordering: .sequentiallyConsistent) }
    return try await body()
  }

  static var isStopRequested: Bool { requested.load(ordering: .relaxed) != 0 }

  /// Throws when a stop was requested.
  static func check() throws(Stop) {
    let number = requested.load(ordering: .relaxed)
    if number != 0 { throw Stop(signal: number) }
  }

  /// Waits for a while, or for a request to stop.
  static func pause(milliseconds: Int32) throws(Stop) {
    var waited = pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0)
    _ = poll(&waited, 1, milliseconds)
    try check()
  }

  /// Waits until a file has data to read, or ends, or a stop is requested.
  static func wait(toRead file: FileDescriptor) throws(Stop) { _ = try wait(toRead: [file]) }

  /// Waits until one of the files has data to read, or ends, or a stop is requested.
  ///
  /// - Returns: the files that have data, or have ended.
  static func wait(toRead files: [FileDescriptor]) throws(Stop) -> [FileDescriptor] {
    var waited = (files.map(\.rawValue) + [pipe.read]).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let count = nfds_t(waited.count)
    repeat { try check() } while poll(&waited, count, -1) < 0 && errno == EINTR
    try check()
    return zip(files, waited).filter { $1.revents != 0 }.map(\.0)
  }

  /// Waits until a file accepts more data, or no longer has a reader.
  static func wait(toWrite file: FileDescriptor) {
    var waited = pollfd(fd: file.rawValue, events: Int16(POLLOUT), revents: 0)
    _ = poll(&waited, 1, -1)
  }
}

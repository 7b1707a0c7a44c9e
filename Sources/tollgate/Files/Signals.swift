internal import Synchronization

/// Signals: from a user who wants the process to stop, and from the system when it has failed.
enum Signals {
  /// The signal that asked the process to stop; 0 when none has.
  private static let requested = Atomic<Int32>(0)
  /// Whether somebody looks for ``requested``; otherwise a request ends the process at once.
  private static let isHeeded = Atomic<Bool>(false)
  /// Both ends of a pipe that holds a byte from the first request on, for those who wait.
  private static let pipe: (read: Int32, write: Int32) = {
    let ends = try? FileDescriptor.pipe()
    return (ends?.readEnd.rawValue ?? -1, ends?.writeEnd.rawValue ?? -1)
  }()

  static let reporting = """
    Please report it with the command line, its input if you can share it, and 'tollgate --version'.
    """

  private static let crashText = Array(
    ("\nerror: this is a fault of tollgate, which ends here.\n" + reporting
      + "\nSet SWIFT_BACKTRACE=enable=yes to see where it happened.\n").utf8)

  /// Sets up how the process takes signals. Comes before anything else.
  static func install() {
    // A reader that goes away, or a limit on the size of files, is an error where it is written to, and
    // no end without a word.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    installStops()
    installCrashes()
  }

  /// Interrupts, and what kill sends.
  private static func installStops() {
    // What the handlers read must be there before them.
    _ = (
      pipe.read, patience, stopText.count, lastText.load(ordering: .relaxed),
      requested.load(ordering: .relaxed),
      isHeeded.load(ordering: .relaxed)
    )
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      // A job in the background of a script, or under nohup, goes on.
      sigaction(number, nil, &action)
      if isIgnored(action) { continue }
      set(number, SA_RESTART) { number in
        let isFirst = Signals.requested.exchange(number, ordering: .sequentiallyConsistent) == 0
        let isHeeded = Signals.isHeeded.load(ordering: .sequentiallyConsistent)
        guard isFirst, isHeeded else { Signals.stop(number) }
        var byte: UInt8 = 1
        _ = write(Signals.pipe.write, &byte, 1)
        // Whatever is waited for may never come.
        alarm(Signals.patience)
      }
    }
    set(SIGALRM, 0) { _ in Signals.stop(Signals.requested.load(ordering: .relaxed)) }
  }

  private static let stopText = Array("Stopped.\n".utf8)
  /// The address of what to say in place of it, which a zero ends; what was here before stays in memory.
  private static let lastText = Atomic<UInt>(0)

  /// What to say if the process has to end before its command can; nil for no more than that.
  static func lastWords(_ text: String?) {
    let copy = text.flatMap { strdup($0 + "\n") }
    lastText.store(UInt(bitPattern: copy), ordering: .sequentiallyConsistent)
  }

  /// Ends the process from a handler of signals.
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

  /// Seconds in which the process has to end after a request.
  private static let patience: UInt32 = 3

  /// Traps and bad memory: one line for the user in place of registers, unless somebody who looks
  /// for the fault wants these.
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

  /// Gives the current thread a second stack for the message about a crash: an overflow of its own
  /// leaves no room on that. A thread keeps it to its end.
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

  /// Somebody asked the process to stop.
  struct Stop: Error {
    var signal: Int32
    /// What to say about it.
    var message = "Stopped."

    var exitCode: Int32 { Ending.signal(signal) }
  }

  /// Runs something that looks for requests to stop with ``check()`` and ends in its own way. A second
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

  /// Waits until there is something to read from a file, or its end, or a request to stop.
  static func wait(toRead file: FileDescriptor) throws(Stop) { _ = try wait(toRead: [file]) }

  /// The same of several files.
  ///
  /// - Returns: those that have something, or have ended.
  static func wait(toRead files: [FileDescriptor]) throws(Stop) -> [FileDescriptor] {
    var waited = (files.map(\.rawValue) + [pipe.read]).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let count = nfds_t(waited.count)
    repeat { try check() } while poll(&waited, count, -1) < 0 && errno == EINTR
    try check()
    return zip(files, waited).filter { $1.revents != 0 }.map(\.0)
  }

  /// Waits until there is room to write to a file, or nobody who reads it.
  static func wait(toWrite file: FileDescriptor) {
    var waited = pollfd(fd: file.rawValue, events: Int16(POLLOUT), revents: 0)
    _ = poll(&waited, 1, -1)
  }
}

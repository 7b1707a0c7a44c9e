/// Standard input, output and error.
enum StandardStreams {
  // SAFETY: `isWritten` is not locked: commands print one after the other, outside the worker pool.
  // Tests: ProcessTests, tsan.

  /// Takes the place of those that are closed, so that no file that is opened later gets their
  /// number and what is printed with it. Each of them then fails as a closed one would.
  static func fill() {
    let modes: [(number: Int32, mode: Int32)] = [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDWR)]
    for (number, mode) in modes where fcntl(number, F_GETFD) < 0 {
      // The lowest number that is free is this one.
      _ = open("/dev/null", mode)
    }
    requireRoom()
  }

  /// Files that are open at the same time, and some that the system's libraries open for themselves:
  /// where these find no room they end the process without a word.
  private static let room = 16

  /// Ends the process where it may open too few files.
  private static func requireRoom() {
    var opened: [Int32] = []
    defer { for file in opened { try? FileDescriptor(rawValue: file).close() } }
    while opened.count < room {
      let file = fcntl(2, F_DUPFD_CLOEXEC, 3)
      guard file >= 0 else {
        guard errno == EMFILE || errno == EINVAL else { return }
        let text = "error: this process may open too few files; raise the limit: ulimit -n 256\n"
        printError(text.utf8)
        exit(Ending.unwritten)
      }
      opened.append(file)
    }
  }

  /// Prints to standard output. A command cannot go on without: where nothing can be written, it
  /// ends.
  static func print(_ bytes: some Sequence<UInt8>) {
    do throws(Errno) {
      try FileDescriptor.standardOutput.writeWhole(Array(bytes))
      isWritten = true
    } catch {
      fail(error)
    }
  }

  /// Prints to standard error, if anybody reads it.
  static func printError(_ bytes: some Sequence<UInt8>) {
    try? FileDescriptor.standardError.writeWhole(Array(bytes))
  }

  /// Closes standard output, which may be when a file system tells that something was not kept.
  static func close() {
    do throws(Errno) {
      try FileDescriptor.standardOutput.close()
    } catch {
      if isWritten { fail(error) }
    }
  }

  /// Whether anything was printed. One thread prints.
  nonisolated(unsafe) private static var isWritten = false

  private static func fail(_ error: Errno) -> Never {
    let failure = CommandError.cannotWrite("standard output", error)
    if !failure.description.isEmpty { printError("error: \(failure)\n".utf8) }
    exit(failure.exitCode)
  }
}

extension CommandError {
  /// Something could not be written. Nothing is said to those who have closed what they read.
  static func cannotWrite(_ path: String, _ error: Errno) -> CommandError {
    error == .brokenPipe
      ? CommandError("", exitCode: Ending.closedPipe)
      : CommandError("cannot write \(path): \(error)", exitCode: Ending.unwritten)
  }
}

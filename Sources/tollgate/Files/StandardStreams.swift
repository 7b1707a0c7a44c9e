/// Standard input, output and error.
enum StandardStreams {
  // SAFETY: `isWritten` is not locked: commands print one after the other, outside the worker pool.
  // Tests: ProcessTests, tsan.

  /// Opens a replacement for closed streams. Otherwise a file that is opened later would get the number of a closed
  /// stream, and the printed output. Each replacement fails as a closed stream would.
  static func fill() {
    let modes: [(number: Int32, mode: Int32)] = [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDWR)]
    for (number, mode) in modes where fcntl(number, F_GETFD) < 0 {
      // The file gets the lowest free number, which is that of the closed stream.
      _ = open("/dev/null", mode)
    }
    requireRoom()
  }

  /// The number of files that are open at the same time, including some that the system's libraries open for
  /// themselves. If the libraries cannot open their files, they end the process silently.
  private static let room = 16

  /// Ends the process if it may open too few files.
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

  /// Prints to standard output. If printing fails, the command ends.
  static func print(_ bytes: some Sequence<UInt8>) {
    do throws(Errno) {
      try FileDescriptor.standardOutput.writeWhole(Array(bytes))
      isWritten = true
    } catch {
      fail(error)
    }
  }

  /// Prints to standard error, if the stream is open.
  static func printError(_ bytes: some Sequence<UInt8>) {
    try? FileDescriptor.standardError.writeWhole(Array(bytes))
  }

  /// Closes standard output. Some file systems report lost data only when a file is closed.
  static func close() {
    do throws(Errno) {
      try FileDescriptor.standardOutput.close()
    } catch {
      if isWritten { fail(error) }
    }
  }

  /// Whether anything was printed. Only one thread prints.
  nonisolated(unsafe) private static var isWritten = false

  private static func fail(_ error: Errno) -> Never {
    let failure = CommandError.cannotWrite("standard output", error)
    if !failure.description.isEmpty { printError("error: \(failure)\n".utf8) }
    exit(failure.exitCode)
  }
}

extension CommandError {
  /// The error for output that could not be written. A reader that closed the stream gets no
  /// message.
  static func cannotWrite(_ path: String, _ error: Errno) -> CommandError {
    error == .brokenPipe
      ? CommandError("", exitCode: Ending.closedPipe)
      : CommandError("cannot write \(path): \(error)", exitCode: Ending.unwritten)
  }
}

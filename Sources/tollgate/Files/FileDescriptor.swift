/// The number of an error of the system.
struct Errno: Error, Hashable, CustomStringConvertible {
  let rawValue: Int32

  static let brokenPipe = Errno(rawValue: EPIPE)
  static let fileExists = Errno(rawValue: EEXIST)
  static let noSuchFileOrDirectory = Errno(rawValue: ENOENT)
  static let wouldBlock = Errno(rawValue: EAGAIN)

  /// The error of the call that has just failed.
  static var last: Errno { Errno(rawValue: errno) }

  var description: String { String(cString: strerror(rawValue)) }

  /// Repeats a call while signals interrupt it.
  fileprivate static func retrying<Number: BinaryInteger>(_ call: () -> Number) throws(Errno)
    -> Number
  {
    while true {
      let number = call()
      if number != -1 { return number }
      if errno != EINTR { throw last }
    }
  }
}

/// The number of an open file.
struct FileDescriptor: Hashable {
  let rawValue: Int32

  static let standardInput = FileDescriptor(rawValue: STDIN_FILENO)
  static let standardOutput = FileDescriptor(rawValue: STDOUT_FILENO)
  static let standardError = FileDescriptor(rawValue: STDERR_FILENO)

  /// Opens a file, which child processes do not inherit.
  ///
  /// - Parameter flags: as for `open`. A new file has the mode 0644.
  static func open(_ path: String, _ flags: Int32) throws(Errno) -> FileDescriptor {
    FileDescriptor(
      rawValue: try Errno.retrying { openFile(path, flags | O_CLOEXEC, 0o644) })
  }

  /// Makes a pipe, whose ends child processes do not inherit.
  static func pipe() throws(Errno) -> (readEnd: FileDescriptor, writeEnd: FileDescriptor) {
    // SAFETY: Two numbers of a tuple lie side by side, as `pipe` writes them. Tests: FetchCommandTests.
    var ends: (Int32, Int32) = (0, 0)
    let result = withUnsafeMutablePointer(to: &ends) {
      $0.withMemoryRebound(to: Int32.self, capacity: 2) { makePipe($0) }
    }
    if result != 0 { throw .last }
    for end in [ends.0, ends.1] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (FileDescriptor(rawValue: ends.0), FileDescriptor(rawValue: ends.1))
  }

  func duplicate() throws(Errno) -> FileDescriptor {
    FileDescriptor(rawValue: try Errno.retrying { dup(rawValue) })
  }

  func close() throws(Errno) { if closeFile(rawValue) != 0 { throw .last } }

  /// Reads the next bytes.
  ///
  /// - Returns: the count of bytes, 0 at the end.
  func read(into memory: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    // SAFETY: The system writes at most as many bytes as the caller's memory has. Tests: InputFileTests.
    try Errno.retrying { readFile(rawValue, memory.baseAddress, memory.count) }
  }

  /// Reads bytes at an offset.
  func read(into memory: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    try Errno.retrying { pread(rawValue, memory.baseAddress, memory.count, off_t(offset)) }
  }

  /// Writes all bytes, even if another process has made the file nonblocking.
  func writeWhole(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    // SAFETY: A write reports how many bytes it took; the rest is a slice of the caller's view.
    // Tests: ProcessTests, OutputFileTests.
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(Errno) {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = try Errno.retrying { write(rawValue, part.baseAddress, part.count) }
        rest = rest.dropFirst(count)
      } catch {
        guard error == .wouldBlock else { throw error }
        Signals.wait(toWrite: self)
      }
    }
  }

  func writeWhole(_ bytes: [UInt8]) throws(Errno) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
      try writeWhole(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Truncates or extends the file.
  func resize(to count: Int) throws(Errno) {
    _ = try Errno.retrying { ftruncate(rawValue, off_t(count)) }
  }

  /// Moves to an offset from the start.
  func seek(to offset: Int) throws(Errno) {
    if lseek(rawValue, off_t(offset), SEEK_SET) < 0 { throw .last }
  }
}

// Inside FileDescriptor these names are its methods.

private func openFile(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}

private func makePipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }

private func closeFile(_ file: Int32) -> Int32 { close(file) }

private func readFile(_ file: Int32, _ memory: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(file, memory, count)
}

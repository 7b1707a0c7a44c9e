internal import CThreads

/// Runs another program to its end, without a shell.
struct ChildProcess {
  /// How the program ended, and its output.
  struct Result {
    /// The exit code; if a signal ended the program, 128 plus its number.
    var code: Int32
    var output: [UInt8]
    var errors: [UInt8]
    /// Whether the program was ended because it exceeded the output limit.
    var isTooLong = false
  }

  private let number: pid_t
  private let output: FileDescriptor
  private let errors: FileDescriptor

  /// Runs a program found through PATH.
  ///
  /// - Parameters:
  ///   - input: the standard input of the program, less than the capacity of a pipe, which is at least 4 KiB.
  ///   - unset: environment variables to remove.
  ///   - limit: the maximum size of the program's standard output in bytes.
  /// - Throws: `Errno.noSuchFileOrDirectory` when there is no such program; ``Signals/Stop`` when a
  ///   stop is requested, after the program was ended.
  static func run(
    _ program: String, _ arguments: [String], input: [UInt8], unset: Set<String> = [], limit: Int
  ) throws -> Result {
    let child = try ChildProcess(program, arguments, input: input, unset: unset)
    defer {
      try? child.output.close()
      try? child.errors.close()
    }
    do {
      var result = try child.read(limit: limit)
      if result.isTooLong { kill(child.number, SIGKILL) }
      result.code = child.wait()
      return result
    } catch {
      kill(child.number, SIGKILL)
      _ = child.wait()
      throw error
    }
  }

  private init(_ program: String, _ arguments: [String], input: [UInt8], unset: Set<String>) throws
  {
    let (source, sink) = try FileDescriptor.pipe()
    let outputEnds = try FileDescriptor.pipe()
    let errorEnds = try FileDescriptor.pipe()
    output = outputEnds.readEnd
    errors = errorEnds.readEnd
    var number: pid_t = 0
    // SAFETY: The copies are freed once the program has been started, which has its own.
    // Tests: FetchCommandTests.
    let words = ([program] + arguments).map { strdup($0) }
    let variables = Self.environment(without: unset)
    let failure = startProcess(
      &number, program, words + [nil], variables, input: source.rawValue,
      output: outputEnds.writeEnd.rawValue, errors: errorEnds.writeEnd.rawValue)
    for word in words { free(word) }
    for end in [source, outputEnds.writeEnd, errorEnds.writeEnd] { try? end.close() }
    self.number = number
    guard failure == 0 else {
      for end in [sink, output, errors] { try? end.close() }
      throw Errno(rawValue: failure)
    }
    // A program that ends immediately reads nothing, and prints the reason.
    try? sink.writeWhole(input)
    try? sink.close()
  }

  /// The environment of this process without some variables.
  private static func environment(without unset: Set<String>) -> [UnsafeMutablePointer<CChar>?] {
    // SAFETY: The pointers are those of this process's variables, which nothing changes.
    // Tests: FetchCommandTests.
    guard var place = environmentOfProcess() else { return [nil] }
    var kept: [UnsafeMutablePointer<CChar>?] = []
    while let variable = place.pointee {
      let name = String(cString: variable).prefix { $0 != "=" }
      if !unset.contains(String(name)) { kept.append(variable) }
      place += 1
    }
    return kept + [nil]
  }

  /// Reads both streams to their ends.
  private func read(limit: Int) throws -> Result {
    var result = Result(code: 0, output: [], errors: [])
    var open = [output, errors]
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !open.isEmpty {
      for file in try Signals.wait(toRead: open) {
        // SAFETY: The read gets the buffer's size, and only the bytes that it returns are used.
        // Tests: FetchCommandTests.
        let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
        if count == 0 { open.removeAll { $0 == file } }
        if file == errors {
          // Messages are short, and endless output is not stored.
          if result.errors.count < buffer.count { result.errors += buffer[..<count] }
        } else {
          result.output += buffer[..<count]
        }
      }
      if result.output.count > limit {
        result.isTooLong = true
        return result
      }
    }
    return result
  }

  private func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(number, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}

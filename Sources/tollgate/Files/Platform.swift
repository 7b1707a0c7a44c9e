internal import CShims
internal import CThreads
internal import CivilTime

/// The machine's clocks. Only the shell reads the clocks; the engine receives the time as a value.
enum Clock {
  /// The wall time.
  static func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// The CPU seconds that the process has used so far.
  static func processSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Number of processors that this process may use.
  static func processors() -> Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}

/// The arguments of the process.
enum Arguments {
  /// The command's name, and its arguments.
  static let all: [String] = {
    // On Linux, Swift reads the arguments from /proc, which may be missing in a chroot or a container.
    var found = CommandLine.arguments
    if !found.isEmpty { return found }
    while let next = argumentOfProcess(found.count) { found.append(String(cString: next)) }
    return found
  }()

  /// Ends the process if an argument is not UTF-8, because the named file would be ambiguous.
  static func requireUTF8() {
    // SAFETY: The arguments lie in memory of the process, which stays. They are found below its
    // variables if there is no /proc; that walk ends at their number. Tests: Tools/Dist/check.sh.
    for (number, argument) in all.enumerated() where argument.contains("\u{FFFD}") {
      #if os(Linux)
        let bytes = argumentOfProcess(number).map { UnsafePointer($0) }
      #else
        let bytes = CommandLine.unsafeArgv[number].map { UnsafePointer($0) }
      #endif
      guard let bytes, String(validatingCString: bytes) == nil else { continue }
      let text = "error: the argument '\(argument)' is not UTF-8; rename the file\n"
      StandardStreams.printError(text.utf8)
      exit(Ending.wrongUse)
    }
  }
}

/// The threads that commands run on.
enum Threads {
  /// Bytes of a stack: enough for anything within the limits of expressions, templates and JSON.
  private static let stackSize = 16 << 20

  /// Makes stacks independent of `ulimit -s`. Call this before the first task, because the threads of tasks are created
  /// only once.
  static func setStackSize() { CThreads.setStackSize(ofThreads: stackSize) }

  /// Ends the process if it may not have the memory for its threads. Otherwise the system's libraries would try forever
  /// to start the threads.
  static func requireRoom() {
    // One thread for each processor, and the threads of the libraries.
    guard hasRoom(forStacks: Clock.processors() + 4, of: stackSize) == 0 else { return }
    let text =
      "error: this process may use too little memory; raise the limit: ulimit -v unlimited\n"
    StandardStreams.printError(text.utf8)
    exit(Ending.unwritten)
  }

  /// Dedicates this thread to signals, including those that the parent process has blocked: the
  /// other threads inherit the block.
  static func takeSignals() -> Never {
    var none = sigset_t()
    sigemptyset(&none)
    while true { sigsuspend(&none) }
  }
}

/// The properties of a file that are known without reading it; nil if it does not exist.
struct FileState: Equatable {
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int
  private let number: UInt64

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int(status.st_size)
    number = UInt64(status.st_ino)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
  }
}

/// Information about the target of a path, under any name.
enum FileIdentity {
  /// The size of a regular file that is open at its beginning; nil for everything else.
  static func regularSize(of file: FileDescriptor) -> Int? {
    var status = stat()
    guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      lseek(file.rawValue, 0, SEEK_CUR) == 0
    else { return nil }
    return Int(status.st_size)
  }

  /// The size of a regular file; nil for everything else.
  static func regularSize(of path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Whether a path leads to a folder.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether this process may read the target of a path.
  static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

  /// Whether a name is taken, even by a link to a missing file.
  static func isTaken(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Whether the target of a path exists.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0
  }
}

/// Names of files.
enum FileName {
  /// Renames a file, replacing the target.
  static func replace(_ from: String, _ to: String) throws(Errno) {
    if rename(from, to) != 0 { throw .last }
  }

  /// Removes a file if it exists.
  static func remove(_ path: String) { unlink(path) }

  /// Creates a folder in an existing folder.
  static func makeFolder(_ path: String) throws(Errno) {
    if mkdir(path, 0o777) != 0 { throw .last }
  }

  /// Removes a folder if it is empty.
  static func removeFolder(_ path: String) { rmdir(path) }
}

/// The environment variables of this process.
enum Variable {
  /// The value of a variable, which may be empty; nil if it is not set.
  static func text(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Removes an unusable width, with which the argument parser would print its help in zero
  /// columns.
  static func dropUnusableWidth() {
    guard let text = text("COLUMNS"), Int(text).map({ $0 < 20 }) ?? true else { return }
    unsetenv("COLUMNS")
  }
}

extension UnsafeRawBufferPointer {
  /// The length of the common prefix; at most the shorter length.
  func commonCount(with other: UnsafeRawBufferPointer) -> Int {
    // SAFETY: `memcmp` gets the shorter count. Tests: OutputFileTests, PrecomputeFilesTests.
    let count = Swift.min(self.count, other.count)
    guard count > 0, let start = baseAddress, let otherStart = other.baseAddress,
      memcmp(start, otherStart, count) != 0
    else { return count }
    return (0..<count).first { self[$0] != other[$0] } ?? count
  }
}

/// Space on disk.
enum DiskSpace {
  /// Reserves blocks after a file's end, so that later writes need not find free blocks one by one. The size of the
  /// file does not change.
  ///
  /// - Returns: whether the blocks are now reserved. Writing also works without reserved blocks.
  static func reserve(_ file: FileDescriptor, from: Int, count: Int) -> Bool {
    reserveBlocks(of: file.rawValue, from: Int64(from), count: Int64(count))
  }
}

/// Paths from patterns.
enum FilePattern {
  /// The files that match a pattern with `*`, `?` or `[...]`, in the order of their names. A path without these
  /// characters matches itself.
  static func paths(_ pattern: String) -> [String] {
    // SAFETY: Paths are copied before `globfree`, and there are `gl_pathc` of them.
    // Tests: PrecomputeFilesTests.
    guard !FileIdentity.exists(pattern), pattern.contains(where: { "*?[".contains($0) }) else {
      return [pattern]
    }
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, 0, nil, &found) == 0, let paths = found.gl_pathv else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { paths[$0].map { String(cString: $0) } }
  }
}

/// Temporary files.
enum Scratch {
  /// A path in the folder for temporary files that no other process uses.
  static func path(_ name: String) -> String {
    let folder = Variable.text("TMPDIR") ?? "/tmp"
    return "\(folder)/\(getpid())-\(name)"
  }
}

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The machine's clocks. Only the shell reads them; the engine is told the time.
enum Clock {
  /// Wall time in milliseconds since 1970.
  static func milliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// CPU seconds that the process has used so far.
  static func processSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Number of processors that this process may use.
  static func processors() -> Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Whether standard error is a terminal.
  static func standardErrorIsTerminal() -> Bool { isatty(2) == 1 }
}

/// What a path leads to, whatever it is called.
enum FileIdentity {
  /// Whether both paths lead to the same existing file.
  static func areSame(_ a: String, _ b: String) -> Bool {
    var first = stat()
    var second = stat()
    guard stat(a, &first) == 0, stat(b, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}

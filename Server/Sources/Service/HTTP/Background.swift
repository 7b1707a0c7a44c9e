internal import NIOPosix

/// Runs work that may take seconds, away from the threads that answer requests.
enum Background {
  static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws
    -> Result
  {
    try await NIOThreadPool.singleton.runIfActive(work)
  }
}

import Expressions
import Foundation
import Logging
import Service
import Testing

/// Clients that leave in the middle of something.
@Suite struct LeavingTests {
  /// Keeps what is logged.
  private struct Kept: LogHandler {
    let lines: Locked<[(level: Logger.Level, message: String)]>
    var logLevel = Logger.Level.debug
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      lines.withLock { $0.append((event.level, "\(event.message) \(event.metadata ?? [:])")) }
    }
  }

  /// It is no fault of the server's, and everybody else is answered.
  @Test(arguments: ["/v1/decide", "/v1/decide/stream", "/v1/explain"], [false, true])
  func whoLeavesIsNoError(path: String, resets: Bool) async throws {
    let lines = Locked<[(level: Logger.Level, message: String)]>([])
    let log = Logger(label: "test") { _ in Kept(lines: lines) }
    let server = try await TestServer(log: log)
    for size in ["Content-Length: 1000", "Transfer-Encoding: chunked"] {
      let connection = try RawConnection(to: server.url)
      connection.send(
        "POST \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer pk_test\r\n\(size)\r\n\r\n"
          + "14\r\n{\"userId\":\"u\",")
      try await Task.sleep(for: .milliseconds(50))
      connection.leave(resets: resets)
    }
    try await Task.sleep(for: .milliseconds(200))
    #expect(try await server.post("/v1/decide", #"{"userId":"u"}"#).status == 200)
    let told = lines.withLock { $0 }.filter { $0.level > .info }.map(\.message)
    #expect(told == [])
  }
}

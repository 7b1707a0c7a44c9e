import Expressions
import Foundation
import Requests
import Service
import Testing

@Suite struct ConnectionTests {
  private static func head(_ path: String, _ more: String) -> String {
    "POST \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer pk_test\r\n\(more)\r\n\r\n"
  }

  /// Otherwise a client could make the server read as much as it likes.
  @Test func aBodyBeyondTheLimitIsNotRead() async throws {
    let server = try await TestServer()
    let connection = try RawConnection(to: server.url)
    connection.send(Self.head("/v1/decide", "Content-Length: 4000000000"))
    let answer = try #require(await connection.receiveToEnd())
    #expect(answer.hasPrefix("HTTP/1.1 413"))
    #expect(answer.lowercased().contains("connection: close"))
    // What is sent on is not taken for long: the connection's buffers fill, or it is reset.
    #expect(!(0..<100).allSatisfy { _ in connection.send(String(repeating: "x", count: 1 << 20)) })
  }

  @Test func aBodyThatGrowsBeyondTheLimitEndsItsConnection() async throws {
    let server = try await TestServer { $0.limits.body = 10_000 }
    let connection = try RawConnection(to: server.url)
    connection.send(Self.head("/v1/decide", "Transfer-Encoding: chunked"))
    for _ in 0..<3 { connection.send("1000\r\n" + String(repeating: " ", count: 4_096) + "\r\n") }
    let answer = try #require(await connection.receiveToEnd())
    #expect(answer.hasPrefix("HTTP/1.1 413"))
  }

  @Test func aSlowBodyEndsItsConnection() async throws {
    let server = try await TestServer { $0.limits.patience = .milliseconds(200) }
    let connection = try RawConnection(to: server.url)
    connection.send(Self.head("/v1/decide", "Content-Length: 100000"))
    let sending = Task {
      for _ in 0..<40 {
        connection.send(" ")
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    let answer = try #require(await connection.receiveToEnd())
    sending.cancel()
    #expect(answer.hasPrefix("HTTP/1.1 408"))
    #expect(answer.lowercased().contains("connection: close"))
  }

  /// Nothing reads the body of a request that is answered at once.
  @Test(arguments: ["GET /healthz", "POST /nowhere"])
  func aSlowBodyAfterItsAnswerEndsItsConnection(_ request: String) async throws {
    var settings = ServerSettings()
    settings.patience = .seconds(2)
    let server = try await TestServer(settings: settings)
    let connection = try RawConnection(to: server.url)
    let head = "HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"
    // A body that comes in time leaves the connection open for the next request.
    connection.send("\(request) \(head)")
    #expect(await connection.receive(until: "}").hasPrefix("HTTP/1.1 "))
    connection.send("12345")
    try await Task.sleep(for: .milliseconds(2_500))
    connection.send("\(request) \(head)")
    #expect(await connection.receive(until: "}").hasPrefix("HTTP/1.1 "))
    connection.send("1")
    #expect(await connection.receiveToEnd() != nil)
  }

  /// A pipe that sends users as they occur gets its answers as they are decided.
  @Test func aStreamAnswersBeforeItsEnd() async throws {
    let server = try await TestServer()
    let connection = try RawConnection(to: server.url)
    connection.send(Self.head("/v1/decide/stream", "Transfer-Encoding: chunked"))
    func line(_ user: String) -> String {
      let line = #"{"userId":"\#(user)","placements":["export_report"]}"# + "\n"
      return String(line.utf8.count, radix: 16) + "\r\n" + line + "\r\n"
    }
    for user in ["first", "second"] {
      connection.send(line(user))
      let answer = await connection.receive(until: #""userId":"\#(user)""#)
      #expect(answer.contains(#""userId":"\#(user)""#))
    }
    connection.send("0\r\n\r\n")
    #expect(await connection.receive(until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
  }
}

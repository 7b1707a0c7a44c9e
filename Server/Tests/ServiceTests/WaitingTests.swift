import Foundation
import Service
import Testing

/// Clients that wait with a body until they are asked for it.
@Suite struct WaitingTests {
  private func head(_ path: String, _ length: Int) -> String {
    "POST \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer pk_test\r\n"
      + "Expect: 100-continue\r\nContent-Length: \(length)\r\n\r\n"
  }

  /// Otherwise curl waits for a second with whatever has more than a megabyte.
  @Test(arguments: ["/v1/decide", "/v1/decide/stream"])
  func whoWaitsIsAskedToGoOn(path: String) async throws {
    let server = try await TestServer()
    let body = #"{"userId":"u","placements":[]}"#
    let connection = try RawConnection(to: server.url)
    // The same connection has more than one request.
    for _ in 0..<2 {
      connection.send(head(path, body.utf8.count))
      let first = await connection.receive(until: "\r\n\r\n")
      #expect(first.hasPrefix("HTTP/1.1 100 Continue\r\n\r\n"))
      connection.send(body)
      let end = path == "/v1/decide" ? "]}" : "0\r\n\r\n"
      let rest = await connection.receive(until: end)
      let answer = first.dropFirst(25) + rest
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.contains(#"{"decisions":[]}"#))
    }
  }

  @Test func whatIsTooLargeIsNotAskedFor() async throws {
    let server = try await TestServer()
    let connection = try RawConnection(to: server.url)
    connection.send(head("/v1/decide", 100_000_000))
    #expect(await connection.receive(until: "}}").hasPrefix("HTTP/1.1 413 "))
  }
}

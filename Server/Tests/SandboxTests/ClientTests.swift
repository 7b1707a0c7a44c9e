import Expressions
import Foundation
import Testing

@testable import Sandbox

/// How clients ask, beside what they ask for.
@Suite struct ClientTests {
  /// Superwall's iOS SDK leaves slashes in a user's name as they are.
  @Test func usersMayHaveAnyName() async throws {
    try await SandboxServer.run { server async throws in
      for name in ["a/b/c", "entitlements", "a b", "ü", "x/entitlements", "%"] {
        _ = try await server.redeem(["PROMO-CODE"], user: name, device: "d-\(name)")
        let path = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
        let slash = path.replacing("/", with: "%2F")
        #expect(try await server.entitlements(of: path) == ["pro"], "\(name)")
        #expect(try await server.entitlements(of: slash) == ["pro"], "\(name)")
      }
      // Without a name the device is meant.
      _ = try await server.redeem(["PROMO-CODE"], user: nil, device: "tablet")
      #expect(try await server.entitlements(of: "", device: "tablet") == ["pro"])
      for path in ["users/a/b", "users/a/entitlements/b", "users"] {
        let none = try await server.get("\(SandboxServer.base)/\(path)")
        #expect(none.status == 404 && none.code == "not_found", "\(path)")
      }
    }
  }

  @Test func nothingNeedsABodyThatSaysNothing() async throws {
    try await SandboxServer.run { server async throws in
      for path in [
        "/api/v1/enrich", "/api/v1/apple-search-ads/token", "/api/match", "/api/v1/paywall",
        "\(SandboxServer.base)/app-store/intro-eligibility/jws",
      ] {
        #expect(try await server.send("POST", path).status == 200, "\(path)")
        #expect(try await server.send("POST", path, "[").status == 400, "\(path)")
      }
    }
  }

  @Test func headersAreReadAsHTTPWritesThem() async throws {
    try await SandboxServer.run { server async throws in
      for (name, value) in [
        ("authorization", "bearer pk_sandbox"), ("AUTHORIZATION", "BEARER  pk_sandbox"),
      ] {
        #expect(try await server.get("/api/v1/assignments", headers: [name: value]).status == 200)
      }
      var headers = SandboxServer.app
      for type in [
        "application/json; charset=utf-8", "text/plain", "application/x-www-form-urlencoded", "",
      ] {
        headers["Content-Type"] = type
        let reply = try await server.send(
          "POST", "/api/v1/events/", #"{"events":[],"more":1}"#, headers: headers)
        #expect(reply.body == ["status": "ok"], "\(type)")
      }
      headers["Content-Encoding"] = "gzip"
      let packed = try await server.send("POST", "/api/v1/events", "{}", headers: headers)
      #expect(packed.status == 415 && packed.code == "unsupported_encoding")
    }
  }

  @Test func tagsAreComparedAsProxiesWriteThem() async throws {
    try await SandboxServer.run { server async throws in
      let path = "/api/v1/static_config?pk=pk_sandbox"
      let tag = try #require(try await server.get(path).headers["etag"])
      for known in ["W/\(tag)", "\"other\", \(tag)"] {
        #expect(try await server.get(path, headers: ["If-None-Match": known]).status == 304)
      }
      let head = try await server.send("HEAD", path)
      #expect(head.status == 200 && head.text.isEmpty && head.headers["etag"] == tag)
    }
  }

  /// A body behind the headers of an answer to HEAD would be taken for the next answer.
  @Test func refusedHeadsHaveNoBody() async throws {
    try await SandboxServer.run { server async throws in
      let port = try #require(server.address.split(separator: ":").last)
      let script = """
        exec 3<>/dev/tcp/127.0.0.1/\(port)
        printf 'HEAD /nothing HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3
        printf 'HEAD /api/v1/assignments HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3
        printf 'POST /api/v1/enrich HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Bearer pk_sandbox\\r\\n' >&3
        printf 'Transfer-Encoding: chunked\\r\\nConnection: close\\r\\n\\r\\nzz\\r\\n' >&3
        timeout 20 cat <&3
        """
      let shell = Process()
      let pipe = Pipe()
      shell.executableURL = URL(filePath: "/bin/bash")
      shell.arguments = ["-c", script]
      shell.standardOutput = pipe
      try shell.run()
      let text = String(
        decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      let answers = text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
      #expect(answers == ["404", "401", "400"], "\(text)")
      #expect(!text.contains("not_found") && !text.contains("unauthorized"))
      #expect(text.contains("malformed_request"))
    }
  }

  /// Web apps run wherever they are, and the backend that this stands in for lets them ask.
  @Test func pagesOfAnyOriginMayAskWhatAppsAsk() async throws {
    try await SandboxServer.run { server async throws in
      func asked(_ method: String, _ path: String) async throws -> SandboxServer.Reply {
        try await server.send(
          method, path,
          headers: [
            "Origin": "https://app.example", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,x-vendor-id",
            "Access-Control-Request-Private-Network": "true",
            "Authorization": "Bearer pk_sandbox",
          ])
      }
      for path in ["/api/v1/events", "\(SandboxServer.base)/redeem"] {
        let reply = try await asked("OPTIONS", path)
        #expect(reply.status == 204 && reply.headers["access-control-allow-origin"] == "*")
        #expect(
          reply.headers["access-control-allow-headers"] == "authorization,x-vendor-id")
        #expect(reply.headers["access-control-allow-private-network"] == "true")
      }
      let answer = try await asked("GET", "/api/v1/assignments")
      #expect(answer.headers["access-control-allow-origin"] == "*")
      #expect(answer.headers["access-control-expose-headers"]?.contains("x-request-id") == true)
      // The console is for those whom --cors names.
      let console = try await asked("OPTIONS", "/sandbox/events")
      #expect(console.headers["access-control-allow-origin"] == nil)
      let refused = try await server.get(
        "/sandbox/events", headers: ["Origin": "https://app.example"])
      #expect(refused.headers["access-control-allow-origin"] == nil)
    }
  }
}

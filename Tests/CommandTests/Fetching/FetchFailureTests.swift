import Foundation
import Testing

/// What servers and networks do, and that none of it harms a config that is there.
@Suite struct FetchFailureTests {
  private let run: FetchRun
  private var folder: TestFolder { run.folder }

  init() throws {
    run = try FetchRun()
    try run.fetchBefore()
  }

  /// Fetches where a good config is, which has to stay.
  private func expectRefusal(
    _ server: LoopbackServer, _ messages: [String], _ more: String...
  ) throws {
    let before = (folder.text("config.json"), folder.text("config.json.fetched"))
    let result = try run.fetch(["--url", server.url, "--key", run.key] + more)
    #expect(result.code == 2)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("error: 127.0.0.1:\(server.port) "), "\(result.errors)")
    for message in messages { #expect(result.errors.contains(message), "\(result.errors)") }
    #expect(!result.errors.contains(run.key))
    #expect(folder.names == ["config.json", "config.json.fetched"])
    #expect((folder.text("config.json"), folder.text("config.json.fetched")) == before)
  }

  @Test(arguments: [
    ("401 Unauthorized", "does not accept the key (HTTP 401)"),
    ("403 Forbidden", "does not accept the key (HTTP 403)"),
    ("404 Not Found", "has no config for this key (HTTP 404)"),
    ("429 Too Many Requests", "cannot respond now (HTTP 429); try again later"),
    ("500 Internal Server Error", "cannot respond now (HTTP 500); try again later"),
    ("418 Teapot", "sent no config (HTTP 418)"),
    // Not even when it comes with a config.
    ("202 Accepted", "sent no config (HTTP 202)"),
  ])
  func statuses(status: String, message: String) throws {
    let body =
      status.hasPrefix("202") ? FetchRun.config(build: "8") : "\n  <h1>\(status)</h1>\n</html>"
    let server = try LoopbackServer { $0.answer(status, body: body) }
    let said = status.hasPrefix("202") ? "\nit says: {" : "\nit says: <h1>\(status)</h1>\n"
    try expectRefusal(server, [message, said])
  }

  @Test(arguments: [
    ("<!DOCTYPE html>\n<title>Sign in</title>", "it begins with: <!DOCTYPE html>\n"),
    (#"{"error":"no such app"}"#, #"it begins with: {"error":"no such app"}"#),
    (#"{"trigger_options": 5}"#, "sent no config: "), ("[]", "must be a JSON object"),
    ("", "it sent nothing"), (#"{"trigger_options":[{"event"#, "the JSON ends too early"),
  ])
  func bodiesThatAreNoConfig(body: String, message: String) throws {
    try expectRefusal(
      try LoopbackServer { $0.answer("200 OK", body: body) }, ["sent no config: ", message])
  }

  @Test func controlCharactersAreNotPrinted() throws {
    let server = try LoopbackServer { $0.answer("500 No", body: "\u{1B}]0;title\u{7}") }
    try expectRefusal(server, ["it says: "])
    let result = try run.fetch(server)
    #expect(!result.errors.contains("\u{1B}"))
  }

  // MARK: The network

  @Test func slowServers() throws {
    let server = try LoopbackServer { $0.waitForEnd() }
    try expectRefusal(
      server, ["did not respond within 1 second; --timeout allows more time"], "--timeout", "1")
  }

  @Test func halfABody() throws {
    let config = FetchRun.config(build: "8")
    let server = try LoopbackServer {
      $0.send("HTTP/1.1 200 OK\r\nContent-Length: \(config.utf8.count)\r\n\r\n".utf8)
      $0.send(config.utf8.dropLast(9))
    }
    try expectRefusal(server, ["closed the connection in the middle of its response"])
  }

  @Test func noAnswer() throws {
    try expectRefusal(
      try LoopbackServer { _ in }, ["closed the connection in the middle of its response"])
  }

  /// Something else than a web server has the port.
  @Test func otherProtocols() throws {
    let server = try LoopbackServer { _ = $0.send("220 mail.example ready\r\n".utf8) }
    try expectRefusal(server, [" does not respond in HTTP; is the port correct?\n"])
  }

  /// What curl says of a handshake that fails is no matter of trust.
  @Test func noEncryption() throws {
    let tools = try TestFolder()
    try tools.write(
      "curl",
      """
      #!/bin/sh
      cat > /dev/null
      echo 'curl: (35) wrong version number' >&2
      exit 35
      """)
    #expect(try tools.shell("chmod +x curl").code == 0)
    let result = try run.fetch(
      ["--url", "https://tollgate.invalid", "--key", run.key],
      variables: ["PATH=\(tools.path):/usr/bin:/bin"])
    #expect(result.code == 2)
    #expect(
      result.errors.contains("does not set up an encrypted connection: (35) wrong version number"))
  }

  @Test func nobodyThere() throws {
    // Nobody else takes a port that was free a moment ago.
    let port = try LoopbackServer { _ in }.port
    let result = try run.fetch(["--url", "http://127.0.0.1:\(port)", "--key", run.key])
    #expect(result.code == 2)
    #expect(result.errors.hasPrefix("error: 127.0.0.1:\(port) cannot be reached: "))
    let nowhere = try run.fetch(
      ["--url", "https://tollgate.invalid", "--key", run.key],
      variables: ["https_proxy=", "HTTPS_PROXY=", "ALL_PROXY="])
    #expect(nowhere.code == 2)
    #expect(nowhere.errors.hasPrefix("error: tollgate.invalid cannot be found: "))
  }

  @Test func answersThatAreTooLong() throws {
    let announced = try LoopbackServer {
      $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n{".utf8)
      $0.waitForEnd()
    }
    try expectRefusal(announced, ["sends more than 64 MiB"])
    let endless = try LoopbackServer {
      $0.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8)
      let part = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)
      while $0.send(part) {}
    }
    try expectRefusal(endless, ["sends more than 64 MiB"])
  }

  // MARK: Redirects

  @Test func redirectsAreFollowed() throws {
    let server = try LoopbackServer {
      if $0.target.hasPrefix("/moved") {
        $0.answer("200 OK", body: FetchRun.config(build: "8"))
      } else {
        $0.answer("302 Found", ["Location: /moved"])
      }
    }
    let result = try run.fetch(server)
    #expect(result.code == 0, "\(result.errors)")
    #expect(folder.text("config.json") == FetchRun.config(build: "8"))
  }

  @Test func redirectsThatAreNotFollowed() throws {
    try expectRefusal(
      try LoopbackServer { $0.answer("302 Found", ["Location: /again"]) },
      ["redirects more than 5 times"])
    let file = folder.path("config.json")
    try expectRefusal(
      try LoopbackServer { $0.answer("302 Found", ["Location: file://\(file)"]) },
      ["redirects to a URL that is not encrypted"])
  }

  // MARK: Stopping

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func stopping(signal: Int32, code: Int32) async throws {
    let ended = DispatchSemaphore(value: 0)
    let server = try LoopbackServer {
      $0.waitForEnd()
      ended.signal()
    }
    let running = try run.start(["--url", server.url, "--key", run.key])
    while server.requests.isEmpty, running.process.isRunning { usleep(1_000) }
    kill(running.process.processIdentifier, signal)
    let result = try running.wait()
    #expect(result.code == code)
    #expect(result.errors == "Stopped; config.json was not changed.\n")
    #expect(folder.text("config.json") == FetchRun.config(build: "7"))
    #expect(folder.names == ["config.json", "config.json.fetched"])
    // Curl has gone, too.
    #expect(waits(for: ended))
  }

  private func waits(for semaphore: DispatchSemaphore) -> Bool {
    // Long enough for a machine that has much else to do; what is waited for comes at once.
    semaphore.wait(timeout: .now() + 120) == .success
  }
}

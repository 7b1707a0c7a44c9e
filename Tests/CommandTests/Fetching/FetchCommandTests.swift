import Expressions
import Foundation
import Testing

/// What `tollgate fetch` writes, and when it writes nothing.
@Suite struct FetchCommandTests {
  private let run: FetchRun
  private var folder: TestFolder { run.folder }

  init() throws { run = try FetchRun() }

  private func server(build: String) throws -> LoopbackServer {
    try LoopbackServer {
      $0.answer("200 OK", [#"ETag: "e-\#(build)""#], body: FetchRun.config(build: build))
    }
  }

  @Test func writesTheConfigAndWhatIsKnownOfIt() throws {
    let server = try server(build: "7")
    let result = try run.fetch(server)
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.errors == "")
    #expect(folder.names == ["config.json", "config.json.fetched"])
    let body = FetchRun.config(build: "7")
    #expect(folder.text("config.json") == body)
    let record = try Value.parse(json: try #require(folder.text("config.json.fetched")).utf8)
    #expect(record["url"]?.text == server.url)
    #expect(record["format"] == "superwall")
    #expect(record["buildId"] == "7")
    #expect(record["bytes"] == .int(Int64(body.utf8.count)))
    let hash = try #require(record["hash"]?.text)
    #expect(
      result.output == "config.json: build 7, 1 placement, 0 paywalls, 194 bytes, \(hash)\n")
    // Curl tells it from 7.84 on.
    #expect([nil, #""e-7""#].contains(record["etag"]?.text))
    // The hash is the one of manifests.
    let precomputed = try folder.shell(
      """
      echo '{"userId":"u"}' | "$TOLLGATE" precompute config.json --users - --out out.ndjson \
      && grep -c '\(hash)' out.ndjson.manifest.json
      """)
    #expect(precomputed.lines.last == "1", "\(precomputed.errors)")
  }

  @Test func asksAsSDKsDo() throws {
    let server = try server(build: "7")
    #expect(try run.fetch(server).code == 0)
    let head = try #require(server.requests.first)
    #expect(head.hasPrefix("GET /api/v1/static_config?pk=\(run.key) HTTP/1.1\r\n"))
    #expect(head.contains("\r\nAccept: application/json\r\n"))
    #expect(head.contains("\r\nUser-Agent: tollgate/"))
    #expect(server.requests.count == 1)
  }

  @Test func theFormatsHavePathsOfTheirOwn() throws {
    let server = try LoopbackServer {
      $0.answer("200 OK", body: #"{"campaigns":[],"paywalls":{},"products":[]}"#)
    }
    let result = try run.fetch(server, "--config-format", "agentwallie", "--out", "a.json")
    #expect(result.code == 0, "\(result.errors)")
    #expect(server.requests.first?.hasPrefix("GET /v1/config/\(run.key) HTTP/1.1") == true)
    #expect(folder.names == ["a.json", "a.json.fetched"])
    #expect(folder.text("a.json.fetched")?.contains(#""format": "agentwallie""#) == true)
  }

  // MARK: Again

  @Test func whatIsTheSameStaysAsItIs() throws {
    let server = try server(build: "7")
    #expect(try run.fetch(server).code == 0)
    let times = (try run.modified("config.json"), try run.modified("config.json.fetched"))
    let record = folder.text("config.json.fetched")
    usleep(20_000)
    let again = try run.fetch(server)
    #expect(again.code == 0)
    #expect(again.output.hasPrefix("config.json is up to date: build 7, 1 placement"))
    #expect(try run.modified("config.json") == times.0)
    #expect(try run.modified("config.json.fetched") == times.1)
    #expect(folder.text("config.json.fetched") == record)
  }

  /// The same config of another server is told so; the time stays that of the first one.
  @Test func whatIsTheSameElsewhere() throws {
    #expect(try run.fetch(try server(build: "7")).code == 0)
    let record = try Value.parse(json: try #require(folder.text("config.json.fetched")).utf8)
    let earlier = record.merging(patch: ["fetchedAt": "2025-01-02T03:04:05Z"])
    try folder.write("config.json.fetched", earlier.json)
    let time = try run.modified("config.json")
    let other = try server(build: "7")
    let result = try run.fetch(other)
    #expect(result.code == 0 && !result.output.contains("up to date"), "\(result.output)")
    #expect(try run.modified("config.json") == time)
    let now = try Value.parse(json: try #require(folder.text("config.json.fetched")).utf8)
    #expect(now["url"]?.text == other.url && now["fetchedAt"] == "2025-01-02T03:04:05Z")
    // Another config has a time of its own.
    #expect(try run.fetch(try server(build: "8")).code == 0)
    let next = try Value.parse(json: try #require(folder.text("config.json.fetched")).utf8)
    #expect(next["fetchedAt"] != "2025-01-02T03:04:05Z" && next["buildId"] == "8")
  }

  /// One text may be a config of either format; which it was fetched as is kept.
  @Test func whatIsTheSameInTheOtherFormat() throws {
    let text =
      #"{"build_id":"7","trigger_options":[],"campaigns":[],"paywalls":{},"products":[]}"#
    let server = try LoopbackServer { $0.answer("200 OK", body: text) }
    for format in ["superwall", "agentwallie", "superwall"] {
      let result = try run.fetch(server, "--config-format", format)
      #expect(result.code == 0, "\(result.errors)")
      #expect(
        folder.text("config.json.fetched")?.contains(#""format": "\#(format)""#) == true,
        "\(folder.text("config.json.fetched") ?? "")")
    }
  }

  @Test func aNewBuildIsNamedWithTheOldOne() throws {
    try run.fetchBefore()
    let result = try run.fetch(try server(build: "8"))
    #expect(result.output.hasPrefix("config.json: build 8 (was 7), "), "\(result.output)")
    #expect(folder.text("config.json") == FetchRun.config(build: "8"))
    #expect(folder.text("config.json.fetched")?.contains(#""buildId": "8""#) == true)
  }

  @Test func whatWasWrittenByHandIsKept() throws {
    try folder.write("config.json", "{}")
    let server = try server(build: "7")
    let foreign = try run.fetch(server)
    #expect(foreign.code == 2)
    #expect(foreign.errors.contains("config.json was not fetched"), "\(foreign.errors)")
    #expect(server.requests.isEmpty)
    #expect(folder.names == ["config.json"])
    #expect(try run.fetch(server, "--force").code == 0)
    try folder.write("config.json", FetchRun.config(build: "my own"))
    let changed = try run.fetch(server)
    #expect(changed.code == 2)
    #expect(changed.errors.contains("was changed after it was fetched"), "\(changed.errors)")
    #expect(folder.text("config.json") == FetchRun.config(build: "my own"))
    #expect(try run.fetch(server, "--force").code == 0)
    #expect(folder.text("config.json") == FetchRun.config(build: "7"))
  }

  @Test func configsWithErrorsAreWritten() throws {
    let text = FetchRun.config(build: "7").replacing("HOLDOUT", with: "TREATMENT")
    let server = try LoopbackServer { $0.answer("200 OK", body: text) }
    let result = try run.fetch(server, "--out", "a b.json")
    #expect(result.code == 0)
    #expect(result.errors == "1 error in it; 'tollgate check 'a b.json'' shows it\n")
    #expect(folder.text("a b.json") == text)
  }

  // MARK: Other places

  /// The key of the wrong app may have a config in which nothing is decided.
  @Test func configsWithoutPlacements() throws {
    let empty = #"{"trigger_options":[],"paywall_responses":[{"identifier":"pw"}]}"#
    let server = try LoopbackServer { $0.answer("200 OK", body: empty) }
    let result = try run.fetch(server)
    #expect(result.code == 0)
    #expect(folder.text("config.json") == empty)
    #expect(result.errors.contains("warning: the config has no placements"))
  }

  @Test func standardOutput() throws {
    let server = try server(build: "7")
    for path in ["-", "/dev/stdout"] {
      let result = try run.fetch(server, "--out", path)
      #expect(result.code == 0)
      #expect(result.output == FetchRun.config(build: "7"))
      #expect(result.errors == "build 7, 1 placement, 0 paywalls, 194 bytes\n")
    }
    #expect(folder.names == [])
  }

  @Test func placesThatCannotBeWritten() throws {
    let server = try server(build: "7")
    for (path, reason) in [
      ("no/config.json", "there is no folder no"), (".", "it is a folder"),
      ("/dev/full", "No space left"),
    ] {
      let result = try run.fetch(server, "--out", path)
      #expect(result.code == 74, "\(path)")
      #expect(result.errors.contains(reason), "\(result.errors)")
    }
    #expect(folder.names == [])
  }

  // MARK: The key

  @Test func theKeyMayBeInTheEnvironment() throws {
    let server = try server(build: "7")
    let result = try run.fetch(["--url", server.url], variables: ["TOLLGATE_KEY= \(run.key)\n"])
    #expect(result.code == 0, "\(result.errors)")
    #expect(server.requests.first?.contains("?pk=\(run.key) ") == true)
  }

  @Test func keysAreEncoded() throws {
    let server = try LoopbackServer {
      $0.answer("401 Unauthorized", body: "no app has \($0.target)")
    }
    let key = #"pk_a/b?c&d"e%\é#[1-3]"#
    for (format, start) in [
      ("superwall", "/api/v1/static_config?pk="), ("agentwallie", "/v1/config/"),
    ] {
      let result = try run.fetch(["--url", server.url, "--key", key, "--config-format", format])
      #expect(
        server.requests.last?.hasPrefix(
          "GET \(start)pk_a%2Fb%3Fc%26d%22e%25%5C%C3%A9%23%5B1-3%5D HTTP/1.1\r\n") == true)
      // What a server says of the key is told without it.
      #expect(
        result.errors.contains("\nit says: no app has \(start)(the key)\n"), "\(result.errors)")
    }
  }

  /// A program in the place of curl, which writes down how it was started.
  @Test func theKeyIsOnNoCommandLine() throws {
    try folder.write(
      "curl", "#!/bin/sh\nprintf '%s\\n' \"$@\" > arguments\nenv > variables\ncat > input\nexit 7\n"
    )
    #expect(try folder.shell("chmod +x curl").code == 0)
    let path = "PATH=\(folder.path):/usr/bin:/bin"
    let result = try run.fetch([], variables: [path, "TOLLGATE_KEY=\(run.key)"])
    #expect(result.code == 2)
    #expect(result.errors == "error: api.superwall.me cannot be reached: curl ended with 7\n")
    #expect(folder.text("arguments") == "--disable\n--config\n-\n")
    #expect(folder.text("variables")?.contains("PATH=") == true)
    #expect(folder.text("variables")?.contains(run.key) == false)
    let input = folder.text("input") ?? ""
    #expect(
      input.contains(#"url = "https://api.superwall.me/api/v1/static_config?pk=\#(run.key)""#))
    #expect(input.contains(#"proto = "=https""#) && input.contains(#"proto-redir = "=https""#))
    _ = try run.fetch(["--config-format", "agentwallie", "--key", run.key], variables: [path])
    #expect(
      folder.text("input")?.contains(#"url = "https://api.agentwallie.com/v1/config/\#(run.key)""#)
        == true)
  }

  @Test func settingsOfCurlAreNotTaken() throws {
    try folder.write(".curlrc", "output = \"elsewhere\"\n")
    let server = try server(build: "7")
    let result = try run.fetch(
      ["--url", server.url, "--key", run.key], variables: ["HOME=\(folder.path)"])
    #expect(result.code == 0, "\(result.errors)")
    #expect(!folder.exists("elsewhere"))
  }

  @Test func curlIsNeeded() throws {
    let result = try run.fetch(["--key", run.key], variables: ["PATH=\(folder.path)"])
    #expect(result.code == 2)
    #expect(result.errors.contains("needs curl, which is not installed"), "\(result.errors)")
    #expect(result.errors.contains("apt-get install curl"))
  }

  // MARK: Wrong use

  @Test(arguments: [
    ([], "give the public key with --key, or in TOLLGATE_KEY"),
    (["--key", " "], "give the public key"), (["--key", "pk_a pk_b"], "has a space"),
    (["--key", "sk_live"], "that is a secret key"),
    (["--key", String(repeating: "k", count: 501)], "too long"),
    (["--key", "k", "--url", "api.superwall.me"], "begins with https://"),
    (["--key", "k", "--url", "ftp://example.com"], "begins with https://"),
    (["--key", "k", "--url", "http://example.com"], "not encrypted"),
    (["--key", "k", "--url", "http://127.0.0.1.example.com"], "not encrypted"),
    (
      ["--key", "k", "--url", "https://me:secret@example.com"],
      "must not contain a name or a password"
    ),
    (["--key", "k", "--url", "https://example.com\"\noutput = \"x"], "is not a URL"),
    (["--key", "k", "--url", "https://"], "is not a URL"),
    (["--key", "k", "--url", "https://example.com/api/v1/static_config?pk=k"], "is the beginning"),
    (["--key", "k", "--url", "https://example.com/api/v1/static_config"], "is the beginning"),
    (["--key", "k", "--timeout", "0"], "--timeout must be from 1 to 3600"),
    (["--key", "k", "--timeout", "-1"], "--timeout must be from 1 to 3600"),
    (["--key", "k", "--out", "config.json.gz"], "remove .gz from 'config.json.gz'"),
    (["--key", "k", "--out", "config.JSON.ZST"], "remove .ZST from 'config.JSON.ZST'"),
  ])
  func wrongUse(arguments: [String], message: String) throws {
    let result = try run.fetch(arguments)
    #expect(result.code == 2)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.errors.contains("Usage: tollgate fetch"), "\(result.errors)")
    #expect(!result.errors.contains("secret@"))
    #expect(folder.names == [])
  }
}

#if canImport(CTollgate)
  import CTollgate
  import Expressions
  import Foundation
  import Requests
  import RuleEngine
  import RuleInsight
  import Testing
  import TollgateC

  /// The command, the C library and the service answer the same requests with the same bytes.
  ///
  /// What differs is by design: the command prints a decision without the list around it, and findings a line each
  /// without their counts. The library counts users in tables, and has no `match` and no `products`. Errors are
  /// messages on standard error, objects, and objects below `error`.
  @Suite struct ParityTests {
    private static let now = TestServer.time
    private static let requests = try! ParityRequests()

    @Test func thereAreTwoHundred() { #expect(Self.requests.all.count == 200) }

    @Test(arguments: ParityRequests.kinds) func answersAreTheSame(kind: String) async throws {
      let server = try await TestServer()
      let library = try ParityLibrary(Self.requests)
      let folder = try ParityFolder(Self.requests)
      for request in Self.requests.all where request.kind == kind {
        let answer = try await server.post("/v1/\(kind)", request.body)
        let output = try folder.run(request.command)
        guard answer.status == 200 else {
          let error = try #require(answer.json["error"])
          #expect(output.errors.contains(error["message"]?.text ?? "?"), "\(request): \(output)")
          if let given = library.answer(request) { #expect(given == error.json, "\(request)") }
          continue
        }
        #expect(request.printed(answer.text) == output.text, "\(request): \(output.errors)")
        if let given = library.answer(request) { #expect(given == answer.text, "\(request)") }
      }
    }
  }

  /// A request in the forms of the three.
  struct ParityRequest: CustomStringConvertible {
    var kind: String
    /// For the service and the library.
    var body: String
    var command: [String]
    /// The number of the config that is compared with the first.
    var next: Int?

    var description: String { "\(kind) \(body.prefix(300))" }

    /// What the command prints of an answer.
    func printed(_ answer: String) -> String {
      switch kind {
      case "decide": String(answer.dropFirst(#"{"decisions":["#.count).dropLast("]}".count)) + "\n"
      case "check":
        (try? Value.parse(json: answer.utf8))?["diagnostics"]?.elements?
          .map { $0.json + "\n" }.joined() ?? ""
      default: answer + "\n"
      }
    }
  }

  /// 200 requests about the demo's config, its users and its products.
  struct ParityRequests {
    static let kinds = [
      "decide", "explain", "check", "diff", "render", "match", "cover", "products",
    ]
    private(set) var all: [ParityRequest] = []
    /// The config that is served, and edited ones: the file `config-N` of the command has one of them.
    let configs: [String]
    let products: String
    /// Lines of records.
    let users: [String]
    let tests: [String]
    private let rules: RuleSet

    init() throws {
      func file(_ name: String) throws -> String {
        String(decoding: try TestServer.file("corpus/demo/\(name)"), as: UTF8.self)
      }
      let config = try file("config.json")
      configs = [
        config, config.replacing("user.plan ==", with: "user.plan ==="),
        config.replacing("user.plan", with: "user.plna"),
        config.replacing("\"export_report\"", with: "\"export_report_2\""),
        config.replacing("TREATMENT", with: "HOLDOUT"),
        config.replacing("'free'", with: "'pro'"),
        config.replacing("\"free\\\"", with: "\"pro\\\""),
        String(config.dropLast(40)),
      ]
      products = try file("products.json")
      users = try file("users.ndjson").split(separator: "\n").map(String.init).filter { line in
        (try? Value.parse(json: line.utf8))?["userId"]?.text != nil
      }
      rules = try RuleSet.compile(try Config.decode(config.utf8).get()).get()
      let names = rules.placementNames
      tests = users.prefix(12).enumerated().map { number, user in
        Self.with(
          user, ("placement", .string(names[number % names.count])),
          ("expect", ["result": "paywall"]))
      }
      for number in 0..<64 { decide(users[number * 3], names[number % names.count]) }
      for number in 0..<64 { explain(users[number * 5], names[number % names.count], number) }
      for number in 0..<20 { check(number) }
      for number in 0..<16 { diff(number) }
      for number in 0..<16 { render(number) }
      for number in 0..<8 { match(number) }
      for number in 0..<8 { cover(number) }
      for locale in ["en_US", "de_DE", "ja_JP", "fr_FR"] {
        add(
          "products", [("locale", .string(locale))], ["products.json", "--locale", locale],
          seed: false)
      }
    }

    private static func with(_ record: String, _ members: (String, Value)...) -> String {
      guard case .map(let entries)? = try? Value.parse(json: record.utf8) else { return record }
      return Value.map(entries + members.map { .init(key: .string($0.0), value: $0.1) }).json
    }

    private mutating func add(
      _ kind: String, _ members: [(String, Value)], _ command: [String], seed: Bool = true,
      next: Int? = nil
    ) {
      let body = members + [("now", .string(TestServer.time))]
      all.append(
        ParityRequest(
          kind: kind,
          body: Value.map(body.map { .init(key: .string($0.0), value: $0.1) }).json,
          command: [kind] + command + ["--json", "--now", TestServer.time]
            + (seed ? ["--seed", "demo"] : []), next: next))
    }

    private mutating func decide(_ user: String, _ placement: String) {
      let record = (try? Value.parse(json: user.utf8))?.members ?? []
      add(
        "decide", record.map { ($0.key, $0.value) } + [("placements", [.string(placement)])],
        ["config-0", "--placement", placement, "--user", user])
    }

    /// In turns a placement, all of them, an audience, another value, and the values of an attribute.
    private mutating func explain(_ user: String, _ placement: String, _ number: Int) {
      var members: [(String, Value)] = [("user", (try? Value.parse(json: user.utf8)) ?? .null)]
      var command = ["config-0", "--user", user]
      if number % 6 == 1 {
        command.append("--all")
      } else {
        // One that the config does not have is an error in all three.
        let name = number % 16 == 15 ? "export_reprot" : placement
        members.append(("placement", .string(name)))
        command += ["--placement", name]
      }
      let attributes = rules.attributes(of: placement).map(\.description)
      let attribute = attributes.isEmpty ? "user.plan" : attributes[number % attributes.count]
      switch number % 6 {
      case 2:
        members.append(("audience", .int(Int64(number % 3))))
        command += ["--audience", "\(number % 3)"]
      case 3:
        let value: Value = number % 4 == 3 ? "pro" : .int(Int64(number))
        members.append(("set", .map([.init(key: .string(attribute), value: value)])))
        command += ["--set", "\(attribute)=\(value.json)"]
      case 4:
        members.append(("sweep", .string(attribute)))
        command += ["--sweep", attribute]
      case 5:
        members.append(("set", ["user.plna": "pro"]))
        command += ["--set", "user.plna=pro"]
      default: break
      }
      add("explain", members, command)
    }

    private mutating func check(_ number: Int) {
      let platforms = ["ios", "android", "web", "all", "cel"]
      let (config, platform) = (number % configs.count, platforms[number % platforms.count])
      add(
        "check", [("config", .string(configs[config])), ("platform", .string(platform))],
        // The service calls a config of a request `config`.
        ["../config-\(config)/config"]
          + (platform == "cel" ? ["--dialect", "cel"] : ["--platform", platform]), seed: false)
    }

    private mutating func diff(_ number: Int) {
      let next = [0, 3, 4, 5, 6][number % 5]
      var members: [(String, Value)] = [("new", .string(configs[next]))]
      var command = ["config-0", "config-\(next)", "--exit-zero"]
      if number % 2 == 1 {
        members.append(("users", .string(users.prefix(40).joined(separator: "\n"))))
        command += ["--users", "users.ndjson"]
      }
      if number % 4 > 1 {
        members.append(("placements", ["session_start"]))
        command += ["--placement", "session_start"]
      }
      add("diff", members, command, next: next)
    }

    private mutating func render(_ number: Int) {
      let templates = [
        "{{ products.primary.price }} for {{ user.plan }}", "{{ products.primary",
        "<b>{{ user.name }}</b>",
        "Until << products.selected.trialPeriodEndDate >>",
        "{{ 'x' | divided_by: 0 }} {{ nothing.at.all }}",
      ]
      let (template, user) = (templates[number % templates.count], users[number])
      var members: [(String, Value)] = [
        ("template", .string(template)), ("user", (try? Value.parse(json: user.utf8)) ?? .null),
      ]
      var command = [template, "--products", "products.json", "--user", user]
      if number % 3 == 0 {
        members.append(("locale", "de_DE"))
        command += ["--locale", "de_DE"]
      }
      if number % 4 == 0 {
        members.append(("timeZone", "Europe/Berlin"))
        command += ["--time-zone", "Europe/Berlin"]
      }
      if number % 5 == 2 {
        members.append(("html", true))
        command.append("--html")
      }
      if number % 8 == 7 {
        members.append(("select", "tertiary"))
        command += ["--select", "tertiary"]
      }
      add("render", members, command, seed: false)
    }

    private mutating func match(_ number: Int) {
      var members: [(String, Value)] = [
        ("users", .string(users.prefix(40).joined(separator: "\n")))
      ]
      var command = ["config-0", "--users", "users.ndjson"]
      if number % 2 == 1 {
        members.append(("placements", ["export_report"]))
        command += ["--placement", "export_report"]
      }
      if number % 4 > 1 {
        members.append(("distribution", true))
        command.append("--distribution")
      }
      if number > 4 {
        let config = [0, 3, 4, 5, 6][number % 5]
        members.append(("config", .string(configs[config])))
        command[0] = "config-\(config)"
      }
      add("match", members, command)
    }

    private mutating func cover(_ number: Int) {
      let config = [0, 4][number % 2]
      var members: [(String, Value)] = [
        ("tests", .string(tests.prefix(number * 2).joined(separator: "\n")))
      ]
      if config > 0 { members.append(("config", .string(configs[config]))) }
      add("cover", members, ["config-\(config)", "tests-\(number * 2).jsonl"])
    }
  }

  /// The C library in this process.
  private final class ParityLibrary {
    private let configs: [Int: OpaquePointer]

    init(_ requests: ParityRequests) throws {
      let options = Value.object(["seed": "demo", "products": .string(requests.products)]).json
      var configs: [Int: OpaquePointer] = [:]
      for (number, text) in requests.configs.enumerated() {
        var config: OpaquePointer?
        _ = tg_config_compile(text, text.utf8.count, options, options.utf8.count, &config, nil)
        configs[number] = config
      }
      self.configs = configs
    }

    deinit { for config in configs.values { tg_config_free(config) } }

    /// Nil for what the library does not answer.
    func answer(_ request: ParityRequest) -> String? {
      var text = tg_text()
      let (body, count) = (request.body, request.body.utf8.count)
      switch request.kind {
      case "decide": _ = tg_decide(configs[0], body, count, &text)
      case "explain": _ = tg_explain(configs[0], body, count, &text)
      case "check": _ = tg_check(configs[0], body, count, &text)
      case "render": _ = tg_render(configs[0], body, count, &text)
      case "cover": _ = tg_cover(configs[0], body, count, &text)
      case "match": _ = tg_match(configs[0], body, count, &text)
      case "products": _ = tg_products(configs[0], body, count, &text)
      case "diff": _ = tg_diff(configs[0], request.next.flatMap { configs[$0] }, body, count, &text)
      default: return nil
      }
      defer { tg_text_free(text) }
      return text.bytes.map { String(cString: $0) }
    }
  }

  /// A folder with the files that commands read.
  private final class ParityFolder {
    struct Output {
      var text: String
      var errors: String
    }

    private let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private var folder: URL { root.appending(path: "files") }

    init(_ requests: ParityRequests) throws {
      func write(_ text: String, _ path: String) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      for (number, config) in requests.configs.enumerated() {
        try write(config, "files/config-\(number)")
        try write(config, "config-\(number)/config")
      }
      try write(requests.products, "files/products.json")
      try write(requests.users.prefix(40).joined(separator: "\n"), "files/users.ndjson")
      for count in stride(from: 0, to: 16, by: 2) {
        try write(
          requests.tests.prefix(count).joined(separator: "\n"), "files/tests-\(count).jsonl")
      }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// Runs the command that is beside the tests.
    func run(_ arguments: [String]) throws -> Output {
      let process = Process()
      process.executableURL = ServerProcess.program.deletingLastPathComponent()
        .appending(path: "tollgate")
      // A file is called as it is on the command line.
      let path = arguments.count > 1 ? arguments[1] : ""
      let isCheck = arguments[0] == "check"
      process.arguments = isCheck ? ["check", "config"] + arguments.dropFirst(2) : arguments
      process.currentDirectoryURL =
        isCheck ? folder.appending(path: path).deletingLastPathComponent() : folder
      process.environment = ["PATH": "/usr/bin:/bin"]
      let (output, errors) = (root.appending(path: "output"), root.appending(path: "errors"))
      for file in [output, errors] {
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
      }
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
      process.waitUntilExit()
      return Output(
        text: String(decoding: try Data(contentsOf: output), as: UTF8.self),
        errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
  }
#endif

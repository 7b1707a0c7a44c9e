internal import ArgumentParser
internal import Expressions
internal import Foundation
internal import Logging
internal import Requests
internal import RuleEngine
internal import RuleInsight
internal import Service

/// The options for decisions, and their applications.
struct DecidingOptions: ParsableArguments {
  enum AssignerName: String, ExpressibleByArgument, CaseIterable {
    case hash, djb2
  }

  enum StateName: String, ExpressibleByArgument, CaseIterable {
    case none, sqlite, postgres
  }

  @Option(help: "The seed of all draws. The same seed gives every user the same variants.")
  var seed = ""

  @Option(
    name: .customLong("assigner"),
    help: "The method that draws variants: hash or djb2 (default: the method of the config's SDK).")
  var assignerName: AssignerName?

  @Option(help: "The time zone of functions of days and months.")
  var timeZone = "UTC"

  @Option(
    help: ArgumentHelp(
      "A file of paywall texts, for requests that render texts.", valueName: "file"),
    completion: .file())
  var texts: String?

  @Option(
    help: ArgumentHelp(
      "A products file with prices, for applications without their own products.", valueName: "file"
    ),
    completion: .file())
  var products: String?

  @Option(
    help: ArgumentHelp(
      "Users for whom a new config is compared with the current one, one JSON object on each line.",
      valueName: "file"),
    completion: .file())
  var users: String?

  @Option(help: "Where to store assignments and occurrences: none, sqlite or postgres.")
  var state = StateName.none

  @Option(
    help: ArgumentHelp(
      "How to handle requests while the database does not respond: refuse or decide.",
      discussion: """
        'refuse' responds with 503. 'decide' decides as if nothing was stored, stores nothing, and marks the \
        response with the header tollgate-without-state. /readyz then contains "withoutState".
        """))
  var withoutState = WithoutState.refuse

  @Option(
    help: ArgumentHelp(
      "How long to store responses to requests with an ID.", valueName: "hours"))
  var keepRequests = 24

  @Flag(
    help: ArgumentHelp(
      "Let OpenFeature clients send whole user records.",
      discussion: """
        By default, a client's context can contain only attributes. With this flag, its members \
        'assignments', 'occurrences' and 'events' are also used, so a client can choose its variant.
        """))
  var trustContext = false

  @Flag(
    help: ArgumentHelp(
      "Publish a changed config file at the start, for all servers.",
      discussion: """
        By default, servers that share a database start with its newest config, and use the file only if the \
        database has no config.
        """))
  var publishConfig = false

  @Flag(help: "Reload config files when they change.")
  var watch = false

  func validate() throws {
    if let problem = WireTime.zoneProblem(timeZone) { throw ValidationError(problem) }
    if withoutState != .refuse, state != .postgres {
      throw ValidationError("--without-state needs --state postgres")
    }
    if publishConfig, state != .postgres {
      throw ValidationError("--publish-config needs --state postgres")
    }
    guard (1...8_760).contains(keepRequests) else {
      throw ValidationError("--keep-requests must be a number of hours from 1 to 8760")
    }
  }

  func apply(to options: inout ServiceOptions) throws {
    options.settings.seed = seed
    options.settings.assigner = assignerName.map { $0 == .hash ? .hash(salt: seed) : .djb2 }
    options.settings.timeZone = timeZone
    options.keepsState = state != .none
    options.withoutState = withoutState
    options.publishesConfigs = publishConfig
    options.trustsContexts = trustContext
    options.keptRequests = Int64(keepRequests) * 3_600_000
    options.users = try users.map { try Self.read($0, "--users") }
    if let products {
      let decoded = ProductList.decode(json: try Self.read(products, "--products"))
      options.settings.products = try Self.output(decoded, products)
    }
    if let texts {
      let decoded = TextFile.decode(json: try Self.read(texts, "--texts"))
      options.settings.texts = try Self.output(decoded, texts)
    }
  }

  private static func output<Output>(_ decoded: Compilation<Output>, _ path: String) throws
    -> Output
  {
    if let output = decoded.output { return output }
    throw ValidationError("\(path): \(decoded.diagnostics.first?.message ?? "cannot be read")")
  }

  static func read(_ path: String, _ option: String) throws -> [UInt8] {
    do {
      return try Fixtures.read(path)
    } catch {
      throw ValidationError("\(option): \(error.message)")
    }
  }
}

extension WithoutState: ExpressibleByArgument {}

/// The options for access and limits.
struct AccessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file with the admin token.", valueName: "file"),
    completion: .file())
  var adminTokenFile: String?

  @Flag(
    help: ArgumentHelp(
      "Reject requests without a key.",
      discussion: """
        Without an admin token, a server with one --config that listens only on this machine accepts \
        requests without a key. Behind a proxy, every request seems to be local.
        """))
  var requireKeys = false

  @Option(
    help: ArgumentHelp(
      "The maximum number of requests per second and address; 0 means no limit.",
      discussion: "The default is 0 on this machine, and 200 elsewhere.", valueName: "count"))
  var rateLimit: Int?

  @Option(help: ArgumentHelp("The maximum size of a request body, in bytes.", valueName: "bytes"))
  var maxBody = 4 << 20

  @Option(
    name: .customLong("cors"),
    help: ArgumentHelp(
      "An origin whose web pages may send requests, or *. Repeatable.",
      valueName: "origin"))
  var origins: [String] = []

  @Option(
    name: .customLong("redact"),
    help: ArgumentHelp(
      "An attribute to hide in logs, audit entries and differences.",
      valueName: "path"))
  var redacted: [String] = []

  func validate() throws {
    if let rateLimit, rateLimit < 0 {
      throw ValidationError("--rate-limit must be a number from 0")
    }
    guard (1_024...(1 << 30)).contains(maxBody) else {
      throw ValidationError("--max-body must be a number of bytes from 1024 to 1073741824")
    }
    for path in redacted where Redaction.path(path) == nil {
      throw ValidationError(
        "--redact takes attributes of user, device or params, such as user.email, or userId; "
          + "'\(path)' is not one of them")
    }
  }

  /// The token, or nil if there is none.
  func adminToken() throws -> String? {
    guard let path = adminTokenFile else { return nil }
    let bytes = try DecidingOptions.read(path, "--admin-token-file")
    let token = String(decoding: bytes, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard token.utf8.count >= 16 else {
      throw ValidationError(
        "--admin-token-file: a token has at least 16 characters; 'openssl rand -hex 32' makes one")
    }
    return token
  }
}

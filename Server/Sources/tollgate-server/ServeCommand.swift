internal import ArgumentParser
internal import Expressions
internal import Foundation
internal import GRDB
internal import Logging
internal import NIOCore
internal import Playground
internal import Requests
internal import RuleEngine
internal import RuleInsight
internal import Sandbox
internal import Service
internal import ServiceLifecycle

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Answer requests until stopped.",
    discussion: """
      Prints the port as JSON. Logs are lines of JSON on standard error. SIGTERM and Ctrl-C let running \
      requests finish.
      """)

  @OptionGroup var source: FixtureOptions

  @Option(help: "The address to listen at.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen at; 0 picks a free one.")
  var port = 8080

  @Option(
    name: .customLong("also-port"),
    help: ArgumentHelp(
      "Another port to listen at. Repeatable.", valueName: "port"))
  var otherPorts: [Int] = []

  @Option(
    help: ArgumentHelp(
      "The folder for configs, assignments and all other data (default: in memory).",
      valueName: "folder"), completion: .directory)
  var data: String?

  @OptionGroup(title: "Decision Options") var deciding: DecidingOptions

  @OptionGroup(title: "Database Options") var stateDatabase: DatabaseOptions

  @Flag(
    help: ArgumentHelp(
      "Do not update the tables of PostgreSQL.",
      discussion: """
        The server works with its own version of the tables and with the previous one. 'tollgate-server \
        migrate' updates the tables.
        """))
  var noMigrate = false

  @OptionGroup(title: "Access Options") var access: AccessOptions

  @OptionGroup(title: "Sandbox Options") var backend: BackendOptions

  @OptionGroup(title: "Playground Options") var playground: PlaygroundOptions

  @Flag(help: "Do not act as a backend for apps.")
  var noSandbox = false

  @Flag(help: "Do not answer /v1/decide and related requests.")
  var noService = false

  @Option(help: "The lowest level to log: debug, info, warning or error.")
  var logLevel = "info"

  @Option(
    help: ArgumentHelp(
      "A file to append spans to, as lines of OpenTelemetry's JSON.",
      discussion: "Requests whose header 'traceparent' is sampled are recorded.", valueName: "file"),
    completion: .file())
  var traceFile: String?

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port must be a number from 0 to 65535")
    }
    guard otherPorts.allSatisfy({ (1...65_535).contains($0) }) else {
      throw ValidationError("--also-port must be a number from 1 to 65535")
    }
    if Set(otherPorts + [port]).count <= otherPorts.count {
      throw ValidationError("--also-port: a port is given twice")
    }
    guard Logger.Level(rawValue: logLevel) != nil else {
      throw ValidationError("--log-level must be debug, info, warning or error")
    }
    if let option = stateDatabase.given, deciding.state != .postgres {
      throw ValidationError("\(option) needs --state postgres")
    }
    if noMigrate, deciding.state != .postgres {
      throw ValidationError("--no-migrate needs --state postgres")
    }
    if noSandbox, noService {
      throw ValidationError("--no-sandbox and --no-service cannot be combined")
    }
  }

  private var isLocal: Bool { ["127.0.0.1", "localhost", "::1"].contains(host) }

  func run() async throws {
    let log = JSONLogHandler.start(Logger.Level(rawValue: logLevel) ?? .info)
    if let traceFile {
      guard let tracer = TraceFile(traceFile) else {
        throw ValidationError("--trace-file: '\(traceFile)' cannot be written")
      }
      tracer.start()
    }
    let fixtures = try source.read()
    let database = try database()
    // Closing moves the write-ahead log into the database, so that a copy of its file is complete.
    defer { try? database.close() }
    let service = try await service(fixtures, database, log)
    let server = Server(settings(), metrics: service?.metrics, log: log)
    var described = service == nil ? [] : APIDescription.service
    if let service {
      addServiceRoutes(to: server.router, service)
      if !playground.noPlayground {
        let samples = try playground.samples(deciding.products)
        Playground(service, samples, hasSandbox: !noSandbox).addRoutes(to: server.router)
      }
    }
    if !noSandbox {
      if deciding.state == .postgres {
        log.notice("the sandbox stores its data in SQLite, for this server alone")
      }
      var options = SandboxOptions(fixtures: fixtures, log: log)
      options.limits.body = access.maxBody
      options.adminToken = try access.adminToken()
      try backend.apply(to: &options)
      if let service { options.currentConfig = { service.currentConfig(of: $0) } }
      described += try addSandboxRoutes(to: server.router, database: database, options: options)
    }
    addDescription(to: server.router, of: described)
    if fixtures.isDemo, let application = fixtures.applications.first {
      // The key is generated for this run, and printed once.
      FileHandle.standardError.write(
        Data("secret key of application 1: \(application.secretKey)\n".utf8))
    }
    let watching = deciding.watch ? service.map { ConfigWatch($0, log: log) } : nil
    let following = service.flatMap { ConfigFollower($0, log: log) }
    let deleting = deciding.state == .none ? nil : service.map { RetentionService($0, log: log) }
    let beside = [watching as (any ServiceLifecycle.Service)?, following, deleting]
      .compactMap { $0 }
    do {
      try await server.run(beside: beside) { port, url in
        let line = Value.object(["port": .int(Int64(port)), "url": .string(url)])
        FileHandle.standardOutput.write(Data((line.json + "\n").utf8))
      }
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      let ports = otherPorts.isEmpty ? "port \(port)" : "one of the ports"
      throw ValidationError("\(ports) is in use; --port 0 takes a free one")
    } catch is SocketAddressError.UnknownHost {
      throw ValidationError("--host: there is no host '\(host)'")
    }
  }

  /// The database of `--data`, which no other server uses at the same time.
  private func database() throws -> any DatabaseWriter {
    do {
      if let data { try ServiceDatabase.lock(data) }
      return try ServiceDatabase.open(in: data)
    } catch let error as ServiceError {
      throw ValidationError(error.message)
    } catch let error as DatabaseError {
      throw ValidationError(
        "--data: the database in '\(data ?? "")' cannot be opened: \(error.message ?? "\(error)")")
    }
  }

  private func service(
    _ fixtures: Fixtures, _ database: any DatabaseWriter, _ log: Logger
  ) async throws -> DecisionService? {
    if noService { return nil }
    var options = ServiceOptions(fixtures: fixtures, log: log)
    try deciding.apply(to: &options)
    options.storePatience = .milliseconds(stateDatabase.databaseAnswerTimeout)
    options.limits.body = access.maxBody
    options.adminToken = try access.adminToken()
    options.requiresKeys = access.requireKeys || !fixtures.isDemo || !isLocal
    options.settings.redaction = Redaction(paths: access.redacted.compactMap(Redaction.path))
    do {
      let store: any StateStore =
        deciding.state == .postgres
        ? try await stateDatabase.store(log, migrates: !noMigrate) : try SQLiteStore(database)
      return try await DecisionService(options, store: store)
    } catch let error as ServiceError {
      throw ValidationError(error.message)
    }
  }

  private func settings() -> ServerSettings {
    var settings = ServerSettings()
    settings.host = host
    settings.port = port
    settings.maxBody = access.maxBody
    let rate = access.rateLimit ?? (isLocal ? 0 : 200)
    settings.rateLimit = rate > 0 ? rate : nil
    settings.origins = access.origins
    settings.otherPorts = otherPorts
    // Pages of any origin call the backend that the sandbox replaces.
    if !noSandbox { settings.openPaths = SandboxOptions.openPaths }
    return settings
  }
}

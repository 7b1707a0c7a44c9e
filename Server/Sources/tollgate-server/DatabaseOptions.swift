internal import ArgumentParser
internal import Foundation
internal import Logging
internal import Service

/// The PostgreSQL database of `--state postgres`.
struct DatabaseOptions: ParsableArguments {
  private static let schema = "tollgate"
  private static let connections = 8
  private static let connectTimeout = 1_000
  private static let statementTimeout = 1_500
  private static let lockTimeout = 500
  private static let answerTimeout = 1_800

  /// The first of these options with a value other than its default. Only `--state postgres` uses the options.
  var given: String? {
    if databaseURLFile != nil { return "--database-url-file" }
    if databaseSchema != Self.schema { return "--database-schema" }
    if databaseConnections != Self.connections { return "--database-connections" }
    if databaseConnectTimeout != Self.connectTimeout { return "--database-connect-timeout" }
    if databaseStatementTimeout != Self.statementTimeout { return "--database-statement-timeout" }
    if databaseLockTimeout != Self.lockTimeout { return "--database-lock-timeout" }
    return databaseAnswerTimeout != Self.answerTimeout ? "--database-answer-timeout" : nil
  }

  @Option(
    help: ArgumentHelp(
      "A file with the URL of the PostgreSQL database.",
      discussion: """
        The default is the environment variable DATABASE_URL. The URL is never printed: \
        postgresql://user:password@host:5432/database?sslmode=verify-full
        """, valueName: "file"), completion: .file())
  var databaseURLFile: String?

  @Option(help: ArgumentHelp("The schema that contains the tables.", valueName: "name"))
  var databaseSchema = Self.schema

  @Option(help: ArgumentHelp("The number of connections to the database.", valueName: "count"))
  var databaseConnections = Self.connections

  @Option(
    help: ArgumentHelp(
      "The maximum time to wait for a connection to the database.", valueName: "milliseconds"))
  var databaseConnectTimeout = Self.connectTimeout

  @Option(
    help: ArgumentHelp(
      "The maximum time for one database statement.", valueName: "milliseconds"))
  var databaseStatementTimeout = Self.statementTimeout

  @Option(
    help: ArgumentHelp(
      "The maximum time that a statement may wait for a lock.", valueName: "milliseconds"))
  var databaseLockTimeout = Self.lockTimeout

  @Option(
    help: ArgumentHelp(
      "The maximum total time that a request may wait for the database.", valueName: "milliseconds")
  )
  var databaseAnswerTimeout = Self.answerTimeout

  func validate() throws {
    if let problem = PostgresOptions.problem(ofSchema: databaseSchema) {
      throw ValidationError("--database-schema is '\(databaseSchema)'; \(problem)")
    }
    guard (1...1_000).contains(databaseConnections) else {
      throw ValidationError("--database-connections must be a number from 1 to 1000")
    }
    for (name, value) in [
      ("connect", databaseConnectTimeout), ("statement", databaseStatementTimeout),
      ("lock", databaseLockTimeout), ("answer", databaseAnswerTimeout),
    ] where !(1...60_000).contains(value) {
      throw ValidationError(
        "--database-\(name)-timeout must be a number of milliseconds from 1 to 60000")
    }
  }

  /// Connects to the database.
  func store(_ log: Logger, migrates: Bool) async throws -> any StateStore {
    #if PostgreSQL
      var options = try options(log)
      options.migrates = migrates
      return try await PostgresStore(options)
    #else
      throw Self.missing
    #endif
  }

  /// Creates the tables, or brings them up to date.
  func migrate(_ log: Logger) async throws -> (from: Int?, to: Int) {
    #if PostgreSQL
      return try await PostgresStore.migrate(try options(log))
    #else
      throw Self.missing
    #endif
  }

  #if PostgreSQL
    private func options(_ log: Logger) throws -> PostgresOptions {
      var options = PostgresOptions(url: try url(), log: log)
      options.schema = databaseSchema
      options.connections = databaseConnections
      options.connectTimeout = databaseConnectTimeout
      options.statementTimeout = databaseStatementTimeout
      options.lockTimeout = databaseLockTimeout
      return options
    }
  #else
    private static let missing = ValidationError(
      "this tollgate-server was built without PostgreSQL; build it with '--traits PostgreSQL'")
  #endif

  #if PostgreSQL
    private func url() throws -> String {
      if let path = databaseURLFile {
        let text = String(
          decoding: try DecidingOptions.read(path, "--database-url-file"), as: UTF8.self)
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
      }
      guard let url = ProcessInfo.processInfo.environment["DATABASE_URL"], !url.isEmpty else {
        throw ValidationError(
          "PostgreSQL needs DATABASE_URL in the environment, or --database-url-file FILE")
      }
      return url
    }
  #endif
}

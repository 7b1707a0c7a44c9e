package import Logging

/// The location of the database of `--state postgres`, and the time limits for using it.
package struct PostgresOptions: Sendable {
  /// The address `postgresql://user:password@host:port/database?sslmode=verify-full`, which is never printed.
  package var url: String
  /// The schema that contains the tables.
  package var schema = "tollgate"
  /// The maximum number of connections.
  package var connections = 8
  /// The maximum time for connecting, and for waiting for a free connection, in milliseconds.
  package var connectTimeout = 1_000
  /// The maximum time for a statement, in milliseconds.
  package var statementTimeout = 1_500
  /// The maximum time that a statement waits for a lock, in milliseconds.
  package var lockTimeout = 500
  /// Whether the server creates or updates the tables when it starts. If false, tables of the previous version are used
  /// unchanged.
  package var migrates = true
  package var log: Logger

  package init(url: String, log: Logger) {
    self.url = url
    self.log = log
  }

  /// The reason why a schema cannot have this name; nil for a valid name.
  package static func problem(ofSchema name: String) -> String? {
    let first = name.utf8.first
    let isName =
      (1...63).contains(name.utf8.count) && first != nil && !(48...57).contains(first!)
      && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    if !isName {
      return
        "expected up to 63 lower-case letters, digits and underscores, not beginning with a digit"
    }
    return name.hasPrefix("pg_") ? "names that begin with 'pg_' belong to PostgreSQL" : nil
  }
}

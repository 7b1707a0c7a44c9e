package import Logging

/// Where the database of `--state postgres` is, and how long the service waits for it.
package struct PostgresOptions: Sendable {
  /// `postgresql://user:password@host:port/database?sslmode=verify-full`. It is never printed.
  package var url: String
  /// The schema that has the tables.
  package var schema = "tollgate"
  /// Connections at once.
  package var connections = 8
  /// How long connecting takes at most, and how long a request waits for a free connection, in milliseconds.
  package var connectTimeout = 1_000
  /// How long a statement takes at most, in milliseconds.
  package var statementTimeout = 1_500
  /// How long a statement waits for a lock, in milliseconds.
  package var lockTimeout = 500
  /// Whether starting creates the tables or brings them up to date. Without it, tables of the version before are used
  /// as they are.
  package var migrates = true
  package var log: Logger

  package init(url: String, log: Logger) {
    self.url = url
    self.log = log
  }

  /// The reason why a schema cannot have this name; nil if it can.
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

#if PostgreSQL
  internal import CPostgreSQL
  internal import Foundation

  /// The tables of a schema, and how those of earlier versions become them.
  struct PostgresSchema: Sendable {
    /// The name in quotes, as statements have it.
    let name: String
    private let plainName: String

    init(_ name: String) {
      plainName = name
      self.name = "\"\(name)\""
    }

    /// The statements of each migration. Text compares by its bytes, as in SQLite.
    private var migrations: [[String]] {
      [
        [
          """
          CREATE TABLE \(name).user_state (
            application text COLLATE "C" NOT NULL, user_id text COLLATE "C" NOT NULL,
            revision bigint NOT NULL, state json NOT NULL,
            PRIMARY KEY (application, user_id)) WITH (fillfactor = 80)
          """,
          """
          CREATE TABLE \(name).answer (
            application text COLLATE "C" NOT NULL, request text COLLATE "C" NOT NULL,
            answered_at bigint NOT NULL, question bytea NOT NULL, answer bytea NOT NULL,
            version bigint NOT NULL, PRIMARY KEY (application, request))
          """,
          "CREATE INDEX answer_by_time ON \(name).answer (application, answered_at)",
          """
          CREATE TABLE \(name).application (
            id text COLLATE "C" PRIMARY KEY, newest bigint NOT NULL)
          """,
          """
          CREATE TABLE \(name).config_version (
            application text COLLATE "C" NOT NULL, number bigint NOT NULL, published_at bigint NOT NULL,
            author text NOT NULL, source text COLLATE "C" NOT NULL, hash text COLLATE "C" NOT NULL,
            note text, origin bigint, config bytea NOT NULL, PRIMARY KEY (application, number))
          """,
          """
          CREATE TABLE \(name).audit (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, written_at bigint NOT NULL,
            author text NOT NULL, application text COLLATE "C" NOT NULL, action text NOT NULL,
            detail text NOT NULL)
          """,
          "CREATE INDEX audit_by_application ON \(name).audit (application, id)",
        ]
      ]
    }

    /// Creates the tables, or brings them up to date. Of servers that start at once, one does.
    ///
    /// - Throws: a `ServiceError` if a newer program made the tables.
    func migrate(_ connection: PostgresConnection) throws {
      let patience = Duration.seconds(60)
      if try version(connection) == migrations.count { return }
      try connection.run(
        [
          .begin, PostgresStatement("SET LOCAL lock_timeout = '50s'"),
          PostgresStatement("SET LOCAL statement_timeout = '50s'"),
          PostgresStatement(
            "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
            [.text("tollgate schema \(plainName)")]),
        ], timeout: patience)
      do {
        // Another server may have been faster.
        let version = try version(connection)
        if version == nil { try connection.run(first(connection), timeout: patience) }
        for number in migrations.indices.dropFirst(version ?? 0) {
          let statements = migrations[number].map { PostgresStatement($0, isPrepared: false) }
          let record = PostgresStatement(
            "INSERT INTO \(name).migration (number) VALUES ($1::bigint)", [.int(Int64(number + 1))],
            isPrepared: false)
          try connection.run(statements + [record], timeout: patience)
        }
        try connection.run([.commit], timeout: patience)
      } catch {
        _ = try? connection.run([.rollback])
        throw error
      }
    }

    private func first(_ connection: PostgresConnection) throws -> [PostgresStatement] {
      let known = try connection.run([
        PostgresStatement("SELECT FROM pg_namespace WHERE nspname = $1::text", [.text(plainName)])
      ])
      // Creating it takes a privilege even where it exists.
      let create = known[0].isEmpty ? ["CREATE SCHEMA \(name)"] : []
      let statements =
        create + [
          """
          CREATE TABLE \(name).migration (
            number bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
          """
        ]
      return statements.map { PostgresStatement($0, isPrepared: false) }
    }

    /// The number of the last migration; nil without tables.
    private func version(_ connection: PostgresConnection) throws -> Int? {
      // Not by `to_regclass`, which may answer from before the lock.
      let table = try connection.run([
        PostgresStatement(
          """
          SELECT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = $1::text AND c.relname = 'migration')
          """, [.text(plainName)])
      ])
      guard table[0][0].isTrue(0) else { return nil }
      let rows = try connection.run([
        PostgresStatement("SELECT coalesce(max(number), 0) FROM \(name).migration")
      ])
      let version = Int(rows[0][0].int(0) ?? 0)
      guard version <= migrations.count else {
        throw ServiceError.badRequest(
          "the tables in schema '\(plainName)' have version \(version), and this program knows versions up to "
            + "\(migrations.count); use a newer tollgate-server")
      }
      return version
    }

    /// Whether libpq can read an address.
    static func isAddress(_ url: String) -> Bool {
      guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else { return false }
      let options = PQconninfoParse(url, nil)
      defer { PQconninfoFree(options) }
      return options != nil
    }
  }
#endif

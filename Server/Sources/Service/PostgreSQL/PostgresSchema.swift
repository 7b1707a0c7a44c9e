#if PostgreSQL
  internal import CPostgreSQL
  internal import Foundation

  /// The tables of a schema, and the migrations from earlier versions.
  struct PostgresSchema: Sendable {
    /// The name in quotes, for statements.
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
        ],
        // Answers belong to users, so that they can be deleted with them. Programs that know version 1 leave the user
        // null.
        [
          "ALTER TABLE \(name).answer ADD COLUMN user_id text COLLATE \"C\"",
          """
          CREATE INDEX answer_by_user ON \(name).answer (application, user_id)
          WHERE user_id IS NOT NULL
          """,
          """
          CREATE INDEX answer_without_user ON \(name).answer (application) WHERE user_id IS NULL
          """,
        ],
      ]
    }

    /// The version of the tables in this program.
    static let newest = PostgresSchema("").migrations.count
    /// The first version in which answers are stored with their users.
    static let answersHaveUsers = 2

    /// Creates the tables, or brings them up to date. If several servers start at once, only one server does this.
    ///
    /// - Parameters:
    ///   - last: the version to migrate to.
    ///   - patience: how long a migration may take.
    /// - Returns: the previous version, or nil if there were no tables.
    /// - Throws: a `ServiceError` if a newer program created the tables.
    @discardableResult
    func migrate(
      _ connection: PostgresConnection, to last: Int = newest,
      patience: Duration = .seconds(60)
    ) throws -> Int? {
      let known = try version(connection)
      if let known, known >= last { return known }
      for attempt in 1... {
        do {
          return try run(connection, to: last, patience)
        } catch let fault as PostgresFault where fault.kind == .locked && attempt < 20 {
          // Other transactions read and write between two attempts.
          _ = try connection.run([PostgresStatement("SELECT pg_sleep(0.2)")])
        }
      }
      return nil
    }

    private func run(_ connection: PostgresConnection, to last: Int, _ patience: Duration) throws
      -> Int?
    {
      let milliseconds = patience.components.seconds * 1_000
      try connection.run(
        [
          .begin,
          PostgresStatement(
            """
            SELECT set_config('lock_timeout', $1::text, true),
            set_config('statement_timeout', $1::text, true)
            """, [.text("\(milliseconds)")]),
          PostgresStatement(
            "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
            [.text("tollgate schema \(plainName)")]),
          // While this transaction waits for a table, all other users of the table wait too.
          PostgresStatement("SET LOCAL lock_timeout = '1s'"),
        ], timeout: patience)
      do {
        // Another server may already have migrated the tables.
        let version = try version(connection)
        if version == nil { try connection.run(first(connection), timeout: patience) }
        for number in (version ?? 0)..<max(last, version ?? 0) {
          let statements = migrations[number].map { PostgresStatement($0, isPrepared: false) }
          let record = PostgresStatement(
            "INSERT INTO \(name).migration (number) VALUES ($1::bigint)", [.int(Int64(number + 1))],
            isPrepared: false)
          try connection.run(statements + [record], timeout: patience)
        }
        try connection.run([.commit], timeout: patience)
        return version
      } catch {
        _ = try? connection.run([.rollback])
        throw error
      }
    }

    /// The version of the tables, which must be the version of this program or the previous version.
    ///
    /// - Throws: a `ServiceError` that says what to do.
    func check(_ connection: PostgresConnection) throws -> Int {
      let found = try version(connection)
      guard let found, found >= Self.newest - 1 else {
        let problem =
          found.map { "the tables in schema '\(plainName)' have version \($0)" }
          ?? "there are no tables in schema '\(plainName)'"
        throw ServiceError.badRequest("\(problem); run 'tollgate-server migrate'")
      }
      return found
    }

    private func first(_ connection: PostgresConnection) throws -> [PostgresStatement] {
      let known = try connection.run([
        PostgresStatement("SELECT FROM pg_namespace WHERE nspname = $1::text", [.text(plainName)])
      ])
      // Creating a schema requires a privilege, even if the schema exists.
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
      // This does not use `to_regclass`, whose answer may be from before the lock.
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
      guard version <= Self.newest else {
        throw ServiceError.badRequest(
          "the tables in schema '\(plainName)' have version \(version), and this program knows versions up to "
            + "\(Self.newest); use a newer tollgate-server")
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

#if PostgreSQL
  internal import Expressions

  /// Configs, their history and the audit log.
  extension PostgresStore {
    package func publish(_ config: NewConfig) async throws -> Int {
      let entry = config.entry(0)
      let statement = PostgresStatement(
        """
        WITH head AS (
          INSERT INTO \(schema).application AS a (id, newest) SELECT $1::text, 1
          WHERE coalesce($2::bigint, 0) = 0
          OR EXISTS (SELECT FROM \(schema).application WHERE id = $1::text)
          ON CONFLICT (id) DO UPDATE SET newest = a.newest + 1
          WHERE $2::bigint IS NULL OR a.newest = $2::bigint RETURNING newest),
        version AS (
          INSERT INTO \(schema).config_version (application, number, published_at, author, source, hash,
            note, origin, config)
          SELECT $1::text, newest, $3::bigint, $4::text, $5::text, $6::text, $7::text, $8::bigint,
            $9::bytea FROM head),
        entry AS (
          INSERT INTO \(schema).audit (written_at, author, application, action, detail)
          SELECT $3::bigint, $4::text, $1::text, $10::text, 'version ' || newest || $11::text FROM head)
        SELECT newest, pg_notify($12::text, '') FROM head
        """,
        [
          .text(config.application), .int(config.after.map { Int64($0) }),
          .int(config.at.milliseconds), .text(config.by), .text(config.source), .text(config.hash),
          .text(config.note), .int(config.origin.map { Int64($0) }), .bytes(config.bytes),
          .text(entry.action), .text(config.detail.isEmpty ? "" : ": \(config.detail)"),
          .text(pool.options.schema),
        ])
      do {
        let rows = try await pool.attempt { try $0.run([.begin, statement, .commit]) }
        guard let number = rows[1].first?.int(0) else { throw ServiceError.changedMeanwhile }
        return Int(number)
      } catch let fault as PostgresFault {
        guard fault.isInDoubt, let number = try? await lookUp(config) else {
          throw fault.answer ?? fault
        }
        return number
      }
    }

    /// The number of a config whose commit had no answer; nil if it was not stored.
    private func lookUp(_ config: NewConfig) async throws -> Int? {
      let statements = [
        .begin,
        // Waits for the end of the transaction.
        PostgresStatement(
          "SELECT FROM \(schema).application WHERE id = $1::text FOR UPDATE",
          [.text(config.application)]),
        PostgresStatement(
          """
          SELECT number FROM \(schema).config_version WHERE application = $1::text AND hash = $2::text
          AND published_at = $3::bigint AND author = $4::text AND source = $5::text
          ORDER BY number DESC LIMIT 1
          """,
          [
            .text(config.application), .text(config.hash), .int(config.at.milliseconds),
            .text(config.by), .text(config.source),
          ]), PostgresStatement.commit,
      ]
      let rows = try await pool.run { try $0.run(statements) }
      return rows[2].first?.int(0).map { Int($0) }
    }

    package func add(_ entry: AuditEntry) async throws {
      let statement = insert(entry)
      _ = try await pool.run { try $0.run([statement]) }
    }

    func insert(_ entry: AuditEntry) -> PostgresStatement {
      PostgresStatement(
        """
        INSERT INTO \(schema).audit (written_at, author, application, action, detail)
        VALUES ($1::bigint, $2::text, $3::text, $4::text, $5::text)
        """,
        [
          .int(entry.at.milliseconds), .text(entry.by), .text(entry.application),
          .text(entry.action), .text(entry.detail),
        ])
    }

    package var isShared: Bool { true }

    package func newestVersions(waiting: Duration) async throws -> [String: Int] {
      try await listener.newestVersions(waiting: waiting)
    }

    static let columns = "number, published_at, author, source, hash, note, origin"

    package func versions(of application: String, limit: Int) async throws -> [ConfigVersion] {
      let rows = try await pool.read([
        PostgresStatement(
          """
          SELECT \(Self.columns) FROM \(schema).config_version WHERE application = $1::text
          ORDER BY number DESC LIMIT $2::bigint
          """, [.text(application), .int(Int64(limit))])
      ])
      return rows[0].map(Self.version)
    }

    package func config(of application: String, number: Int?, source: String?) async throws -> (
      version: ConfigVersion, bytes: [UInt8]
    )? {
      let rows = try await pool.read([
        PostgresStatement(
          """
          SELECT \(Self.columns), config FROM \(schema).config_version
          WHERE application = $1::text AND ($2::bigint IS NULL OR number = $2::bigint)
          AND ($3::text IS NULL OR source = $3::text) ORDER BY number DESC LIMIT 1
          """, [.text(application), .int(number.map { Int64($0) }), .text(source)])
      ])
      return rows[0].first.map { (Self.version($0), $0.bytes(7) ?? []) }
    }

    package func version(before number: Int, hash: String, of application: String) async throws
      -> Int?
    {
      let rows = try await pool.read([
        PostgresStatement(
          """
          SELECT max(number) FROM \(schema).config_version
          WHERE application = $1::text AND hash <> $3::text
          AND number < (SELECT coalesce(max(origin), $2::bigint) FROM \(schema).config_version
            WHERE application = $1::text AND number = $2::bigint)
          """, [.text(application), .int(Int64(number)), .text(hash)])
      ])
      return rows[0][0].int(0).map { Int($0) }
    }

    package func audit(of application: String?, limit: Int) async throws -> [AuditEntry] {
      let rows = try await pool.read([
        PostgresStatement(
          """
          SELECT written_at, author, application, action, detail FROM \(schema).audit
          WHERE $1::text IS NULL OR application = $1::text ORDER BY id DESC LIMIT $2::bigint
          """, [.text(application), .int(Int64(limit))])
      ])
      return rows[0].map { Self.entry($0) }
    }

    /// Reads an entry of the audit log, beginning at a column.
    static func entry(_ row: PostgresRow, at column: Int = 0) -> AuditEntry {
      AuditEntry(
        at: Instant(milliseconds: row.int(column) ?? 0), by: row.text(column + 1) ?? "",
        application: row.text(column + 2) ?? "", action: row.text(column + 3) ?? "",
        detail: row.text(column + 4) ?? "")
    }

    static func version(_ row: PostgresRow) -> ConfigVersion {
      ConfigVersion(
        number: Int(row.int(0) ?? 0), at: Instant(milliseconds: row.int(1) ?? 0),
        by: row.text(2) ?? "", source: row.text(3) ?? "", hash: row.text(4) ?? "",
        note: row.text(5), origin: row.int(6).map { Int($0) })
    }
  }
#endif

#if PostgreSQL
  internal import Crypto
  internal import Expressions
  package import Requests
  internal import RuleEngine

  /// The store of `--state postgres`, which several servers share.
  ///
  /// All data of a user is one row with a revision. A change is stored if the row still has the revision that was read.
  /// Groups of changes are one transaction and one round trip.
  package struct PostgresStore: StateStore {
    let pool: PostgresPool
    let schema: String
    let writer: PostgresWriter
    let listener: PostgresListener
    var lookup: PostgresLookup { PostgresLookup(pool: pool, schema: schema) }

    /// The version of the tables, which another server may update.
    let version: Locked<Int>
    /// The key after which the next deletion of old data continues.
    let retained = Locked<[UInt8]>([])

    /// Connects, and creates the tables or brings them up to date.
    package init(_ options: PostgresOptions) async throws {
      let pool = try PostgresPool(checked: options)
      let schema = PostgresSchema(options.schema)
      let version = try await pool.run { connection in
        if options.migrates { try schema.migrate(connection) }
        return try schema.check(connection)
      }
      self.pool = pool
      self.schema = schema.name
      self.version = Locked(version)
      writer = PostgresWriter(pool, schema: schema.name, version: self.version)
      listener = PostgresListener(options, schema: schema.name, version: self.version)
    }

    /// Creates the tables, or brings them up to date.
    ///
    /// - Returns: the version before, or nil if there were no tables, and the version after.
    package static func migrate(_ options: PostgresOptions) async throws -> (from: Int?, to: Int) {
      let pool = try PostgresPool(checked: options)
      let schema = PostgresSchema(options.schema)
      return try await pool.run { connection in
        let before = try schema.migrate(connection, patience: .seconds(3_600))
        return (before, try schema.check(connection))
      }
    }

    package func read(_ key: StateKey) async throws -> Stored {
      let rows = try await pool.read([
        PostgresStatement(
          """
          SELECT u.revision, u.state, a.question, a.answer, a.version FROM (SELECT) AS one
          LEFT JOIN \(schema).user_state AS u ON u.application = $1::text AND u.user_id = $2::text
          LEFT JOIN \(schema).answer AS a ON a.application = $1::text AND a.request = $3::text
          """, [.text(key.application), .text(key.storedUser), .text(key.request)])
      ])
      let row = rows[0][0]
      return Stored(
        state: try StoredState(row: row.bytes(1)), answer: Self.answer(row, at: 2),
        revision: row.int(0) ?? 0)
    }

    static func answer(_ row: PostgresRow, at column: Int) -> StoredAnswer? {
      guard let question = row.bytes(column), let bytes = row.bytes(column + 1) else { return nil }
      return StoredAnswer(
        question: question, bytes: bytes, version: row.int(column + 2).map { Int($0) })
    }

    package func store(_ change: StateChange, of key: StateKey, ifStill stored: Stored) async throws
      -> Bool
    {
      let state = change.changesUser ? stored.state.applying(change) : nil
      return try await writer.store(
        PostgresWriter.Write(key, stored.revision, state, change.answer == nil ? nil : change))
    }

    package func hasUsers(in application: String) async throws -> Bool {
      let rows = try await pool.read([
        PostgresStatement(
          """
          SELECT EXISTS (SELECT FROM \(schema).user_state WHERE application = $1::text AND revision > 0)
          """, [.text(application)])
      ])
      return rows[0][0].isTrue(0)
    }

    package func states(of users: [String], in application: String) async throws
      -> [String: StoredState]
    {
      var names: [String: String] = [:]
      for user in users where !user.utf8.contains(0) {
        names[StateKey(user, in: application).storedUser] = user
      }
      let rows = try await pool.read([
        PostgresStatement(
          """
          SELECT u.user_id, u.state FROM unnest($2::text[]) AS asked(id)
          JOIN \(schema).user_state AS u ON u.application = $1::text AND u.user_id = asked.id
          WHERE u.revision > 0
          """, [.text(application), .texts(Array(names.keys))])
      ])
      var states: [String: StoredState] = [:]
      for row in rows[0] {
        guard let user = row.text(0).flatMap({ names[$0] }) else { continue }
        states[user] = Stored(state: try StoredState(row: row.bytes(1))).user
      }
      return states
    }

    package var figures: StoreFigures? { pool.figures }

    package func check() async throws {
      // A database server that becomes read-only keeps its connections, so this checks whether it is writable.
      let rows = try await pool.read([
        PostgresStatement("SELECT current_setting('transaction_read_only') = 'on'")
      ])
      if rows[0][0].isTrue(0) { throw PostgresFault(.readOnly).answer! }
    }
  }

  extension StateChange {
    var changesUser: Bool { !assignments.isEmpty || !occurrences.isEmpty }
  }

  extension StoredState {
    /// Reads the column `state`: `{"variants":{"7":"70"},"occurrences":{"key":[1772366400000]}}`.
    init(row: [UInt8]?) throws {
      let value = try row.map { try Value.parse(json: $0) }
      self.init(variants: value?["variants"], times: value?["occurrences"])
    }

    /// The column `state`. The column also contains an ID that is too long for the column of IDs.
    func row(of key: StateKey) -> String {
      Value.members([
        "variants": variants, "occurrences": times,
        "userId": key.storedUser == key.user ? nil : .string(key.user),
      ]).json
    }

    /// The state after a change.
    func applying(_ change: StateChange) -> StoredState {
      var state = self
      for (experiment, variant) in change.assignments {
        let assignment = Assignment(experimentID: experiment, variantID: variant)
        let bytes = experiment.utf8
        if let at = state.assignments.firstIndex(where: {
          $0.experimentID.utf8.elementsEqual(bytes)
        }) {
          state.assignments[at] = assignment
        } else {
          let at = state.assignments.firstIndex {
            bytes.lexicographicallyPrecedes($0.experimentID.utf8)
          }
          state.assignments.insert(assignment, at: at ?? state.assignments.endIndex)
        }
      }
      for key in change.occurrences { state.add(change.now, to: key) }
      for at in state.occurrences.indices
      where change.occurrences.contains(state.occurrences[at].key) {
        let excess = state.occurrences[at].times.count - change.mostOccurrences
        if excess > 0 { state.occurrences[at].times.removeFirst(excess) }
      }
      return state
    }
  }
#endif

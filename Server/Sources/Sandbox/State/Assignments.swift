internal import CivilTime
internal import Expressions
internal import GRDB

/// The subject of a request to the older API, from its headers.
struct Identity: Sendable, Hashable {
  var user: String?
  var alias: String?
  var vendor: String?
}

extension SandboxStore {
  /// The confirmed assignments, oldest first; empty for an unknown subject. The function writes only if the alias is
  /// new or belongs to another user.
  func assignments(of identity: Identity, in application: String, now: Instant) async throws
    -> [(experiment: String, variant: String)]
  {
    let known = try await database.read { database -> [(experiment: String, variant: String)]? in
      let subject = try Self.subject(identity, application, database)
      if subject.isNew { return nil }
      return try Self.assignments(of: subject.name, application, database)
    }
    if let known { return known }
    return try await write(application) { database in
      let subject = try Self.meet(identity, application, now, database)
      return try Self.assignments(of: subject, application, database)
    }
  }

  private static func assignments(of subject: String?, _ application: String, _ database: Database)
    throws -> [(experiment: String, variant: String)]
  {
    guard let subject else { return [] }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT experiment, variant FROM sandbox_assignments
        WHERE application = ? AND subject = ? ORDER BY id
        """, arguments: [application, subject])
    return rows.map { ($0["experiment"], $0["variant"]) }
  }

  /// Stores assignments, all or none. Repeated assignments change nothing.
  func confirm(
    _ pairs: [(experiment: String, variant: String)], of identity: Identity,
    in application: String, now: Instant
  ) async throws {
    try await write(application) { database in
      guard let subject = try Self.meet(identity, application, now, database) else { return }
      for pair in pairs {
        let known = try String.fetchOne(
          database,
          sql: """
            SELECT variant FROM sandbox_assignments
            WHERE application = ? AND subject = ? AND experiment = ?
            """, arguments: [application, subject, pair.experiment])
        if known == pair.variant { continue }
        try database.execute(
          sql: """
            INSERT INTO sandbox_assignments
            (application, subject, experiment, variant, confirmed_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE
            SET variant = excluded.variant, confirmed_at = excluded.confirmed_at
            """, arguments: [application, subject, pair.experiment, pair.variant, now])
        let body = Value.object([
          "experiment_id": .string(pair.experiment), "variant_id": .string(pair.variant),
        ])
        try database.record("assignment_confirm", body.json, of: subject, application, now)
      }
    }
  }

  /// The subject of assignments: the user, otherwise the user that the alias belongs to, otherwise the alias. Also
  /// returns whether this user is new to the alias.
  private static func subject(_ identity: Identity, _ application: String, _ database: Database)
    throws -> (name: String?, isNew: Bool)
  {
    guard let alias = identity.alias else {
      return (identity.user.map { "user:\($0)" } ?? identity.vendor.map { "vendor:\($0)" }, false)
    }
    let owner = try String.fetchOne(
      database, sql: "SELECT user FROM sandbox_aliases WHERE application = ? AND alias = ?",
      arguments: [application, alias])
    guard let user = identity.user else {
      return (owner.map { "user:\($0)" } ?? "alias:\(alias)", false)
    }
    return ("user:\(user)", owner != user)
  }

  /// The subject of assignments. When a user is first seen with an alias, the user receives the alias's assignments.
  private static func meet(
    _ identity: Identity, _ application: String, _ now: Instant, _ database: Database
  ) throws -> String? {
    let (subject, isNew) = try subject(identity, application, database)
    guard isNew, let subject, let alias = identity.alias, let user = identity.user else {
      return subject
    }
    try database.execute(
      sql: """
        INSERT INTO sandbox_aliases (application, alias, user) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET user = excluded.user
        """, arguments: [application, alias, user])
    // The user's own assignments take precedence over the alias's assignments.
    try database.execute(
      sql:
        "UPDATE OR IGNORE sandbox_assignments SET subject = ? WHERE application = ? AND subject = ?",
      arguments: [subject, application, "alias:\(alias)"])
    let body = Value.object(["alias": .string(alias), "user": .string(user)])
    try database.record("userAlias_potentiallyMerge", body.json, of: subject, application, now)
    return subject
  }
}

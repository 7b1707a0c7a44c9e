internal import GRDB

extension SQLiteStore {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("service 1") { database in
      try database.execute(
        sql: """
          CREATE TABLE configVersion (
            application TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL,
            by TEXT NOT NULL, source TEXT NOT NULL, hash TEXT NOT NULL, note TEXT,
            json BLOB NOT NULL, PRIMARY KEY (application, number)) STRICT;
          CREATE TABLE audit (
            id INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT NOT NULL,
            application TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL) STRICT;
          CREATE TABLE assignment (
            application TEXT NOT NULL, user TEXT NOT NULL, experiment TEXT NOT NULL,
            variant TEXT NOT NULL, PRIMARY KEY (application, user, experiment)) STRICT;
          CREATE TABLE occurrence (
            application TEXT NOT NULL, user TEXT NOT NULL, key TEXT NOT NULL,
            at INTEGER NOT NULL) STRICT;
          CREATE INDEX occurrenceOfUser ON occurrence (application, user);
          CREATE TABLE decided (
            application TEXT NOT NULL, request TEXT NOT NULL, at INTEGER NOT NULL,
            question BLOB NOT NULL, answer BLOB NOT NULL,
            PRIMARY KEY (application, request)) STRICT;
          """)
    }
    migrator.registerMigration("service 2") { database in
      try database.execute(
        sql: """
          ALTER TABLE configVersion ADD COLUMN origin INTEGER;
          UPDATE configVersion SET origin = CAST(substr(note, length('back to version ') + 1) AS INTEGER)
            WHERE source = 'rollback' AND note LIKE 'back to version %';
          ALTER TABLE decided ADD COLUMN version INTEGER;
          """)
    }
    migrator.registerMigration("requests by time") { database in
      try database.execute(sql: "CREATE INDEX decidedByTime ON decided (application, at)")
    }
    migrator.registerMigration("answers of users") { database in
      try database.execute(
        sql: """
          ALTER TABLE decided ADD COLUMN user TEXT;
          CREATE INDEX decidedByUser ON decided (application, user) WHERE user IS NOT NULL;
          CREATE INDEX decidedWithoutUser ON decided (application) WHERE user IS NULL;
          """)
    }
    return migrator
  }
}

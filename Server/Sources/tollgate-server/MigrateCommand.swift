internal import ArgumentParser
internal import Expressions
internal import Foundation
internal import Logging
internal import Service

struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Create the tables of PostgreSQL, or bring them up to date.",
    discussion: """
      Prints the versions as JSON. Servers that know the new version or the previous version continue to run. \
      Fails if a newer tollgate-server created the tables.
      """)

  @OptionGroup var database: DatabaseOptions

  func run() async throws {
    let log = JSONLogHandler.start(.warning)
    do {
      let (from, to) = try await database.migrate(log)
      let line = Value.members([
        "schema": .string(database.databaseSchema), "from": from.map { .int(Int64($0)) } ?? .null,
        "version": .int(Int64(to)),
      ])
      FileHandle.standardOutput.write(Data((line.json + "\n").utf8))
    } catch let error as ServiceError {
      throw ValidationError(error.message)
    }
  }
}

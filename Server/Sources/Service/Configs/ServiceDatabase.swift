internal import Foundation
package import GRDB

/// Where the server keeps what must outlive it: one SQLite database.
package enum ServiceDatabase {
  /// Opens the database of a folder, which is made where it is missing; in memory without a folder.
  ///
  /// It is in WAL mode, and what was acknowledged is on the disk.
  package static func open(in folder: String?) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA synchronous = FULL")
    }
    guard let folder else { return try DatabaseQueue(configuration: configuration) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try DatabasePool(path: folder + "/tollgate.sqlite", configuration: configuration)
  }
}

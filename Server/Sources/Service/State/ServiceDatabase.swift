internal import Foundation
package import GRDB

/// The persistent state of the server: one SQLite database.
package enum ServiceDatabase {
  /// Opens the database of a folder, which is created if it is missing. Without a folder, the database is in memory.
  ///
  /// The database is in WAL mode, and acknowledged writes are on the disk.
  package static func open(in folder: String?) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA synchronous = FULL")
    }
    guard let folder else { return try DatabaseQueue(configuration: configuration) }
    try make(folder)
    let path = folder + "/tollgate.sqlite"
    // The file contains users' data and the key that seals checkouts. SQLite creates its other files with the same
    // mode.
    let file = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if file >= 0 {
      fchmod(file, 0o600)
      close(file)
    }
    return try DatabasePool(path: path, configuration: configuration)
  }

  /// Whether a folder contains a database.
  package static func exists(in folder: String) -> Bool {
    FileManager.default.fileExists(atPath: folder + "/tollgate.sqlite")
  }

  /// Only one server can use a folder at a time, because each also has configs and decisions in memory. The lock ends
  /// with the process, however the process ends.
  package static func lock(_ folder: String) throws(ServiceError) {
    try make(folder)
    let path = folder + "/tollgate.lock"
    // The file is not closed, because the process holds the lock until it ends.
    let file = creat(path, 0o600)
    guard file >= 0 else {
      throw .badRequest(
        "--data: '\(path)' cannot be written: \(String(cString: strerror(errno)))")
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw .badRequest(
        "--data: another server has the folder '\(folder)'; stop it, or give another folder")
    }
  }

  private static func make(_ folder: String) throws(ServiceError) {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw .badRequest(
        "--data: the folder '\(folder)' cannot be made: \(error.localizedDescription)")
    }
  }
}

internal import ArgumentParser
internal import Expressions
internal import Foundation
internal import GRDB
internal import Logging
internal import Service

struct StateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Export or import everything that servers store.",
    subcommands: [StateExportCommand.self, StateImportCommand.self])
}

/// The store of an export or import.
struct StoreOptions: ParsableArguments {
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case sqlite, postgres
  }

  @Option(help: "The store: sqlite, with --data, or postgres.")
  var state: Kind

  @Option(
    help: ArgumentHelp("The folder of the SQLite database.", valueName: "folder"),
    completion: .directory)
  var data: String?

  @OptionGroup(title: "Database Options") var database: DatabaseOptions

  func validate() throws {
    switch state {
    case .sqlite:
      if data == nil { throw ValidationError("--state sqlite needs --data FOLDER") }
      if let option = database.given { throw ValidationError("\(option) needs --state postgres") }
    case .postgres:
      if data != nil { throw ValidationError("--data needs --state sqlite") }
    }
  }

  /// Runs a body with the store. No server may use a SQLite database at the same time.
  ///
  /// - Parameter creates: whether a missing store is created. For reading, a created store would be empty.
  func use(creates: Bool, _ body: (any StateStore) async throws -> Void) async throws {
    let log = JSONLogHandler.start(.warning)
    do {
      switch state {
      case .postgres: try await body(try await database.store(log, migrates: creates))
      case .sqlite:
        let folder = data ?? ""
        if !creates, !ServiceDatabase.exists(in: folder) {
          throw ValidationError("--data: there is no database in '\(folder)'")
        }
        try ServiceDatabase.lock(folder)
        let database = try ServiceDatabase.open(in: folder)
        defer { try? database.close() }
        try await body(try SQLiteStore(database))
      }
    } catch let error as ServiceError {
      throw ValidationError(error.message)
    } catch let error as DatabaseError {
      throw ValidationError("the database cannot be used: \(error.message ?? "\(error)")")
    }
  }
}

struct StateExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write configs, the audit log, users and answers as lines of JSON.",
    discussion: """
      Stop the servers first, or recent data may be missing. The last line contains the counts.

      Example: tollgate-server state export --state sqlite --data state --output state.ndjson
      """)

  @OptionGroup var store: StoreOptions

  @Option(
    help: ArgumentHelp("The file to write (default: standard output).", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(help: "Resume an export whose file is incomplete.")
  var resume = false

  func validate() throws {
    if resume, output == nil { throw ValidationError("--resume needs --output FILE") }
  }

  func run() async throws {
    var progress = StateMoving.Progress()
    if resume, let output {
      progress = try Self.progress(of: output)
      if progress.isComplete { return print(progress.counts.value.json) }
    }
    let start = progress
    try await store.use(creates: false) { store in
      // An earlier export is only replaced once there is something to write.
      let file = try file()
      let counts = try await StateMoving.export(store, after: start) { lines in
        try file.write(contentsOf: Data(lines))
      }
      try? file.synchronize()
      FileHandle.standardError.write(Data((counts.value.json + "\n").utf8))
    }
  }

  private func file() throws -> FileHandle {
    guard let output else { return .standardOutput }
    if !resume {
      guard
        FileManager.default.createFile(
          atPath: output, contents: nil, attributes: [.posixPermissions: 0o600])
      else { throw ValidationError("--output: '\(output)' cannot be written") }
    }
    guard let file = FileHandle(forWritingAtPath: output) else {
      throw ValidationError("--output: '\(output)' cannot be written")
    }
    try file.seekToEnd()
    return file
  }

  /// The records of an incomplete file. An incomplete line at the end of the file is removed.
  private static func progress(of path: String) throws -> StateMoving.Progress {
    var progress = StateMoving.Progress()
    let lines = try LineFile(path, option: "--output")
    while let line = try lines.next() {
      if !line.isWhole { break }
      do {
        try progress.take(line.bytes)
      } catch {
        throw ValidationError("\(path):\(lines.number): \(error.message)")
      }
    }
    guard truncate(path, off_t(lines.wholeBytes)) == 0 else {
      throw ValidationError("--output: '\(path)' cannot be written")
    }
    return progress
  }
}

struct StateImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the data of an export.",
    discussion: """
      Users and answers replace stored ones with the same ID, so an interrupted import can run again. Import \
      before a server uses the database: if a config or audit entry differs from a stored one with the same \
      number, the import fails. At the end, the counts are compared with the counts in the database.

      Example: tollgate-server state import --state postgres state.ndjson
      """)

  @OptionGroup var store: StoreOptions

  @Argument(help: "The exported file.", completion: .file())
  var file: String

  @Flag(
    help: ArgumentHelp(
      "Resume an import that was interrupted.",
      discussion: "FILE.progress stores the position. The file is deleted at the end."))
  var resume = false

  func run() async throws {
    let progress = file + ".progress"
    let lines = try LineFile(file, option: "FILE")
    if resume { try skip(lines, progress) }
    try await store.use(creates: true) { store in
      let counts = try await add(lines, to: store, progress)
      let stored = try await StateMoving.count(store)
      let line = Value.object(["read": counts.value, "stored": stored.value])
      FileHandle.standardOutput.write(Data((line.json + "\n").utf8))
      let missing = counts.missing(in: stored)
      if !missing.isEmpty {
        throw ValidationError(
          "the database has fewer \(missing.joined(separator: ", ")) than \(file)")
      }
    }
    try? FileManager.default.removeItem(atPath: progress)
  }

  private func skip(_ lines: LineFile, _ progress: String) throws {
    guard let data = FileManager.default.contents(atPath: progress),
      let done = Int(String(decoding: data, as: UTF8.self))
    else { return }
    // These lines are counted, but not stored again.
    lines.skipped = done
  }

  /// Stores the records.
  ///
  /// - Returns: the counts of the records, which equal the counts in the last line.
  private func add(_ lines: LineFile, to store: any StateStore, _ progress: String) async throws
    -> StateCounts
  {
    var counts = StateCounts()
    var end: StateCounts?
    var records: [StateRecord] = []
    while let line = try lines.next() {
      do {
        if end != nil { throw ServiceError.badRequest("the line follows the one with the counts") }
        switch try StateMoving.line(line.bytes, isFirst: lines.number == 1) {
        case .header: break
        case .end(let given): end = given
        case .record(let record):
          counts.add(record)
          if lines.number > lines.skipped { records.append(record) }
        }
        guard records.count == StateMoving.batch || end != nil else { continue }
        try await store.add(records)
        records = []
        try? Data("\(lines.number)".utf8).write(to: URL(filePath: progress))
      } catch let error as ServiceError {
        throw ServiceError.badRequest("\(file):\(lines.number): \(error.message)")
      }
    }
    guard let end else {
      try await store.add(records)
      throw ValidationError("\(file) is incomplete; its last line must have the counts")
    }
    guard end == counts else {
      throw ValidationError("\(file) has \(counts.value.json); expected \(end.value.json)")
    }
    return counts
  }
}

/// The lines of a file, read in parts.
final class LineFile {
  /// The number of the last line, from 1.
  private(set) var number = 0
  /// The number of bytes up to the end of the last whole line.
  private(set) var wholeBytes = 0
  var skipped = 0
  private let file: FileHandle
  private var buffer: [UInt8] = []
  private var start = 0

  init(_ path: String, option: String) throws {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw ValidationError("\(option): '\(path)' cannot be read")
    }
    self.file = file
  }

  /// The next line; nil at the end. The last line may be incomplete.
  func next() throws -> (bytes: [UInt8], isWhole: Bool)? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        number += 1
        wholeBytes += end + 1 - start
        return (Array(buffer[start..<end]), true)
      }
      buffer.removeFirst(start)
      start = 0
      searched = buffer.count
      guard let part = try file.read(upToCount: 1 << 18), !part.isEmpty else {
        guard !buffer.isEmpty else { return nil }
        number += 1
        defer { buffer = [] }
        return (buffer, false)
      }
      buffer += part
    }
  }
}

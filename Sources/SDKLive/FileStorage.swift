package import Expressions
internal import Foundation
package import SDK

/// Stores everything in one append-only file of JSON lines, `tollgate.jsonl`. Each line is a batch
/// of changes. The file is read completely at the start, and rewritten when it is several times
/// larger than its contents need.
package final class FileStorage: StateStorage {
  private struct Open {
    var image = StorageImage()
    var file: FileHandle?
    /// The size of the file's complete lines.
    var size: UInt64 = 0
    /// The size of the file after the last rewrite.
    var compactSize: UInt64 = 0
    /// The size of the file on disk, unless another process writes it; nil if it does not exist.
    var fileSize: UInt64?
  }

  private struct State {
    var open: Open?
    var faults: [String] = []
  }

  /// The size in bytes below which a file is not rewritten.
  private static let leastSize: UInt64 = 1 << 20

  private let folder: String
  private let state = Locked(State())

  package init(folder: String) { self.folder = folder }

  private var path: String { folder + "/tollgate.jsonl" }

  package func records(_ prefix: String) throws -> [String: Value] {
    try withFile { $0.image.records(prefix) }
  }

  package func logs(_ names: [String]?) throws -> [String: StorageLog] {
    try withFile { $0.image.logs(names) }
  }

  package func write(_ changes: [StorageChange]) throws {
    let line = Data((Value.list(changes.map(\.value)).json + "\n").utf8)
    try withFile { open in
      let size = sizeOnDisk
      if let size, size != open.fileSize { throw SharedFolder(folder: folder) }
      // A file that was removed is created again.
      if size == nil { open.file = nil }
      if open.size + UInt64(line.count) > max(Self.leastSize, 4 * open.compactSize) {
        try compact(&open)
      }
      let file = try open.file ?? fileForWriting(&open)
      do {
        try file.seek(toOffset: open.size)
        try file.write(contentsOf: line)
      } catch {
        // An incomplete line would damage the next line.
        try? file.truncate(atOffset: open.size)
        open.file = nil
        open.fileSize = sizeOnDisk
        throw error
      }
      open.size += UInt64(line.count)
      open.fileSize = max(open.fileSize ?? 0, open.size)
      for change in changes { open.image.apply(change) }
    }
  }

  package func takeFaults() -> [String] {
    state.withLock { state in
      defer { state.faults = [] }
      return state.faults
    }
  }

  /// The contents of the file, for a storage of another kind, and the paths of the files on disk.
  package func takeOver() throws -> (image: StorageImage, paths: [String]) {
    try withFile { open in
      try? open.file?.close()
      open.file = nil
      return (open.image, ([path] + oldPaths).filter(FileManager.default.fileExists))
    }
  }

  private func withFile<Result>(_ body: (inout Open) throws -> Result) throws -> Result {
    try state.withLock { state in
      var open = try state.open ?? read(&state.faults)
      // If two variables held the contents, every change would copy all of them.
      state.open = nil
      defer { state.open = open }
      return try body(&open)
    }
  }

  // MARK: Files

  /// Two writers of one file would lose each other's data, so the second writer stops.
  private struct SharedFolder: LocalizedError {
    var folder: String
    var errorDescription: String? {
      "another Tollgate instance writes to \(folder); give each instance its own folder"
    }
  }

  private var sizeOnDisk: UInt64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.uint64Value
  }

  private func fileForWriting(_ open: inout Open) throws -> FileHandle {
    if !FileManager.default.fileExists(atPath: path) { try compact(&open) }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    open.file = file
    return file
  }

  /// Rewrites the file in its shortest form.
  private func compact(_ open: inout Open) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    let lines = open.image.lines
    try? open.file?.close()
    open.file = nil
    try lines.write(to: URL(fileURLWithPath: path), options: .atomic)
    (open.size, open.compactSize) = (UInt64(lines.count), UInt64(lines.count))
    open.fileSize = open.size
  }

  private func read(_ faults: inout [String]) throws -> Open {
    guard FileManager.default.fileExists(atPath: path) else { return takeOldFiles(&faults) }
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    var open = Open(fileSize: UInt64(data.count))
    var isDamaged = false
    var begin = data.startIndex
    while let end = data[begin...].firstIndex(of: 0x0A) {
      if !open.image.apply(line: data[begin..<end]) { isDamaged = true }
      begin = end + 1
    }
    // The process may have ended in the middle of the last line, which then does not count.
    open.size = UInt64(begin - data.startIndex)
    // A large file is rewritten with the first change of every process. Every start reads the whole file, which takes
    // three times as long when changes are stored separately.
    open.compactSize = open.size / 4
    if isDamaged {
      faults.append(
        "lines of \(path) cannot be read; \(setAside(path)), and the other lines are used")
      do { try compact(&open) } catch {
        // The data was read successfully and stays valid.
        faults.append("\(path) cannot be rewritten: \(error.localizedDescription)")
      }
    }
    return open
  }

  /// Copies a damaged file, and reports it.
  private func setAside(_ path: String) -> String {
    let copy = "\(path).damaged-\(Int(Date().timeIntervalSince1970 * 1_000))"
    guard (try? FileManager.default.copyItem(atPath: path, toPath: copy)) != nil else {
      return "no copy could be saved"
    }
    return "a copy is saved as \(copy)"
  }

  // MARK: Files of version 0.1

  private var oldPaths: [String] {
    ["tollgate.json", "tollgate-config.json", "tollgate-events.jsonl"].map { folder + "/" + $0 }
  }

  private func takeOldFiles(_ faults: inout [String]) -> Open {
    var open = Open()
    let contents = oldPaths.map { FileManager.default.contents(atPath: $0) }
    for (path, data) in zip(oldPaths.prefix(2), contents.prefix(2)) {
      guard let data else { continue }
      guard let value = try? Value.parse(json: data), value.isObject else {
        faults.append("\(path) cannot be read; \(setAside(path))")
        continue
      }
      if path == oldPaths[0] {
        for (key, value) in StateRecords.records(of: value) { open.image.apply(.set(key, value)) }
      } else {
        open.image.apply(.set(StorageKey.config, value))
      }
    }
    for line in contents[2]?.split(separator: 0x0A) ?? [] {
      if let entry = (try? Value.parse(json: line)).flatMap({ EventLogEntry(decoding: $0) }) {
        open.image.apply(entry.change)
      }
    }
    guard !open.image.isEmpty, (try? compact(&open)) != nil else { return open }
    for path in oldPaths { try? FileManager.default.removeItem(atPath: path) }
    return open
  }
}

extension StorageChange {
  /// The change as JSON for the file.
  fileprivate var value: Value {
    switch self {
    case .set(let key, let value): .object(["set": .string(key), "to": value])
    case .remove(let key): .object(["remove": .string(key)])
    case .append(let name, let time):
      .object(["log": .string(name), "at": .int(time.milliseconds)])
    case .clearLogs(let names): .object(["clearBut": .texts(names.sorted())])
    }
  }

  fileprivate init?(decoding value: Value) {
    if let key = value["set"]?.text, let record = value["to"] {
      self = .set(key, record)
    } else if let key = value["remove"]?.text {
      self = .remove(key)
    } else if let name = value["log"]?.text, let time = value["at"]?.wholeNumber {
      self = .append(to: name, Instant(milliseconds: Int64(time)))
    } else if let names = value["clearBut"]?.elements {
      self = .clearLogs(except: Set(names.compactMap(\.text)))
    } else {
      return nil
    }
  }
}

extension StorageLog {
  /// A line of a file that contains the whole log.
  fileprivate func line(_ name: String) -> Value {
    .object([
      "log": .string(name), "earlier": .whole(earlier),
      "times": .list(times.map { .int($0.milliseconds) }),
    ])
  }
}

extension StorageImage {
  /// The shortest file with these contents.
  fileprivate var lines: Data {
    var lines = Data()
    for (key, value) in records {
      lines += Data((Value.list([StorageChange.set(key, value).value]).json + "\n").utf8)
    }
    for (name, log) in logs { lines += Data((log.line(name).json + "\n").utf8) }
    return lines
  }

  /// - Returns: whether the line was readable. An unreadable line changes nothing.
  fileprivate mutating func apply(line: Data) -> Bool {
    guard let value = try? Value.parse(json: line) else { return false }
    if let name = value["log"]?.text, let times = value["times"]?.elements {
      let instants = times.compactMap { $0.wholeNumber.map { Instant(milliseconds: Int64($0)) } }
      add(
        StorageLog(times: instants, earlier: value["earlier"]?.wholeNumber ?? 0), to: name)
      return instants.count == times.count
    }
    guard let elements = value.elements else { return false }
    let changes = elements.compactMap { StorageChange(decoding: $0) }
    guard changes.count == elements.count else { return false }
    for change in changes { apply(change) }
    return true
  }
}

extension EventLogEntry {
  /// A line of a file of version 0.1: `{"event" or "occurrence": name, "at": milliseconds}`.
  fileprivate init?(decoding value: Value) {
    guard let milliseconds = value["at"]?.wholeNumber else { return nil }
    let time = Instant(milliseconds: Int64(milliseconds))
    if let name = value["event"]?.text {
      self = .event(name: name, at: time)
    } else if let key = value["occurrence"]?.text {
      self = .occurrence(key: key, at: time)
    } else {
      return nil
    }
  }
}

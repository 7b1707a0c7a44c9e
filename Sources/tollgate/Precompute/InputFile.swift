internal import SystemPackage

/// A file of users that is open for reading.
final class InputFile: Sendable {
  let path: String
  let file: FileDescriptor
  /// Bytes of a regular file when it was opened; nil for pipes and terminals.
  let size: Int?

  init(_ path: String) throws {
    self.path = path
    file = try FileText.open(path)
    size = FileIdentity.regularSize(of: file)
  }

  /// The form of the records in a file.
  enum Form: String, Sendable, CaseIterable {
    case ndjson, csv

    /// What a file's name says; nil when it says nothing.
    init?(path: String) {
      let name = path.hasSuffix(".gz") ? path.dropLast(3) : path[...]
      if name.hasSuffix(".csv") { self = .csv } else { self = .ndjson }
    }
  }

  /// Whether a regular file begins like something that gzip has compressed.
  func isCompressed() throws -> Bool {
    var beginning: [UInt8] = [0, 0]
    return try size != nil && beginning.withUnsafeMutableBytes { try read(into: $0, at: 0) } == 2
      && GzipInput.begins(beginning)
  }

  /// Reads the content from its beginning, decompressed if it is gzip.
  func content() throws -> LineChunks.Source {
    var first = [UInt8](repeating: 0, count: 1 << 16)
    let count = try first.withUnsafeMutableBytes { try read(into: $0) }
    first.removeSubrange(count...)
    var given = 0
    // What was looked at comes first.
    let source: LineChunks.Source = { memory in
      guard given < first.count else { return try self.read(into: memory) }
      let count = min(memory.count, first.count - given)
      memory.copyBytes(from: first[given..<given + count])
      given += count
      return count
    }
    guard GzipInput.begins(first) else { return source }
    let gzip = try GzipInput(path, source)
    return { try gzip.read(into: $0) }
  }

  deinit { if path != "-" { try? file.close() } }

  /// Reads bytes of a regular file until the memory is full or the file ends.
  ///
  /// - Returns: the number of bytes read.
  func read(into memory: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    var count = 0
    do {
      while count < memory.count {
        let part = UnsafeMutableRawBufferPointer(rebasing: memory[count...])
        let read = try file.read(
          fromAbsoluteOffset: Int64(offset + count), into: part, retryOnInterrupt: true)
        if read == 0 { break }
        count += read
      }
    } catch let error as Errno {
      throw CommandError("cannot read \(path): \(error)")
    }
    return count
  }

  /// Reads what comes next, at least a byte unless the file ends.
  func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
    do {
      return try file.read(into: memory, retryOnInterrupt: true)
    } catch let error as Errno {
      throw CommandError("cannot read \(path): \(error)")
    }
  }
}

/// A file that is open for reading.
final class InputFile: Sendable {
  let path: String
  /// The display name of the path.
  var name: String { path == "-" ? "standard input" : path }
  let file: FileDescriptor
  /// The size of a regular file when it was opened at its beginning; nil for pipes and terminals.
  let size: Int?

  /// - Parameter path: `-` is standard input.
  init(_ path: String) throws {
    self.path = path
    if path.isEmpty { throw CommandError("the name of a file is empty") }
    if path == "-" {
      file = .standardInput
    } else {
      do throws(Errno) {
        file = try FileDescriptor.open(path, O_RDONLY | InputFile.waiting(FilePlace(path)))
      } catch {
        let isMarked = path.hasPrefix("@") && FilePlace(path).kind == .missing
        throw CommandError(
          "cannot open \(path): \(error)" + (isMarked ? "; write it without the @" : ""))
      }
      // Reading would fail too, with a less helpful message.
      if FileIdentity.isFolder(path) {
        try? file.close()
        throw CommandError("\(path) is a folder, not a file")
      }
    }
    size = FileIdentity.regularSize(of: file)
  }

  /// Opening a named pipe waits for its writer. On Linux the wait happens while reading, which can be stopped. On other
  /// systems, a pipe without a writer may read like an empty pipe.
  private static func waiting(_ place: FilePlace) -> Int32 {
    #if canImport(Darwin)
      return 0
    #else
      return place.kind == .stream && place.descriptor == nil ? O_NONBLOCK : 0
    #endif
  }

  deinit { if path != "-" { try? file.close() } }

  /// Whether a regular file is compressed. False for other files, which must be read to find out.
  func isCompressed() throws -> Bool {
    if case .compressed = FileSignature(try beginning(FileSignature.length)) { true } else { false }
  }

  /// The first bytes of a regular file; empty for other files.
  func beginning(_ count: Int) throws -> [UInt8] {
    // SAFETY: Reading returns how many bytes are initialized. Tests: InputFileTests.
    guard let size else { return [] }
    return try [UInt8](unsafeUninitializedCapacity: min(count, size)) { memory, count in
      count = try read(into: UnsafeMutableRawBufferPointer(memory), at: 0)
    }
  }

  /// The content from the current position: decompressed, and without a byte-order mark.
  ///
  /// - Parameter holdsUsers: whether the file contains rows of users, which other formats may also
  ///   contain.
  /// - Throws: when the first bytes are not text in UTF-8.
  func content(holdsUsers: Bool) throws -> (bytes: Lookahead, isCompressed: Bool, hasMark: Bool) {
    var bytes = Lookahead(source())
    var signature = FileSignature(try bytes.peek(FileSignature.length))
    var isCompressed = false
    if case .compressed(let compression) = signature {
      isCompressed = true
      bytes = Lookahead(try CompressedInput(name, compression, bytes.read).read)
      signature = FileSignature(try bytes.peek(FileSignature.length))
      if case .compressed(let inner) = signature {
        throw CommandError(
          "\(name) is compressed twice: with \(compression.rawValue), and inside with "
            + inner.rawValue)
      }
    }
    if let refusal = signature.refusal(path, holdsUsers: holdsUsers) { throw refusal }
    guard case .text(let markLength) = signature else { return (bytes, isCompressed, false) }
    bytes.drop(markLength)
    return (bytes, isCompressed, markLength > 0)
  }

  /// Reads the next bytes. A regular file must still have the size that it had when it was opened.
  private func source() -> Lookahead.Source {
    var count = 0
    return { memory in
      let read = try self.read(into: memory)
      count += read
      if read == 0, let size = self.size, count < size { throw self.shortened }
      return read
    }
  }

  /// The error for a file that was truncated while it was read.
  var shortened: CommandError { CommandError("\(name) became shorter while it was read") }

  /// Reads bytes of a regular file until the memory is full or the file ends.
  ///
  /// - Returns: the number of bytes read.
  func read(into memory: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    // SAFETY: Each read gets the part of the memory that is left. A file that shrinks is an error.
    // Tests: InputFileTests.
    var count = 0
    do throws(Errno) {
      while count < memory.count {
        let part = UnsafeMutableRawBufferPointer(rebasing: memory[count...])
        let read = try file.read(into: part, at: offset + count)
        if read == 0 { break }
        count += read
      }
    } catch {
      throw CommandError("cannot read \(path): \(error)")
    }
    return count
  }

  /// Reads the next bytes: at least one byte, unless the file ends.
  ///
  /// - Throws: ``Signals/Stop`` when a stop is requested while it waits.
  func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
    // SAFETY: The read gets the memory's size, and returns how many bytes it wrote.
    // Tests: InputFileTests.
    while true {
      if size == nil { try Signals.wait(toRead: file) }
      do throws(Errno) {
        return try file.read(into: memory)
      } catch {
        guard error == .wouldBlock else { throw CommandError("cannot read \(name): \(error)") }
      }
    }
  }
}

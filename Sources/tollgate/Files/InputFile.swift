/// A file that is open for reading.
final class InputFile: Sendable {
  let path: String
  /// The path as people call it.
  var name: String { path == "-" ? "standard input" : path }
  let file: FileDescriptor
  /// Bytes of a regular file when it was opened at its beginning; nil for pipes and terminals.
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
      // Reading would say so, in words that say less.
      if FileIdentity.isFolder(path) {
        try? file.close()
        throw CommandError("\(path) is a folder, not a file")
      }
    }
    size = FileIdentity.regularSize(of: file)
  }

  /// To open a pipe with a name is to wait for whoever writes it. On Linux that is left to reading,
  /// which can be stopped; elsewhere a pipe that nobody has opened yet may read like an empty one.
  private static func waiting(_ place: FilePlace) -> Int32 {
    #if canImport(Darwin)
      return 0
    #else
      return place.kind == .stream && place.descriptor == nil ? O_NONBLOCK : 0
    #endif
  }

  deinit { if path != "-" { try? file.close() } }

  /// Whether a regular file is compressed; false for all others, which have to be read for it.
  func isCompressed() throws -> Bool {
    if case .compressed = FileSignature(try beginning(FileSignature.length)) { true } else { false }
  }

  /// The first bytes of a regular file; none of others.
  func beginning(_ count: Int) throws -> [UInt8] {
    // SAFETY: Reading returns how many bytes are initialized. Tests: InputFileTests.
    guard let size else { return [] }
    return try [UInt8](unsafeUninitializedCapacity: min(count, size)) { memory, count in
      count = try read(into: UnsafeMutableRawBufferPointer(memory), at: 0)
    }
  }

  /// The content from where the file is: decompressed, and without a byte-order mark.
  ///
  /// - Parameter holdsUsers: whether the file holds rows of users, which other formats hold as well.
  /// - Throws: when the first bytes say that it is not text in UTF-8.
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
          "\(name) is compressed twice: by \(compression.rawValue), and inside by "
            + inner.rawValue)
      }
    }
    if let refusal = signature.refusal(path, holdsUsers: holdsUsers) { throw refusal }
    guard case .text(let markLength) = signature else { return (bytes, isCompressed, false) }
    bytes.drop(markLength)
    return (bytes, isCompressed, markLength > 0)
  }

  /// Reads what comes next. A regular file must have as much as when it was opened.
  private func source() -> Lookahead.Source {
    var count = 0
    return { memory in
      let read = try self.read(into: memory)
      count += read
      if read == 0, let size = self.size, count < size { throw self.shortened }
      return read
    }
  }

  /// Something has cut the file while it was read.
  var shortened: CommandError { CommandError("\(name) got shorter while it was being read") }

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

  /// Reads what comes next: at least a byte, unless the file ends.
  ///
  /// - Throws: ``Signals/Stop`` when a stop is requested while nothing comes.
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

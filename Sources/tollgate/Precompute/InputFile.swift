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

internal import ArgumentParser
internal import SystemPackage

/// Reading and writing whole files; `-` is a standard stream.
enum FileText {
  /// All bytes of a file.
  static func read(_ path: String) throws -> [UInt8] {
    do {
      let file = try open(path)
      defer { if path != "-" { try? file.close() } }
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
        if count == 0 { return bytes }
        bytes += buffer[0..<count]
      }
    } catch let error as Errno {
      throw CommandError("cannot read \(path): \(error)")
    }
  }

  /// Opens a file for reading.
  static func open(_ path: String) throws -> FileDescriptor {
    if path == "-" { return .standardInput }
    do {
      return try FileDescriptor.open(FilePath(path), .readOnly)
    } catch let error as Errno {
      throw CommandError("cannot open \(path): \(error)")
    }
  }

  /// Whether a file can be read under this path.
  static func isFile(_ path: String) -> Bool {
    guard !path.isEmpty, let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return false }
    try? file.close()
    return true
  }

  /// Makes or empties a file for writing.
  static func create(_ path: String) throws -> FileDescriptor {
    if path == "-" { return .standardOutput }
    do {
      return try FileDescriptor.open(
        FilePath(path), .writeOnly, options: [.create, .truncate],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
    } catch let error as Errno {
      throw CommandError("cannot write \(path): \(error)")
    }
  }

  /// Writes all bytes.
  static func write(_ bytes: [UInt8], to file: FileDescriptor) throws {
    do {
      _ = try file.writeAll(bytes)
    } catch let error as Errno {
      throw CommandError("cannot write: \(error)")
    }
  }

  /// Whether nothing is printed, as tests of commands want it. Files are written all the same.
  @TaskLocal static var isSilent = false

  static func print(_ text: String, to file: FileDescriptor = .standardOutput) {
    if isSilent { return }
    _ = try? file.writeAll(Array((text + "\n").utf8))
  }

  /// Text without a newline on standard error.
  static func printRaw(_ text: String) {
    if isSilent { return }
    _ = try? FileDescriptor.standardError.writeAll(Array(text.utf8))
  }

  static func printError(_ text: String) { print(text, to: .standardError) }
}

/// A failure that is told to the user and ends the command with this exit code.
struct CommandError: Error, CustomStringConvertible {
  var description: String
  var exitCode: Int32

  init(_ description: String, exitCode: Int32 = 1) {
    self.description = description
    self.exitCode = exitCode
  }
}

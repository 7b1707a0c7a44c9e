internal import RuleEngine
internal import SystemPackage

/// A file that a run writes from its beginning to its end, and can go on with after a kill.
final class OutputFile {
  let path: String
  private let file: FileDescriptor
  /// What was written, hashed as it went by.
  private(set) var hash: XXH64.Stream
  /// Bytes for which there is room on disk, as far as it was asked for; nil when asking is of no use.
  private var reserved: Int?

  /// How far ahead of what is written room is asked for, in bytes. A file that is shorter than an
  /// eighth of it does without.
  private static let reserve = 64 << 20

  /// Bytes that were written.
  var count: Int { hash.count }

  /// Makes or empties a file; `-` is standard output.
  init(creating path: String) throws {
    self.path = path
    file = try FileText.create(path)
    hash = XXH64.Stream()
    reserved = 0
  }

  /// Goes on with a file behind what was written before; what follows there is dropped.
  init(resuming path: String, after hash: XXH64.Stream) throws {
    self.path = path
    self.hash = hash
    reserved = hash.count
    let size = FileIdentity.regularSize(of: path)
    guard let size, size >= hash.count else {
      throw CommandError(
        "\(path) has \(size.map { "\($0) bytes" } ?? "gone"), and its checkpoint counts "
          + "\(hash.count): it was changed; run again without --resume")
    }
    do {
      file = try FileDescriptor.open(FilePath(path), .writeOnly)
      try file.resize(to: Int64(hash.count))
      _ = try file.seek(offset: Int64(hash.count), from: .start)
    } catch let error as Errno {
      throw CommandError("cannot go on writing \(path): \(error)")
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    reserveRoom(for: bytes.count)
    do {
      _ = try file.writeAll(bytes)
    } catch let error as Errno {
      throw CommandError("cannot write \(path): \(error)")
    }
    if path != "-" { hash.add(bytes) }
  }

  private func reserveRoom(for bytes: Int) {
    guard path != "-", count >= OutputFile.reserve / 8, let end = reserved, count + bytes > end
    else { return }
    let start = max(end, count)
    let isDone = DiskSpace.reserve(file, from: start, count: bytes + OutputFile.reserve)
    reserved = isDone ? start + bytes + OutputFile.reserve : nil
  }

  func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

  func close() throws {
    guard path != "-" else { return }
    do {
      if let reserved, reserved > count { try file.resize(to: Int64(count)) }
      try file.close()
    } catch let error as Errno {
      throw CommandError("cannot write \(path): \(error)")
    }
  }

  /// Replaces a small file as a whole: whoever reads it finds the old text or the new one.
  static func replace(_ path: String, by text: String) throws {
    let file = try OutputFile(creating: path + ".new")
    try file.write(Array((text + "\n").utf8))
    try file.close()
    do throws(Errno) {
      try FileName.replace(path + ".new", path)
    } catch {
      throw CommandError("cannot write \(path): \(error)")
    }
  }
}

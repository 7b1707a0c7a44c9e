internal import RuleEngine

/// A file that a run writes from start to end, and can resume after a kill.
///
/// While the file is written, it has another name. The complete file replaces an existing file, so that no reader sees
/// half of it. The file is created or emptied when the first bytes are written. A pipe or a device is written directly.
final class OutputFile {
  // SAFETY: Views are written or hashed while the caller holds them. Tests: OutputFileTests,
  // KillTests.

  /// The state of a file in a checkpoint.
  struct State: Hashable {
    /// The bytes of the file.
    var bytes = XXH64.Stream()
    /// The uncompressed content of a compressed file; nil for an uncompressed file.
    var text: XXH64.Stream?
    /// The part of the content that is not in the file yet.
    var pending: [UInt8] = []

    /// Creates the state of an empty file.
    init(isCompressed: Bool = false) { text = isCompressed ? XXH64.Stream() : nil }
  }

  let path: String
  private let place: FilePlace
  /// The name of the file until it is complete; nil for a pipe or a device.
  let partial: String?
  /// The first bytes of the file.
  private let header: [UInt8]
  private var file: FileDescriptor?
  /// Whether the unfinished file belongs to this run.
  private var hasBegun: Bool
  /// The bytes of the file, hashed while writing.
  private(set) var hash: XXH64.Stream
  /// The uncompressed content of a compressed file; nil for an uncompressed file.
  private(set) var textHash: XXH64.Stream?
  private let compressed: CompressedOutput?
  /// The reserved size on disk; nil if reservation does not work.
  private var reserved: Int?

  /// The number of bytes to reserve ahead of writing. Files shorter than an eighth of this size get no reservation.
  private static let reserve = 64 << 20

  /// The number of bytes written.
  var count: Int { hash.count }

  /// Whether the output is a regular file, not a pipe or a device.
  var isKept: Bool { partial != nil }

  /// The name of a file until it is complete; nil for a pipe or a device.
  static func partial(of place: FilePlace) -> String? {
    place.hasNeighbours ? place.target + ".partial" : nil
  }

  var state: State {
    var state = State()
    state.bytes = hash
    state.text = textHash
    state.pending = compressed?.pending ?? []
    return state
  }

  /// - Parameters:
  ///   - path: `-` is standard output.
  ///   - state: the state of the file after an earlier start of the run. Later content is dropped.
  init(
    _ path: String, _ compression: Compression? = nil, header: [UInt8] = [],
    after state: State? = nil
  ) throws {
    let isCompressed = compression != nil
    let state = state ?? State(isCompressed: isCompressed)
    guard isCompressed == (state.text != nil) else {
      let (now, then) = isCompressed ? ("is", "was not") : ("is not", "was")
      throw CommandError(
        "\(path) \(now) to be compressed, but its unfinished file \(then); "
          + "run again without --resume")
    }
    self.path = path
    self.header = header
    place = path == "-" ? FilePlace(open: 1, "standard output") : FilePlace(path)
    partial = OutputFile.partial(of: place)
    hash = state.bytes
    textHash = state.text
    compressed = try compression.map { try CompressedOutput($0, pending: state.pending) }
    reserved = place.hasNeighbours ? hash.count : nil
    hasBegun = hash.count > 0 || !state.pending.isEmpty
    guard let partial else {
      // A reader may be waiting at the other end of a pipe, and opening it early is harmless.
      file = try FileDescriptor.open(writing: place)
      return
    }
    if hasBegun {
      file = try continued(partial)
    } else if FilePlace(partial).kind == .file {
      file = try claimed(partial)
    }
  }

  private func continued(_ partial: String) throws -> FileDescriptor {
    try takeBack(partial)
    let size = FileIdentity.regularSize(of: partial)
    guard hash.count == 0 || size ?? 0 >= hash.count else {
      throw CommandError(
        "\(partial) \(size.map { "has \(counted($0, "byte"))" } ?? "is gone"), and its checkpoint "
          + "counts \(grouped(hash.count)): it was changed; run again without --resume")
    }
    let file = try claimed(partial)
    do throws(Errno) {
      try file.resize(to: hash.count)
      try file.seek(to: hash.count)
      return file
    } catch {
      throw CommandError.cannotWrite(path, error)
    }
  }

  /// If a kill happened between renaming the file and the end of the run, the file becomes the unfinished file again.
  /// An older file of this name does not begin with the same bytes.
  private func takeBack(_ partial: String) throws {
    guard hash.count > 0, !FileIdentity.exists(partial),
      FileIdentity.regularSize(of: place.target) ?? 0 >= hash.count
    else { return }
    var beginning = XXH64.Stream()
    var left = hash.count
    try InputFile(place.target).forEachBlock { block in
      beginning.add(UnsafeRawBufferPointer(rebasing: block.prefix(left)))
      left -= min(left, block.count)
    }
    guard beginning == hash else { return }
    do throws(Errno) {
      try FileName.replace(place.target, partial)
    } catch {
      throw CommandError.cannotWrite(partial, error)
    }
  }

  /// Opens or creates a regular file, and locks it against other runs under any name. The contents of the file stay
  /// unchanged.
  private func claimed(_ partial: String) throws -> FileDescriptor {
    let file: FileDescriptor
    do throws(Errno) {
      file = try FileDescriptor.open(partial, O_WRONLY | O_CREAT | O_NOFOLLOW)
    } catch {
      throw CommandError.cannotWrite(partial, error)
    }
    guard FileLock.take(file) else {
      try? file.close()
      throw FileLock.isTaken(path)
    }
    return file
  }

  /// Whether the unfinished file is still in its place, and was not removed or replaced.
  var isInPlace: Bool {
    guard let partial, let file else { return true }
    return FilePlace(open: file.rawValue, path).identity == FilePlace(partial).identity
  }

  deinit {
    guard let file, file != .standardOutput else { return }
    if isKept { FileLock.giveBack(file) }
    try? file.close()
  }

  func write(_ text: UnsafeRawBufferPointer) throws {
    if !hasBegun { try begin() }
    try add(text)
  }

  func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

  /// Empties the file and writes the header.
  private func begin() throws {
    hasBegun = true
    if let partial {
      if file == nil || !isInPlace {
        try? file?.close()
        file = try claimed(partial)
      }
      // Only users that may read the final file may read the unfinished file.
      SavedFile.takeOver(place, partial)
      do throws(Errno) {
        // ext4 flushes a file on close if it was ever truncated, even from zero to zero bytes.
        if let file, FileIdentity.regularSize(of: file) != 0 { try file.resize(to: 0) }
      } catch {
        throw CommandError.cannotWrite(path, error)
      }
    }
    try header.withUnsafeBytes { try add($0) }
  }

  private func add(_ text: UnsafeRawBufferPointer) throws {
    guard let compressed else { return try put(text) }
    textHash?.add(text)
    try compressed.add(text) { try put($0) }
  }

  private func put(_ bytes: UnsafeRawBufferPointer) throws {
    guard let file else { return }
    reserveRoom(for: bytes.count, file)
    do {
      try file.writeWhole(bytes)
    } catch {
      throw CommandError.cannotWrite(path == "-" ? "standard output" : path, error)
    }
    if isKept { hash.add(bytes) }
  }

  private func reserveRoom(for bytes: Int, _ file: FileDescriptor) {
    guard count >= OutputFile.reserve / 8, let end = reserved, count + bytes > end else { return }
    let start = max(end, count)
    let isDone = DiskSpace.reserve(file, from: start, count: bytes + OutputFile.reserve)
    reserved = isDone ? start + bytes + OutputFile.reserve : nil
  }

  /// Completes the file, under its current name. A file without output contains only its header.
  func close() throws {
    if !hasBegun { try begin() }
    try compressed?.finish(isEmpty: textHash?.count == 0) { try put($0) }
    guard let file else { return }
    guard isInPlace else {
      throw CommandError(
        "\(partial ?? path) was removed or replaced during the run; run again",
        exitCode: Ending.unwritten)
    }
    self.file = nil
    do throws(Errno) {
      if let reserved, reserved > count { try file.resize(to: count) }
      if isKept { FileLock.giveBack(file) }
      if file != .standardOutput { try file.close() }
    } catch {
      throw CommandError.cannotWrite(path, error)
    }
  }

  /// Gives the complete file its name, replacing an existing file.
  func takePlace() throws {
    guard let partial else { return }
    do throws(Errno) {
      try FileName.replace(partial, place.target)
    } catch {
      throw CommandError.cannotWrite(path, error)
    }
  }
}

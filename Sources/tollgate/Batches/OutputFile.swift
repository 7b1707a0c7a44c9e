internal import RuleEngine

/// A file that a run writes from its beginning to its end, and can continue after a kill.
///
/// While it is written it has another name, and takes the place of what is there when it is complete:
/// nobody finds half of it. It is made, or emptied, when the first text comes. What is no file but a
/// pipe or a device gets the text at once.
final class OutputFile {
  // SAFETY: Views are written or hashed while the caller holds them. Tests: OutputFileTests,
  // KillTests.

  /// What a file holds, as a checkpoint keeps it.
  struct State: Hashable {
    /// The bytes of the file.
    var bytes = XXH64.Stream()
    /// The text of a compressed file; nil for one that is not.
    var text: XXH64.Stream?
    /// What of the text is not in the file yet.
    var pending: [UInt8] = []

    /// An empty file.
    init(isCompressed: Bool = false) { text = isCompressed ? XXH64.Stream() : nil }
  }

  let path: String
  private let place: FilePlace
  /// The name of the file until it is complete; nil for a pipe or a device.
  let partial: String?
  /// What the file begins with.
  private let header: [UInt8]
  private var file: FileDescriptor?
  /// Whether the unfinished file is this run's, and not what another one has left.
  private var hasBegun: Bool
  /// The bytes of the file, hashed as they went by.
  private(set) var hash: XXH64.Stream
  /// The text in a compressed file; nil for one that is not.
  private(set) var textHash: XXH64.Stream?
  private let compressed: CompressedOutput?
  /// Bytes for which there is room on disk, as far as it was asked for; nil when asking is of no use.
  private var reserved: Int?

  /// How far ahead of what is written room is asked for, in bytes. A file that is shorter than an
  /// eighth of it does without.
  private static let reserve = 64 << 20

  /// Bytes that were written.
  var count: Int { hash.count }

  /// Whether it is a file that stays, and no pipe or device.
  var isKept: Bool { partial != nil }

  /// The name that a file has until it is complete; nil for what is no file.
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
  ///   - state: what an earlier start of the run has left in the file; what follows there is dropped.
  init(
    _ path: String, _ compression: Compression? = nil, header: [UInt8] = [],
    after state: State? = nil
  ) throws {
    let isCompressed = compression != nil
    let state = state ?? State(isCompressed: isCompressed)
    guard isCompressed == (state.text != nil) else {
      let (now, then) = isCompressed ? ("is", "was not") : ("is not", "was")
      throw CommandError(
        "\(path) \(now) to be compressed, and what the run wrote before \(then); "
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
      // Somebody may wait at the other end of a pipe, and nothing is lost in one.
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

  /// A kill may come when the file has its name already and the run is not over: then it is the
  /// unfinished one again. An older file under the name does not begin with the same bytes.
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

  /// Opens a file that stays, or makes one, and keeps other runs from writing it under whatever name.
  /// What it holds is as it was.
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

  /// Whether the unfinished file is where it was made: somebody may have removed it, or put another one
  /// in its place.
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
      // What others may not read they may not read while it is written.
      SavedFile.takeOver(place, partial)
      do throws(Errno) {
        // ext4 writes a file out when it is closed if it was ever cut, even from nothing to nothing.
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

  /// Completes the file, which keeps its name for the time being. One to which nothing was written is
  /// empty then, but for its header.
  func close() throws {
    if !hasBegun { try begin() }
    try compressed?.finish(isEmpty: textHash?.count == 0) { try put($0) }
    guard let file else { return }
    guard isInPlace else {
      throw CommandError(
        "\(partial ?? path) was removed or replaced while it was written; run again",
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

  /// Gives the complete file its name, in place of what has it.
  func takePlace() throws {
    guard let partial else { return }
    do throws(Errno) {
      try FileName.replace(partial, place.target)
    } catch {
      throw CommandError.cannotWrite(path, error)
    }
  }
}

extension FileDescriptor {
  /// Opens a file for writing, to which nothing was written yet. What is open already is written
  /// behind what it holds.
  static func open(writing place: FilePlace) throws -> FileDescriptor {
    do throws(Errno) {
      if let number = place.descriptor {
        return number == 1 ? .standardOutput : try FileDescriptor(rawValue: number).duplicate()
      }
      return try open(place.target, O_WRONLY | O_CREAT | O_TRUNC)
    } catch {
      throw CommandError.cannotWrite(place.path, error)
    }
  }
}

/// Files that are written as a whole.
enum SavedFile {
  /// Writes a file in place of what is there. Whoever reads it finds the old content or the new one,
  /// and so it is left when the disk is full.
  ///
  /// - Parameters:
  ///   - path: `-` is standard output; a pipe or a device is written to.
  ///   - scratch: where the new file is until it is complete; nil for a name that nobody has.
  static func write(_ bytes: [UInt8], to path: String, scratch: String? = nil) throws {
    let place = path == "-" ? FilePlace(open: 1, "standard output") : FilePlace(path)
    try place.checkWritable("the file to write")
    guard place.hasNeighbours else { return try pour(bytes, into: place) }
    let new = scratch ?? self.scratch(for: place)
    do throws(Errno) {
      let file = try FileDescriptor.open(
        new, O_WRONLY | O_CREAT | (scratch == nil ? O_EXCL : O_TRUNC | O_NOFOLLOW))
      do {
        defer { try? file.close() }
        try file.writeWhole(bytes)
        // A new name for what is not on the disk yet may be all that a loss of power leaves.
        if scratch == nil { fsync(file.rawValue) }
      }
      takeOver(place, new)
      try FileName.replace(new, place.target)
    } catch {
      if error != .fileExists { FileName.remove(new) }
      throw CommandError.cannotWrite(path, error)
    }
  }

  /// A name beside a file that no other process has.
  static func scratch(for place: FilePlace) -> String { "\(place.target).\(getpid()).new" }

  private static func pour(_ bytes: [UInt8], into place: FilePlace) throws {
    let file = try FileDescriptor.open(writing: place)
    defer { if file != .standardOutput { try? file.close() } }
    do {
      try file.writeWhole(bytes)
    } catch {
      throw CommandError.cannotWrite(place.path, error)
    }
  }

  /// Gives a new file the owner and the permissions of the one that it replaces.
  static func takeOver(_ place: FilePlace, _ new: String) {
    var status = stat()
    guard place.kind == .file, stat(place.target, &status) == 0 else { return }
    _ = chown(new, status.st_uid, status.st_gid)
    _ = chmod(new, status.st_mode & 0o7777)
  }
}

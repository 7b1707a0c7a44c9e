extension FileDescriptor {
  /// Opens an empty file for writing. A file that is already open is appended to.
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

/// Writes whole files.
enum SavedFile {
  /// Replaces a file atomically. Readers see either the old or the new content, even when the disk is full.
  ///
  /// - Parameters:
  ///   - path: `-` is standard output. A pipe or a device is written directly.
  ///   - scratch: the temporary path of the new file; nil for an unused name.
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
        // Without this flush, a power failure could leave the new name without the content.
        if scratch == nil { fsync(file.rawValue) }
      }
      takeOver(place, new)
      try FileName.replace(new, place.target)
    } catch {
      if error != .fileExists { FileName.remove(new) }
      throw CommandError.cannotWrite(path, error)
    }
  }

  /// A name that no other process uses, next to a file.
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

  /// Gives a new file the owner and the permissions of the file that it replaces.
  static func takeOver(_ place: FilePlace, _ new: String) {
    var status = stat()
    guard place.kind == .file, stat(place.target, &status) == 0 else { return }
    _ = chown(new, status.st_uid, status.st_gid)
    _ = chmod(new, status.st_mode & 0o7777)
  }
}

/// Locks a file against other processes, until it is released or the process ends in any way.
///
/// The lock is on an empty lock file next to the file, because the file itself may be missing, or may be replaced. Only
/// the system's lock counts, not the existence of the lock file, so a lock file that a kill has left is harmless.
final class FileLock {
  private let path: String
  private let file: Int32

  /// The name of the lock file of another file.
  static func path(for place: FilePlace) -> String { place.target + ".running" }

  /// - Returns: nil if the file system supports no locks, or no new files.
  /// - Throws: when another process has the lock, or the existing file is not a lock.
  init?(_ place: FilePlace) throws {
    path = FileLock.path(for: place)
    while true {
      let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
      guard file >= 0 else { return nil }
      if flock(file, LOCK_EX | LOCK_NB) != 0 {
        let isHeld = errno == EWOULDBLOCK
        close(file)
        guard isHeld else { return nil }
        throw FileLock.isTaken(place.path)
      }
      var (opened, named) = (stat(), stat())
      let isThere = fstat(file, &opened) == 0 && stat(path, &named) == 0
      // A lock file is empty, and is removed in the end.
      guard opened.st_size == 0, opened.st_mode & S_IFMT == S_IFREG else {
        close(file)
        throw CommandError(
          "\(path) exists, but is needed as a lock; move it, or choose another name for \(place.path)"
        )
      }
      // The previous owner may have removed the lock file after it was opened here.
      if isThere, opened.st_ino == named.st_ino, opened.st_dev == named.st_dev {
        self.file = file
        return
      }
      close(file)
    }
  }

  /// Locks an open file against other processes, under any name, until it is closed.
  ///
  /// - Returns: whether no other process writes the file, as far as the file system reports.
  static func take(_ file: FileDescriptor) -> Bool {
    flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }

  /// Unlocks a file, even if a process that is just starting also has it open.
  static func giveBack(_ file: FileDescriptor) { flock(file.rawValue, LOCK_UN) }

  static func isTaken(_ path: String) -> CommandError {
    CommandError(
      "another run of tollgate is writing \(path); wait for it to finish, or choose another file")
  }

  /// Unlocks the file. Does nothing the second time.
  func release() {
    guard !isReleased else { return }
    isReleased = true
    // While the lock file is locked, no other process can take it, so this removes our own lock file.
    unlink(path)
    close(file)
  }

  private var isReleased = false

  deinit { release() }
}

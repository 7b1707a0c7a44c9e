/// Keeps other processes from writing a file, until it is released or the process ends, however it
/// ends.
///
/// The lock is on an empty file beside it: the file itself may not be there yet, or is replaced. What
/// tells is the system's lock and never that the file is there, so that one that a kill has left is no
/// obstacle.
final class FileLock {
  private let path: String
  private let file: Int32

  /// The name of the file that is locked for another one.
  static func path(for place: FilePlace) -> String { place.target + ".running" }

  /// - Returns: nil where the file system has no locks, or takes no files.
  /// - Throws: when another process has the lock, or what is there is no lock.
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
      // A lock holds nothing, and is removed in the end.
      guard opened.st_size == 0, opened.st_mode & S_IFMT == S_IFREG else {
        close(file)
        throw CommandError(
          "\(path) is in the way of a lock; move it, or choose another name for \(place.path)")
      }
      // Whoever had it may have removed the file after it was opened here.
      if isThere, opened.st_ino == named.st_ino, opened.st_dev == named.st_dev {
        self.file = file
        return
      }
      close(file)
    }
  }

  /// Keeps other processes from writing a file that is open, whatever they call it, until it is
  /// closed.
  ///
  /// - Returns: whether no other one writes it, as far as the file system tells.
  static func take(_ file: FileDescriptor) -> Bool {
    flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }

  /// Lets others write a file, also where a process that begins at this moment has it open as well.
  static func giveBack(_ file: FileDescriptor) { flock(file.rawValue, LOCK_UN) }

  static func isTaken(_ path: String) -> CommandError {
    CommandError(
      "another run of tollgate is writing \(path); wait for it to finish, or choose another file")
  }

  /// Lets others write. Does nothing the second time.
  func release() {
    guard !isReleased else { return }
    isReleased = true
    // As long as it is locked nobody else can take it, so what is removed is this one.
    unlink(path)
    close(file)
  }

  private var isReleased = false

  deinit { release() }
}

/// The target of a path, under any name: an existing file, or a name in a folder.
struct FilePlace {
  enum Kind {
    case file
    case folder
    /// A connection between processes: a pipe, a terminal, a device.
    case stream
    /// A device that accepts or returns anything, such as `/dev/null`.
    case device
    case missing
  }

  /// Two paths to one file have the same identity.
  enum Identity: Hashable {
    case node(device: UInt64, number: UInt64)
    case name(folder: [UInt64], name: String)
    /// A name in a folder that does not exist.
    case nowhere(String)
  }

  let path: String
  let kind: Kind
  let identity: Identity
  /// The path without links at its end.
  let target: String
  /// The number of an open file, if the path names one.
  let descriptor: Int32?
  /// For a missing file, whether its folder exists.
  let hasFolder: Bool

  /// The number of an open file, if a path names one: `/dev/stdout`, `/dev/fd/63`. Opening such a
  /// path would start at the beginning of the file, unlike using the file that is already open.
  private static func descriptor(_ path: String) -> Int32? {
    let names: [String: Int32] = ["/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2]
    if let number = names[path] { return number }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      return Int32(path.dropFirst(folder.count))
    }
    return nil
  }

  init(_ path: String) {
    let target = FilePlace.followed(path)
    if let number = FilePlace.descriptor(target) {
      self.init(open: number, path)
      return
    }
    var status = stat()
    if stat(target, &status) == 0 {
      self.init(path: path, target: target, status)
      return
    }
    let (folder, name) = FilePlace.parts(target)
    let hasFolder = stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    let identity =
      hasFolder
      ? Identity.name(folder: [UInt64(status.st_dev), UInt64(status.st_ino)], name: name)
      : .nowhere(path)
    self.init(
      path: path, kind: .missing, identity: identity, target: target, descriptor: nil,
      hasFolder: hasFolder)
  }

  /// The open file with a number, such as 1 for standard output.
  init(open number: Int32, _ path: String) {
    var status = stat()
    if fstat(number, &status) == 0 {
      self.init(path: path, target: path, descriptor: number, status)
    } else {
      self.init(
        path: path, kind: .missing, identity: .nowhere(path), target: path, descriptor: number,
        hasFolder: true)
    }
  }

  private init(path: String, target: String, descriptor: Int32? = nil, _ status: stat) {
    self.init(
      path: path, kind: FilePlace.kind(status),
      identity: .node(device: UInt64(status.st_dev), number: UInt64(status.st_ino)),
      target: target, descriptor: descriptor, hasFolder: true)
  }

  private init(
    path: String, kind: Kind, identity: Identity, target: String, descriptor: Int32?,
    hasFolder: Bool
  ) {
    self.path = path
    self.kind = kind
    self.identity = identity
    self.target = target
    self.descriptor = descriptor
    self.hasFolder = hasFolder
  }

  private static func kind(_ status: stat) -> Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    case S_IFCHR: .device
    default: .stream
    }
  }

  /// A path's folder and its last component, which is empty after a slash.
  static func parts(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.utf8.index(after: slash)...]))
  }

  /// Follows links at the end of a path, including links to missing files, which writing would create.
  private static func followed(_ path: String) -> String {
    var path = path
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    for _ in 0..<40 {
      if descriptor(path) != nil { return path }
      // SAFETY: `readlink` gets the buffer's size, and only the bytes that it returns are used.
      // Tests: FileUsesTests, UnusualOutputTests.
      let count = buffer.withUnsafeMutableBytes {
        $0.withMemoryRebound(to: CChar.self) { readlink(path, $0.baseAddress!, $0.count) }
      }
      guard count > 0 else { return path }
      let target = String(decoding: buffer[..<count], as: UTF8.self)
      let isBeside = path.utf8.contains(UInt8(ascii: "/")) && !target.hasPrefix("/")
      path = isBeside ? parts(path).folder + "/" + target : target
    }
    return path
  }

  // MARK: Writing

  /// Throws when a file cannot be written here, as far as this can be known without writing.
  ///
  /// - Parameter option: the option that named the path.
  func checkWritable(_ option: String) throws {
    func refuse(_ reason: String) -> CommandError {
      CommandError("cannot write \(path): \(reason)", exitCode: Ending.unwritten)
    }
    if path.isEmpty { throw CommandError("\(option) is empty: name a file") }
    switch kind {
    case .folder: throw refuse("it is a folder")
    case .missing:
      if descriptor != nil { throw refuse("no file is open there") }
      let (folder, name) = FilePlace.parts(target)
      guard hasFolder else { throw refuse("there is no folder \(folder)") }
      if name.isEmpty { throw refuse("it is a folder") }
      if access(folder, W_OK | X_OK) != 0 { throw refuse(String(cString: strerror(errno))) }
    case .file, .stream, .device:
      guard descriptor == nil else { return }
      if access(target, W_OK) != 0 { throw refuse(String(cString: strerror(errno))) }
    }
  }

  /// Whether files may be created next to the target, because the target is or becomes a regular file.
  var hasNeighbours: Bool {
    descriptor == nil && (kind == .file || kind == .missing)
  }

  /// Whether two names that differ only in case or composition are the same on this file system. Only the file system
  /// knows, so one of the names is created temporarily.
  func isSameName(as other: FilePlace) -> Bool {
    guard case .name(let folder, let name) = identity,
      case .name(folder, let otherName) = other.identity,
      // Strings compare by their normal form, regardless of composition.
      name.lowercased() == otherName.lowercased()
    else { return false }
    let file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    defer {
      close(file)
      unlink(target)
    }
    var status = stat()
    return stat(other.target, &status) == 0
  }
}

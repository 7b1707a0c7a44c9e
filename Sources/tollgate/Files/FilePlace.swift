/// What a path leads to, whatever it is called: a file that is there, or a name in a folder.
struct FilePlace {
  enum Kind {
    case file
    case folder
    /// Something between processes: a pipe, a terminal, a device.
    case stream
    /// A device that takes or gives anything, such as `/dev/null`.
    case device
    case missing
  }

  /// What is one file under two paths has one identity.
  enum Identity: Hashable {
    case node(device: UInt64, number: UInt64)
    case name(folder: [UInt64], name: String)
    /// A name in a folder that is not there either.
    case nowhere(String)
  }

  let path: String
  let kind: Kind
  let identity: Identity
  /// The path without links at its end.
  let target: String
  /// The number of an open file, where the path names one.
  let descriptor: Int32?
  /// For what is missing: whether its folder is there.
  let hasFolder: Bool

  /// The number of an open file, where a path names one: `/dev/stdout`, `/dev/fd/63`. To open such a
  /// path is to begin at its beginning, which is not the same as to use the file that is open.
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

  /// What is open under a number, such as 1 for standard output.
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

  /// A path's folder and its last part, which is empty behind a slash.
  static func parts(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.utf8.index(after: slash)...]))
  }

  /// Follows links at the end of a path, also to what is not there yet, which writing would make.
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

  /// Throws when a file cannot be written here, as far as that can be known without writing.
  ///
  /// - Parameter option: what named the path.
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

  /// Whether files may lie beside it: it is a file, or becomes one.
  var hasNeighbours: Bool {
    descriptor == nil && (kind == .file || kind == .missing)
  }

  /// Whether two names that differ in case or composition alone are one on this file system, which
  /// nobody knows but the file system: one of them is made for the moment.
  func isSameName(as other: FilePlace) -> Bool {
    guard case .name(let folder, let name) = identity,
      case .name(folder, let otherName) = other.identity,
      // Strings compare by what they mean, whatever their composition.
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

/// The folder for a new project. Either all of its files are written, or no file is written.
struct StarterFolder {
  let path: String
  let files: [Starter.File]

  /// The files and folders that this run has created, in order.
  private var made: [String] = []
  private var folders: [String] = []

  init(_ path: String, _ files: [Starter.File]) {
    // A name that begins with a dash would be an option in the printed commands.
    self.path = path.hasPrefix("-") ? "./" + path : path
    self.files = files
  }

  /// The prefix for names of files in this folder.
  var prefix: String {
    let trimmed = String(path.reversed().drop { $0 == "/" }.reversed())
    return trimmed == "." || trimmed == "./" ? "" : trimmed + "/"
  }

  /// Whether the folder is inside a git repository, and not its root.
  var isInsideRepository: Bool {
    if FileIdentity.exists(prefix + ".git") { return false }
    return (1...32).contains { depth in
      FileIdentity.exists(prefix + String(repeating: "../", count: depth) + ".git")
    }
  }

  /// Throws when the files cannot be written, or when some files exist and may not be replaced.
  func check(replaces: Bool) throws {
    if path.isEmpty {
      throw CommandError("the name of the folder is empty; '.' is the current folder")
    }
    try checkFolders()
    let taken = files.filter { FileIdentity.isTaken(prefix + $0.path) }
    let blocked = taken.filter { FileIdentity.isFolder(prefix + $0.path) }
    if let first = blocked.first {
      throw CommandError("\(prefix + first.path) is a folder; move it, or choose another folder")
    }
    guard !replaces, !taken.isEmpty else { return }
    let names = taken.map { prefix + $0.path }.joined(separator: ", ")
    throw CommandError(
      "\(names) \(taken.count == 1 ? "exists" : "exist") already, and nothing was written; "
        + "choose another folder, or add --force to replace \(taken.count == 1 ? "it" : "them")")
  }

  /// Throws when a required folder is not a folder.
  private func checkFolders() throws {
    for folder in [path] + files.flatMap({ Self.folders(of: $0) }).map({ prefix + $0 })
    where FileIdentity.isTaken(folder) && !FileIdentity.isFolder(folder) {
      throw CommandError("\(folder) is not a folder")
    }
  }

  /// The folders that contain a file, outermost first: `.github`, `.github/workflows`.
  private static func folders(of file: Starter.File) -> [String] {
    file.path.indices.filter { file.path[$0] == "/" }.map { String(file.path[..<$0]) }
  }

  /// Writes the files. If writing fails or is stopped, everything created so far is removed.
  mutating func write() throws {
    do {
      try makeFolders(path)
      for file in files {
        try Signals.check()
        for folder in Self.folders(of: file) { try makeFolders(prefix + folder) }
        let place = prefix + file.path
        let isNew = !FileIdentity.isTaken(place)
        try SavedFile.write(Array(file.text.utf8), to: place)
        if isNew { made.append(place) }
      }
      try Signals.check()
    } catch {
      undo()
      if var stop = error as? Signals.Stop {
        stop.message = "Stopped; new files were removed."
        throw stop
      }
      throw error
    }
  }

  /// Creates a folder and its missing parents.
  private mutating func makeFolders(_ path: String) throws {
    if path.isEmpty || FileIdentity.isFolder(path) { return }
    let trimmed = String(path.reversed().drop { $0 == "/" }.reversed())
    let (parent, _) = FilePlace.parts(trimmed)
    if parent != trimmed { try makeFolders(parent) }
    do throws(Errno) {
      try FileName.makeFolder(trimmed)
    } catch {
      if error == .fileExists, FileIdentity.isFolder(trimmed) { return }
      throw CommandError("cannot make the folder \(trimmed): \(error)", exitCode: Ending.unwritten)
    }
    folders.append(trimmed)
  }

  private func undo() {
    for file in made { FileName.remove(file) }
    // Folders with other contents stay.
    for folder in folders.reversed() { FileName.removeFolder(folder) }
  }
}

/// The folder that a beginning is written into: all of its files, or none of them.
struct StarterFolder {
  let path: String
  let files: [Starter.File]

  /// Files that this run has made, and folders, in their order. What was there before is not one of them.
  private var made: [String] = []
  private var folders: [String] = []

  init(_ path: String, _ files: [Starter.File]) {
    // A name that begins with a dash would be an option in what is told.
    self.path = path.hasPrefix("-") ? "./" + path : path
    self.files = files
  }

  /// What comes before the names of files in this folder.
  var prefix: String {
    let trimmed = String(path.reversed().drop { $0 == "/" }.reversed())
    return trimmed == "." || trimmed == "./" ? "" : trimmed + "/"
  }

  /// Whether the folder lies inside a repository of git, and is not its root.
  var isInsideRepository: Bool {
    if FileIdentity.exists(prefix + ".git") { return false }
    return (1...32).contains { depth in
      FileIdentity.exists(prefix + String(repeating: "../", count: depth) + ".git")
    }
  }

  /// Throws when the files cannot be written, or when some are there that may not be replaced.
  func check(replaces: Bool) throws {
    if path.isEmpty { throw CommandError("the folder has no name; '.' is the one you are in") }
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

  /// Throws when a folder that is needed is something else.
  private func checkFolders() throws {
    for folder in [path] + files.flatMap({ Self.folders(of: $0) }).map({ prefix + $0 })
    where FileIdentity.isTaken(folder) && !FileIdentity.isFolder(folder) {
      throw CommandError("\(folder) is not a folder")
    }
  }

  /// The folders that a file is in, outermost first: `.github`, `.github/workflows`.
  private static func folders(of file: Starter.File) -> [String] {
    file.path.indices.filter { file.path[$0] == "/" }.map { String(file.path[..<$0]) }
  }

  /// Writes the files. When that fails, or is stopped, what it made until then is removed.
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
        stop.message = "Stopped; new files are removed again."
        throw stop
      }
      throw error
    }
  }

  /// Makes a folder and those around it, as far as they are not there.
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
    // Those that hold anything else stay.
    for folder in folders.reversed() { FileName.removeFolder(folder) }
  }
}

/// Paths of files in the form for services that show findings next to the lines of a repository.
enum RepositoryPath {
  /// A path relative to the root of the repository: from `GITHUB_WORKSPACE` if the file is below that folder, otherwise
  /// from the current folder. A path that leads elsewhere stays unchanged.
  static func of(_ path: String) -> String {
    // A missing file has no place either, but its name still shows where it should be.
    guard path != "-", let file = place(path) else { return path }
    for root in [workspace, resolved(".")] {
      guard let root else { continue }
      let prefix = root.hasSuffix("/") ? root : root + "/"
      if file.utf8.starts(with: prefix.utf8) {
        return String(decoding: file.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
      }
    }
    return path
  }

  /// The folder where a workflow of GitHub Actions has checked out the repository.
  private static var workspace: String? {
    getenv("GITHUB_WORKSPACE").map { String(cString: $0) }
      .flatMap { $0.hasPrefix("/") ? resolved($0) : nil }
  }

  /// The file with links among its folders resolved. The file itself may be a link, because a
  /// repository knows it by the name of the link.
  private static func place(_ path: String) -> String? {
    let (folder, name) = FilePlace.parts(path)
    guard !name.isEmpty, let parent = resolved(folder) else { return nil }
    return (parent.hasSuffix("/") ? parent : parent + "/") + name
  }

  private static func resolved(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}

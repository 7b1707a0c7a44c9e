/// Paths of files as services name them that show findings beside the lines of a repository.
enum RepositoryPath {
  /// A path from the root of the repository: from `GITHUB_WORKSPACE` where the file lies below it, else
  /// from the current folder; one that leads elsewhere stays as it is given.
  static func of(_ path: String) -> String {
    // A file that is not there has no place either; its name still says where it should be.
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

  /// The folder that a workflow of GitHub Actions has checked the repository out to.
  private static var workspace: String? {
    getenv("GITHUB_WORKSPACE").map { String(cString: $0) }
      .flatMap { $0.hasPrefix("/") ? resolved($0) : nil }
  }

  /// The file without links among its folders. The file itself may be a link: a repository knows it by
  /// the name of the link.
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

/// The files that a command reads and writes, with the options that name them. Writing empties a
/// file, so an output must differ from all other files.
struct FileUses {
  private struct Use {
    var name: String
    var place: FilePlace
    var isWritten: Bool
    /// Whether the file is a standard stream that was not named.
    var isImplied = false
  }

  private var uses: [Use] = [
    Use(
      name: "standard output", place: FilePlace(open: 1, "standard output"), isWritten: true,
      isImplied: true),
    Use(
      name: "standard error", place: FilePlace(open: 2, "standard error"), isWritten: true,
      isImplied: true),
  ]

  /// - Parameters:
  ///   - name: the option, or the description of an argument: `--users`, `the config`.
  ///   - path: `-` is standard input.
  mutating func reads(_ name: String, _ path: String?) {
    guard let path else { return }
    let place = path == "-" ? FilePlace(open: 0, "standard input") : FilePlace(path)
    uses.append(Use(name: name, place: place, isWritten: false))
  }

  /// - Parameter path: `-` is standard output.
  mutating func writes(_ name: String, _ path: String?) {
    guard let path else { return }
    let place = path == "-" ? FilePlace(open: 1, "standard output") : FilePlace(path)
    uses.append(Use(name: name, place: place, isWritten: true))
  }

  /// Throws when a written file is the same as another file, or when a stream that can be read only once is read twice.
  func check() throws {
    for (number, use) in uses.enumerated() {
      for other in uses[..<number] where FileUses.collide(use, other) {
        let (a, b) = (other.place.path, use.place.path)
        guard other.isWritten || use.isWritten else {
          throw CommandError("\(a) can be read only once")
        }
        throw CommandError(
          "\(other.name) and \(use.name) are the same file: " + (a == b ? a : "\(a) and \(b)"))
      }
    }
  }

  private static func collide(_ a: Use, _ b: Use) -> Bool {
    guard a.place.identity == b.place.identity || a.place.isSameName(as: b.place) else {
      return false
    }
    let areOpen = a.place.descriptor != nil && b.place.descriptor != nil
    if !a.isWritten, !b.isWritten { return areOpen || a.place.kind == .stream }
    let isImplied = a.isImplied || b.isImplied
    switch a.place.kind {
    case .file, .folder, .missing:
      // Messages and outcomes may share a file that is already open, because nothing is
      // overwritten.
      return !(isImplied && areOpen && a.isWritten && b.isWritten)
    case .stream: return a.isWritten && b.isWritten && !isImplied
    case .device: return false
    }
  }
}

internal import RuleEngine

/// Tells how many users have been read, of files that are read for something else than to decide all.
struct ReadingProgress {
  private var line: ProgressLine
  private let verb: String
  private let paths: [String]

  /// - Parameter verb: what becomes of users: `read`.
  init(_ verb: String, _ paths: [String], isQuiet: Bool) {
    self.verb = verb
    self.paths = paths
    line = ProgressLine(isQuiet: isQuiet)
  }

  /// - Parameter part: what was worked off last.
  mutating func update(_ users: Int, _ part: InputPart) {
    guard line.isDue() else { return }
    let rate = grouped(Int(Double(users) / line.seconds))
    line.show("\(share(part))\(counted(users, "user")) \(verb), \(rate) per second")
  }

  /// How much of the files has been read; nothing where one of them is a pipe, which must not be opened
  /// twice, or compressed, so that nobody knows.
  private func share(_ part: InputPart) -> String {
    var (before, all) = (0, 0)
    for (number, path) in paths.enumerated() {
      guard path != "-", let size = FileIdentity.regularSize(of: path),
        let file = try? InputFile(path), (try? file.isCompressed()) == false
      else { return "" }
      if number < part.file { before += size }
      all += size
    }
    return all > 0 ? "\(min((before + part.end) * 100 / all, 100)) %, " : ""
  }

  mutating func interrupt() { line.interrupt() }
}

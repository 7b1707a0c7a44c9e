internal import RuleEngine

/// Reports the number of users read, for commands that do not decide all of them.
struct ReadingProgress {
  private var line: ProgressLine
  private let verb: String
  private let paths: [String]

  /// - Parameter verb: the action, such as `read`.
  init(_ verb: String, _ paths: [String], isQuiet: Bool) {
    self.verb = verb
    self.paths = paths
    line = ProgressLine(isQuiet: isQuiet)
  }

  /// - Parameter part: the last part that was processed.
  mutating func update(_ users: Int, _ part: InputPart) {
    guard line.isDue() else { return }
    let rate = grouped(Int(Double(users) / line.seconds))
    line.show("\(share(part))\(counted(users, "user")) \(verb), \(rate) per second")
  }

  /// The share of the files that has been read. Empty if the share is unknown because a file is compressed or is a
  /// pipe, which must not be opened twice.
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

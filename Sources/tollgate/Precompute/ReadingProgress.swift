internal import RuleEngine

/// Tells how many users have been read, of files that are read for something else than to decide all.
struct ReadingProgress {
  private var line: ProgressLine
  private let verb: String
  /// Bytes of all files; nil where one of them is no plain file.
  private let total: Int?
  private let sizes: [Int]

  /// - Parameter verb: what becomes of users: `read`.
  init(_ verb: String, _ paths: [String], isQuiet: Bool) {
    self.verb = verb
    line = ProgressLine(isQuiet: isQuiet)
    let known = paths.map { path -> Int? in
      guard path != "-", let file = try? InputFile(path), (try? file.isCompressed()) == false else {
        return nil
      }
      return file.size
    }
    sizes = known.map { $0 ?? 0 }
    total = known.contains(nil) ? nil : sizes.reduce(0, +)
  }

  /// - Parameter part: what was worked off last.
  mutating func update(_ users: Int, _ part: InputPart) {
    guard line.isDue() else { return }
    let done = sizes.prefix(part.file).reduce(0, +) + part.end
    let share = total.map { $0 > 0 ? "\(min(done * 100 / $0, 100)) %, " : "" } ?? ""
    let rate = grouped(Int(Double(users) / line.seconds))
    line.show("\(share)\(counted(users, "user")) \(verb), \(rate) per second")
  }

  mutating func interrupt() { line.interrupt() }
}

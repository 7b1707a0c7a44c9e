internal import Expressions

extension UserInput {
  /// The maximum length of a CSV header in bytes.
  private static let longestHeader = 1 << 20

  /// The files that paths and patterns name. Checks that each file is readable, as far as this is possible without
  /// reading a pipe, so that a missing file is reported before any other file is processed.
  static func paths(_ patterns: [String], form: UserForm?) throws -> [String] {
    var paths: [String] = []
    for pattern in patterns {
      if pattern.isEmpty { throw CommandError("--users is empty: name a file") }
      let found = FilePattern.paths(pattern)
      guard !found.isEmpty else { throw CommandError("no file matches \(pattern)") }
      paths += found
    }
    for path in paths where path != "-" {
      switch FilePlace(path).kind {
      case .stream, .device: continue
      case .file, .folder, .missing:
        _ = try UserInput([path], form: form, lineLimit: longestHeader)
      }
    }
    return paths
  }

  /// Throws when a file appears twice, under any names, because each of its users would be
  /// duplicated.
  static func checkOnce(_ paths: [String]) throws {
    var known: [FilePlace.Identity: String] = [:]
    for path in paths where path != "-" {
      let place = FilePlace(path)
      guard place.kind == .file else { continue }
      guard let other = known.updateValue(path, forKey: place.identity) else { continue }
      throw CommandError(
        DiagnosticText.visible(
          "--users names \(path) twice"
            + (other == path ? "" : ", also as \(other)")
            + ": all of its users would be decided and counted twice; name it once"))
    }
  }
}

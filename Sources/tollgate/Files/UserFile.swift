internal import Expressions
internal import RuleEngine

/// A file with one user record, read for a rule set.
enum UserFile {
  /// Calls with a frame that holds the user's attributes, and what else is known of them.
  static func read<Result>(
    _ path: String, for ruleSet: RuleSet, at clock: HistoryClock,
    _ body: (inout Frame, DecisionState) throws -> Result
  ) throws -> Result {
    let record = try FileText.read(path)
    var frame = Frame(for: ruleSet.program)
    var reader = UserRecordReader(ruleSet, at: clock)
    return try record.withUnsafeBufferPointer { bytes in
      do throws(UserRecordReader.Rejection) {
        try reader.read(bytes, into: &frame)
      } catch {
        let place = error.offset.map { offset in
          let position = SourcePosition(offset: offset, in: bytes)
          return " (line \(position.line), column \(position.column))"
        }
        throw CommandError("\(path): \(error.reason)\(place ?? "")")
      }
      return try body(&frame, reader.state(now: clock.now))
    }
  }
}

extension RuleSet {
  /// What to say of a placement that the config does not have.
  func hint(forPlacement name: String) -> String {
    let close = Suggestion.closest(to: name, among: placementNames)
    let hint =
      close.map { "did you mean '\($0)'?" }
      ?? (placementNames.isEmpty
        ? "it has none" : "it has " + placementNames.joined(separator: ", "))
    return "the config has no placement '\(name)'; \(hint)"
  }
}

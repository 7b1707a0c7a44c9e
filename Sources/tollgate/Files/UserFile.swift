internal import Expressions
internal import Requests
internal import RuleEngine

/// One user record, read for a rule set.
enum UserFile {
  /// Calls the body with a frame that contains the user's attributes, and the user's state. Reports
  /// oddities of the record on standard error.
  static func read<Result>(
    _ user: GivenUser, for ruleSet: RuleSet, at clock: HistoryClock, isQuiet: Bool = false,
    _ body: (inout Frame, DecisionState) throws -> Result
  ) throws -> Result {
    // SAFETY: The frame and the reader point into the array for as long as the closure runs.
    // Tests: DecidingCommandTests, EncodingTests.
    var frame = Frame(for: ruleSet.program)
    var reader = UserRecordReader(ruleSet, at: clock)
    return try user.bytes.withUnsafeBufferPointer { bytes in
      do throws(UserRecordReader.Rejection) {
        try reader.read(bytes, into: &frame)
      } catch {
        throw user.error(error)
      }
      tell(ruleSet.diagnostics(of: reader.notes, users: nil), isQuiet: isQuiet)
      return try body(&frame, reader.state(now: clock.now))
    }
  }

  /// Prints findings about records, one per line.
  ///
  /// - Parameter isQuiet: whether to omit notes.
  static func tell(_ found: [Diagnostic], isQuiet: Bool) {
    let notes = isQuiet ? found.filter { $0.severity != .note } : found
    let shown = 20
    for note in notes.prefix(shown) {
      FileText.printError(
        "\(note.severity.rawValue)[\(note.code.rawValue)]: \(note.message)"
          + (note.suggestion.map { "; \($0)" } ?? ""))
    }
    if notes.count > shown { FileText.printError("... and \(notes.count - shown) more like it") }
  }
}

extension ConfigFile {
  /// The hint for a placement that the config does not have.
  func hint(forPlacement name: String) -> String {
    let parts = name.split(separator: ",").map { String($0.drop { $0 == " " }) }
    if parts.count > 1, parts.allSatisfy({ ruleSet?.placement(named: $0) != nil }) {
      let options = parts.map { "--placement \($0)" }.joined(separator: " ")
      return DiagnosticText.visible("--placement takes one name; write \(options)")
    }
    return DiagnosticText.visible(
      ruleSet?.hint(forPlacement: name, in: config) ?? "the config has no placement '\(name)'")
  }
}

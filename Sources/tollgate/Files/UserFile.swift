internal import ArgumentParser
internal import Expressions
internal import RuleEngine

/// One user record, in a file or in place, read for a rule set.
enum UserFile {
  static let help = ArgumentHelp(
    "One user record, in a file or in place: {\"userId\", \"user\":{}, \"device\":{}, ...}.",
    discussion: "- reads standard input.", valueName: "file")

  /// Calls with a frame that holds the user's attributes, and what else is known of them. What is
  /// odd about the record is told on standard error.
  static func read<Result>(
    _ path: String, for ruleSet: RuleSet, at clock: HistoryClock,
    _ body: (inout Frame, DecisionState) throws -> Result
  ) throws -> Result {
    try read(try bytes(path), of: path, for: ruleSet, at: clock, body)
  }

  /// The same with the record's JSON, which `path` names in messages.
  static func read<Result>(
    _ record: [UInt8], of path: String, for ruleSet: RuleSet, at clock: HistoryClock,
    _ body: (inout Frame, DecisionState) throws -> Result
  ) throws -> Result {
    var frame = Frame(for: ruleSet.program)
    var reader = UserRecordReader(ruleSet, at: clock)
    return try record.withUnsafeBufferPointer { bytes in
      do throws(UserRecordReader.Rejection) {
        try reader.read(bytes, into: &frame)
      } catch {
        throw Self.error(error, in: bytes, path)
      }
      tell(ruleSet.diagnostics(of: reader.notes, countsUsers: false))
      return try body(&frame, reader.state(now: clock.now))
    }
  }

  /// The record's JSON.
  static func bytes(_ path: String) throws -> [UInt8] {
    if isInPlace(path) { return Array(path.utf8) }
    switch path.first(where: { !$0.isWhitespace }) {
    case nil:
      throw CommandError(
        "--user is empty: give a file, or a record in place, such as {\"userId\":\"u-1\"}")
    case "[" where !FileText.isFile(path):
      throw CommandError(
        "a user record is an object, {..}, and this is a list; give one element of it")
    default: return try FileText.read(path)
    }
  }

  private static func isInPlace(_ path: String) -> Bool {
    path.first { !$0.isWhitespace } == "{"
  }

  /// Why a record cannot be used, with its place.
  static func error(
    _ rejection: UserRecordReader.Rejection, in bytes: UnsafeBufferPointer<UInt8>, _ path: String
  ) -> CommandError {
    let name = isInPlace(path) ? "the user record" : path == "-" ? "standard input" : path
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    if first.count < bytes.count, UserRecordReader.problem(in: first) == nil {
      return CommandError("\(name) has several records, a line each; give one of them")
    }
    let place = rejection.offset.map { offset in
      let position = SourcePosition(offset: offset, in: bytes)
      return ":\(position.line):\(position.column)"
    }
    let hint = rejection.hint.map { "; \($0)" } ?? ""
    return CommandError("\(name)\(place ?? ""): \(DiagnosticText.visible(rejection.reason))\(hint)")
  }

  /// Prints what there is to say about records, a line each.
  static func tell(_ notes: [Diagnostic]) {
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
  /// What to say of a placement that the config does not have.
  func hint(forPlacement name: String) -> String {
    if let reason = config?.inactivePlacements.first(where: { $0.name == name })?.reason {
      return DiagnosticText.visible("the placement '\(name)' is not active: \(reason)")
    }
    let names = ruleSet?.placementNames ?? []
    let close = Suggestion.closest(to: name, among: names)
    let shown = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", ..." : "")
    let hint =
      close.map { "did you mean '\($0)'?" } ?? (names.isEmpty ? "it has none" : "it has \(shown)")
    return DiagnosticText.visible("the config has no placement '\(name)'; \(hint)")
  }
}

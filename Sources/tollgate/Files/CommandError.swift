/// The exit codes of all commands. README has a table of them.
enum Ending {
  static let done: Int32 = 0
  /// Findings, differences, failed tests, or a rule that does not compile.
  static let findings: Int32 = 1
  /// Wrong usage, and input that is unreadable or empty.
  static let wrongUse: Int32 = 2
  /// Everything is done, but lines were rejected in strict mode.
  static let refusedLines: Int32 = 3
  /// An internal error.
  static let ourFault: Int32 = 70
  /// Output could not be written.
  static let unwritten: Int32 = 74
  /// The reader has closed the output. Shells show this code for tools that SIGPIPE ends.
  static let closedPipe: Int32 = 141

  /// The code that shells show for a process that a signal has ended: 130 for SIGINT.
  static func signal(_ number: Int32) -> Int32 { 128 + number }
}

/// A failure that is reported to the user and ends the command with this exit code.
struct CommandError: Error, CustomStringConvertible {
  var description: String
  var exitCode: Int32

  init(_ description: String, exitCode: Int32 = Ending.wrongUse) {
    self.description = description
    self.exitCode = exitCode
  }
}

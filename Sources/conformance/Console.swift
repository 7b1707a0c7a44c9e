internal import ArgumentParser
internal import Expressions
internal import Foundation

/// The streams that commands read and write: the process's streams, or replacements in tests.
struct Console {
  var print: (String) -> Void
  var printError: (String) -> Void
  /// Reads the next line of the input. Returns nil at the end.
  var readLine: () -> String?
  /// Reads the rest of the input.
  var readAll: () -> [UInt8]

  /// The streams of the process. If standard output cannot be written, the process exits.
  static var standard: Console {
    Console(
      print: { text in
        do {
          try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
        } catch {
          tell("error: cannot write standard output: \(error.localizedDescription)")
          exit(Ending.unwritten)
        }
      },
      printError: { tell($0) }, readLine: { Swift.readLine() },
      readAll: { Array(FileHandle.standardInput.readDataToEndOfFile()) })
  }

  /// Prints a message on standard error. The message may quote the contents of files.
  private static func tell(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { DiagnosticText.visible(String($0)) + "\n" }
    try? FileHandle.standardError.write(contentsOf: Data(lines.joined().utf8))
  }
}

/// A command that reads and writes through a console.
protocol ConsoleCommand: ParsableCommand {
  func run(_ console: Console) throws
}

/// The exit codes, which are the same as for `tollgate`.
enum Ending {
  static let done: Int32 = 0
  /// A case failed, or the counts differ from the recorded counts.
  static let failed: Int32 = 1
  /// The arguments are wrong, or a file or line cannot be run.
  static let wrongUse: Int32 = 2
  /// Output could not be written.
  static let unwritten: Int32 = 74
}

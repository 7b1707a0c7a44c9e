internal import ArgumentParser
internal import Expressions
internal import Foundation

/// Where commands read and write: the process's streams, or what a test makes of them.
struct Console {
  var print: (String) -> Void
  var printError: (String) -> Void
  /// The next line of the input; nil at its end.
  var readLine: () -> String?
  /// All of the input that was not read yet.
  var readAll: () -> [UInt8]

  /// The streams of the process. Where standard output takes nothing, the process ends.
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

  /// Says something on standard error, which may quote what is in files.
  private static func tell(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { DiagnosticText.visible(String($0)) + "\n" }
    try? FileHandle.standardError.write(contentsOf: Data(lines.joined().utf8))
  }
}

/// A command that reads and writes by a console.
protocol ConsoleCommand: ParsableCommand {
  func run(_ console: Console) throws
}

/// The exit codes, those of `tollgate`.
enum Ending {
  static let done: Int32 = 0
  /// A case failed, or the counts are not the recorded ones.
  static let failed: Int32 = 1
  /// Wrong use, and files or lines that cannot be run.
  static let wrongUse: Int32 = 2
  /// Output could not be written.
  static let unwritten: Int32 = 74
}

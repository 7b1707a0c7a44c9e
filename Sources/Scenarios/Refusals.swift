internal import Expressions

/// Reports files and lines that cannot be run, as soon as they are found.
package struct Refusals {
  /// The maximum number of reported lines in one file.
  package static let shownLines = 20

  package private(set) var count = 0
  private var linesInFile = 0
  private let tell: (String) -> Void

  /// - Parameter tell: prints a line on standard error.
  package init(tell: @escaping (String) -> Void) { self.tell = tell }

  package var isEmpty: Bool { count == 0 }

  /// Reports a file or another problem, without a limit.
  package mutating func add(_ reason: String) {
    count += 1
    tell("error: \(reason)")
  }

  /// Reports a line of the current file, up to the limit.
  package mutating func add(line reason: String) {
    linesInFile += 1
    if linesInFile <= Self.shownLines { return add(reason) }
    count += 1
  }

  /// Prints the number of lines of a file that were not reported.
  package mutating func endFile(_ path: String) {
    let more = linesInFile - Self.shownLines
    if more > 0 {
      tell("error: \(more) more line\(more == 1 ? "" : "s") of \(path) cannot be run")
    }
    linesInFile = 0
  }

  /// The problem of a file that is one JSON value instead of one object per line; nil for other files.
  static func problem(inLinesOf bytes: [UInt8]) -> String? {
    let lines = bytes.split(separator: 0x0A).filter { !$0.allSatisfy { $0 <= 0x20 } }
    guard lines.count > 1, (try? Value.parse(json: lines[0])) == nil,
      (try? Value.parse(json: bytes)) != nil
    else { return nil }
    return "the file is one JSON value of \(lines.count) lines; write one object per line"
  }
}

internal import Expressions

/// What could not be run, told as it is found.
package struct Refusals {
  /// How many lines of one file are told.
  package static let shownLines = 20

  package private(set) var count = 0
  private var linesInFile = 0
  private let tell: (String) -> Void

  /// - Parameter tell: prints a line on standard error.
  package init(tell: @escaping (String) -> Void) { self.tell = tell }

  package var isEmpty: Bool { count == 0 }

  /// A file, or something else that is told in any case.
  package mutating func add(_ reason: String) {
    count += 1
    tell("error: \(reason)")
  }

  /// A line of the file that is being read.
  package mutating func add(line reason: String) {
    linesInFile += 1
    if linesInFile <= Self.shownLines { return add(reason) }
    count += 1
  }

  /// Tells how many lines of a file were not told.
  package mutating func endFile(_ path: String) {
    let more = linesInFile - Self.shownLines
    if more > 0 {
      tell("error: \(more) more line\(more == 1 ? "" : "s") of \(path) cannot be run")
    }
    linesInFile = 0
  }

  /// Why no line of a file will do: it is JSON as a whole, and not line by line.
  static func problem(inLinesOf bytes: [UInt8]) -> String? {
    let lines = bytes.split(separator: 0x0A).filter { !$0.allSatisfy { $0 <= 0x20 } }
    guard lines.count > 1, (try? Value.parse(json: lines[0])) == nil,
      (try? Value.parse(json: bytes)) != nil
    else { return nil }
    return "this is one JSON value of \(lines.count) lines; write one object per line"
  }
}

package import Expressions
internal import RuleEngine

/// The tests in a file, and the lines that are not tests. The file has a JSON object on each line, one JSON list, or an
/// object that names a table.
package struct RuleTestText {
  /// Reads the table that an object names; nil if tables are not supported.
  package typealias Table<Problem: Error> = (Value, _ place: String) throws(Problem) -> (
    tests: [PlacedTestCase], faults: [String]
  )

  package private(set) var tests: [PlacedTestCase] = []
  /// The parts of the file that cannot be run, each with its place and the reason.
  package private(set) var faults: [String] = []

  private let name: String
  private let timeZone: String

  /// - Parameters:
  ///   - name: the display name of the file.
  ///   - timeZone: the time zone of times without one.
  ///   - describe: returns the message for a table in a list that cannot be read.
  package init<Problem: Error>(
    _ bytes: [UInt8], name: String, timeZone: String, table: Table<Problem>?,
    describe: (Problem) -> String
  ) throws(Problem) {
    self.name = name
    self.timeZone = timeZone
    switch bytes.first(where: { $0 > 0x20 }) {
    case nil: faults.append("\(name) is empty: write one test per line, as a JSON object")
    case UInt8(ascii: "["): readList(bytes, table, describe)
    default:
      // A single object that spans several lines is the whole file.
      if let whole = try? Value.parse(json: bytes) {
        try read(whole, line: 1, table)
      } else {
        try readLines(bytes, table)
      }
    }
    if tests.isEmpty, faults.isEmpty { faults.append("\(name) has no tests") }
  }

  /// Reads a file that contains no tables.
  package init(_ bytes: [UInt8], name: String, timeZone: String) {
    let table: Table<Never>? = nil
    self.init(bytes, name: name, timeZone: timeZone, table: table, describe: Self.nothing)
  }

  private static func nothing<Problem>(_: Problem) -> String { "" }

  private mutating func readLines<Problem: Error>(
    _ bytes: [UInt8], _ table: Table<Problem>?
  ) throws(Problem) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
      let value: Value
      do throws(JSONFault) {
        value = try Value.parse(json: line)
      } catch {
        let position = SourcePosition(offset: error.offset, in: Array(line))
        let hint = error.hint(in: Array(line)).map { "; \($0)" } ?? ""
        faults.append("\(name):\(number + 1):\(position.column): \(error.message)\(hint)")
        continue
      }
      try read(value, line: number + 1, table)
    }
  }

  private mutating func readList<Problem: Error>(
    _ bytes: [UInt8], _ table: Table<Problem>?, _ describe: (Problem) -> String
  ) {
    // The lines are found first, because a parsed list does not know where its elements begin.
    let lines = ListElements.lines(bytes)
    let list: Value
    do throws(JSONFault) {
      list = try Value.parse(json: bytes)
    } catch {
      let position = SourcePosition(offset: error.offset, in: bytes)
      faults.append("\(name):\(position.line):\(position.column): \(error.message)")
      return
    }
    guard case .list(let elements) = list else { return }
    do throws(Problem) {
      for (element, line) in zip(elements, lines) { try read(element, line: line, table) }
    } catch {
      faults.append(describe(error))
    }
  }

  private mutating func read<Problem: Error>(
    _ value: Value, line: Int, _ table: Table<Problem>?
  ) throws(Problem) {
    let place = "\(name):\(line)"
    if let table, value["users"] != nil, value["userId"] == nil {
      let read = try table(value, place)
      tests += read.tests
      faults += read.faults
      return
    }
    do throws(RuleExpectation.Fault) {
      tests.append(
        PlacedTestCase(test: try RuleTestCase(value, timeZone: timeZone), file: name, line: line))
    } catch {
      faults.append("\(place): \(error.message)")
    }
  }
}

/// The elements of a JSON list in a file.
private enum ListElements {
  /// The number of the line at which each element begins, from 1.
  static func lines(_ bytes: [UInt8]) -> [Int] {
    var lines: [Int] = []
    var line = 1
    var depth = 0
    var isInText = false
    var at = 0
    var expects = false
    while at < bytes.count {
      let byte = bytes[at]
      if byte == UInt8(ascii: "\n") { line += 1 }
      if isInText {
        if byte == UInt8(ascii: "\\") { at += 1 }
        if byte == UInt8(ascii: "\"") { isInText = false }
      } else if byte > 0x20 {
        if expects, byte != UInt8(ascii: "]"), byte != UInt8(ascii: ",") {
          lines.append(line)
          expects = false
        }
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "["), UInt8(ascii: "{"):
          depth += 1
          if depth == 1 { expects = true }
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: ",") where depth == 1: expects = true
        default: break
        }
      }
      at += 1
    }
    return lines
  }
}

package import Expressions
internal import RuleEngine

/// The contents of a text with tests: tests, and invalid lines. It is one JSON object per line, one
/// JSON list, or an object that names a table.
package struct RuleTestText {
  /// Reads a table that an object at a place names; nil if tables are not supported.
  package typealias Table = (Value, _ place: String) throws -> (
    tests: [PlacedTestCase], faults: [String]
  )

  package private(set) var tests: [PlacedTestCase] = []
  /// The tests that cannot run, and why, with their places.
  package private(set) var faults: [String] = []

  private let name: String
  private let timeZone: String
  private let table: Table?

  /// - Parameters:
  ///   - name: the display name of the text.
  ///   - timeZone: the zone of times without one.
  package init(_ bytes: [UInt8], name: String, timeZone: String, table: Table? = nil) throws {
    self.name = name
    self.timeZone = timeZone
    self.table = table
    switch bytes.first(where: { $0 > 0x20 }) {
    case nil: faults.append("\(name) is empty: a test is a JSON object a line")
    case UInt8(ascii: "["): readList(bytes)
    default:
      // A single object over several lines is a whole file.
      if let whole = try? Value.parse(json: bytes) {
        try read(whole, line: 1)
      } else {
        try readLines(bytes)
      }
    }
    if tests.isEmpty, faults.isEmpty { faults.append("\(name) has no tests") }
  }

  private mutating func readLines(_ bytes: [UInt8]) throws {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
      do {
        try read(try Value.parse(json: line), line: number + 1)
      } catch let fault as JSONFault {
        let position = SourcePosition(offset: fault.offset, in: Array(line))
        let hint = fault.hint(in: Array(line)).map { "; \($0)" } ?? ""
        faults.append("\(name):\(number + 1):\(position.column): \(fault.message)\(hint)")
      }
    }
  }

  private mutating func readList(_ bytes: [UInt8]) {
    do {
      // The line of each element, because a decoded list does not know it.
      let lines = ListElements.lines(bytes)
      guard case .list(let elements) = try Value.parse(json: bytes) else { return }
      for (element, line) in zip(elements, lines) { try read(element, line: line) }
    } catch let fault as JSONFault {
      let position = SourcePosition(offset: fault.offset, in: bytes)
      faults.append("\(name):\(position.line):\(position.column): \(fault.message)")
    } catch {
      faults.append("\(error)")
    }
  }

  private mutating func read(_ value: Value, line: Int) throws {
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

/// The elements of a JSON list in a text.
private enum ListElements {
  /// The line at which each element begins, from 1.
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

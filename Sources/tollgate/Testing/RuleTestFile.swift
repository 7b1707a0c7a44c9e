internal import Expressions
internal import RuleEngine

/// A test with the place that it stands at.
struct PlacedTest {
  var test: RuleTest
  var file: String
  /// Counted from 1.
  var line: Int

  /// What tests are from that are in no file.
  static let standardInput = "standard input"

  /// What people find the test by.
  var title: String { test.name ?? "\(file):\(line)" }
}

/// What a file of tests has: tests, and lines that are none.
struct RuleTestFile {
  private(set) var tests: [PlacedTest] = []
  /// What cannot be run, and why, with its place.
  private(set) var faults: [String] = []
  /// Other files that were read for it.
  private(set) var named: [String] = []

  private let path: String
  private let timeZone: String

  /// The file as people call it.
  private var name: String { path == "-" ? PlacedTest.standardInput : path }

  /// Reads a file of tests: a JSON object a line, one JSON list, or an object that names a table.
  ///
  /// - Parameter timeZone: the zone of times without one.
  init(_ path: String, timeZone: String) throws {
    self.path = path
    self.timeZone = timeZone
    let bytes = try FileText.read(path)
    if let kind = FileKind.ofSound(bytes), kind != .tests, kind == .table || !Self.hasTests(bytes) {
      faults.append(
        kind == .user
          ? "\(name) has users, not tests: a test is a user record with 'placement' and 'expect'"
          : kind.error(name, expected: .tests).description)
      return
    }
    switch bytes.first(where: { $0 > 0x20 }) {
    case nil: faults.append("\(name) is empty: a test is a JSON object a line")
    case UInt8(ascii: "["): readList(bytes)
    default:
      // One object over several lines is a whole file.
      if let whole = try? Value.parse(json: bytes) {
        try read(whole, line: 1)
      } else {
        try readLines(bytes)
      }
    }
    if tests.isEmpty, faults.isEmpty { faults.append("\(name) has no tests") }
  }

  /// Whether the text names what a test has.
  private static func hasTests(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
    return text.contains("\"expect\"") || text.contains("\"placement\"")
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
      // Where each element begins: a list knows that no more once it is a value.
      let starts = try ListElements.starts(bytes)
      guard case .list(let elements) = try Value.parse(json: bytes) else { return }
      for (element, start) in zip(elements, starts) {
        try read(element, line: SourcePosition(offset: start, in: bytes).line)
      }
    } catch let fault as JSONFault {
      let position = SourcePosition(offset: fault.offset, in: bytes)
      faults.append("\(name):\(position.line):\(position.column): \(fault.message)")
    } catch {
      faults.append("\(error)")
    }
  }

  private mutating func read(_ value: Value, line: Int) throws {
    if value["users"] != nil, value["userId"] == nil {
      let table = ExpectationTable(value, at: "\(name):\(line)", beside: path, timeZone: timeZone)
      named += table.paths
      let read = try table.tests()
      tests += read.tests
      faults += read.faults
      return
    }
    do throws(RuleExpectation.Fault) {
      tests.append(
        PlacedTest(test: try RuleTest(value, timeZone: timeZone), file: name, line: line))
    } catch {
      faults.append("\(name):\(line): \(error.message)")
    }
  }
}

/// The elements of a JSON list in a text.
private enum ListElements {
  /// The offset at which each element begins.
  static func starts(_ bytes: [UInt8]) throws(JSONFault) -> [Int] {
    var starts: [Int] = []
    var depth = 0
    var isInText = false
    var at = 0
    var expects = false
    while at < bytes.count {
      let byte = bytes[at]
      if isInText {
        if byte == UInt8(ascii: "\\") { at += 1 }
        if byte == UInt8(ascii: "\"") { isInText = false }
      } else if byte > 0x20 {
        if expects, byte != UInt8(ascii: "]"), byte != UInt8(ascii: ",") {
          starts.append(at)
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
    return starts
  }
}

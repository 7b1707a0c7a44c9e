internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// What a file of tests has: tests, and lines that are none.
struct RuleTestFile {
  private(set) var tests: [PlacedTestCase] = []
  /// What cannot be run, and why, with its place.
  private(set) var faults: [String] = []
  /// Other files that were read for it.
  private(set) var named: [String] = []

  /// Reads a file of tests: a JSON object a line, one JSON list, or an object that names a table.
  ///
  /// - Parameter timeZone: the zone of times without one.
  init(_ path: String, timeZone: String) throws {
    // The file as people call it.
    let name = path == "-" ? PlacedTestCase.standardInput : path
    let bytes = try FileText.read(path)
    if let kind = FileKind.ofSound(bytes), kind != .tests, kind == .table || !Self.hasTests(bytes) {
      faults.append(
        kind == .user
          ? "\(name) has users, not tests: a test is a user record with 'placement' and 'expect'"
          : kind.error(name, expected: .tests).description)
      return
    }
    var named: [String] = []
    let text = try RuleTestText(bytes, name: name, timeZone: timeZone) { value, place in
      let table = ExpectationTable(value, at: place, beside: path, timeZone: timeZone)
      named += table.paths
      return try table.tests()
    }
    (tests, faults, self.named) = (text.tests, text.faults, named)
  }

  /// Whether the text names what a test has.
  private static func hasTests(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
    return text.contains("\"expect\"") || text.contains("\"placement\"")
  }
}

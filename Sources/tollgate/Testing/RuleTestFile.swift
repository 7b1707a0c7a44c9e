internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// The contents of a file of tests: tests, and invalid lines.
struct RuleTestFile {
  private(set) var tests: [PlacedTestCase] = []
  /// The tests that cannot run, with the reasons and places.
  private(set) var faults: [String] = []
  /// Other files that were read for the tests.
  private(set) var named: [String] = []

  /// Reads a file of tests: one JSON object per line, one JSON list, or an object that names a
  /// table.
  ///
  /// - Parameter timeZone: the zone of times without a zone.
  init(_ path: String, timeZone: String) throws {
    // The display name of the file.
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
    let text = try RuleTestText(bytes, name: name, timeZone: timeZone) {
      (value, place) throws(any Error) in
      let table = ExpectationTable(value, at: place, beside: path, timeZone: timeZone)
      named += table.paths
      return try table.tests()
    } describe: {
      "\($0)"
    }
    (tests, faults, self.named) = (text.tests, text.faults, named)
  }

  /// Whether the text contains a key of tests.
  private static func hasTests(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
    return text.contains("\"expect\"") || text.contains("\"placement\"")
  }
}

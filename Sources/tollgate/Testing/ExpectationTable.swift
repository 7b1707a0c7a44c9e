internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// Users in one file, and their outcomes in another: `{"users": FILE, "expect": FILE}`. The second file is CSV with the
/// columns of outcomes, and optionally the `now` and the `seed` of the decisions.
struct ExpectationTable {
  /// A row of the second file.
  private struct Row {
    var userID: String
    var line: Int
    var test: RuleTestCase
  }

  private let value: Value
  /// The place that names the table.
  private let place: String
  /// The folder in which relative paths begin.
  private let folder: String
  private let timeZone: String

  private static let members = ["users", "expect", "now", "seed"]
  private static let columns =
    ["userId", "user_id", "placement"] + OutcomeField.ofChoices.map(\.rawValue)
  /// Columns of outcomes that are not compared.
  private static let passed: Set = ["errors", "reason", "now", "seed", "config_hash"]
  /// The maximum length of a line in bytes, as in a run over users.
  private static let lineLimit = 1 << 20

  /// - Parameters:
  ///   - value: the value that names the two files.
  ///   - place: the place of the value.
  ///   - path: the file that contains the value. The paths of the two files are relative to this file.
  ///   - timeZone: the zone of a time without a zone.
  init(_ value: Value, at place: String, beside path: String, timeZone: String) {
    self.value = value
    self.place = place
    self.timeZone = timeZone
    folder = path == "-" ? "" : FilePlace.parts(path).folder
  }

  /// The two files, as far as they are named.
  var paths: [String] {
    ["users", "expect"].compactMap { value[$0]?.text }.map(resolved)
  }

  func tests() throws -> (tests: [PlacedTestCase], faults: [String]) {
    guard let users = value["users"]?.text, let expected = value["expect"]?.text,
      case .map(let members) = value
    else {
      return (
        [], ["\(place): a table is {\"users\":\"users.ndjson\",\"expect\":\"expected.csv\"}"]
      )
    }
    if let other = members.first(where: { !Self.members.contains($0.key.text ?? "") }) {
      return (
        [],
        [
          "\(place): a table has no key '\(other.key.text ?? "")'; "
            + "it takes \(Self.members.joined(separator: ", "))"
        ]
      )
    }
    let (now, seed): (Instant?, String?)
    do throws(RuleExpectation.Fault) {
      now = try RuleTestCase.now(value, timeZone: timeZone)
      seed = try RuleTestCase.seed(value)
    } catch {
      return ([], ["\(place): \(error.message)"])
    }
    let path = resolved(expected)
    var (rows, faults, records): ([Row], [String], [String: [UInt8]])
    do {
      (rows, faults) = try self.rows(path)
      if faults.isEmpty, rows.isEmpty { faults.append("\(path) has no rows") }
      records = try self.records(of: Set(rows.map(\.userID)), in: resolved(users))
    } catch let error as CommandError {
      // The other tests can still run.
      return ([], ["\(place): \(error)"])
    }
    var tests: [PlacedTestCase] = []
    for row in rows {
      guard let record = records[row.userID] else {
        faults.append("\(path):\(row.line): there is no user '\(row.userID)' in \(resolved(users))")
        continue
      }
      var test = row.test
      test.record = record
      test.now = now
      test.seed = seed
      tests.append(PlacedTestCase(test: test, file: path, line: row.line))
    }
    return (tests, faults)
  }

  private func resolved(_ path: String) -> String {
    path.hasPrefix("/") || folder.isEmpty || folder == "." ? path : "\(folder)/\(path)"
  }

  // MARK: Expectations

  private func rows(_ path: String) throws -> (rows: [Row], faults: [String]) {
    // SAFETY: The view of the file stays in the closure, and cells are copied.
    // Tests: TestCommandTests.
    let bytes = try FileText.read(path)
    var rows: [Row] = []
    var faults: [String] = []
    var header: [String]?
    _ = bytes.withUnsafeBytes { text in
      CSVRows.forEach(text) { row in
        let line = row.line + 1
        if let fault = row.fault { return faults.append("\(path):\(line): \(fault)") }
        let cells = row.cells.map { String(decoding: $0.content(text), as: UTF8.self) }
        guard let names = header else {
          header = cells
          faults += headerFaults(cells, path)
          return
        }
        guard faults.isEmpty || !rows.isEmpty else { return }
        guard cells.count == names.count else {
          return faults.append(
            "\(path):\(line): the row has \(counted(cells.count, "cell")), the header \(names.count)"
          )
        }
        do throws(RuleExpectation.Fault) {
          rows.append(try Self.row(names, cells, line))
        } catch {
          faults.append("\(path):\(line): \(error.message)")
        }
      }
    }
    return (rows, faults)
  }

  private func headerFaults(_ names: [String], _ path: String) -> [String] {
    let isNamed = names.contains("userId") || names.contains("user_id")
    for name in [isNamed ? "placement" : "userId", "placement", "result"]
    where !names.contains(name) {
      return [
        "\(path):1: the column '\(name)' is missing; a table has userId, placement and result"
      ]
    }
    for name in names where !Self.columns.contains(name) && !Self.passed.contains(name) {
      let close = Suggestion.closest(to: name, among: Self.columns)
      return [
        "\(path):1: the column '\(name)' is not known"
          + (close.map { "; did you mean '\($0)'?" } ?? "")
      ]
    }
    return []
  }

  /// The expectation of a row. An empty cell is not compared.
  private static func row(_ names: [String], _ cells: [String], _ line: Int)
    throws(RuleExpectation.Fault) -> Row
  {
    var expectation = RuleExpectation()
    var (userID, placement) = ("", "")
    for (name, cell) in zip(names, cells) where !cell.isEmpty {
      switch name {
      case "userId", "user_id": userID = cell
      case "placement": placement = cell
      default:
        guard let field = OutcomeField.ofChoices.first(where: { $0.rawValue == name }) else {
          continue
        }
        if field == .audience {
          expectation.audience = Int(cell).map { .index($0) } ?? .id(cell)
        } else {
          try expectation.set(field, to: cell)
        }
      }
    }
    if userID.isEmpty { throw RuleExpectation.Fault("'userId' is empty") }
    if placement.isEmpty { throw RuleExpectation.Fault("'placement' is empty") }
    if expectation.strings[.result] == nil { throw RuleExpectation.Fault("'result' is empty") }
    return Row(
      userID: userID, line: line,
      test: RuleTestCase(
        name: "\(userID) at \(placement)", placement: placement, record: [],
        expectation: expectation))
  }

  // MARK: Users

  /// The records of users, by ID. Among records with the same ID, the first one is used.
  private func records(of wanted: Set<String>, in path: String) throws -> [String: [UInt8]] {
    // SAFETY: Lines are slices of a part of the input, and records are copied.
    // Tests: TestCommandTests.
    var records: [String: [UInt8]] = [:]
    var input = try UserInput([path], form: nil, lineLimit: Self.lineLimit)
    let reader = SegmentReader(lineLimit: Self.lineLimit)
    while let part = try input.next() {
      _ = try part.withLines(reader, lineLimit: Self.lineLimit) { lines in
        var at = 0
        while at < lines.count {
          let end = LineScan.newline(in: lines, from: at)
          let line = ByteView(rebasing: lines[at..<end])
          at = end + 1
          guard let subject = try? UserRecordReader.subject(of: line), wanted.contains(subject),
            records[subject] == nil
          else { continue }
          records[subject] = Array(line)
        }
      }
    }
    return records
  }
}

package import Expressions
package import RuleEngine

/// The form of an outcomes file.
public enum OutcomeLayout: String, Hashable, Sendable, CaseIterable {
  /// A line for each user and placement.
  case long
  /// A line for each user.
  case wide
}

/// How outcomes are written.
public enum OutcomeForm: String, Hashable, Sendable, CaseIterable {
  /// A JSON object a line.
  case ndjson
  /// Cells between commas, with a header.
  case csv
  /// For machines: of each user the identity, as a count of bytes in 32 bits and the bytes, and the
  /// number of a choice in 32 bits for each placement, with reasons followed by a count of bytes and the
  /// reason as JSON; then, in 32 bits, how many errors of rules there are, and of each the number of
  /// the placement, a count of bytes, and these: `RuleError.value`.
  case rows
}

extension OutcomeForm {
  /// JSON as it stands in an outcome: in a cell of CSV, which is in quotes then, its quotes are double.
  func quoted(_ value: Value) -> [UInt8] {
    var json: [UInt8] = []
    JSONWriter.append(value, to: &json)
    return quoted(json)
  }

  func quoted(_ json: [UInt8]) -> [UInt8] {
    self == .csv ? json.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] } : json
  }

  /// Appends a count as ``rows`` has them.
  static func append(count: Int, to bytes: inout [UInt8]) {
    bytes += [0, 0, 0, 0]
    write(count: count, to: &bytes, at: bytes.count - 4)
  }

  /// Writes a count in place of four bytes.
  static func write(count: Int, to bytes: inout [UInt8], at place: Int) {
    for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: count >> (8 * byte)) }
  }
}

/// Writes the parts of outcome lines that do not depend on the user.
package struct OutcomeFragments {
  // SAFETY: Views of strings stay in their closures, and cells are copied.
  // Tests: BatchDifferentialTests, RuleErrorsTests.

  var layout: OutcomeLayout
  var form: OutcomeForm
  /// What every line says of the run.
  var columnsOfRun: [OutcomeColumns.OfRun]

  package init(
    layout: OutcomeLayout, form: OutcomeForm, columnsOfRun: [OutcomeColumns.OfRun] = []
  ) {
    self.layout = layout
    self.form = form
    self.columnsOfRun = columnsOfRun
  }

  /// What stands before an identity.
  var opening: [UInt8] { form == .ndjson ? Array("{\"userId\":".utf8) : [] }

  /// What ends a line: what it says of the run, and the brace of an object.
  var closing: [UInt8] {
    var bytes: [UInt8] = []
    for column in columnsOfRun {
      if form == .csv {
        OutcomeFragments.append(column.text, to: &bytes)
      } else {
        bytes.append(UInt8(ascii: ","))
        JSONWriter.append(quoted: column.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        JSONWriter.append(quoted: column.text, to: &bytes)
      }
    }
    if form == .ndjson { bytes.append(UInt8(ascii: "}")) }
    return bytes + [UInt8(ascii: "\n")]
  }

  /// Bytes at the end of a fragment that close the outcome: what else it says comes before them.
  var closingBytes: Int {
    if form == .rows { return 0 }
    // In the wide layout the brace of a member; a cell of CSV has nothing behind it.
    return layout == .long ? closing.count : form == .ndjson ? 1 : 0
  }

  /// Long: from the comma behind the user ID to the line's end. Wide: a comma and one member, or
  /// six cells.
  package func fragment(_ placement: String, _ outcome: Decision.Outcome, _ audience: Int?)
    -> [UInt8]
  {
    var bytes: [UInt8] = []
    switch form {
    case .rows: return []
    case .csv:
      let choice = BatchPlan.Choice(placement, outcome, audience)
      if layout == .long { OutcomeFragments.append(placement, to: &bytes) }
      for field in OutcomeField.ofChoices {
        OutcomeFragments.append(choice.values.cell(field), to: &bytes)
      }
      // The cell of errors, which is empty mostly.
      bytes.append(UInt8(ascii: ","))
      if layout == .long { bytes += closing }
    case .ndjson:
      bytes.append(UInt8(ascii: ","))
      if layout == .long {
        let line = outcome.line(subjectID: "", placement: placement, audience: audience)
        guard case .map(let entries) = line else { return bytes }
        JSONWriter.append(.map(Array(entries.dropFirst())), to: &bytes)
        // The object's opening brace stands before the user ID already.
        bytes.remove(at: 1)
        bytes.removeLast()
        bytes += closing
      } else {
        JSONWriter.append(quoted: placement, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        let values = OutcomeValues(outcome, audience: audience)
        JSONWriter.append(.map(values.members(OutcomeField.ofChoices)), to: &bytes)
      }
    }
    return bytes
  }

  /// The first line of a file.
  func header(_ columns: OutcomeColumns) -> [UInt8] {
    guard form == .csv else { return [] }
    let names =
      switch layout {
      case .long: [OutcomeColumns.user, "placement"] + columns.fields
      case .wide:
        [OutcomeColumns.user]
          + columns.prefixes.flatMap { prefix in columns.fields.map { "\(prefix)_\($0)" } }
      }
    return Array(((names + columns.ofRun.map(\.name)).joined(separator: ",") + "\n").utf8)
  }

  // MARK: CSV

  /// Appends a comma and a cell.
  private static func append(_ cell: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: ","))
    var cell = cell
    cell.withUTF8 { append(cell: $0, to: &bytes) }
  }

  /// Appends a cell, in quotes where it needs them.
  package static func append(cell: ByteView, to bytes: inout [UInt8]) {
    let needsQuotes =
      cell.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
      || cell.first == 0x20 || cell.last == 0x20
    guard needsQuotes else {
      bytes.append(contentsOf: cell)
      return
    }
    bytes.append(0x22)
    for byte in cell {
      if byte == 0x22 { bytes.append(0x22) }
      bytes.append(byte)
    }
    bytes.append(0x22)
  }
}

extension BatchPlan {
  /// An outcome that decisions of a placement may have.
  package struct Choice: Sendable {
    package var placement: String
    package var values: OutcomeValues

    package init(_ placement: String, _ outcome: Decision.Outcome, _ audience: Int?) {
      self.placement = placement
      values = OutcomeValues(outcome, audience: audience)
    }
  }
}

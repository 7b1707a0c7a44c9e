package import Expressions
package import RuleEngine

/// The form of an outcomes file.
public enum OutcomeLayout: String, Hashable, Sendable, CaseIterable {
  /// A line for each user and placement.
  case long
  /// A line for each user.
  case wide
}

/// The format of outcomes.
public enum OutcomeForm: String, Hashable, Sendable, CaseIterable {
  /// One JSON object per line.
  case ndjson
  /// Comma-separated cells, with a header.
  case csv
  /// A binary format for programs. For each user, it has the identity, as a count of bytes in 32
  /// bits and the bytes. For each placement, the number of a choice in 32 bits follows. With
  /// reasons, each number is followed by a count of bytes and the reason as JSON. At the end, the
  /// number of rule errors follows in 32 bits. Each error has the number of the placement, a count
  /// of bytes, and the bytes of `RuleError.value`.
  case rows
}

extension OutcomeForm {
  /// JSON in the form that outcomes require. In a quoted CSV cell, quotes are doubled.
  func quoted(_ value: Value) -> [UInt8] {
    var json: [UInt8] = []
    JSONWriter.append(value, to: &json)
    return quoted(json)
  }

  func quoted(_ json: [UInt8]) -> [UInt8] {
    self == .csv ? json.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] } : json
  }

  /// Appends a count in the form of ``rows``.
  static func append(count: Int, to bytes: inout [UInt8]) {
    bytes += [0, 0, 0, 0]
    write(count: count, to: &bytes, at: bytes.count - 4)
  }

  /// Overwrites four bytes with a count.
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
  /// The columns about the run in every line.
  var columnsOfRun: [OutcomeColumns.OfRun]
  /// The table of another batch, whose fragments are reused for the same outcomes.
  var known: BatchTable?

  package init(
    layout: OutcomeLayout, form: OutcomeForm, columnsOfRun: [OutcomeColumns.OfRun] = []
  ) {
    self.layout = layout
    self.form = form
    self.columnsOfRun = columnsOfRun
  }

  /// The text before an identity.
  var opening: [UInt8] { form == .ndjson ? Array("{\"userId\":".utf8) : [] }

  /// The text at the end of a line: the columns about the run, and the brace of an object.
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

  /// The number of bytes at the end of a fragment that close the outcome. Additional members are
  /// inserted before them.
  var closingBytes: Int {
    if form == .rows { return 0 }
    // In the wide layout, only the brace of a member closes an outcome. A CSV cell ends without
    // further bytes.
    return layout == .long ? closing.count : form == .ndjson ? 1 : 0
  }

  /// The fragment of an outcome. In the long layout, it goes from the comma after the user ID to
  /// the end of the line. In the wide layout, it is a comma and one member, or six cells.
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
      // The errors have a cell, which is usually empty.
      bytes.append(UInt8(ascii: ","))
      if layout == .long { bytes += closing }
    case .ndjson:
      bytes.append(UInt8(ascii: ","))
      if layout == .long {
        let line = outcome.line(subjectID: "", placement: placement, audience: audience)
        guard case .map(let entries) = line else { return bytes }
        JSONWriter.append(.map(Array(entries.dropFirst())), to: &bytes)
        // The object's opening brace is already written before the user ID.
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
    return Array(((names + columns.ofRun.map { $0.name }).joined(separator: ",") + "\n").utf8)
  }

  // MARK: CSV

  /// Appends a comma and a cell.
  private static func append(_ cell: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: ","))
    var cell = cell
    cell.withUTF8 { append(cell: $0, to: &bytes) }
  }

  /// Appends a cell, quoted if necessary.
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
  /// A possible outcome of a placement's decisions.
  package struct Choice: Sendable {
    package var placement: String
    package var values: OutcomeValues

    package init(_ placement: String, _ outcome: Decision.Outcome, _ audience: Int?) {
      self.placement = placement
      values = OutcomeValues(outcome, audience: audience)
    }
  }
}

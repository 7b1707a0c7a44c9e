internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Writes users that move, one line for each placement at which they move.
struct MoveLines {
  private let form: OutcomeForm
  /// The text after the user, by the number of the kind.
  private var fragments: [[UInt8]] = []
  private(set) var bytes: [UInt8] = []

  init(_ form: OutcomeForm) { self.form = form }

  /// The beginning of a file.
  static func header(_ form: OutcomeForm) -> [UInt8] {
    guard form == .csv else { return [] }
    let names =
      [OutcomeColumns.user, "placement"]
      + ["from", "to"].flatMap { side in ComparedOutcome.fields.map { "\(side)_\($0.rawValue)" } }
      + ["reason"]
    return Array((names.joined(separator: ",") + "\n").utf8)
  }

  private func cells(_ outcome: ComparedOutcome) -> [String] {
    ComparedOutcome.fields.map(outcome.values.cell)
  }

  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  /// Adds a kind whose users will be written. Kinds are numbered in this order.
  mutating func addKind(_ kind: RuleComparison.Kind, _ comparison: RuleComparison) {
    // SAFETY: The view of the string stays in the closure.
    // Tests: DiffCommandTests.everyFormHasTheSameUsers.
    let (from, to) = (comparison.from(kind), comparison.to(kind))
    let placement = comparison.placements[comparison.placement(of: kind)].name
    var fragment: [UInt8] = []
    switch form {
    case .ndjson:
      fragment.append(UInt8(ascii: ","))
      let line: Value = .object([
        "placement": .string(placement), "from": from.value, "to": to.value,
        "reason": .string(kind.reason.rawValue),
      ])
      JSONWriter.append(line, to: &fragment)
      // The user precedes the fragment.
      fragment.remove(at: 1)
      fragment.append(UInt8(ascii: "\n"))
    case .csv:
      for cell in [placement] + cells(from) + cells(to) + [kind.reason.rawValue] {
        fragment.append(UInt8(ascii: ","))
        var cell = cell
        cell.withUTF8 { OutcomeFragments.append(cell: $0, to: &fragment) }
      }
      fragment.append(UInt8(ascii: "\n"))
    case .rows: break
    }
    fragments.append(fragment)
  }

  /// Writes a user.
  ///
  /// - Parameters:
  ///   - kind: the number of a kind that was added.
  ///   - place: the kind's number among the chunk's kinds, for rows.
  mutating func write(_ subject: ByteView, kind: Int, place: Int) {
    // SAFETY: Bytes of the identity and of local numbers are copied into the array at once.
    // Tests: DiffCommandTests.everyFormHasTheSameUsers.
    switch form {
    case .ndjson:
      bytes += Array("{\"userId\":".utf8)
      JSONWriter.append(quoted: subject, to: &bytes)
    case .csv: OutcomeFragments.append(cell: subject, to: &bytes)
    case .rows:
      for number in [place, subject.count] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) { bytes += $0 }
      }
      bytes += subject
    }
    bytes += fragments[kind]
  }
}

internal import Expressions

/// Writes what the users of a block get.
struct OutcomeWriter: ~Copyable {
  private let layout: OutcomeLayout
  private let form: OutcomeForm
  private let placements: Int
  /// Bytes of the longest fragments of all placements together.
  private let longest: Int
  /// The identity that is being written, as a JSON string or a cell.
  private var subject: [UInt8] = []

  /// Texts are copied in steps of so many bytes, up to which they may be read and written beyond
  /// their ends.
  static let step = 16

  init(_ plan: BatchPlan) {
    // Rows hold all placements of a user.
    layout = plan.form == .rows ? .wide : plan.layout
    form = plan.form
    placements = plan.placements.count
    longest = plan.placements.count * (plan.table.choices.map(\.text.count).max() ?? 0)
  }

  /// Writes the lines of all users of a block.
  mutating func write(
    _ block: borrowing BatchBlock, _ table: BatchTable, _ texts: borrowing BatchTexts,
    to buffer: OutcomeBuffer
  ) {
    for row in 0..<block.count {
      quote(block.subjects[row])
      let repeated = layout == .wide ? 1 : placements
      let capacity =
        longest + 4 * placements + table.closing.count
        + repeated * (subject.count + table.opening.count) + 4 * OutcomeWriter.step
        + texts.bytes(ofRow: row)
      buffer.append(capacity: capacity) { start in
        var at = start
        write(row, block, table, texts, &at)
        return at
      }
    }
  }

  private mutating func quote(_ identity: ByteView) {
    subject.removeAll(keepingCapacity: true)
    switch form {
    case .ndjson: JSONWriter.append(quoted: identity, to: &subject)
    case .csv: OutcomeFragments.append(cell: identity, to: &subject)
    case .rows:
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: identity.count).littleEndian) {
        subject += $0
      }
      subject += identity
    }
  }

  private borrowing func write(
    _ row: Int, _ block: borrowing BatchBlock, _ table: BatchTable,
    _ texts: borrowing BatchTexts, _ at: inout UnsafeMutableRawPointer
  ) {
    let choices = block.choices + row
    if layout == .wide { begin(table, &at) }
    if form == .rows {
      for placement in 0..<placements {
        at.storeBytes(of: choices[placement &* BlockShape.rows], as: Int32.self)
        at += 4
      }
      return
    }
    table.text.withUnsafeBytes { text in
      table.choices.withUnsafeBufferPointer { known in
        guard let text = text.baseAddress, let known = known.baseAddress else { return }
        for placement in 0..<placements {
          if layout == .long { begin(table, &at) }
          let range = known[Int(choices[placement &* BlockShape.rows])].text
          let count = Int(range.upperBound &- range.lowerBound)
          let from = text + Int(range.lowerBound)
          var copied = 0
          while copied < count {
            at.storeBytes(
              of: from.loadUnaligned(fromByteOffset: copied, as: SIMD16<UInt8>.self),
              toByteOffset: copied, as: SIMD16<UInt8>.self)
            copied &+= OutcomeWriter.step
          }
          at += count
          if texts.isActive { insert(texts, row &* placements &+ placement, &at) }
        }
      }
    }
    if layout == .wide { OutcomeWriter.copy(table.closing, to: &at) }
  }

  /// Puts texts before the braces that close the outcome that was written last.
  private borrowing func insert(
    _ texts: borrowing BatchTexts, _ number: Int, _ at: inout UnsafeMutableRawPointer
  ) {
    let closing = layout == .long ? 2 : 1
    texts.withMember(number) { member in
      guard let start = member.baseAddress else { return }
      (at - closing + member.count).copyMemory(from: at - closing, byteCount: closing)
      (at - closing).copyMemory(from: start, byteCount: member.count)
      at += member.count
    }
  }

  /// Writes what stands before the outcomes of a line.
  @inline(__always)
  private borrowing func begin(_ table: BatchTable, _ at: inout UnsafeMutableRawPointer) {
    OutcomeWriter.copy(table.opening, to: &at)
    OutcomeWriter.copy(subject, to: &at)
  }

  @inline(__always)
  private static func copy(_ bytes: [UInt8], to at: inout UnsafeMutableRawPointer) {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      at.copyMemory(from: start, byteCount: bytes.count)
      at += bytes.count
    }
  }
}

internal import Expressions
internal import RuleEngine

/// Writes the outcomes of the users of a block.
struct OutcomeWriter: ~Copyable {
  // SAFETY: Fragments are copied 16 bytes at a time. The table's text has 16 bytes of padding, and
  // each user's capacity has four steps more than its parts. Tests: BatchDifferentialTests.layouts,
  // FixedLengthHashTests.plainIdentities, asan.

  private let layout: OutcomeLayout
  private let form: OutcomeForm
  private let placements: Int
  private let closingBytes: Int
  /// The sum of the longest fragments of all placements, in bytes.
  private let longest: Int
  /// The current identity, as a JSON string or a CSV cell.
  private var subject = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
  private var subjectCount = 0
  /// The current identity, if it needs escaping.
  private var cell: [UInt8] = []
  /// The text of the row's outcomes in addition to the decisions, and the end of each placement's
  /// part.
  private var extras: [UInt8] = []
  private var extraEnds: [Int] = []
  private let givesReasons: Bool

  /// The size of the steps in which strings are copied, in bytes. Reads and writes may go beyond
  /// the end of a string by less than a step.
  static let step = 16

  init(_ plan: BatchPlan) {
    // A row of ``OutcomeForm/rows`` contains all placements of a user.
    layout = plan.form == .rows ? .wide : plan.layout
    form = plan.form
    placements = plan.placements.count
    closingBytes = plan.table.closingBytes
    givesReasons = plan.givesReasons
    longest = plan.placements.count * (plan.table.choices.map { $0.text.count }.max() ?? 0)
  }

  deinit { subject.deallocate() }

  /// Writes the lines of all users of a block.
  mutating func write(
    _ block: borrowing BatchBlock, _ table: BatchTable, _ texts: borrowing BatchTexts,
    _ errors: borrowing BatchErrors, _ reasons: inout BatchReasons,
    _ chooser: borrowing VariantChooser, to buffer: OutcomeBuffer
  ) {
    let hasExtras = texts.isActive || !errors.isEmpty || givesReasons
    let gathers = hasExtras || form == .rows
    let repeated = layout == .wide ? 1 : placements
    for row in 0..<block.count {
      quote(block.subjects[row])
      var capacity =
        longest + 4 * placements + table.closing.count
        + repeated * (subjectCount + table.opening.count) + 4 * OutcomeWriter.step
      if gathers {
        gather(row, block, texts, errors, &reasons, chooser)
        capacity += extras.count
      }
      buffer.append(capacity: capacity) { start in
        var at = start
        write(row, block, table, hasExtras, &at)
        return at
      }
    }
  }

  /// Gathers the texts, errors and reasons of a row's outcomes.
  private mutating func gather(
    _ row: Int, _ block: borrowing BatchBlock, _ texts: borrowing BatchTexts,
    _ errors: borrowing BatchErrors, _ reasons: inout BatchReasons,
    _ chooser: borrowing VariantChooser
  ) {
    extras.removeAll(keepingCapacity: true)
    extraEnds.removeAll(keepingCapacity: true)
    for placement in 0..<placements {
      if texts.isActive { texts.append(row &* placements &+ placement, to: &extras) }
      if form != .rows { errors.append(placement: placement, row: row, to: &extras) }
      if givesReasons {
        reasons.append(
          placement: placement, row: row, block, chooser, errors, to: &extras)
      }
      extraEnds.append(extras.count)
    }
    if form == .rows { errors.appendRows(row: row, to: &extras) }
  }

  private mutating func quote(_ identity: ByteView) {
    // SAFETY: `reserveSubject` makes room for `subjectCount` bytes before they are written.
    // Tests: BatchDifferentialTests.layouts, asan.
    if form == .ndjson, OutcomeWriter.isPlain(identity), let start = identity.baseAddress {
      subjectCount = identity.count + 2
      reserveSubject()
      subject[0] = UInt8(ascii: "\"")
      (subject.baseAddress! + 1).copyMemory(from: start, byteCount: identity.count)
      subject[subjectCount - 1] = UInt8(ascii: "\"")
      return
    }
    cell.removeAll(keepingCapacity: true)
    switch form {
    case .ndjson: JSONWriter.append(quoted: identity, to: &cell)
    case .csv: OutcomeFragments.append(cell: identity, to: &cell)
    case .rows:
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: identity.count).littleEndian) { cell += $0 }
      cell += identity
    }
    subjectCount = cell.count
    reserveSubject()
    subject.copyBytes(from: cell)
  }

  private mutating func reserveSubject() {
    guard subject.count < subjectCount else { return }
    subject.deallocate()
    subject = .allocate(byteCount: 2 * subjectCount, alignment: 8)
  }

  /// Whether a string contains no character that JSON escapes. Eight bytes are tested at a time,
  /// with the usual bit tricks for a zero byte or a byte below a limit.
  static func isPlain(_ text: ByteView) -> Bool {
    // SAFETY: Words of eight bytes lie inside the text; shorter texts are read byte by byte.
    // Tests: FixedLengthHashTests.plainIdentities, asan.
    guard let start = UnsafeRawPointer(text.baseAddress), text.count >= 8 else {
      return !text.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }
    }
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    var stops: UInt64 = 0
    var at = 0
    while at < text.count {
      let from = min(at, text.count &- 8)
      let word = start.loadUnaligned(fromByteOffset: from, as: UInt64.self)
      let (quotes, backslashes) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5C))
      stops |= (word &- ones &* 0x20) & ~word
      stops |= (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
      at &+= 8
    }
    return stops & highs == 0
  }

  private borrowing func write(
    _ row: Int, _ block: borrowing BatchBlock, _ table: BatchTable, _ hasExtras: Bool,
    _ at: inout UnsafeMutableRawPointer
  ) {
    let choices = block.choices + row
    if layout == .wide { begin(table, &at) }
    if form == .rows {
      for placement in 0..<placements {
        at.storeBytes(of: choices[placement &* BlockShape.rows], as: Int32.self)
        at += 4
        copyExtras(
          from: placement == 0 ? 0 : extraEnds[placement - 1], to: extraEnds[placement], &at)
      }
      copyExtras(from: extraEnds.last ?? 0, to: extras.count, &at)
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
          if hasExtras { insert(placement, &at) }
        }
      }
    }
    if layout == .wide { OutcomeWriter.copy(table.closing, to: &at) }
  }

  /// Inserts texts, errors and reasons before the closing bytes of the last outcome.
  private borrowing func insert(_ placement: Int, _ at: inout UnsafeMutableRawPointer) {
    let from = placement == 0 ? 0 : extraEnds[placement - 1]
    let count = extraEnds[placement] - from
    if count == 0 { return }
    let closing = closingBytes
    extras.withUnsafeBytes { extras in
      guard let start = extras.baseAddress else { return }
      (at - closing + count).copyMemory(from: at - closing, byteCount: closing)
      (at - closing).copyMemory(from: start + from, byteCount: count)
      at += count
    }
  }

  private borrowing func copyExtras(
    from start: Int, to end: Int, _ at: inout UnsafeMutableRawPointer
  ) {
    extras.withUnsafeBytes { extras in
      guard let base = extras.baseAddress, end > start else { return }
      at.copyMemory(from: base + start, byteCount: end - start)
      at += end - start
    }
  }

  /// Writes the text before the outcomes of a line.
  @inline(__always)
  private borrowing func begin(_ table: BatchTable, _ at: inout UnsafeMutableRawPointer) {
    OutcomeWriter.copy(table.opening, to: &at)
    guard let start = subject.baseAddress else { return }
    at.copyMemory(from: start, byteCount: subjectCount)
    at += subjectCount
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

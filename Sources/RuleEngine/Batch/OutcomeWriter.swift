internal import Expressions

/// Collects what a chunk's users get, and writes it in one go: the size is known by then, so that
/// every byte is written once.
struct OutcomeWriter: ~Copyable {
  private let layout: OutcomeLayout
  private let placements: Int
  /// Choices of all users, those of one user one after the other.
  private var choices: [Int32] = []
  /// Identities as JSON strings, one after the other, and where each ends.
  private var subjects: [UInt8] = []
  private var subjectEnds: [Int] = []
  /// Bytes of the parts that do not depend on the user.
  private var size = 0

  private static let opening = Array("{\"userId\":".utf8)
  private static let closing = Array("}\n".utf8)

  init(_ plan: BatchPlan) {
    layout = plan.layout
    placements = plan.placements.count
  }

  mutating func begin() {
    choices.removeAll(keepingCapacity: true)
    subjects.removeAll(keepingCapacity: true)
    subjectEnds.removeAll(keepingCapacity: true)
    size = 0
  }

  mutating func add(_ block: borrowing BatchBlock, _ table: BatchTable) {
    for row in 0..<block.count {
      JSONWriter.append(quoted: block.subjects[row], to: &subjects)
      subjectEnds.append(subjects.count)
      for placement in 0..<placements {
        let choice = block.choices[placement &* ColumnFrame.rows &+ row]
        choices.append(choice)
        size &+= table.choices[Int(choice)].text.count
      }
    }
  }

  /// Writes the outcome lines of all users.
  borrowing func finish(
    _ table: BatchTable, _ texts: borrowing BatchTexts, into buffer: OutcomeBuffer
  ) {
    let users = subjectEnds.count
    let lines = layout == .wide ? users : users * placements
    let repeated = layout == .wide ? 1 : placements
    let total =
      size + lines * OutcomeWriter.opening.count + subjects.count * repeated
      + (layout == .wide ? users * OutcomeWriter.closing.count : 0) + texts.outcomeBytes
    // Room for copying in steps of sixteen bytes.
    buffer.replace(capacity: lines > 0 ? total + 16 : 0) { write(to: $0, table, texts) }
  }

  private borrowing func write(
    to target: UnsafeMutableRawPointer, _ table: BatchTable, _ texts: borrowing BatchTexts
  ) -> Int {
    // Texts stand before the braces that close an outcome.
    let behind = layout == .long ? 2 : 1
    var at = target
    @inline(__always)
    func append(_ bytes: UnsafeRawPointer?, _ count: Int) {
      guard let bytes else { return }
      at.copyMemory(from: bytes, byteCount: count)
      at += count
    }
    let opening = OutcomeWriter.opening
    let closing = OutcomeWriter.closing
    table.text.withUnsafeBytes { text in
      subjects.withUnsafeBytes { subjects in
        var from = 0
        for user in 0..<subjectEnds.count {
          let subject = subjects.baseAddress.map { $0 + from }
          let length = subjectEnds[user] - from
          from = subjectEnds[user]
          if layout == .wide {
            append(opening, opening.count)
            append(subject, length)
          }
          for placement in 0..<placements {
            if layout == .long {
              append(opening, opening.count)
              append(subject, length)
            }
            let number = user &* placements &+ placement
            let range = table.choices[Int(choices[number])].text
            let part = text.baseAddress.map { $0 + Int(range.lowerBound) }
            guard texts.isActive, let part else {
              append(part, range.count)
              continue
            }
            append(part, range.count - behind)
            texts.withMember(number) { append($0.baseAddress, $0.count) }
            append(part + (range.count - behind), behind)
          }
          if layout == .wide { append(closing, closing.count) }
        }
      }
    }
    return at - target
  }
}

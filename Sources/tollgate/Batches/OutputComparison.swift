internal import Expressions
internal import RuleEngine

/// Compares the output of a run with the file of an earlier run, without storing either.
final class OutputComparison {
  // SAFETY: `bytes` is the caller's view. Offsets are below its count, and what is stored are
  // copies. Tests: PrecomputeFilesTests.

  /// The file of the earlier run; nil when it no longer exists.
  private let reference: Lookahead?
  private(set) var hash = XXH64.Stream()
  /// Offset of the first byte that differs.
  private(set) var difference: Int?
  /// The line of the new output that contains the first different byte; nil if there is no such line.
  private(set) var place: DifferencePlace?
  /// Why the file is unreadable from ``difference`` on.
  private(set) var damage: String?
  private var memory: [UInt8] = []
  private let form: OutputForm?
  private var lines = 0

  /// - Parameter form: the form of the file. For a compressed file the uncompressed content is
  ///   compared, because compressed bytes depend on the version of the library.
  init(_ path: String?, _ form: FileForm? = nil) throws {
    self.form = form?.form
    guard let path else {
      reference = nil
      return
    }
    let file = try InputFile(path)
    reference = try Lookahead(
      form?.compression.map { try CompressedInput(path, $0, file.read).read } ?? file.read)
  }

  var isComparingBytes: Bool { reference != nil }

  /// - Parameter bytes: complete lines, if the form has lines.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var offset = 0
    while offset < bytes.count, difference == nil, let reference {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
      let next = read(reference, atMost: rest.count)
      let same = next.withUnsafeBytes { $0.commonCount(with: rest) }
      if same < next.count || next.isEmpty { difference = hash.count + offset + same }
      offset += same
    }
    if difference == nil {
      lines += form == .sqlite ? 0 : bytes.count { $0 == UInt8(ascii: "\n") }
    } else if place == nil, let form, form != .sqlite, let difference, difference >= hash.count {
      place = DifferencePlace(difference - hash.count, in: bytes, form, linesBefore: lines)
    }
    hash.add(bytes)
  }

  /// Checks whether the file continues after the end of the new output.
  func finish() {
    guard difference == nil, let reference else { return }
    if !read(reference, atMost: 1).isEmpty || damage != nil { difference = hash.count }
  }

  /// The next bytes of the file; empty at its end, or if it is damaged.
  private func read(_ reference: Lookahead, atMost count: Int) -> ArraySlice<UInt8> {
    if memory.count < count { memory = Array(repeating: 0, count: count) }
    do {
      let count = try memory.withUnsafeMutableBytes {
        try reference.read(into: .init(rebasing: $0[..<count]))
      }
      return memory[..<count]
    } catch {
      damage = "\(error)"
      return []
    }
  }
}

/// The first line in which outcomes differ, and its subject.
struct DifferencePlace {
  // SAFETY: The offset lies inside the lines. Names are copied. Tests: PrecomputeFilesTests.

  var line: Int
  /// The user of an outcome, or the rejected line, in words.
  var subject: String?
  var user: String?

  /// - Parameters:
  ///   - offset: the offset of the byte that differs.
  ///   - lines: complete lines that contain the byte.
  init?(_ offset: Int, in lines: UnsafeRawBufferPointer, _ form: OutputForm, linesBefore: Int) {
    var found: (line: Int, text: UnsafeRawBufferPointer, cell: CSVCell?)?
    if form == .csv {
      _ = CSVRows.forEach(lines) { row in
        if row.from <= offset { found = (row.line, lines, row.cells.first) }
      }
    } else {
      let start = lines[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      let end = lines[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? lines.count
      found = (
        lines[..<start].count { $0 == UInt8(ascii: "\n") },
        UnsafeRawBufferPointer(rebasing: lines[start..<end]), nil
      )
    }
    guard let found else { return nil }
    line = linesBefore + found.line + 1
    if let cell = found.cell {
      user = line > 1 ? String(decoding: cell.content(found.text), as: UTF8.self) : nil
    } else if let value = try? Value.parse(json: found.text) {
      user = value["userId"]?.text
      if let line = value["line"] { subject = "line \(line.json) of the users" }
    }
    if let user { subject = "user '\(user)'" }
  }
}

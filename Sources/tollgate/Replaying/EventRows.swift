internal import Expressions
internal import RuleBatch

/// Reads an export of events, NDJSON or CSV, a row at a time.
struct EventRows {
  /// A row: the line on which it begins, from 1, and its columns as JSON, or the reason why it cannot be read.
  struct Row {
    var line: Int
    var content: Result<Value, RecordedDecision.Fault>
  }

  private static let chunk = 1 << 20
  private let path: String
  private var chunks: LineChunks
  private var header: CSVHeader?
  private let isCSV: Bool
  private var lines = 0

  /// - Parameter path: `-` is standard input. A file that does not begin with `{` is CSV.
  init(_ path: String) throws {
    self.path = UserInput.name(path)
    let content = try InputFile(path).content(holdsUsers: true).bytes
    let beginning = try content.peek(FileSignature.length).first { $0 > 0x20 }
    isCSV = beginning.map { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "[") } ?? false
    let form = isCSV ? UserForm.csv : .ndjson
    let problem = try content.peek {
      form.problem($0, isWhole: $1, path: path, holding: .decisions)
    }
    guard problem.isEmpty else { throw CommandError(problem) }
    chunks = LineChunks(
      size: Self.chunk, lineLimit: UserInput.lineLimit, isCSV: isCSV, content.read)
  }

  /// The rows of the next part of the file; nil at the end.
  mutating func next() throws -> [Row]? {
    guard var chunk = try chunks.next() else { return nil }
    if isCSV, header == nil { try readHeader(&chunk) }
    guard let header else { return Self.rows(chunk, &lines) }
    return chunk.withUnsafeBytes { Self.rows($0, header, &lines) }
  }

  /// Takes the header from a chunk.
  private mutating func readHeader(_ chunk: inout [UInt8]) throws {
    // SAFETY: The row's offsets belong to this chunk, and cells are copied into names.
    // Tests: ReplayEventsTests.
    let (row, count, end) = chunk.withUnsafeBytes { CSVRows.first($0) }
    if let fault = row.fault { throw CommandError("\(path): in the header, \(fault)") }
    let names = chunk.withUnsafeBytes { text in
      row.cells.map { String(decoding: $0.content(text), as: UTF8.self) }
    }
    header = try CSVHeader(names, path: path, isText: RecordedDecision.isText)
    if let problem = RecordedDecision.problem(columns: names) {
      throw CommandError("\(path): the header \(problem)")
    }
    lines = count
    chunk.removeFirst(end)
  }

  private static func rows(_ chunk: [UInt8], _ lines: inout Int) -> [Row] {
    var rows: [Row] = []
    for line in chunk.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      lines += 1
      guard line.contains(where: { $0 > 0x20 }) else { continue }
      rows.append(Row(line: lines, content: parsed(line)))
    }
    // If the chunk ends in a newline, the text after that newline is not a line.
    if chunk.last == UInt8(ascii: "\n") { lines -= 1 }
    return rows
  }

  private static func rows(
    _ text: UnsafeRawBufferPointer, _ header: CSVHeader, _ lines: inout Int
  ) -> [Row] {
    // SAFETY: Records hold offsets in the text, which stays while they are used.
    // Tests: ReplayEventsTests.
    let records = CSVRecords(text, header, lineLimit: UserInput.lineLimit)
    let before = lines
    lines += records.lines
    let faults = Dictionary(
      records.rejected([], text).map { ($0.line, $0.reason) },
      uniquingKeysWith: { first, _ in first })
    var rows: [Row] = []
    let json = records.json.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in json.dropLast().enumerated() {
      let place = records.line(ofRow: number)
      let content =
        faults[place].map { Result.failure(RecordedDecision.Fault(reason: $0)) } ?? parsed(line)
      rows.append(Row(line: before + place + 1, content: content))
    }
    return rows
  }

  private static func parsed(_ line: ArraySlice<UInt8>) -> Result<Value, RecordedDecision.Fault> {
    guard line.count <= UserInput.lineLimit else {
      return .failure(
        .init(reason: "the line has more than \(UserInput.lineLimit) bytes, which is the limit"))
    }
    do throws(JSONFault) {
      return .success(try Value.parse(json: line))
    } catch {
      return .failure(.init(reason: error.message))
    }
  }
}

internal import Expressions
internal import Foundation
internal import HTTPTypes
internal import Requests
internal import RuleBatch
internal import RuleEngine

/// Splits the body into chunks of whole lines.
struct StreamLines {
  struct Chunk: Sendable {
    var bytes: [UInt8]
    /// The number of the chunk's first line, from 1.
    var line: Int
    /// Whether the chunk replaces a line that is too long.
    var isTooLong = false
  }

  private let limit: Int
  private var bytes: [UInt8] = []
  /// The place of the last newline, so that a long line in small parts is not searched again with each part.
  private var lastNewline: Int?
  private var line = 1
  /// Whether to skip the rest of a line that is too long.
  private var isSkipping = false

  init(limit: Int) { self.limit = limit }

  /// Whether there is a whole line.
  var hasLine: Bool { lastNewline != nil }

  /// The number of bytes that are not in a chunk yet.
  var waiting: Int { bytes.count }

  mutating func append(_ part: UnsafeRawBufferPointer) {
    guard isSkipping else { return add(part) }
    guard let newline = part.firstIndex(of: UInt8(ascii: "\n")) else { return }
    isSkipping = false
    add(UnsafeRawBufferPointer(rebasing: part[(newline + 1)...]))
  }

  private mutating func add(_ part: UnsafeRawBufferPointer) {
    if let newline = part.lastIndex(of: UInt8(ascii: "\n")) {
      lastNewline = bytes.count + newline
    }
    bytes.append(contentsOf: part)
  }

  /// The whole lines so far, or a line that is too long.
  mutating func next() -> Chunk? {
    guard let newline = lastNewline else {
      guard bytes.count > limit else { return nil }
      bytes.removeAll(keepingCapacity: true)
      isSkipping = true
      line += 1
      return Chunk(bytes: [], line: line - 1, isTooLong: true)
    }
    let rest = Array(bytes[(newline + 1)...])
    bytes.removeSubrange((newline + 1)...)
    lastNewline = nil
    defer {
      bytes = rest
      bytes.reserveCapacity(1 << 19)
    }
    return take(bytes)
  }

  /// The remaining bytes at the end of the body.
  mutating func end() -> Chunk? {
    if bytes.isEmpty { return nil }
    if bytes.count > limit, lastNewline == nil {
      return Chunk(bytes: [], line: line, isTooLong: true)
    }
    defer { bytes = [] }
    return take(bytes)
  }

  private mutating func take(_ lines: [UInt8]) -> Chunk {
    let chunk = Chunk(bytes: lines, line: line)
    var count = 0
    for byte in lines where byte == UInt8(ascii: "\n") { count += 1 }
    line += count
    return chunk
  }
}

/// Writes errors in the place of their lines.
struct StreamErrors: Sendable {
  /// Members of each error that name the request's trace.
  let traceMembers: [Value.Entry]

  func append(_ error: RequestError, line: Int, to output: inout [UInt8]) {
    var error = error
    error.details += [.init(key: "line", value: .int(Int64(line)))] + traceMembers
    JSONWriter.append(.object(["error": error.value]), to: &output)
    output.append(UInt8(ascii: "\n"))
  }
}

/// Combines the results of a batch into the answers of a stream, with errors in the place of their lines.
struct StreamAnswers {
  let linesPerUser: Int
  /// Whether a user's lines are combined into `{"decisions":[..]}`.
  let isWrapped: Bool
  let errors: StreamErrors

  func append(
    _ outcomes: UnsafeRawBufferPointer, _ rejected: [BatchWorker.RejectedLine], of lines: ByteView,
    from first: Int, to output: inout [UInt8]
  ) {
    var reader = Outcomes(outcomes)
    // A request without placements also has an answer.
    if rejected.isEmpty, linesPerUser > 0 {
      while reader.isMore { appendUser(&reader, &output) }
      return
    }
    var refused = rejected[...]
    var start = 0
    var number = 0
    while start < lines.count {
      let end = LineScan.newline(in: lines, from: start)
      let line = lines[start..<end]
      if let next = refused.first, next.line == number {
        refused.removeFirst()
        errors.append(
          RequestError(.request, "bad_user", next.reason), line: first + number, to: &output)
      } else if !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) {
        appendUser(&reader, &output)
      }
      start = end + 1
      number += 1
    }
  }

  private func appendUser(_ reader: inout Outcomes, _ output: inout [UInt8]) {
    if isWrapped { output += Self.opening }
    for number in 0..<linesPerUser {
      guard let line = reader.next() else { break }
      if isWrapped, number > 0 { output.append(UInt8(ascii: ",")) }
      output.append(contentsOf: line)
      if !isWrapped { output.append(UInt8(ascii: "\n")) }
    }
    if isWrapped { output += Self.closing }
  }

  private static let opening = Array(#"{"decisions":["#.utf8)
  private static let closing = Array("]}\n".utf8)

  /// Reads consecutive lines of outcomes.
  private struct Outcomes {
    private let bytes: UnsafeRawBufferPointer
    private var at = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isMore: Bool { at < bytes.count }

    mutating func next() -> UnsafeRawBufferPointer? {
      guard at < bytes.count, let base = bytes.baseAddress else { return nil }
      let found = memchr(base + at, 10, bytes.count - at)
      let end = found.map { UnsafeRawPointer($0) - base } ?? bytes.count
      defer { at = end + 1 }
      return UnsafeRawBufferPointer(rebasing: bytes[at..<end])
    }
  }
}

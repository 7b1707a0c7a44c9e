package import Expressions

/// Writes the contents of a store as lines of JSON, and reads such lines again.
///
/// The first line names the format, and the last line contains the counts, so that an incomplete file is recognized.
package enum StateMoving {
  private static let format = 1
  /// The number of records that are read or stored at once.
  package static let batch = 500

  package static var header: Value {
    .members(["kind": "tollgate-state", "format": .int(Int64(format))])
  }

  package static func end(_ counts: StateCounts) -> Value {
    .members(["kind": "end", "counts": counts.value])
  }

  /// The place where an export continues, and the records that it has already written.
  package struct Progress: Equatable, Sendable {
    package var last: (kind: StateRecord.Kind, cursor: StateCursor)?
    package var counts = StateCounts()
    package var hasHeader = false
    package var isComplete = false

    package init() {}

    /// Reads a line that was already written.
    package mutating func take(_ line: [UInt8]) throws(ServiceError) {
      switch try StateMoving.line(line, isFirst: !hasHeader) {
      case .header: hasHeader = true
      case .end: isComplete = true
      case .record(let record):
        counts.add(record)
        last = (record.kind, record.cursor)
      }
    }

    package static func == (a: Self, b: Self) -> Bool {
      a.counts == b.counts && a.last?.kind == b.last?.kind && a.last?.cursor == b.last?.cursor
    }
  }

  /// Writes the remaining records.
  ///
  /// - Parameter write: receives whole lines.
  package static func export(
    _ store: any StateStore, after progress: Progress = Progress(),
    _ write: ([UInt8]) throws -> Void
  ) async throws -> StateCounts {
    var progress = progress
    if !progress.hasHeader { try write(Array((header.json + "\n").utf8)) }
    let kinds = StateRecord.Kind.allCases
    let first = progress.last.flatMap { kinds.firstIndex(of: $0.kind) } ?? 0
    for kind in kinds[first...] {
      var cursor = progress.last.flatMap { $0.kind == kind ? $0.cursor : nil } ?? StateCursor()
      while true {
        let records = try await store.records(kind, after: cursor, limit: batch)
        guard let last = records.last else { break }
        var lines: [UInt8] = []
        for record in records {
          progress.counts.add(record)
          JSONWriter.append(record.value, to: &lines)
          lines.append(UInt8(ascii: "\n"))
        }
        try write(lines)
        cursor = last.cursor
      }
    }
    try write(Array((end(progress.counts).json + "\n").utf8))
    return progress.counts
  }

  /// The numbers of records in a store.
  package static func count(_ store: any StateStore) async throws -> StateCounts {
    try await export(store) { _ in }
  }

  // MARK: Lines

  package enum Line: Sendable {
    case header
    case record(StateRecord)
    case end(StateCounts)
  }

  package static func line(_ bytes: [UInt8], isFirst: Bool) throws(ServiceError) -> Line {
    let value: Value
    do throws(JSONFault) {
      value = try Value.parse(json: bytes)
    } catch {
      throw .badRequest("not JSON: \(error.message) at byte \(error.offset)")
    }
    switch value["kind"]?.text {
    case "tollgate-state":
      guard value["format"]?.wholeNumber == format else {
        throw .badRequest(
          "the format is \(value["format"]?.json ?? "missing"), and this program knows \(format); "
            + "use a newer tollgate-server")
      }
      return .header
    case _ where isFirst:
      throw .badRequest("the first line must be '\(header.json)'; this is not an export")
    case "end": return .end(StateCounts(value["counts"] ?? .null))
    default: return .record(try StateRecord(value))
    }
  }
}

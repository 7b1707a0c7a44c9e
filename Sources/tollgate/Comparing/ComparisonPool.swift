internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// Workers that compare parts of the input, and are reused.
final class ComparisonPool: Sendable {
  /// A worker that one task uses at a time.
  private final class Worker: @unchecked Sendable {
    // SAFETY: A task takes a worker from a `Locked` and has it alone. Views of the input end with
    // the call. Tests: DiffCommandTests.theReportDoesNotDependOnThreads, tsan.

    private var worker: ComparisonWorker
    private let reader: SegmentReader
    private let lineLimit: Int

    init(_ comparison: RuleComparison) {
      worker = ComparisonWorker(comparison)
      lineLimit = comparison.lineLimit
      reader = SegmentReader(lineLimit: lineLimit)
    }

    func process(_ part: InputPart) throws -> ComparisonWorker.Part {
      switch part.content {
      case .segment(let file, let from, let to):
        return try reader.withLines(of: file, from: from, to: to) {
          worker.process($0, slack: SegmentReader.slack)
        }
      case .lines(let lines):
        return lines.withUnsafeBufferPointer { worker.process($0) }
      case .rows(let text, let from, let header):
        return text.withUnsafeBytes { bytes in
          let rows = UnsafeRawBufferPointer(rebasing: bytes[from...])
          let records = CSVRecords(rows, header, lineLimit: lineLimit)
          var output = records.json.withUnsafeBufferPointer { worker.process($0) }
          output.output = records.output(output.output, rows)
          return output
        }
      }
    }
  }

  private let comparison: RuleComparison
  private let free = Locked<[Worker]>([])

  init(_ comparison: RuleComparison) { self.comparison = comparison }

  /// Compares a part of the input with a free worker.
  func process(_ part: InputPart) throws -> ComparisonWorker.Part {
    Signals.addStack()
    let worker = free.withLock { $0.popLast() } ?? Worker(comparison)
    defer { free.withLock { $0.append(worker) } }
    return try worker.process(part)
  }
}

internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Workers that process parts of the input. Workers are reused, because they have learned the shapes of records and
/// allocated their memory.
final class WorkerPool: Sendable {
  /// The results of a part.
  struct Result: Sendable {
    var output: BatchWorker.Output
    /// For a segment, the hashes of its blocks.
    var blocks: [UInt64] = []
    /// For CSV, cells that could be read in another way.
    var texts = CSVTexts()
  }

  /// A worker that one task uses at a time.
  final class Worker: @unchecked Sendable {
    // SAFETY: A task takes a worker and a buffer from a `Locked` and has them alone. Views of the
    // input end with the call. Tests: tsan over batches, InputFormsTests.

    private var worker: BatchWorker
    private let reader: SegmentReader

    private let plan: BatchPlan

    fileprivate init(_ plan: BatchPlan, isHashing: Bool) {
      self.plan = plan
      worker = BatchWorker(plan)
      reader = SegmentReader(lineLimit: plan.lineLimit, isHashing: isHashing)
    }

    var textErrors: [String: Int] { worker.textErrors }

    func process(_ part: InputPart, comparing limit: UInt64, into buffer: OutcomeBuffer) throws
      -> Result
    {
      switch part.content {
      case .segment(let file, let from, let to):
        let output = try reader.withLines(of: file, from: from, to: to) {
          worker.process($0, slack: SegmentReader.slack, comparing: limit, into: buffer)
        }
        return Result(output: output, blocks: reader.blocks)
      case .lines(let lines):
        return Result(
          output: lines.withUnsafeBufferPointer {
            worker.process($0, comparing: limit, into: buffer)
          })
      case .rows(let text, let from, let header):
        return text.withUnsafeBytes { bytes in
          let rows = UnsafeRawBufferPointer(rebasing: bytes[from...])
          let records = CSVRecords(rows, header, lineLimit: plan.lineLimit)
          let output = records.json.withUnsafeBufferPointer {
            worker.process($0, comparing: limit, into: buffer)
          }
          return Result(output: records.output(output, rows), texts: records.texts)
        }
      }
    }
  }

  private let plan: BatchPlan
  /// Whether workers hash the blocks of plain files.
  private let isHashing: Bool
  private let free = Locked<[Worker]>([])
  private let buffers = Locked<[OutcomeBuffer]>([])

  init(_ plan: BatchPlan, isHashing: Bool) {
    self.plan = plan
    self.isHashing = isHashing
  }

  /// Decides a part of the input with a free worker.
  ///
  /// - Parameter limit: the subjects to return, for ``ComparedSubjects``.
  func process(_ part: InputPart, comparing limit: UInt64) throws -> Result {
    Signals.addStack()
    let worker = free.withLock { $0.popLast() } ?? Worker(plan, isHashing: isHashing)
    defer { free.withLock { $0.append(worker) } }
    let buffer = buffers.withLock { $0.popLast() } ?? OutcomeBuffer()
    return try worker.process(part, comparing: limit, into: buffer)
  }

  /// The errors in texts of all free workers.
  func textErrors() -> [String: Int] {
    free.withLock { $0.reduce(into: [:]) { $0.merge($1.textErrors, uniquingKeysWith: +) } }
  }

  /// Takes back a buffer whose contents have been written.
  func reuse(_ buffer: OutcomeBuffer) {
    buffer.clear()
    buffers.withLock { $0.append(buffer) }
  }
}

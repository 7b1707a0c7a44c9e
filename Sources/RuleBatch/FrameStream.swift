internal import Expressions
internal import RuleEngine

/// Decides for a stream of batches, and gives the outcomes out in parts that do not depend on how large these
/// are: memory is that of one batch of the stream and of one part.
package struct FrameStream: ~Copyable {
  /// Rows of a part: more would leave the caches, and take twice as long.
  package static let mostRows = 8_192

  /// A batch that is being read. The rows point into it, so they go first.
  private final class Current {
    var rows: ArrowRows
    let batch: ArrowBatch

    init(_ batch: consuming ArrowBatch, _ binding: ArrowBinding) throws(ArrowError) {
      rows = try batch.rows(binding)
      self.batch = batch
    }
  }

  private let columns: FrameColumns
  private let stream: ArrowStream
  private var current: Current?
  private var next = 0
  /// Rows of the parts before the present one.
  private var before = 0
  private var failed: ArrowError?
  /// Producers need not answer once they have said that there is no more.
  private var hasEnded: Bool

  /// What users get in the part that was decided last.
  package let worker: FrameWorker

  /// - Parameters:
  ///   - columns: of the stream's schema.
  ///   - hasEnded: whether all batches have been read already.
  package init(
    _ plan: BatchPlan, _ columns: FrameColumns, _ stream: consuming ArrowStream,
    hasEnded: Bool = false
  ) {
    self.hasEnded = hasEnded
    self.columns = columns
    self.stream = stream
    worker = FrameWorker(plan, columns)
  }

  /// The row of the stream that the present part begins with, from 0.
  package var firstRow: Int { before - worker.count }

  /// Decides for the next part; nil at the end. After an error there is no next part. Rows of errors are
  /// those of the stream, from 0.
  package mutating func decide() throws(ArrowError) -> BatchSums? {
    if let failed { throw failed }
    if hasEnded { return nil }
    do throws(ArrowError) {
      while true {
        if let current, next < current.rows.count {
          let count = min(FrameStream.mostRows, current.rows.count - next)
          let sums = try worker.decide(&current.rows, from: next, count: count)
          next += count
          before += count
          return sums
        }
        current = nil
        next = 0
        guard let batch = try stream.next() else {
          hasEnded = true
          return nil
        }
        current = try Current(batch, columns.binding)
      }
    } catch {
      var problem = error
      // Whoever reads a stream does not see its batches.
      if let row = error.row { problem.row = before - next + row }
      current = nil
      failed = problem
      throw problem
    }
  }
}

internal import Expressions
internal import RuleEngine

/// Decides a stream of batches, and returns the outcomes in parts whose size does not depend on the
/// batches. The memory is that of one input batch and one part.
package struct FrameStream: ~Copyable {
  /// The maximum number of rows in a part. Larger parts would exceed the caches, and take twice as long.
  package static let mostRows = 8_192

  /// The current batch. The rows point into it, so they must be released first.
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
  /// The number of rows in the parts before the current one.
  private var before = 0
  private var failed: ArrowError?
  /// Whether the producer has reported the end. A producer need not answer after that.
  private var hasEnded: Bool

  /// The worker, which has the outcomes of the last part.
  package let worker: FrameWorker

  /// - Parameters:
  ///   - columns: the columns of the stream's schema.
  ///   - hasEnded: whether all batches have already been read.
  package init(
    _ plan: BatchPlan, _ columns: FrameColumns, _ stream: consuming ArrowStream,
    hasEnded: Bool = false
  ) {
    self.hasEnded = hasEnded
    self.columns = columns
    self.stream = stream
    worker = FrameWorker(plan, columns)
  }

  /// The first row of the current part in the stream, from 0.
  package var firstRow: Int { before - worker.count }

  /// Decides the next part; nil at the end. After an error there is no next part. Row numbers in
  /// errors count from the beginning of the stream, from 0.
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
      // Readers of a stream do not see its batches, so errors contain rows of the stream.
      if let row = error.row { problem.row = before - next + row }
      current = nil
      failed = problem
      throw problem
    }
  }
}

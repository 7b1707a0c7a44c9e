internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// Sends the parts of files of users through workers, and returns the results in the order of the
/// files.
struct TrafficParts {
  /// The result of a part, and its place.
  struct Result {
    var output: TrafficWorker.Output
    /// The number of the part, from 0.
    var number: Int
    var path: String
    /// The number of lines of the file before the part.
    var linesBefore: Int
  }

  private struct Pending {
    var part: InputPart
    var number: Int
    var task: Task<TrafficWorker.Output, any Error>
  }

  private let paths: [String]
  private let threads: Int
  private let pool: TrafficPool
  /// The source of placements for the users of a part.
  private let source: (Int) -> TrafficWorker.Source
  private var input: UserInput
  private var pending: [Pending] = []
  private var isDone = false
  private var number = 0
  private var file = 0
  private var lines = 0

  /// - Parameter weight: the size of a user's output, in placements. If the output is large, parts are smaller.
  init(
    _ paths: [String], form: UserForm?, _ pool: TrafficPool, threads: Int, weight: Int = 1,
    source: @escaping (Int) -> TrafficWorker.Source
  ) throws {
    self.paths = paths
    self.threads = threads
    self.pool = pool
    self.source = source
    input = try UserInput(
      paths, form: form, lineLimit: pool.plan.options.lineLimit, weight: weight)
  }

  /// The result of the next part; nil after the last part.
  ///
  /// - Throws: ``Signals/Stop`` when a stop is requested.
  mutating func next() async throws -> Result? {
    do {
      // With one more part than threads, all threads stay busy while a result is handled.
      while !isDone, pending.count <= threads {
        try Signals.check()
        guard let part = try input.next() else {
          isDone = true
          break
        }
        let (pool, source) = (pool, source(number))
        pending.append(
          Pending(
            part: part, number: number,
            task: Task.detached { try pool.process(part, source) }))
        number += 1
        if threads == 1 { break }
      }
      guard !pending.isEmpty else { return nil }
      let first = pending.removeFirst()
      let output = try await first.task.value
      if first.part.file != file { (file, lines) = (first.part.file, 0) }
      let before = lines + first.part.linesBefore
      lines = before + output.lines
      return Result(
        output: output, number: first.number, path: paths[file], linesBefore: before)
    } catch {
      for part in pending { part.task.cancel() }
      throw error
    }
  }
}

/// Workers that process parts of the input, and are reused.
final class TrafficPool: Sendable {
  /// A worker that one task uses at a time.
  private final class Worker: @unchecked Sendable {
    // SAFETY: A task takes a worker from a `Locked` and has it alone. Views of the input end with
    // the call. Tests: SimulateTrafficTests, tsan.

    private var worker: TrafficWorker
    private let reader: SegmentReader
    private let lineLimit: Int

    init(_ plan: TrafficPlan) {
      worker = TrafficWorker(plan)
      lineLimit = plan.options.lineLimit
      reader = SegmentReader(lineLimit: lineLimit)
    }

    func process(_ part: InputPart, _ source: TrafficWorker.Source) throws -> TrafficWorker.Output {
      switch part.content {
      case .segment(let file, let from, let to):
        return try reader.withLines(of: file, from: from, to: to) { worker.process($0, source) }
      case .lines(let lines):
        return lines.withUnsafeBufferPointer { worker.process($0, source) }
      case .rows(let text, let from, let header):
        return text.withUnsafeBytes { bytes in
          let rows = UnsafeRawBufferPointer(rebasing: bytes[from...])
          let records = CSVRecords(rows, header, lineLimit: lineLimit)
          var output = records.json.withUnsafeBufferPointer { worker.process($0, source) }
          output.rejected = records.rejected(output.rejected, rows)
          output.lines = records.lines
          return output
        }
      }
    }
  }

  let plan: TrafficPlan
  private let free = Locked<[Worker]>([])

  init(_ plan: TrafficPlan) { self.plan = plan }

  /// Processes a part with a free worker.
  func process(_ part: InputPart, _ source: TrafficWorker.Source) throws -> TrafficWorker.Output {
    Signals.addStack()
    let worker = free.withLock { $0.popLast() } ?? Worker(plan)
    defer { free.withLock { $0.append(worker) } }
    return try worker.process(part, source)
  }
}

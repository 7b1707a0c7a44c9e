internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// Streams users through workers that compare, and collects their results, in the order of the
/// input.
struct ComparisonRun {
  private let users: [String]
  private let threads: Int
  private let workers: ComparisonPool
  private let moved: MoveSink
  private var input: UserInput
  /// The file that was read last, and the number of lines read from it.
  private var position = InputPosition()
  private var told = 0
  private(set) var sums = ComparisonSums()
  private(set) var notes = RecordNotes()
  private(set) var rejects = RejectKinds()
  private var progress: ReadingProgress

  init(
    _ comparison: RuleComparison, users: [String], form: UserForm?, separator: String?,
    threads: Int, moved: MoveSink, isQuiet: Bool
  ) throws {
    self.users = users
    self.threads = threads
    self.moved = moved
    progress = ReadingProgress("compared", users, isQuiet: isQuiet)
    workers = ComparisonPool(comparison)
    let read =
      comparison.oldPlan.ruleSet.requirements + comparison.newPlan.ruleSet.requirements
    input = try UserInput(
      users, form: form, flat: separator.map { FlatNames($0, read) },
      lineLimit: comparison.lineLimit, weight: comparison.weight)
  }

  private struct Pending {
    var part: InputPart
    var task: Task<ComparisonWorker.Part, any Error>
  }

  /// Processes the input.
  ///
  /// - Throws: ``Signals/Stop`` when a stop is requested.
  mutating func process() async throws {
    defer { progress.interrupt() }
    var pending: [Pending] = []
    defer {
      for part in pending { part.task.cancel() }
    }
    var isDone = false
    repeat {
      // With one more part than threads, all threads stay busy while this thread writes.
      while !isDone, pending.count <= threads {
        try Signals.check()
        guard let part = try input.next() else {
          isDone = true
          break
        }
        let workers = workers
        pending.append(Pending(part: part, task: Task.detached { try workers.process(part) }))
        if threads == 1 { break }
      }
      guard !pending.isEmpty else { break }
      let first = pending.removeFirst()
      try finish(try await first.task.value, first.part)
    } while true
  }

  private mutating func finish(_ output: ComparisonWorker.Part, _ part: InputPart) throws {
    if part.file != position.file { position = InputPosition(file: part.file) }
    let kinds = sums.add(output)
    try moved.write(output, kinds: kinds, of: sums)
    for line in output.output.rejected {
      let number = position.lines + part.linesBefore + line.line + 1
      rejects.add(line.reason, file: part.file, line: number)
      tell(line, users[part.file], number)
    }
    notes.add(output.output.notes)
    position.lines += part.linesBefore + output.output.lines
    progress.update(sums.users, part)
  }

  private mutating func tell(_ line: BatchWorker.RejectedLine, _ path: String, _ number: Int) {
    told += 1
    progress.interrupt()
    if told <= BatchRun.toldRejections {
      FileText.printError(
        DiagnosticText.visible("warning: \(path):\(BatchRun.place(number, line))"))
    } else if told == BatchRun.toldRejections + 1 {
      FileText.printError("... more lines are rejected. They are counted")
    }
  }
}

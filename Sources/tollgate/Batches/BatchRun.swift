internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Streams users through workers and writes what they give, in the order of the input.
struct BatchRun {
  /// What a run reads and writes, and from where it goes on.
  struct Files {
    var users: [String]
    var outcomes = OutcomeSink.none
    var rejects = OutcomeSink.none
    /// Where checkpoints go; nil for none.
    var checkpoint: String?
    /// Seconds between checkpoints.
    var interval = 0.0
    /// Comes before the first byte that is written.
    var begin: (Checkpoint) throws -> Void = { _ in }
  }

  private let plan: BatchPlan
  private let threads: Int
  private let isQuiet: Bool
  let files: Files
  private let workers: WorkerPool
  private var input: UserInput
  private var progress: Progress
  private var told = 0
  private var lastCheckpoint = Clock.now()
  /// Who came so far, to find users who are there twice. No checkpoint keeps it.
  private var compared = ComparedSubjects()
  /// How far the run has come.
  private(set) var state: Checkpoint
  /// Users whose outcomes are still there if the run goes on from its last checkpoint.
  private(set) var kept: Int
  /// Whether this process has written anything.
  private(set) var hasBegun = false

  /// Refused lines that are told on standard error; all are counted, and kept with `--rejects`.
  static let toldRejections = 5

  /// - Parameter state: where to go on, or the beginning.
  init(
    plan: BatchPlan, files: Files, from state: Checkpoint, threads: Int, isQuiet: Bool = false
  ) throws {
    self.plan = plan
    self.files = files
    self.threads = threads
    self.isQuiet = isQuiet
    self.state = state
    kept = state.sums.users
    workers = WorkerPool(plan)
    input = try UserInput(
      files.users, form: state.settings.input.flatMap { UserForm(rawValue: $0) },
      lineLimit: plan.lineLimit, weight: plan.weight, from: state.position,
      known: state.users)
    progress = Progress(
      placements: plan.placementCount, totalBytes: UserInput.totalSize(of: files.users),
      from: state, isQuiet: isQuiet)
  }

  var tally: Tally { plan.tally(of: state.sums) }
  /// What is odd about the records.
  var notes: RecordNotes { state.notes }
  /// What went wrong in texts since this process began.
  var textErrors: [String: Int] { workers.textErrors() }

  private struct Pending {
    var part: InputPart
    var task: Task<WorkerPool.Result, any Error>
  }

  /// Works off the input. What keeps it from that leaves a checkpoint of all that came before.
  ///
  /// - Throws: ``Signals/Stop`` when a stop is requested.
  mutating func process() async throws {
    var pending: [Pending] = []
    defer {
      for part in pending { part.task.cancel() }
    }
    var isDone = false
    var failure: (any Error)?
    repeat {
      // One part more than threads keeps every thread busy while this one writes.
      while !isDone, failure == nil, pending.count <= threads {
        do {
          try Signals.check()
          if let part = try input.next() {
            let (workers, limit) = (workers, compared.limit)
            pending.append(
              Pending(
                part: part,
                task: Task.detached { try workers.process(part, comparing: limit) }))
          } else {
            isDone = true
          }
        } catch {
          failure = error
        }
        if threads == 1 { break }
      }
      guard !pending.isEmpty else { break }
      let first = pending.removeFirst()
      switch await first.task.result {
      case .success(let result): try finish(result, first.part)
      case .failure(let error): try fail(error)
      }
    } while true
    progress.interrupt()
    if let failure { try fail(failure) }
  }

  private mutating func fail(_ error: any Error) throws {
    progress.interrupt()
    if hasBegun { try writeCheckpoint() }
    throw error
  }

  /// Prints what the run decides, and as of when.
  func tellBegun() {
    if isQuiet { return }
    FileText.printError(
      "Deciding \(counted(plan.placementCount, "placement")) as of \(state.settings.basis)")
  }

  /// Says that everything is done.
  mutating func tellDone() { progress.finish(state) }

  /// Adds what was read to the hashes of the users files.
  private mutating func read(_ part: InputPart, _ blocks: [UInt64]) {
    // Files of which nothing came are empty.
    while state.users.count <= part.file { state.users.append(UserHash()) }
    if let hash = part.hash {
      state.users[part.file] = hash
    } else {
      state.users[part.file].add(blocks: blocks)
    }
  }

  /// Writes what came of a part and adds its counts.
  private mutating func finish(_ result: WorkerPool.Result, _ part: InputPart) throws {
    let output = result.output
    if part.file != state.position.file { state.position = InputPosition(file: part.file) }
    let outcomes = output.buffer.content
    if !hasBegun, output.sums.users > 0 || files.rejects.isKept && !output.rejected.isEmpty {
      try files.begin(state)
      hasBegun = true
      if case .database(let database) = files.outcomes { try database.begin(state) }
    }
    if outcomes.count > 0 { try files.outcomes.write(outcomes) }
    if !output.rejected.isEmpty { try keep(output.rejected, part) }
    state.sums.add(output.sums)
    state.notes.add(output.notes)
    for (line, key) in output.repeated {
      let number = state.position.lines + part.linesBefore + line + 1
      state.notes.note(
        repeatedKey: key, at: "\(UserInput.name(files.users[part.file])):\(number)")
    }
    compare(output.subjects, part)
    if !result.texts.isEmpty { state.texts.add(result.texts) }
    read(part, result.blocks)
    state.position.offset = part.end
    state.position.lines += part.linesBefore + output.lines
    workers.reuse(output.buffer)
    progress.update(state)
    let now = Clock.now()
    guard hasBegun, Double(now - lastCheckpoint) >= files.interval * 1_000 else { return }
    lastCheckpoint = now
    try writeCheckpoint()
  }

  /// Looks for users of a part who came before with different content.
  private mutating func compare(_ users: [SubjectRecord], _ part: InputPart) {
    for user in users {
      let line = state.position.lines + part.linesBefore + user.line + 1
      guard let first = compared.add(user, file: part.file, line: line) else { continue }
      func place(_ file: Int, _ line: Int) -> String {
        "\(UserInput.name(files.users[file])):\(line)"
      }
      state.notes.note(
        contradicting: user.id, at: place(part.file, line), first: place(first.file, first.line),
        isPartial: compared.isPartial)
    }
  }

  /// A checkpoint tells of what the system has been given, which a kill does not take back. Nothing
  /// waits for the disk: after a loss of power the file may be shorter than its checkpoint says, and
  /// continuing is refused.
  private mutating func writeCheckpoint() throws {
    guard let path = files.checkpoint else { return }
    state.outcomes = files.outcomes.state
    state.rejects = files.rejects.state
    if case .database(let database) = files.outcomes {
      try database.commit(state)
    } else {
      try state.write(to: path)
    }
    kept = state.sums.users
  }

  private mutating func keep(_ rejected: [BatchWorker.RejectedLine], _ part: InputPart) throws {
    let path = files.users[part.file]
    var kept: [UInt8] = []
    for line in rejected {
      let number = state.position.lines + part.linesBefore + line.line + 1
      tell(line, path, number)
      state.rejectKinds?.add(line.reason, file: part.file, line: number)
      var entries: [Value.Entry] = []
      if files.users.count > 1 { entries.append(.init(key: "file", value: .string(path))) }
      entries += [
        .init(key: "line", value: .int(Int64(number))),
        .init(key: "reason", value: .string(line.reason)),
        .init(key: "text", value: .string(String(decoding: line.text, as: UTF8.self))),
      ]
      JSONWriter.append(.map(entries), to: &kept)
      kept.append(UInt8(ascii: "\n"))
    }
    try files.rejects.write(kept)
  }

  /// The line, the column where one is known, and why the line is refused.
  static func place(_ number: Int, _ line: BatchWorker.RejectedLine) -> String {
    let start = "at byte "
    guard line.reason.hasPrefix(start), let colon = line.reason.firstRange(of: ": "),
      let offset = Int(line.reason[..<colon.lowerBound].dropFirst(start.count))
    else { return "\(number): refused: \(line.reason)" }
    let column = SourcePosition(offset: offset, in: line.text).column
    return "\(number):\(column): refused: \(line.reason[colon.upperBound...])"
  }

  private mutating func tell(_ line: BatchWorker.RejectedLine, _ path: String, _ number: Int) {
    told += 1
    guard told <= BatchRun.toldRejections + 1 else { return }
    progress.interrupt()
    if told <= BatchRun.toldRejections {
      FileText.printError(
        DiagnosticText.visible("warning: \(UserInput.name(path)):\(BatchRun.place(number, line))"))
    } else {
      var kept = ""
      if case .file = files.rejects { kept = " and kept" }
      FileText.printError("... more lines are refused; they are counted\(kept)")
    }
  }
}

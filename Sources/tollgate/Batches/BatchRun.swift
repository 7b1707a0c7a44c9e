internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Streams users through workers and writes their results, in the order of the input.
struct BatchRun {
  /// The inputs and outputs of a run, and where it resumes.
  struct Files {
    var users: [String]
    var outcomes = OutcomeSink.none
    var rejects = OutcomeSink.none
    /// Whether a manifest or a checkpoint needs the hashes of the users files.
    var hashesUsers = true
    /// The path of checkpoints; nil for no checkpoints.
    var checkpoint: String?
    /// Seconds between checkpoints.
    var interval = 0.0
    /// Called before the first byte is written.
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
  /// The users so far, to find duplicates. Checkpoints do not include these users.
  private var compared = ComparedSubjects()
  /// The progress of the run.
  private(set) var state: Checkpoint
  /// The number of users whose outcomes remain valid if the run resumes from its last checkpoint.
  private(set) var kept: Int
  /// Whether this process has written anything.
  private(set) var hasBegun = false

  /// The maximum number of rejected lines to report on standard error. All rejected lines are counted, and stored with
  /// `--rejects`.
  static let toldRejections = 5

  /// - Parameter state: the state in which the run begins or resumes.
  init(
    plan: BatchPlan, files: Files, from state: Checkpoint, threads: Int, isQuiet: Bool = false
  ) throws {
    self.plan = plan
    self.files = files
    self.threads = threads
    self.isQuiet = isQuiet
    self.state = state
    kept = state.sums.users
    workers = WorkerPool(plan, isHashing: files.hashesUsers)
    input = try UserInput(
      files.users, form: state.settings.input.flatMap { UserForm(rawValue: $0) },
      flat: state.settings.separator.map { FlatNames($0, plan.ruleSet.requirements) },
      lineLimit: plan.lineLimit, weight: plan.weight, isFleet: plan.fleet != nil,
      from: state.position, known: state.users)
    progress = Progress(
      placements: plan.placementCount, totalBytes: UserInput.totalSize(of: files.users),
      from: state, isQuiet: isQuiet)
  }

  var tally: Tally { plan.tally(of: state.sums) }
  /// The oddities of the records.
  var notes: RecordNotes { state.notes }
  /// The errors in texts since this process started.
  var textErrors: [String: Int] { workers.textErrors() }

  private struct Pending {
    var part: InputPart
    var task: Task<WorkerPool.Result, any Error>
  }

  /// Processes the input. If processing fails, a checkpoint contains all earlier progress.
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
      // With one more part than threads, all threads stay busy while this thread writes.
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

  /// Prints the subject of the run, and the time of its decisions.
  func tellBegun() {
    if isQuiet { return }
    FileText.printError(
      "Deciding \(counted(plan.placementCount, "placement")) as of \(state.settings.basis)")
  }

  /// Reports that the run is finished.
  mutating func tellDone() { progress.finish(state) }

  /// Adds the bytes read to the hashes of the users files.
  private mutating func read(_ part: InputPart, _ blocks: [UInt64]) {
    // Files without any part are empty.
    while state.users.count <= part.file { state.users.append(UserHash()) }
    if let hash = part.hash {
      state.users[part.file] = hash
    } else {
      state.users[part.file].add(blocks: blocks)
    }
  }

  /// Writes the results of a part and adds its counts.
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

  /// Looks for users of a part that appeared before with different content.
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

  /// A checkpoint covers the data that was passed to the system, which survives a kill. Checkpoints do not wait for the
  /// disk: after a power failure, the file may be shorter than its checkpoint says, and resuming then fails.
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

  /// The line, the column if it is known, and why the line was rejected.
  static func place(_ number: Int, _ line: BatchWorker.RejectedLine) -> String {
    let start = "at byte "
    guard line.reason.hasPrefix(start), let colon = line.reason.firstRange(of: ": "),
      let offset = Int(line.reason[..<colon.lowerBound].dropFirst(start.count))
    else { return "\(number): rejected: \(line.reason)" }
    let column = SourcePosition(offset: offset, in: line.text).column
    return "\(number):\(column): rejected: \(line.reason[colon.upperBound...])"
  }

  private mutating func tell(_ line: BatchWorker.RejectedLine, _ path: String, _ number: Int) {
    told += 1
    guard told <= BatchRun.toldRejections + 1 else { return }
    progress.interrupt()
    if told <= BatchRun.toldRejections {
      FileText.printError(
        DiagnosticText.visible("warning: \(UserInput.name(path)):\(BatchRun.place(number, line))"))
    } else {
      var stored = ""
      if case .file = files.rejects { stored = " and stored" }
      FileText.printError("... more lines are rejected. They are counted\(stored)")
    }
  }
}

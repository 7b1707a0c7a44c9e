internal import Expressions
internal import RuleEngine
internal import SystemPackage

/// Streams a users file through workers and writes what they give, in the order of the file.
struct BatchRun {
  private let plan: BatchPlan
  private let threads: Int
  private let strict: Bool
  private let output: FileDescriptor?
  private let rejects: FileDescriptor?
  private let users: String
  private let workers: WorkerPool
  private var chunks: LineChunks
  private var progress: Progress
  private var lines = 0
  private var told = 0
  private(set) var tally: Tally
  private(set) var unknownKeys: [String: Int] = [:]
  private(set) var textErrors: [String: Int] = [:]

  /// Refused lines that are told on standard error; all are counted, and kept with `--rejects`.
  private static let toldRejections = 5

  init(
    plan: BatchPlan, users: String, out: String, rejects: String?, strict: Bool, threads: Int
  ) throws {
    self.plan = plan
    self.users = users
    self.threads = threads
    self.strict = strict
    workers = WorkerPool(plan)
    chunks = LineChunks(try FileText.open(users), lineLimit: plan.lineLimit)
    output = out == "none" ? nil : try FileText.create(out)
    self.rejects = try rejects.map { try FileText.create($0) }
    tally = plan.emptyTally
    progress = Progress(placements: plan.placementCount)
  }

  /// What a worker gives for one chunk.
  private struct Part: Sendable {
    var output: BatchWorker.Output
  }

  mutating func process() async throws {
    var inFlight: [Task<Part, Never>] = []
    var isDone = false
    while true {
      // One chunk more than threads keeps every thread busy while this one writes.
      while !isDone, inFlight.count <= threads {
        guard let chunk = try chunks.next() else {
          isDone = true
          break
        }
        inFlight.append(start(chunk))
        if threads == 1 { break }
      }
      guard !inFlight.isEmpty else { break }
      let part = await inFlight.removeFirst().value
      if try finish(part) {
        inFlight.forEach { $0.cancel() }
        break
      }
    }
    unknownKeys = workers.unknownKeys()
    textErrors = workers.textErrors()
    progress.finish(tally)
    try output.map { if $0 != .standardOutput { try $0.close() } }
    try rejects?.close()
  }

  private func start(_ chunk: [UInt8]) -> Task<Part, Never> {
    let workers = workers
    return Task.detached {
      let worker = workers.take()
      defer { workers.giveBack(worker) }
      return Part(output: worker.process(chunk))
    }
  }

  /// Writes a part and adds its counts; true when the run is to stop.
  private mutating func finish(_ part: Part) throws -> Bool {
    if let output { try FileText.write(part.output.outcomes, to: output) }
    tally.add(part.output.tally)
    var kept: [UInt8] = []
    for line in part.output.rejected {
      let number = lines + line.line + 1
      tell(line, number)
      JSONWriter.append(
        .object([
          "line": .int(Int64(number)), "reason": .string(line.reason),
          "text": .string(String(decoding: line.text, as: UTF8.self)),
        ]), to: &kept)
      kept.append(UInt8(ascii: "\n"))
    }
    if let rejects { try FileText.write(kept, to: rejects) }
    lines += part.output.lines
    progress.update(tally)
    return strict && !part.output.rejected.isEmpty
  }

  private mutating func tell(_ line: BatchWorker.RejectedLine, _ number: Int) {
    told += 1
    if told <= BatchRun.toldRejections {
      progress.interrupt()
      FileText.printError("\(users):\(number): refused: \(line.reason)")
    } else if told == BatchRun.toldRejections + 1 {
      FileText.printError(
        "... more lines are refused; they are counted" + (rejects == nil ? "" : " and kept"))
    }
  }
}

internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// Simulates the traffic of files of users.
struct TrafficRun {
  private let paths: [String]
  private let form: UserForm?
  private let plan: TrafficPlan
  private let pool: TrafficPool
  private let threads: Int
  private let isQuiet: Bool
  private(set) var sums: TrafficSums
  private(set) var notes = RecordNotes()
  private var progress: TrafficProgress
  /// The number of records of users that appeared before, and one of these users.
  private var repeated: (count: Int, example: String?) = (0, nil)

  init(
    _ paths: [String], form: UserForm?, _ plan: TrafficPlan, threads: Int, isQuiet: Bool
  ) {
    self.paths = paths
    self.form = form
    self.plan = plan
    self.threads = threads
    self.isQuiet = isQuiet
    pool = TrafficPool(plan)
    sums = TrafficSums(plan)
    progress = TrafficProgress(isQuiet: isQuiet)
  }

  mutating func interrupt() { progress.interrupt() }
  mutating func tellDone() { progress.finish(sums) }

  /// Simulates generated traffic, one user after another.
  mutating func generate(
    _ traffic: GeneratedTraffic, to out: OutcomeSink, _ refused: inout RefusedLines
  ) async throws {
    let weight = Int(traffic.rate * Double(traffic.days))
    var parts = try TrafficParts(paths, form: form, pool, threads: threads, weight: weight) {
      _ in .generated(traffic)
    }
    while let result = try await parts.next() {
      try tell(result, &refused)
      try take(result, out)
    }
  }

  /// Simulates recorded traffic. Users are read twice. The first time, their IDs are read, to group the lines of
  /// traffic by user. The second time, their records are read, to simulate each user over the whole period.
  mutating func replay(
    _ events: String, _ config: ConfigFile, to out: OutcomeSink, _ refused: inout RefusedLines
  ) async throws {
    for path in paths where try path == "-" || InputFile(path).size == nil {
      throw CommandError(
        "--users \(path): users are read twice for --events; write them to a file first")
    }
    var (subjects, numbers) = (SubjectTable(), [TrafficWorker.Numbers]())
    var parts = try TrafficParts(paths, form: form, pool, threads: threads) { _ in .identities }
    while let result = try await parts.next() {
      try tell(result, &refused)
      numbers.append(try add(result, to: &subjects))
    }
    tellRepeated()
    var reading = TrafficEvents(events, plan, config, subjects)
    try reading.read(&refused, isQuiet: isQuiet)
    let traffic = reading.traffic
    if refused.events > 0, traffic.placements == 0, reading.passedOver == 0 {
      throw CommandError(
        "no traffic in \(events): "
          + (refused.events == 1
            ? "the only line was rejected" : "all \(counted(refused.events, "line")) were rejected")
      )
    }
    if traffic.placements == 0 { throw CommandError("no traffic in \(events)") }
    if !isQuiet {
      FileText.printError(
        "Read \(counted(traffic.placements, "placement")) of \(counted(subjects.count, "user")), "
          + "\(grouped((traffic.memory + subjects.memory) >> 20)) MiB")
    }
    let known = numbers
    parts = try TrafficParts(paths, form: form, pool, threads: threads) { number in
      .recorded(
        traffic, subjects, number < known.count ? known[number] : .init(first: subjects.count))
    }
    while let result = try await parts.next() {
      if result.output.hasChanged {
        throw CommandError("\(result.path) was changed while it was read; run again")
      }
      try take(result, out)
    }
  }

  private mutating func add(_ result: TrafficParts.Result, to subjects: inout SubjectTable) throws
    -> TrafficWorker.Numbers
  {
    var numbers = TrafficWorker.Numbers(first: subjects.count)
    for (place, subject) in result.output.subjects.enumerated() {
      var subject = subject
      // SAFETY: The view of the string stays in the closure. Tests: SimulateTrafficTests.
      let isNew = subject.withUTF8 { subjects.add($0) != nil }
      if isNew { continue }
      numbers.repeated.insert(place)
      repeated = (repeated.count + 1, repeated.example ?? subject)
    }
    guard subjects.count < SubjectTable.limit else {
      throw CommandError("--users has more users than can be simulated with --events")
    }
    return numbers
  }

  private func tellRepeated() {
    guard let example = repeated.example, !isQuiet else { return }
    FileText.printError(
      DiagnosticText.visible(
        "note: \(counted(repeated.count, "repeated record")) of users such as "
          + "'\(example.prefix(60))'; the first record counts"))
  }

  private func tell(_ result: TrafficParts.Result, _ refused: inout RefusedLines) throws {
    for line in result.output.rejected {
      try refused.add(user: line, result.path, result.linesBefore + line.line + 1)
    }
  }

  private mutating func take(_ result: TrafficParts.Result, _ out: OutcomeSink) throws {
    if !result.output.text.isEmpty { try out.write(result.output.text) }
    sums.add(result.output.sums)
    notes.add(result.output.notes)
    progress.update(sums)
  }
}

/// Reports the progress of a simulation on standard error.
struct TrafficProgress {
  private var line: ProgressLine
  private let cpuStart = Clock.processSeconds()

  init(isQuiet: Bool) { line = ProgressLine(isQuiet: isQuiet) }

  mutating func update(_ sums: TrafficSums) {
    guard line.isDue() else { return }
    line.show(
      "\(counted(sums.users, "user")), \(counted(sums.placements, "placement")), \(rate(sums))")
  }

  /// Ends a line that is being rewritten, so that other output can follow.
  mutating func interrupt() { line.interrupt() }

  mutating func finish(_ sums: TrafficSums) {
    interrupt()
    if line.isQuiet { return }
    let cpu = max(Clock.processSeconds() - cpuStart, 1e-6)
    FileText.printError(
      "Done: \(counted(sums.users, "user")), \(counted(sums.placements, "placement")) in "
        + "\(tenths(line.seconds)) s, \(rate(sums)), "
        + "\(grouped(Int(Double(sums.placements) / cpu))) per CPU second")
  }

  private func rate(_ sums: TrafficSums) -> String {
    "\(grouped(Int(Double(sums.placements) / line.seconds))) placements per second"
  }

  private func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// Reads a file of recorded traffic, line by line.
struct TrafficEvents {
  private let path: String
  private let ruleSet: RuleSet
  private let plan: TrafficPlan
  private let config: ConfigFile
  private let subjects: SubjectTable
  private(set) var traffic: RecordedTraffic
  private var lines = 0
  /// Lines of placements that are not simulated.
  private(set) var passedOver = 0
  /// Hints for placements that the config does not have.
  private var hints: [String: String] = [:]

  /// The number of bytes to read at once.
  private static let chunk = 1 << 20
  /// The maximum number of placements with stored hints.
  private static let mostHints = 1_000

  init(_ path: String, _ plan: TrafficPlan, _ config: ConfigFile, _ subjects: SubjectTable) {
    self.path = path
    self.plan = plan
    self.config = config
    self.subjects = subjects
    ruleSet = plan.ruleSet
    traffic = RecordedTraffic(users: subjects.count)
  }

  mutating func read(_ refused: inout RefusedLines, isQuiet: Bool) throws {
    let file = try InputFile(path)
    let content = try file.content(holdsUsers: true).bytes
    var chunks = LineChunks(
      size: TrafficEvents.chunk, lineLimit: plan.options.lineLimit, isCSV: false, content.read)
    var reader = TrafficLine.Reader()
    while let chunk = try chunks.next() {
      try Signals.check()
      try chunk.withUnsafeBufferPointer { try read($0, &reader, &refused) }
    }
    guard !isQuiet else { return }
    for (key, count) in reader.unknownKeys.sorted(by: { $0.key < $1.key }) {
      FileText.printError(
        "note: '\(key)' is not a key of traffic and is ignored "
          + "(\(counted(count, "line")))")
    }
    if passedOver > 0 {
      FileText.printError(
        "note: \(counted(passedOver, "line")) of placements that --placement does not name")
    }
  }

  private mutating func read(
    _ chunk: ByteView, _ reader: inout TrafficLine.Reader, _ refused: inout RefusedLines
  ) throws {
    // SAFETY: Lines are slices of the chunk, which stays while it is read. All stored data is
    // copied. Tests: SimulateTrafficTests.
    var at = 0
    while at < chunk.count {
      let end = LineScan.newline(in: chunk, from: at)
      let line = ByteView(rebasing: chunk[at..<end])
      at = end + 1
      lines += 1
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
      do throws(TrafficLine.Rejection) {
        try add(line, &reader)
      } catch {
        let place = error.offset.map { "at byte \($0): " } ?? ""
        try refused.add(
          event: BatchWorker.RejectedLine(
            line: lines - 1, reason: place + error.reason, text: Array(line)), path, lines,
          subject: error.subject)
      }
    }
  }

  private mutating func add(_ line: ByteView, _ reader: inout TrafficLine.Reader)
    throws(TrafficLine.Rejection)
  {
    guard line.count <= plan.options.lineLimit else {
      throw TrafficLine.Rejection(
        reason: "the line has more than \(plan.options.lineLimit) bytes, which is the limit")
    }
    try reader.read(line) { (event) throws(TrafficLine.Rejection) in
      guard let number = ruleSet.placement(named: event.placement) else {
        throw TrafficLine.Rejection(reason: hint(event.placement))
      }
      guard let user = subjects.number(of: event.subject) else {
        let subject = String(String(decoding: event.subject, as: UTF8.self).prefix(60))
        throw TrafficLine.Rejection(
          reason: "there is no user '\(subject)' in --users; add the user's record",
          subject: subject)
      }
      if let last = traffic.lastTime, event.time < last {
        throw TrafficLine.Rejection(
          reason:
            "'at' is earlier than in the previous line, \(last.text ?? ""); sort the lines by 'at'")
      }
      guard let place = plan.place(ofPlacement: number) else {
        passedOver += 1
        return
      }
      let params = plan.readsParams ? event.params : nil
      guard traffic.add(place, of: user, at: event.time, params: params) else {
        throw TrafficLine.Rejection(reason: "the traffic has more lines than a simulation allows")
      }
    }
  }

  private mutating func hint(_ placement: String) -> String {
    if let known = hints[placement] { return known }
    let hint = config.hint(forPlacement: placement)
    if hints.count < TrafficEvents.mostHints { hints[placement] = hint }
    return hint
  }
}

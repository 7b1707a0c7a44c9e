internal import RuleBatch
internal import RuleEngine

/// Reports the progress of a batch on standard error: as a bar in place on a terminal, as an
/// occasional line elsewhere.
struct Progress {
  private let placements: Int
  /// The size of all inputs in bytes; nil if it is unknown.
  private let totalBytes: Int?
  private let usersBefore: Int
  private let bytesBefore: Int
  private var line: ProgressLine
  private let cpuStart = Clock.processSeconds()
  private var bytesOfEarlierFiles = 0
  private var file: Int
  private var offset: Int

  /// - Parameter state: the state in which the run begins. Earlier input does not count for the rate.
  init(placements: Int, totalBytes: Int?, from state: Checkpoint, isQuiet: Bool) {
    self.placements = placements
    line = ProgressLine(isQuiet: isQuiet, isImmediate: true)
    self.totalBytes = totalBytes
    usersBefore = state.sums.users
    file = state.position.file
    offset = state.position.offset
    bytesOfEarlierFiles = state.settings.sizes.prefix(file).reduce(0) { $0 + ($1 ?? 0) }
    bytesBefore = bytesOfEarlierFiles + offset
  }

  mutating func update(_ state: Checkpoint) {
    if state.position.file != file {
      bytesOfEarlierFiles += (file..<state.position.file).reduce(0) {
        $0 + (state.settings.sizes[$1] ?? 0)
      }
      file = state.position.file
    }
    offset = state.position.offset
    // Without a terminal, completion is reported separately.
    guard line.isDue(), line.isTerminal || fraction != 1 else { return }
    let now = Clock.now()
    let text =
      "\(percent)\(counted(state.sums.users, "user")), \(rate(state, now))"
      + (timeLeft(now).map { ", \($0)" } ?? "")
    let hasRoom = line.columns.map { bar.count + text.count <= $0 } ?? false
    line.show(hasRoom ? bar + text : text)
  }

  /// Ends a line that is being rewritten, so that other output can follow.
  mutating func interrupt() { line.interrupt() }

  mutating func finish(_ state: Checkpoint) {
    interrupt()
    if line.isQuiet { return }
    let now = Clock.now()
    let cpu = Clock.processSeconds() - cpuStart
    let users = state.sums.users - usersBefore
    let decisions = Double(users * placements)
    FileText.printError(
      "Done: \(counted(users, "user")) in \(decimal(Double(now - line.start) / 1_000)) s, "
        + "\(rate(state, now)), \(millions(decisions / max(cpu, 1e-6))) per CPU second; "
        + "\(counted(state.sums.rejected, "line")) rejected"
        + (usersBefore > 0 ? "; \(counted(usersBefore, "user")) before" : ""))
  }

  // MARK: Parts of a line

  private var done: Int { bytesOfEarlierFiles + offset }

  private var fraction: Double? {
    totalBytes.map { $0 > 0 ? min(Double(done) / Double($0), 1) : 1 }
  }

  private var bar: String {
    guard let fraction else { return "" }
    let width = 24
    let filled = Int(fraction * Double(width))
    return "[" + String(repeating: "=", count: filled)
      + String(repeating: " ", count: width - filled) + "] "
  }

  private var percent: String { fraction.map { "\(Int($0 * 100)) %, " } ?? "" }

  /// The estimated time for the rest of the run, at the rate so far.
  private func timeLeft(_ now: Instant) -> String? {
    guard let totalBytes, done > bytesBefore, now > line.start else { return nil }
    let rate = Double(done - bytesBefore) / Double(now - line.start)
    return Self.left(Int((Double(max(totalBytes - done, 0)) / rate / 1_000).rounded(.up)))
  }

  static func left(_ seconds: Int) -> String {
    let (minutes, rest) = (seconds / 60, seconds % 60)
    return minutes < 60
      ? "\(minutes):\(rest < 10 ? "0" : "")\(rest) left"
      : "\(minutes / 60) h \(minutes % 60) min left"
  }

  private func rate(_ state: Checkpoint, _ now: Instant) -> String {
    let seconds = Double(max(now - line.start, 1)) / 1_000
    let decisions = Double((state.sums.users - usersBefore) * placements)
    return "\(millions(decisions / seconds)) decisions per second"
  }

  private func millions(_ number: Double) -> String {
    number >= 1e6 ? "\(decimal(number / 1e6)) million" : grouped(Int(number))
  }

  private func decimal(_ number: Double) -> String {
    let tenths = Int((number * 100).rounded())
    let fraction = tenths % 100
    return "\(tenths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}

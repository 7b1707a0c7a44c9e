internal import RuleEngine

/// Tells on standard error how far a batch has come: in place on a terminal, as a line now and
/// then elsewhere.
struct Progress {
  private let placements: Int
  private let start = Clock.milliseconds()
  private let cpuStart = Clock.processSeconds()
  private let isTerminal = Clock.standardErrorIsTerminal()
  private var last: Int64 = 0
  private var isLineOpen = false

  init(placements: Int) { self.placements = placements }

  mutating func update(_ tally: Tally) {
    let now = Clock.milliseconds()
    guard now - last >= (isTerminal ? 200 : 2_000) else { return }
    // The first line outside a terminal comes after the interval, not at once.
    if last == 0, !isTerminal {
      last = now
      return
    }
    last = now
    let text = "\(grouped(tally.users)) users, \(rate(tally, now))"
    if isTerminal {
      FileText.printRaw("\r\u{1B}[K  \(text)")
      isLineOpen = true
    } else {
      FileText.printError("  \(text)")
    }
  }

  /// Ends a line that is being rewritten, so that something else can be printed.
  mutating func interrupt() {
    if isLineOpen { FileText.printRaw("\r\u{1B}[K") }
    isLineOpen = false
  }

  mutating func finish(_ tally: Tally) {
    interrupt()
    let now = Clock.milliseconds()
    let cpu = Clock.processSeconds() - cpuStart
    let decisions = Double(tally.users * placements)
    FileText.printError(
      "Done: \(grouped(tally.users)) users in \(decimal(Double(now - start) / 1_000)) s, "
        + "\(rate(tally, now)), \(millions(decisions / max(cpu, 1e-6))) per CPU second; "
        + "\(grouped(tally.rejected)) lines refused")
  }

  private func rate(_ tally: Tally, _ now: Int64) -> String {
    let seconds = Double(max(now - start, 1)) / 1_000
    return "\(millions(Double(tally.users * placements) / seconds)) decisions per second"
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

/// A number with its thousands apart.
func grouped(_ number: Int) -> String {
  var digits = Array(String(number.magnitude))
  var at = digits.count - 3
  while at > 0 {
    digits.insert(",", at: at)
    at -= 3
  }
  return (number < 0 ? "-" : "") + String(digits)
}

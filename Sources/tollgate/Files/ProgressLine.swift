internal import RuleEngine

/// A progress line on standard error: rewritten in place on a terminal, printed occasionally
/// elsewhere.
struct ProgressLine {
  /// Whether to print nothing.
  let isQuiet: Bool
  let isTerminal = Terminal.rewritesLines(.standardError)
  let start = Clock.now()
  private var last: Instant
  private var isOpen = false
  /// Whether a line has been shown.
  private var hasShown = false

  /// - Parameter isImmediate: whether a terminal shows a line immediately. Otherwise a line appears only if the work
  ///   takes a while.
  init(isQuiet: Bool, isImmediate: Bool = false) {
    self.isQuiet = isQuiet
    last = isImmediate && isTerminal ? .distantPast : start
  }

  /// Whether it is time for another line. If so, the next line is due a while later.
  mutating func isDue() -> Bool {
    if isQuiet { return false }
    let now = Clock.now()
    // Progress is shown within a second.
    if now - last < (isTerminal ? 200 : hasShown ? 2_000 : 1_000) { return false }
    hasShown = true
    last = now
    return true
  }

  /// The maximum number of columns of a line; nil for any length. The terminal may have changed its size, and a line
  /// that fills the terminal would wrap.
  var columns: Int? {
    isTerminal ? max((Terminal.width(.standardError) ?? 80) - 3, 0) : nil
  }

  mutating func show(_ text: String) {
    if let columns {
      FileText.printRaw("\r\u{1B}[K  " + text.prefix(columns))
      isOpen = true
    } else {
      FileText.printError("  \(text)")
    }
  }

  /// Ends a line that is being rewritten, so that other output can follow.
  mutating func interrupt() {
    if isOpen { FileText.printRaw("\r\u{1B}[K") }
    isOpen = false
  }

  /// Seconds since the beginning, always more than zero.
  var seconds: Double { Double(max(Clock.now() - start, 1)) / 1_000 }
}

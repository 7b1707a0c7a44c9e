internal import RuleEngine

/// A line on standard error that says how far something has come: rewritten in its place on a
/// terminal, printed now and then elsewhere.
struct ProgressLine {
  /// Whether nothing is told.
  let isQuiet: Bool
  let isTerminal = Terminal.rewritesLines(.standardError)
  let start = Clock.now()
  private var last: Instant
  private var isOpen = false
  /// Whether a text has been shown.
  private var hasShown = false

  /// - Parameter isImmediate: whether a terminal has a line at once, and not only where it takes a while.
  init(isQuiet: Bool, isImmediate: Bool = false) {
    self.isQuiet = isQuiet
    last = isImmediate && isTerminal ? .distantPast : start
  }

  /// Whether it is time for another text; the next one is due a while later.
  mutating func isDue() -> Bool {
    if isQuiet { return false }
    let now = Clock.now()
    // Progress is shown within a second.
    if now - last < (isTerminal ? 200 : hasShown ? 2_000 : 1_000) { return false }
    hasShown = true
    last = now
    return true
  }

  /// The columns that a text has room in; nil where it may have any length. A terminal may have
  /// another size by now, and a line that fills it would be wrapped.
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

  /// Ends a line that is being rewritten, so that something else can be printed.
  mutating func interrupt() {
    if isOpen { FileText.printRaw("\r\u{1B}[K") }
    isOpen = false
  }

  /// Seconds since the beginning, and never none.
  var seconds: Double { Double(max(Clock.now() - start, 1)) / 1_000 }
}

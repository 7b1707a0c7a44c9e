internal import Expressions

/// The totals of a check of several files.
struct CheckTotals {
  private var files = 0
  private var clean = 0
  private var unreadable = 0
  private var found: [Diagnostic.Severity: Int] = [:]

  /// Counts the findings about a file.
  mutating func add(_ diagnostics: [Diagnostic]) {
    files += 1
    if !diagnostics.contains(where: { $0.severity != .note }) { clean += 1 }
    count(diagnostics)
  }

  /// Counts findings that are not about a checked file.
  mutating func count(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics { found[diagnostic.severity, default: 0] += 1 }
  }

  mutating func addUnreadable() {
    files += 1
    unreadable += 1
  }

  private func count(_ severity: Diagnostic.Severity) -> Int { found[severity] ?? 0 }

  /// The totals in words: `3 files: 2 errors, 5 warnings, 0 notes; 1 clean`.
  var summary: String {
    let counts = [Diagnostic.Severity.error, .warning, .note]
      .map { counted(count($0), $0.rawValue) }.joined(separator: ", ")
    let missing = unreadable > 0 ? ", \(grouped(unreadable)) unreadable" : ""
    return "\(counted(files, "file")): \(counts); \(grouped(clean)) clean\(missing)"
  }

  /// Whether there are findings for which a check fails.
  func fails(strict: Bool) -> Bool { count(.error) > 0 || strict && count(.warning) > 0 }

  /// The reason why `--strict` fails, if there is no other reason.
  var strictReason: String? {
    let warnings = count(.warning)
    guard warnings > 0, count(.error) == 0, unreadable == 0 else { return nil }
    return "error: failed because --strict counts warnings, and there "
      + (warnings == 1 ? "is 1" : "are \(grouped(warnings))")
  }
}

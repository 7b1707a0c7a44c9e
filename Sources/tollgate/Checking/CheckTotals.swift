internal import Expressions

/// What a check of several files comes to.
struct CheckTotals {
  private var files = 0
  private var clean = 0
  private var unreadable = 0
  private var found: [Diagnostic.Severity: Int] = [:]

  /// Counts what is said of a file.
  mutating func add(_ diagnostics: [Diagnostic]) {
    files += 1
    if !diagnostics.contains(where: { $0.severity != .note }) { clean += 1 }
    count(diagnostics)
  }

  /// Counts what is said of something else than a file that is checked.
  mutating func count(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics { found[diagnostic.severity, default: 0] += 1 }
  }

  mutating func addUnreadable() {
    files += 1
    unreadable += 1
  }

  private func count(_ severity: Diagnostic.Severity) -> Int { found[severity] ?? 0 }

  /// `3 files: 2 errors, 5 warnings, 0 notes; 1 clean`
  var summary: String {
    let counts = [Diagnostic.Severity.error, .warning, .note]
      .map { counted(count($0), $0.rawValue) }.joined(separator: ", ")
    let missing = unreadable > 0 ? ", \(grouped(unreadable)) unreadable" : ""
    return "\(counted(files, "file")): \(counts); \(grouped(clean)) clean\(missing)"
  }

  /// Whether there is something that a check fails for.
  func fails(strict: Bool) -> Bool { count(.error) > 0 || strict && count(.warning) > 0 }

  /// What `--strict` fails for, where nothing else does.
  var strictReason: String? {
    let warnings = count(.warning)
    guard warnings > 0, count(.error) == 0, unreadable == 0 else { return nil }
    return "error: failed because --strict counts warnings, and there "
      + (warnings == 1 ? "is 1" : "are \(grouped(warnings))")
  }
}

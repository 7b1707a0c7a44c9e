internal import Expressions
internal import Scenarios

/// The number of passed and skipped cases of each suite.
struct CaseCounts {
  struct Count: Equatable {
    var passed = 0
    var skipped = 0
  }

  /// The number of failed cases of each suite, which is never recorded.
  private(set) var failed: [String: Int] = [:]

  private var suites: [String: Count] = [:]

  init() {}

  /// - Parameter path: the name of the file in messages.
  init(json: [UInt8], of path: String) throws(CaseFileError) {
    let value: Value
    do throws(JSONFault) {
      value = try Value.parse(json: json)
    } catch {
      throw CaseFileError(message: "\(path): \(error.message) at byte \(error.offset)")
    }
    for (suite, count) in CaseValues.entries(value) {
      guard case .int(let passed)? = count["passed"], case .int(let skipped)? = count["skipped"]
      else { throw CaseFileError(message: "\(path): '\(suite)' needs 'passed' and 'skipped'") }
      suites[suite] = Count(passed: Int(passed), skipped: Int(skipped))
    }
  }

  var total: Count {
    suites.values.reduce(into: Count()) { total, count in
      total.passed += count.passed
      total.skipped += count.skipped
    }
  }

  mutating func addPassed(_ suite: String) { suites[suite, default: Count()].passed += 1 }

  mutating func addFailed(_ suite: String) { failed[suite, default: 0] += 1 }

  mutating func addSkipped(_ suite: String) { suites[suite, default: Count()].skipped += 1 }

  /// The differences from the recorded counts, one line per suite.
  func differences(from recorded: CaseCounts) -> [String] {
    func text(_ count: Count?) -> String {
      count.map { "\($0.passed) passed and \($0.skipped) skipped" } ?? "no cases"
    }
    return Set(suites.keys).union(recorded.suites.keys).sorted().compactMap { suite in
      let (now, before) = (suites[suite], recorded.suites[suite])
      return now == before ? nil : "\(suite): \(text(now)), where \(text(before)) are recorded"
    }
  }

  /// A table with a line for each suite and a total.
  ///
  /// - Parameter recorded: the expected counts, or nil if no counts are recorded.
  func table(against recorded: CaseCounts?) -> String {
    let known =
      Array(suites.keys) + Array(failed.keys) + (recorded.map { Array($0.suites.keys) } ?? [])
    func row(_ name: String, _ now: Count, _ failed: Int, _ before: Count?) -> [String] {
      let counts = ["\(now.passed)", "\(failed)", "\(now.skipped)"]
      guard recorded != nil else { return [name] + counts }
      let count = before ?? Count()
      let mark = now == count && failed == 0 ? "" : "<- differs"
      return [name] + counts + ["\(count.passed)", "\(count.skipped)", mark]
    }
    var rows = [["suite", "passed", "failed", "skipped"]]
    if recorded != nil { rows[0] += ["recorded: passed", "skipped", ""] }
    for suite in Set(known).sorted() {
      rows.append(
        row(suite, suites[suite] ?? Count(), failed[suite] ?? 0, recorded?.suites[suite]))
    }
    rows.append(row("all", total, failed.values.reduce(0, +), recorded?.total))
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() where !cell.isEmpty {
        let space = String(repeating: " ", count: widths[column] - cell.count)
        line +=
          (column == 0 ? "" : "  ") + (column == 0 || column == 6 ? cell + space : space + cell)
      }
      return line
    }.joined(separator: "\n")
  }

  /// The counts as JSON, one suite per line, sorted by name.
  var json: String {
    let lines = suites.sorted { $0.key < $1.key }.map { suite, count in
      "  \(Value.string(suite).json): {\"passed\": \(count.passed), \"skipped\": \(count.skipped)}"
    }
    return "{\n" + lines.joined(separator: ",\n") + "\n}"
  }
}

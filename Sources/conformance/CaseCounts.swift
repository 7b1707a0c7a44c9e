internal import Expressions
internal import Scenarios

/// How many cases of each suite passed, and how many were skipped.
struct CaseCounts: Equatable {
  struct Count: Equatable {
    var passed = 0
    var skipped = 0
  }

  private var suites: [String: Count] = [:]

  init() {}

  /// - Parameter path: what messages call the file.
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

  mutating func addSkipped(_ suite: String) { suites[suite, default: Count()].skipped += 1 }

  /// What is otherwise than recorded, a line for each suite.
  func differences(from recorded: CaseCounts) -> [String] {
    func text(_ count: Count?) -> String {
      count.map { "\($0.passed) passed and \($0.skipped) skipped" } ?? "no cases"
    }
    return Set(suites.keys).union(recorded.suites.keys).sorted().compactMap { suite in
      let (now, before) = (suites[suite], recorded.suites[suite])
      return now == before ? nil : "\(suite): \(text(now)), where \(text(before)) are recorded"
    }
  }

  /// One suite a line, in order of name.
  var json: String {
    let lines = suites.sorted { $0.key < $1.key }.map { suite, count in
      "  \(Value.string(suite).json): {\"passed\": \(count.passed), \"skipped\": \(count.skipped)}"
    }
    return "{\n" + lines.joined(separator: ",\n") + "\n}"
  }
}

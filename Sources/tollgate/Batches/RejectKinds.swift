internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// The reasons of rejected lines with their numbers, for a report.
struct RejectKinds: Equatable {
  struct Kind: Equatable {
    var reason: String
    var lines: Int
    /// The first line with this reason: the number of its file, and its line number.
    var file: Int
    var line: Int
  }

  private(set) var kinds: [Kind] = []
  /// The number of lines with further reasons.
  private(set) var others = 0

  /// The maximum number of different reasons, because longer lists are not read.
  private static let most = 20

  /// - Parameter reason: the reason, with the place in the line.
  mutating func add(_ reason: String, file: Int, line: Int) {
    let start = "at byte "
    let colon = reason.hasPrefix(start) ? reason.firstRange(of: ": ")?.upperBound : nil
    let told = String(reason[(colon ?? reason.startIndex)...])
    if let known = kinds.firstIndex(where: { $0.reason == told }) {
      kinds[known].lines += 1
    } else if kinds.count < Self.most {
      kinds.append(Kind(reason: told, lines: 1, file: file, line: line))
    } else {
      others += 1
    }
  }

  var value: Value {
    .object([
      "kinds": .list(
        kinds.map {
          .object([
            "reason": .string($0.reason), "lines": .int(Int64($0.lines)),
            "file": .int(Int64($0.file)), "line": .int(Int64($0.line)),
          ])
        }), "others": .int(Int64(others)),
    ])
  }

  init() {}

  /// Reads reasons in the form of ``value``. Fails for any other value.
  init?(_ value: Value) {
    guard let items = value["kinds"]?.elements, case .int(let others)? = value["others"] else {
      return nil
    }
    self.others = Int(others)
    for item in items {
      guard let reason = item["reason"]?.text, case .int(let lines)? = item["lines"],
        case .int(let file)? = item["file"], case .int(let line)? = item["line"]
      else { return nil }
      kinds.append(Kind(reason: reason, lines: Int(lines), file: Int(file), line: Int(line)))
    }
  }
}

/// The counts that only a run's report needs, as checkpoints and manifests store them.
enum ReportCounts {
  static func value(_ sums: BatchSums, _ rejects: RejectKinds?) -> Value {
    guard let draws = sums.draws, let rejects else { return .null }
    let users = sums.examples.enumerated().compactMap { number, id in
      id.map { Value.list([.int(Int64(number)), .string($0)]) }
    }
    return .object([
      "pairs": .list(draws.pairs.map { .int(Int64($0)) }), "users": .list(users),
      "rejects": rejects.value,
    ])
  }

  /// Restores recorded counts. Returns nil if the value does not have the form of ``value(_:_:)``, or belongs to
  /// another plan.
  static func restore(_ value: Value, _ plan: BatchPlan, in sums: inout BatchSums) -> RejectKinds? {
    guard plan.draws != nil, let items = value["users"]?.elements,
      let pairs = value["pairs"]?.elements?.compactMap({
        if case .int(let number) = $0 { Int(number) } else { nil }
      }), let rejects = value["rejects"].flatMap({ RejectKinds($0) })
    else { return nil }
    var examples: [Int: String] = [:]
    for item in items {
      guard let parts = item.elements, parts.count == 2, case .int(let number) = parts[0],
        let id = parts[1].text
      else { return nil }
      examples[Int(number)] = id
    }
    let counts = DrawCounts(pairs: pairs)
    return plan.restore(counts, examples: examples, in: &sums) ? rejects : nil
  }

  /// The error for an earlier start that did not count for a report.
  static func uncounted(_ path: String, isComplete: Bool) -> CommandError {
    CommandError(
      isComplete
        ? "\(path): this run is complete, but did not count what --report shows; run again "
          + "without --resume"
        : "\(path): this run was started without --report and did not count what the report shows; "
          + "continue without it, or run again without --resume")
  }
}

internal import Expressions
internal import RuleBatch
internal import RuleEngine

extension DecideRun {
  /// The full results of the first run, and the cost of decisions in the others.
  static func report(_ runs: [DecideRun]) -> Report {
    guard let first = runs.first else { return Report(text: "", value: .null) }
    var value = first.pairs
    if runs.count > 1 {
      value.append(("shapes", .map(runs.dropFirst().map { ($0.placement, .map($0.pairs)) })))
    }
    var table = Table(["decide", "ns", "median ns", "allocations"])
    for run in runs { table.add([run.placement] + columns(run.deciding)) }
    table.add(["fill the frame from JSON"] + columns(first.filling))
    let got = runs.map { run in
      let outcomes = run.sortedOutcomes.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
      return "\(run.placement), \(run.users) users: \(outcomes)"
    }
    return Report(
      text: table.text + "\n\n" + got.joined(separator: "\n"), value: .map(value))
  }

  private var pairs: [(String, Value)] {
    [
      ("what", "decide"), ("placement", .string(placement)), ("users", .count(users)),
      ("ns", .figure(deciding.minimum)), ("median_ns", .figure(deciding.median)),
      ("allocations", .figure(deciding.allocations)), ("fill_ns", .figure(filling.minimum)),
      ("fill_allocations", .figure(filling.allocations)),
      ("outcomes", .map(sortedOutcomes.map { ($0.key, .count($0.value)) })),
    ]
  }

  private static func columns(_ cost: Measurement) -> [String] {
    [cost.minimum.short, cost.median.short, cost.allocations?.short ?? "-"]
  }

  private var sortedOutcomes: [(key: String, value: Int)] { outcomes.sorted { $0.key < $1.key } }
}

extension BatchRun.Result {
  /// CPU seconds of the fastest pass, and of the median pass.
  fileprivate var best: Double { cpuSeconds.min() ?? .nan }
  fileprivate var middle: Double { cpuSeconds.median }
}

extension BatchRun {
  var report: Report {
    let value = Value.object([
      "what": "batch", "users": .count(users), "placements": .count(placements),
      "threads": .count(threads), "rejected": .count(counting.tally.rejected),
      "decide": value(deciding), "count": value(counting), "write": value(writing),
      "matched_audience": .map(counting.tally.placements.map { ($0.name, Self.taken($0)) }),
    ])
    return Report(
      text: text, value: value,
      isSound: counting.tally == writing.tally && counting.tally == deciding.tally)
  }

  private func value(_ result: Result) -> Value {
    .object([
      "decisions_per_cpu_s": rate(result.best), "median_decisions_per_cpu_s": rate(result.middle),
      "decisions_per_wall_s": rate(result.wallSeconds), "cpu_s": .double(result.best),
      "allocations_per_user": .figure(
        result.allocations.map { Double($0) / Double(users) }),
      "bytes": .count(result.bytes),
    ])
  }

  private func rate(_ seconds: Double) -> Value {
    seconds > 0 ? .count(Int(Double(decisions) / seconds)) : .null
  }

  /// Users by the number of the audience that decided, as `peers/peer_duckdb.py` prints them.
  private static func taken(_ placement: Tally.Placement) -> Value {
    .map(
      placement.audiences.filter { $0.taken > 0 }.map { ("\($0.index)", .count($0.taken)) })
  }

  private var text: String {
    var table = Table([
      "batch", "decisions per CPU s", "median", "per s on the wall", "ns per user",
      "allocations per user",
    ])
    let rows = [
      ("deciding, records read before", deciding), ("reading and counting", counting),
      ("writing outcomes too", writing),
    ]
    for (name, result) in rows {
      let allocations = result.allocations.map { (Double($0) / Double(users)).short }
      table.add([
        name, (Double(decisions) / result.best).short, (Double(decisions) / result.middle).short,
        (Double(decisions) / result.wallSeconds).short,
        (result.best * 1e9 / Double(users)).short, allocations ?? "-",
      ])
    }
    let rejected = counting.tally.rejected
    return """
      \(table.text)

      \(users.grouped) users, \(placements) placements, \(threads) \
      thread\(threads == 1 ? "" : "s"), \(writing.bytes.grouped) bytes of outcomes\
      \(rejected > 0 ? ", \(rejected.grouped) lines rejected" : "")
      """
  }
}

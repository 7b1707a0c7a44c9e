internal import Expressions

extension ExpressionsRun.Result {
  /// The mean of the fastest batches over the contexts.
  var minimum: Double { evaluation.map(\.cost.minimum).geometricMean }
  var median: Double { evaluation.map(\.cost.median).geometricMean }

  /// The mean per evaluation over the contexts, or nil if allocations are not counted.
  var allocations: Double? {
    let counts = evaluation.compactMap(\.cost.allocations)
    return counts.isEmpty ? nil : counts.mean
  }
}

extension ExpressionsRun {
  /// All rules except the empty one.
  private var counted: [Result] { results.filter { $0.id != RuleCase.floorID } }
  private var floor: Result? { results.first { $0.id == RuleCase.floorID } }

  /// The mean over rules and contexts.
  private func mean(_ figure: (Measurement) -> Double) -> Double {
    counted.flatMap { $0.evaluation.map { figure($0.cost) } }.geometricMean
  }

  var report: Report {
    Report(text: text, value: value, isSound: wrong.isEmpty)
  }

  private var value: Value {
    .object([
      "what": "expressions", "geomean_ns": .figure(mean(\.minimum)),
      "geomean_median_ns": .figure(mean(\.median)),
      "geomean_random_ns": .figure(counted.map(\.random.minimum).geometricMean),
      "compile_geomean_ns": .figure(counted.map(\.compilation.minimum).geometricMean),
      "floor_ns": .figure(floor?.minimum), "rules": .list(results.map(value)),
      "skipped": .list(
        skipped.map {
          .object([
            "id": .string($0.id),
            "diagnostics": .list(
              $0.diagnostics.map {
                .object(["code": .string($0.code.rawValue), "message": .string($0.message)])
              }),
          ])
        }),
      "wrong": .list(
        wrong.map {
          .object([
            "id": .string($0.id), "context": .string($0.context),
            "expected": .bool($0.expected), "got": .string($0.got),
          ])
        }),
    ])
  }

  private func value(_ result: Result) -> Value {
    .object([
      "id": .string(result.id),
      "ns": .map(result.evaluation.map { ($0.context, .figure($0.cost.minimum)) }),
      "median_ns": .figure(result.median), "random_ns": .figure(result.random.minimum),
      "compile_ns": .figure(result.compilation.minimum),
      "allocations": .figure(result.allocations),
    ])
  }

  private var text: String {
    let names = Set(results.flatMap { $0.evaluation.map(\.context) }).sorted()
    var table = Table(
      ["expressions"] + names.map { "\($0) ns" }
        + ["median ns", "random ns", "compile ns", "allocations"])
    for result in results {
      let costs = names.map { name in
        result.evaluation.first { $0.context == name }?.cost.minimum.short ?? "-"
      }
      table.add(
        [result.id] + costs
          + [
            result.median.short, result.random.minimum.short, result.compilation.minimum.short,
            result.allocations?.short ?? "-",
          ])
    }
    var lines = [table.text, "", summary]
    for skipped in skipped {
      let reason = skipped.diagnostics.first?.message ?? "no diagnostic"
      lines.append("skipped \(skipped.id): \(reason)")
    }
    for wrong in wrong {
      lines.append("WRONG \(wrong.id) in \(wrong.context): \(wrong.got), not \(wrong.expected)")
    }
    return lines.joined(separator: "\n")
  }

  private var summary: String {
    let random = counted.map(\.random.minimum).geometricMean
    let compilation = counted.map(\.compilation.minimum).geometricMean
    return """
      geometric mean of \(counted.count) rules: \(mean(\.minimum).short) ns per evaluation \
      (median \(mean(\.median).short)), \(random.short) ns in random contexts, \
      \(compilation.short) ns to compile; doing nothing takes \(floor?.minimum.short ?? "-") ns
      """
  }
}

internal import Expressions

extension SuperscriptRun {
  private var mean: Double { results.map(\.cost.minimum).geometricMean }

  var report: Report {
    Report(text: text, value: value, isSound: wrong.isEmpty)
  }

  private var value: Value {
    .object([
      "what": "superscript", "geomean_ns": .figure(mean),
      "geomean_median_ns": .figure(results.map(\.cost.median).geometricMean),
      "all_from_json_ns": .figure(whole.minimum), "filling_ns": .figure(filling.minimum),
      "filling_allocations": .figure(filling.allocations),
      "compile_mean_ns": .figure(compilation.minimum),
      "rules": .list(
        results.map {
          .object(["id": .string($0.id), "ns": .figure($0.cost.minimum)])
        }),
      "wrong": .list(wrong.map { .string($0) }),
    ])
  }

  private var text: String {
    var table = Table(["superscript", "ns", "median ns", "allocations"])
    for result in results {
      table.add(
        [
          result.id, result.cost.minimum.short, result.cost.median.short,
          result.cost.allocations?.short ?? "-",
        ])
    }
    var lines = [table.text, ""]
    lines.append(
      """
      geometric mean of \(results.count) rules: \(mean.short) ns per evaluation; \
      \(whole.minimum.short) ns for all from JSON, including \(filling.minimum.short) to fill the \
      frame (\(filling.allocations?.short ?? "-") allocations); \
      \(compilation.minimum.short) ns to compile a rule
      """)
    for id in wrong { lines.append("WRONG \(id)") }
    return lines.joined(separator: "\n")
  }
}

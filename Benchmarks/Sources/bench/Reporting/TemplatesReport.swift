internal import Expressions

extension TemplatesRun {
  private var rendering: [Double] { results.map(\.rendering.minimum) }
  private var compilation: [Double] { results.map(\.compilation.minimum) }
  /// Texts that only contain paths, and those among them with one path.
  private var onlyPaths: [Double] { results.filter(\.hasOnlyPaths).map(\.rendering.minimum) }
  private var onePath: [Double] {
    results.filter { $0.hasOnlyPaths && $0.paths == 1 }.map(\.rendering.minimum)
  }

  var report: Report { Report(text: text, value: value, isSound: wrong.isEmpty) }

  private var value: Value {
    .object([
      "what": "templates", "strings": .count(results.count),
      "render_mean_ns": .figure(rendering.mean), "render_median_ns": .figure(rendering.median),
      "render_max_ns": .figure(rendering.max()), "paths_mean_ns": .figure(onlyPaths.mean),
      "one_path_median_ns": .figure(onePath.median), "one_path_max_ns": .figure(onePath.max()),
      "compile_median_ns": .figure(compilation.median),
      "compile_max_ns": .figure(compilation.max()),
      "page_strings": .count(pageTexts), "page_ns_per_string": .figure(page?.minimum),
      "filled_page_ns_per_string": .figure(filledPage?.minimum),
      "ns": .map(results.map { ($0.id, .figure($0.rendering.minimum)) }),
      "compile_ns": .map(results.map { ($0.id, .figure($0.compilation.minimum)) }),
      "wrong": .list(
        wrong.map {
          .object([
            "id": .string($0.id), "expected": .string($0.expected), "got": .string($0.got),
          ])
        }),
    ])
  }

  private var text: String {
    var table = Table(["templates", "render ns", "median ns", "compile ns", "allocations"])
    for result in results {
      table.add([
        result.id, result.rendering.minimum.short, result.rendering.median.short,
        result.compilation.minimum.short, result.rendering.allocations?.short ?? "-",
      ])
    }
    var lines = [table.text, ""]
    lines.append(
      """
      \(results.count) texts: \(rendering.mean.short) ns to render in the mean \
      (median \(rendering.median.short)), \(compilation.median.short) ns to compile in the median
      only paths: \(onlyPaths.mean.short) ns; one path: \(onePath.median.short) ns \
      (at most \(onePath.max()?.short ?? "-"))
      \(pageTexts) texts of one paywall in one program: \(page?.minimum.short ?? "-") ns a text, \
      \(filledPage?.minimum.short ?? "-") ns with filling the frame from JSON
      """)
    for wrong in wrong {
      lines.append("WRONG \(wrong.id): \(wrong.got), not \(wrong.expected)")
    }
    return lines.joined(separator: "\n")
  }
}

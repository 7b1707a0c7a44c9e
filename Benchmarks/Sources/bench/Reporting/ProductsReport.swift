internal import Expressions
internal import RuleEngine

extension ProductsRun {
  var report: Report {
    let value = Value.object([
      "what": "products", "products": .count(products),
      "attributes_ns": figures(attributes), "attributes_allocations": allocations(attributes),
      "text_ns": figures(texts), "text_allocations": allocations(texts),
      "making_ns": figures(making),
    ])
    return Report(text: text, value: value)
  }

  private func figures(_ results: [Result]) -> Value {
    .map(results.map { ($0.name, .figure($0.cost.minimum)) })
  }

  private func allocations(_ results: [Result]) -> Value {
    .map(results.map { ($0.name, .figure($0.cost.allocations)) })
  }

  private var text: String {
    var table = Table(["products", "ns", "median ns", "allocations"])
    func add(_ what: String, _ result: Result) {
      table.add([
        "\(what) \(result.name)", result.cost.minimum.short, result.cost.median.short,
        result.cost.allocations?.short ?? "-",
      ])
    }
    for (result, count) in zip(attributes, attributeCounts) {
      add("\(count) attributes,", result)
    }
    for result in texts { add("one price,", result) }
    for result in making { add("making", result) }
    return table.text
  }
}

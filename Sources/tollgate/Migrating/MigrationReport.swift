internal import Expressions
internal import RuleEngine

/// The result of a migration, in text form and as JSON.
struct MigrationReport {
  let experiments: [(experiment: MigratedExperiment, result: WeightMigration.Result)]
  let userCount: Int
  let refused: Int

  // MARK: Text

  func text(_ style: TextStyle) -> String {
    experiments.map { lines($0.experiment, $0.result, style).joined(separator: "\n") }
      .joined(separator: "\n\n")
  }

  private func lines(
    _ experiment: MigratedExperiment, _ result: WeightMigration.Result, _ style: TextStyle
  ) -> [String] {
    let count = experiment.migration.count
    let verb = count == 1 ? "is" : "are"
    let placements = experiment.placements.new.joined(separator: ", ")
    var lines = style.wrapped(DiagnosticText.visible("\(experiment.id) (\(placements))"))
    lines += style.wrapped(
      "  \(grouped(count)) of \(counted(userCount, "user")) \(verb) in the experiment, "
        + "\(grouped(experiment.hadVariant)) with an earlier variant")
    if count == 0 { return lines }
    var rows = [["variant", "weight", "before", "by draw", "fewest moves"]]
    for (number, (variant, former)) in experiment.variants.enumerated() {
      let weight = MigrationReport.number(variant.weight)
      let before = former.map(MigrationReport.number) ?? "-"
      rows.append([
        DiagnosticText.visible(variant.id), before == weight ? weight : "\(before) -> \(weight)",
        grouped(result.former[number]), grouped(experiment.drawn[number]),
        grouped(result.targets[number]),
      ])
    }
    for (variant, users) in experiment.gone {
      rows.append([
        DiagnosticText.visible(variant.id), "\(MigrationReport.number(variant.weight)) -> -",
        grouped(users), "-", "-",
      ])
    }
    let narrow = TextStyle(hasColor: style.hasColor, width: style.width.map { $0 - 2 })
    lines += TextTable(rows: rows).lines(narrow).map { "  " + $0 }
    lines += style.wrapped(
      "  Drawing again with the new config moves \(moved(experiment.movedByDraw, experiment)). "
        + "To get exactly the new weights, at least \(moved(result.moved, experiment)) must move.")
    return lines
  }

  private func moved(_ count: Int, _ experiment: MigratedExperiment) -> String {
    let share =
      experiment.hadVariant == 0
      ? "" : " (\(Ratio(UInt128(count), UInt128(experiment.hadVariant)).percentage))"
    return counted(count, "user") + share
  }

  /// A weight without a redundant fraction.
  private static func number(_ weight: Double) -> String {
    weight == weight.rounded() && abs(weight) < 1e15 ? String(Int(weight)) : "\(weight)"
  }

  // MARK: JSON

  var value: Value {
    .object([
      "users": .int(Int64(userCount)), "rejected": .int(Int64(refused)),
      "experiments": .list(
        experiments.map { experiment, result in
          .object([
            "experimentId": .string(experiment.id),
            "users": .int(Int64(experiment.migration.count)),
            "hadVariant": .int(Int64(experiment.hadVariant)),
            "movedByDraw": .int(Int64(experiment.movedByDraw)),
            "fewestMoves": .int(Int64(result.moved)), "hadRemovedVariant": .int(Int64(result.gone)),
            "variants": .list(variants(experiment, result)),
          ])
        }),
    ])
  }

  private func variants(_ experiment: MigratedExperiment, _ result: WeightMigration.Result)
    -> [Value]
  {
    let kept = experiment.variants.enumerated().map { number, known -> Value in
      .object([
        "variantId": .string(known.variant.id),
        "weight": .object([
          "from": known.formerWeight.map { .double($0) } ?? .null,
          "to": .double(known.variant.weight),
        ]),
        "before": .int(Int64(result.former[number])),
        "byDraw": .int(Int64(experiment.drawn[number])),
        "target": .int(Int64(result.targets[number])),
      ])
    }
    let gone = experiment.gone.map { variant, users -> Value in
      .object([
        "variantId": .string(variant.id),
        "weight": .object(["from": .double(variant.weight), "to": .null]),
        "before": .int(Int64(users)), "byDraw": 0, "target": 0,
      ])
    }
    return kept + gone
  }
}

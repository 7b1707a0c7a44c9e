package import Expressions

/// The number that selected a subject's variant, and the range of numbers for this variant. `docs/assignment.md`
/// explains how the number is computed.
package struct VariantDraw: Hashable, Sendable {
  /// The number, in `0..<1`.
  package var number: Double
  /// The range `from..<to` of numbers that select the variant.
  package var from: Double
  package var to: Double
  package var variantID: String
  /// Whether the number is one of the hundred buckets of djb2.
  let isBucket: Bool

  /// Creates the draw of a decision. Fails if there was no draw: the variant was stored, is the only variant, or does
  /// not exist.
  init?(of decision: Decision, subjectID: String, _ assigner: Assigner) {
    // SAFETY: Views of both strings stay in their closures. Tests: DecideTests.
    let verdict = decision.verdict
    guard let rule = decision.rule, verdict.variant >= 0,
      verdict.source == .new || verdict.source == .redrawn, rule.audience.variants.count > 1
    else { return nil }
    let variant = Int(verdict.variant)
    var (experiment, subject) = (rule.audience.experimentID, subjectID)
    number = experiment.withUTF8 { experiment in
      subject.withUTF8 { assigner.draw(experiment: experiment, subject: $0, range: 1) }
    }
    (from, to) = Self.span(of: variant, rule.weights)
    variantID = rule.audience.variants[variant].id
    isBucket = assigner == .djb2
  }

  /// The range of numbers for a variant.
  package static func span(of variant: Int, _ weights: WeightTable) -> (from: Double, to: Double) {
    guard weights.sum > 0 else {
      let share = Double(weights.count)
      return (Double(variant) / share, Double(variant + 1) / share)
    }
    return (
      variant == 0 ? 0 : tidy(weights.cumulative[variant - 1] / weights.sum),
      tidy(weights.cumulative[variant] / weights.sum)
    )
  }

  /// The draw as JSON: `{"number", "from", "to"}`.
  package var value: Value {
    .object(["number": .double(number), "from": .double(from), "to": .double(to)])
  }

  /// The JSON of ``value`` before the number and after it.
  package static func textAround(_ span: (from: Double, to: Double)) -> (
    before: String, after: String
  ) {
    let rest = Value.object(["from": .double(span.from), "to": .double(span.to)]).json
    return (#"{"number":"#, "," + rest.dropFirst())
  }

  /// The draw in words: `0.816 of 1: variant b from 0.5 on`.
  var text: String {
    let scale = isBucket ? 100.0 : 1
    let drawn = isBucket ? "\(Int((number * 100).rounded()))" : shownNumber
    let span =
      switch (from > 0, to < 1) {
      case (false, false): "from 0 to \(isBucket ? 100 : 1)"
      case (false, true): "below \(Self.decimal(to * scale))"
      case (true, false): "from \(Self.decimal(from * scale)) on"
      case (true, true):
        "from \(Self.decimal(from * scale)) to below \(Self.decimal(to * scale))"
      }
    return "\(drawn) of \(isBucket ? 100 : 1): variant \(variantID) \(span)"
  }

  /// A bound without rounding errors from adding weights: 0.666, not 0.6659999999999999.
  private static func tidy(_ bound: Double) -> Double { (bound * 1e15).rounded() / 1e15 }

  /// The number, truncated if the truncated number is still in the variant's range.
  private var shownNumber: String {
    var unit = 1e3
    while unit < 1e9, (number * unit).rounded(.down) / unit < from { unit *= 10 }
    return Self.decimal((number * unit).rounded(.down) / unit, unit: unit)
  }

  /// A number with at most four decimals, or as many as the unit has.
  private static func decimal(_ number: Double, unit: Double = 1e4) -> String {
    let units = Int64((number * unit).rounded())
    let (whole, rest) = units.quotientAndRemainder(dividingBy: Int64(unit))
    if rest == 0 { return "\(whole)" }
    let width = String(Int64(unit)).count - 1
    let digits = String(rest)
    let padded = String(repeating: "0", count: width - digits.count) + digits
    return "\(whole)." + padded.reversed().drop { $0 == "0" }.reversed()
  }
}

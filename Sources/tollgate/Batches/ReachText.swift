internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// The users that reach each audience, as tables for a terminal: a funnel for each audience.
struct ReachText {
  let users: Int
  let rejected: Int
  /// Whether variants include their expected numbers.
  let expects: Bool
  /// If there are more audiences than this, audiences that decide for no user and have no other findings are only
  /// counted, and the summary comes first.
  var foldsAbove = Int.max
  let style: TextStyle

  func render(_ placements: [Reach]) -> String {
    let audiences = placements.flatMap(\.audiences)
    let folds = audiences.count > foldsAbove
    let summary = style.wrapped(
      "\(counted(users, "user")) decided, \(counted(rejected, "line")) rejected. "
        + "Shares are relative to all users.")
    var lines: [String] = []
    if folds {
      let taking = audiences.count { $0.counts.taken > 0 }
      lines += summary
      lines += style.wrapped(
        "\(counted(placements.count, "placement")), \(counted(audiences.count, "audience")): "
          + "\(grouped(taking)) take users, \(grouped(audiences.count - taking)) take none.")
      lines.append("")
    }
    lines += placements.flatMap { placement in table(placement, folds: folds) + [""] }
    if folds { lines.removeLast() } else { lines += summary }
    return lines.joined(separator: "\n")
  }

  private func table(_ placement: Reach, folds: Bool) -> [String] {
    let head =
      [placement.counts.name, "users", ""] + (expects ? ["drawn", "expected"] : []) + ["e.g."]
    var rows = [head]
    let folded = folds ? placement.audiences.filter(Self.isFolded) : []
    for audience in placement.audiences where !folds || !Self.isFolded(audience) {
      rows += self.rows(audience)
    }
    if !folded.isEmpty {
      rows.append(
        row("\(counted(folded.count, "audience")) taking no user (--all shows them)", nil, nil))
    }
    rows.append(row("taken by none", placement.counts.unmatched, placement.unmatched))
    let ruled: Set = [rows.count - 1]
    return TextTable(
      rows: rows.map { $0.map(DiagnosticText.visible) }, left: [0, head.count - 1],
      ruled: placement.audiences.isEmpty ? [] : ruled
    ).lines(style)
  }

  /// Whether an audience decides for no user, and only because of its condition or earlier
  /// audiences.
  private static func isFolded(_ audience: Reach.Audience) -> Bool {
    audience.counts.taken + audience.counts.heldBack + audience.failed == 0
      && audience.counts.missing.isEmpty
  }

  /// The rows of an audience. Zeros are omitted, except the zero of an audience that no user reaches.
  private func rows(_ audience: Reach.Audience) -> [[String]] {
    let (counts, examples) = (audience.counts, audience.examples)
    var rows = [row("audience \(counts.label)", nil, nil)]
    rows.append(row("  reached", counts.reached, examples.reached))
    if counts.owned > 0 {
      rows.append(
        row("  skipped: owns \(counts.entitlement ?? "")", counts.owned, examples.owned))
    }
    for failed in audience.errors.prefix(SummaryText.errorLimit) {
      rows.append(row("  failed: \(failed.error.message)", failed.users, failed.example))
    }
    let more = audience.errors.dropFirst(SummaryText.errorLimit)
    if !more.isEmpty {
      rows.append(
        row("  other failures", more.reduce(0) { $0 + $1.users }, more.first?.example))
    }
    if counts.reached > 0 { rows.append(row("  matched", counts.matched, examples.matched)) }
    for clause in counts.missing.prefix(SummaryText.errorLimit) {
      if clause.matched > 0 {
        rows.append(
          row("    because of \(Self.missing(clause))", clause.matched, clause.matchedExample))
      }
      if clause.unmatched > 0 {
        rows.append(
          row(
            "  not matched because of \(Self.missing(clause))", clause.unmatched,
            clause.unmatchedExample))
      }
    }
    if counts.heldBack > 0 {
      rows.append(
        row("  held back: \(counts.limitText ?? "")", counts.heldBack, examples.heldBack))
    }
    if counts.matched > 0 { rows.append(row("  taken", counts.taken, examples.taken)) }
    if counts.taken > 0 { rows += audience.variants.map(row) }
    if audience.withoutVariant > 0 {
      rows.append(row("    without a variant", audience.withoutVariant, examples.taken))
    }
    return rows
  }

  /// The missing attribute in words: `missing user.seed (counts as 0) in 'user.seed < 50'`.
  private static func missing(_ clause: Tally.MissingAttribute) -> String {
    let text = clause.clause.split { $0.isWhitespace }.joined(separator: " ")
    let shown = TextWidth.shortened(text, to: 40)
    return "missing \(clause.path) (\(Tally.MissingAttribute.words(clause.standIn))) in '\(shown)'"
  }

  private func row(_ variant: Reach.Variant) -> [String] {
    let what = variant.paywall.isEmpty ? variant.result : "\(variant.result) \(variant.paywall)"
    return row(
      "    variant \(variant.id): \(what)", variant.users, variant.example,
      drawn: grouped(variant.drawn),
      expected: variant.expected.map(Self.decimal) ?? variant.share.percentage)
  }

  /// - Parameter count: nil for a row that introduces other rows.
  private func row(
    _ name: String, _ count: Int?, _ example: String?, drawn: String = "", expected: String = ""
  ) -> [String] {
    [name, count.map(grouped) ?? "", count.map { SummaryText.share($0, users) } ?? ""]
      + (expects ? [drawn, expected] : []) + [example ?? ""]
  }

  /// A fraction with two decimals, unless it is whole.
  private static func decimal(_ ratio: Ratio) -> String {
    if ratio.denominator == 1 { return grouped(Int(clamping: ratio.numerator)) }
    let hundredths = Int((ratio.double * 100).rounded())
    let rest = String(hundredths % 100)
    return "\(grouped(hundredths / 100)).\(rest.count < 2 ? "0" : "")\(rest)"
  }
}

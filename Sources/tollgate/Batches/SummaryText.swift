internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// The counts of a batch as tables for a terminal.
enum SummaryText {
  static func render(_ tally: Tally, _ style: TextStyle) -> String {
    let hasOther = tally.placements.contains {
      $0.placementNotFound + $0.error + $0.undecidable > 0
    }
    var lines = [""]
    lines += table(
      style, ["placement", "paywall", "", "holdout", "", "no match", "", "other", ""],
      tally.placements.map { placement in
        let other = placement.placementNotFound + placement.error + placement.undecidable
        let counts = [placement.paywall, placement.holdout, placement.noAudienceMatch, other]
        return [placement.name] + counts.flatMap { [grouped($0), share($0, tally.users)] }
      }, spare: [[2, 4, 6, 8]] + (hasOther ? [] : [[7]]))
    lines.append("")
    lines += table(
      style, ["placement", "audience", "", "reached", "matched", "held back", "taken", ""],
      tally.placements.flatMap { placement in
        placement.audiences.enumerated().map { number, audience in
          [
            number == 0 ? placement.name : "", String(audience.index), audience.experimentID,
            grouped(audience.reached), grouped(audience.matched),
            grouped(audience.matched - audience.taken), grouped(audience.taken),
            share(audience.taken, tally.users),
          ]
        }
      }, left: [0, 2], spanning: [1], spare: [[7], [5], [3]])
    lines.append("")
    lines += obstacles(tally).flatMap(style.wrapped)
    for placement in tally.placements where placement.undecidable > 0 {
      lines += style.wrapped(
        "\(placement.name): undecidable for \(counted(placement.undecidable, "user")), whose SDKs "
          + "evaluate JavaScript")
    }
    lines += errors(tally, style.width).flatMap(style.wrapped)
    lines += missing(tally).flatMap(style.wrapped)
    lines += style.wrapped(
      "\(counted(tally.users, "user")) decided, \(counted(tally.rejected, "line")) rejected. "
        + "Shares are relative to all users.")
    return lines.joined(separator: "\n")
  }

  /// The maximum number of kinds of errors to list.
  static let errorLimit = 20

  /// The reasons why matching users were held back, or skipped an audience; empty if there are none.
  private static func obstacles(_ tally: Tally) -> [String] {
    var lines: [String] = []
    for placement in tally.placements {
      for audience in placement.audiences {
        let name = "  \(placement.name), audience \(audience.label): "
        if audience.heldBack > 0, let limit = audience.limitText {
          lines.append(name + "\(counted(audience.heldBack, "user")) held back, \(limit)")
        }
        if audience.owned > 0, let entitlement = audience.entitlement {
          lines.append(
            name + "\(counted(audience.owned, "user")) skipped for owning \(entitlement)")
        }
      }
    }
    if lines.isEmpty { return [] }
    return ["Limits or entitlements excluded users from these audiences:"]
      + lines.map(DiagnosticText.visible) + [""]
  }

  /// The rules that failed, with users and reasons; empty if there are none.
  private static func errors(_ tally: Tally, _ width: Int?) -> [String] {
    let all = tally.placements.flatMap { placement in placement.errors.map { (placement.name, $0) }
    }
    if all.isEmpty { return [] }
    var lines = ["These rules failed, so their audiences did not match:"]
    for (placement, count) in all.prefix(errorLimit) {
      let users =
        count.users == 1
        ? "1 user, \(count.example)"
        : "\(counted(count.users, "user")), e.g. \(count.example)"
      let head = "  \(placement), audience \(count.error.audience): "
      lines.append(head + clause(count.error.clause, behind: head, width))
      lines.append("    \(count.error.message): \(users)")
    }
    if all.count > errorLimit {
      lines.append("  and \(counted(all.count - errorLimit, "more kind", plural: "more kinds"))")
    }
    return lines.map(DiagnosticText.visible) + [""]
  }

  /// The number of users for whom a missing attribute decided whether an audience matches; empty if
  /// there are none.
  private static func missing(_ tally: Tally) -> [String] {
    var found: [(users: Int, line: String)] = []
    for placement in tally.placements {
      for audience in placement.audiences {
        for clause in audience.missing {
          for (users, matched) in [(clause.matched, true), (clause.unmatched, false)]
          where users > 0 {
            found.append(
              (
                users,
                "  \(placement.name), audience \(audience.label): \(counted(users, "user")) "
                  + clause.words(matched: matched)
              ))
          }
        }
      }
    }
    if found.isEmpty { return [] }
    let sorted = found.enumerated().sorted {
      ($1.element.users, $0.offset) < ($0.element.users, $1.offset)
    }.map(\.element.line)
    var lines =
      ["Missing attributes decided the outcome of these users:"] + sorted.prefix(errorLimit)
    if sorted.count > errorLimit {
      lines.append(
        "  and \(counted(sorted.count - errorLimit, "more clause", plural: "more clauses"))")
    }
    return lines.map(DiagnosticText.visible) + [""]
  }

  /// A clause in one line that fits on a terminal after its audience.
  static func clause(_ clause: String, behind head: String, _ width: Int?) -> String {
    TextWidth.shortened(
      clause.split { $0.isWhitespace }.joined(separator: " "),
      to: max((width ?? 84) - TextWidth.columns(head), 40))
  }

  static func share(_ count: Int, _ all: Int) -> String {
    guard all > 0, count > 0 else { return "" }
    let tenths = Int((Double(count) / Double(all) * 1_000).rounded())
    return "\(tenths / 10).\(tenths % 10) %"
  }

  private static func table(
    _ style: TextStyle, _ head: [String], _ rows: [[String]], left: Set<Int> = [0],
    spanning: Set<Int> = [], spare: [Set<Int>]
  ) -> [String] {
    TextTable(
      rows: [head] + rows.map { $0.map(DiagnosticText.visible) }, left: left, spanning: spanning,
      spare: spare
    ).lines(style)
  }
}

internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// The part of a page about all possible users.
extension ComparisonPage {
  /// A placement with its index among placements with a section. Placements that are proved to be the same have no
  /// section.
  typealias Numbered = (place: Int, difference: PlacementDifference)

  func numbered(_ differences: [PlacementDifference]) -> [Numbered] {
    differences.filter { $0.verdict != .same }.enumerated().map { ($0.offset, $0.element) }
  }

  func summary(_ differences: [PlacementDifference]) -> ReportSection {
    func count(_ verdict: PlacementDifference.Verdict) -> String {
      grouped(differences.count { $0.verdict == verdict })
    }
    let cards = [
      ReportCard(name: "Placements", value: grouped(differences.count)),
      ReportCard(name: "Differ", value: count(.differs), note: "with an example user each"),
      ReportCard(name: "Give every user the same outcome", value: count(.same), note: "proved"),
      ReportCard(name: "Not known", value: count(.unknown), note: "neither a proof nor an example"),
      ReportCard(name: "Changes of the config", value: grouped(report.changes.count)),
    ]
    var findings = numbered(differences).prefix(Self.mostRows).map { place, difference in
      let ways = difference.witnesses.count
      return ReportFinding(
        tone: ways > 0 ? .warning : .plain,
        text: "\(difference.placement): "
          + (ways > 0
            ? "\(counted(ways, "way")) in which users get a different outcome."
            : "not known. \(difference.unknown.joined(separator: " "))"),
        section: section(place), placement: difference.placement)
    }
    if findings.isEmpty {
      findings = [ReportFinding(tone: .good, text: report.headline(differences) + ".")]
    }
    return ReportSection(
      id: "summary", title: "Summary",
      about: "Of all possible users, with any history and any stored variant.",
      blocks: [.cards(cards), .findings(Array(findings))])
  }

  func verdicts(_ differences: [PlacementDifference]) -> ReportSection {
    var place = -1
    let table = ReportTable(
      columns: [.text("placement"), .text("verdict"), .number("ways found")],
      rows: differences.map { difference in
        let mark: ReportTable.Cell
        switch difference.verdict {
        case .same: mark = .mark(.good, "proved: the same outcome for every user")
        case .differs: mark = .mark(.warning, "differs")
        case .unknown: mark = .mark(.plain, "not known")
        }
        if difference.verdict != .same { place += 1 }
        return .init(
          [
            cell(difference.placement, section(difference.verdict == .same ? nil : place)), mark,
            .number(difference.witnesses.count),
          ], placement: difference.placement)
      })
    return ReportSection(
      id: "verdicts", title: "Placement by placement",
      about: "Do both configs give every possible user the same outcome?",
      blocks: [.table(table)])
  }

  func placement(_ numbered: Numbered) -> ReportSection {
    let (place, difference) = numbered
    var blocks: [ReportBlock] = []
    if !difference.witnesses.isEmpty {
      blocks.append(
        .table(
          ReportTable(
            title: "Ways in which users move",
            columns: [.text("from"), .text("to"), .text("why")],
            rows: difference.witnesses.prefix(Self.mostRows).map {
              .init([$0.from.cell, $0.to.cell, .text($0.text)])
            })))
      // A redacted record that lacks values would explain another user.
      let whole = difference.witnesses.prefix(8).filter {
        redaction.record($0.record) == $0.record
      }
      if !whole.isEmpty {
        blocks.append(
          .commands(
            ReportCommands(
              title: "Why? Made-up users to explain, by both configs",
              commands: whole.map {
                .init(
                  purpose: "From \($0.from.shown) to \($0.to.shown): \($0.text)",
                  lines: lines(.record($0.record.json), at: difference.placement))
              })))
      }
      if whole.count < min(difference.witnesses.count, 8) {
        blocks.append(.text("Users with values that --redact hides are not shown."))
      }
    }
    blocks += difference.unknown.map { .text("Not known: \($0)") }
    return ReportSection(
      id: section(place) ?? "", title: difference.placement, placement: difference.placement,
      blocks: blocks)
  }
}

internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// The page of `cover`.
struct CoveragePage {
  let run: CoverageRun
  let config: ConfigFile
  /// The files of the tests as named on the command line.
  let tests: [String]
  /// The inputs of decisions other than the config and the users.
  let basis: String
  /// The version of this tool.
  let version: String
  /// The command that closes the gaps, or nil.
  let command: String?

  /// The maximum number of rows of an unbounded table.
  private static let mostRows = 400

  var page: ReportPage {
    let name = config.path == "-" ? "a config" : FilePlace.parts(config.path).name
    let gaps = CoverageGaps(run)
    let place = CoverageGaps.places(gaps.open + gaps.impossible, in: config.bytes)
    return ReportPage(
      title: "Test coverage: \(name)",
      facts: [
        .init("As of", basis), .init("Tests", tests.joined(separator: ", ")),
        .init("Config", config.name), .init("Tollgate", version),
      ],
      sections: [
        summary, placements,
        section(
          "gaps", "Not exercised",
          "Audiences, clauses, limits and variants that no test exercises.", gaps.open, place),
        section(
          "impossible", "Cannot be exercised",
          "No user can exercise this, so it is not part of the coverage.", gaps.impossible, place),
      ].compactMap { $0 })
  }

  private var summary: ReportSection {
    let share = run.share
    let open = share.all - share.exercised
    var blocks: [ReportBlock] = [
      .cards([
        ReportCard(
          name: "Covered", value: CoverageRun.percent(share),
          note: "\(grouped(share.exercised)) of \(grouped(share.all)) points"),
        ReportCard(name: "Tests", value: grouped(run.tests)),
        ReportCard(name: "Not exercised", value: grouped(open)),
        ReportCard(
          name: "Cannot be exercised", value: grouped(run.impossible), note: "not counted"),
      ]),
      .text(
        "An audience counts once, if it takes a user. A clause counts twice: if it alone decides when "
          + "true, and if it alone decides when false. A limit counts when it is reached, when it allows "
          + "one more occurrence, and when its interval is over. A variant counts if a user gets it."
      ),
    ]
    if let command {
      blocks.append(
        .commands(
          ReportCommands(
            title: "Close the gaps",
            commands: [.init(purpose: "Write tests for the gaps", line: command)])))
    }
    return ReportSection(id: "summary", title: "Summary", blocks: blocks)
  }

  private var placements: ReportSection {
    let groups = run.groups.filter { $0 != .texts }
    let rows = run.placements.prefix(Self.mostRows).map { placement in
      let share = run.search.share(of: placement.points)
      let part = ReportNumber.share(share.exercised, of: share.all)
      return ReportTable.Row(
        [.text(placement.name)]
          + groups.map { group in
            let share = run.search.share(of: placement.points.lazy.filter { $0.group == group })
            return .count("\(grouped(share.exercised)) of \(grouped(share.all))")
          } + [
            .count(CoverageRun.percent(share)),
            .bar([
              .init(tone: .first, from: 0, to: part), .init(tone: .none, from: part, to: 1),
            ]),
          ])
    }
    return ReportSection(
      id: "placements", title: "Placements",
      blocks: [
        .table(
          ReportTable(
            columns: [.text("placement")] + groups.map { .number($0.rawValue) } + [
              .number("covered"), .bar(""),
            ], rows: Array(rows)))
      ])
  }

  private func section(
    _ id: String, _ title: String, _ about: String, _ entries: [CoverageGaps.Entry],
    _ place: (CoverageGaps.Entry) -> DiagnosticPlaces.Place?
  ) -> ReportSection? {
    guard !entries.isEmpty else { return nil }
    let rows = entries.prefix(Self.mostRows).map { entry in
      let line = place(entry).map { "\($0.position.line):\($0.position.column)" } ?? ""
      return ReportTable.Row([.text(entry.subject), .text(entry.text), .text(line)])
    }
    let more = entries.count - rows.count
    return ReportSection(
      id: id, title: title, about: about,
      blocks: [
        .table(
          ReportTable(
            columns: [.text("audience"), .text("what"), .text("line")], rows: Array(rows),
            note: more > 0 ? "\(grouped(more)) more are in the command's JSON." : ""))
      ])
  }
}

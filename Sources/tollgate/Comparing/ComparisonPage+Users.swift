internal import RuleEngine
internal import RuleInsight

/// The part of a page about users that move.
extension ComparisonPage {
  // MARK: Summary

  func summary(_ moves: ComparisonMoves) -> ReportSection {
    let differing = moves.moved.count
    func total(_ effect: ComparisonMoves.Effect) -> Int {
      moves.placements.reduce(0) { $0 + $1.effects[effect.rawValue] }
    }
    let cards = [
      ReportCard(
        name: "Get a different outcome", value: grouped(moves.movedUsers),
        note: "\(ReportNumber.percent(moves.movedUsers, of: moves.users)) of "
          + counted(moves.users, "user")),
      ReportCard(
        name: "Placements that differ", value: grouped(differing),
        note: "of \(grouped(moves.placements.count))"),
      ReportCard(
        name: "See a paywall now", value: grouped(total(.gains)),
        note: "moves from none to a paywall"),
      ReportCard(
        name: "No longer see a paywall", value: grouped(total(.loses)),
        note: "moves from a paywall to none"),
      ReportCard(name: "Changes of the config", value: grouped(report.changes.count)),
      ReportCard(
        name: "Rejected lines", value: grouped(moves.rejected), note: "not compared, not counted"),
    ]
    return ReportSection(
      id: "summary", title: "Summary", blocks: [.cards(cards), .findings(findings(moves))])
  }

  private static let mostFindings = 20

  private func findings(_ moves: ComparisonMoves) -> [ReportFinding] {
    var findings: [ReportFinding] = []
    if moves.movedUsers == 0 {
      findings.append(ReportFinding(tone: .good, text: report.headline(moves.sums) + "."))
    }
    for placement in moves.moved.sorted(by: { $0.users > $1.users }).prefix(Self.mostFindings) {
      let change = placement.seeing.new - placement.seeing.old
      let sees =
        change == 0
        ? "as many users see a paywall as before"
        : "\(grouped(abs(change))) \(change > 0 ? "more" : "fewer") "
          + "\(abs(change) == 1 ? "sees" : "see") a paywall"
      let why =
        placement.kinds.first.map { ", most of them because \(comparison.text($0.kind))" } ?? ""
      findings.append(
        ReportFinding(
          tone: change < 0 ? .warning : .plain,
          text: "\(placement.name): \(counted(placement.users, "user")) "
            + "\(placement.users == 1 ? "gets" : "get") a different outcome\(why); \(sees).",
          section: section(placement.place), placement: placement.name))
    }
    if moves.rejected > 0 {
      findings.append(
        ReportFinding(
          tone: .warning,
          text: "\(counted(moves.rejected, "line")) of the users files could not be read.",
          section: "refused"))
    }
    return findings
  }

  // MARK: All placements

  private static let effects: [(effect: ComparisonMoves.Effect, tone: ReportTone, name: String)] = [
    (.another, .first, "see another paywall"), (.gains, .won, "see a paywall now"),
    (.loses, .other, "no longer see a paywall"),
    (.variant, .none, "another variant, the same paywall"),
    (.other, .second, "see none, as before"),
  ]

  func overview(_ moves: ComparisonMoves) -> ReportSection? {
    if moves.movedUsers == 0 { return nil }
    let longest = moves.placements.map(\.users).max() ?? 0
    let table = ReportTable(
      columns: [
        .text("placement"), .bar("who moves"), .number("users"), .number("of all"),
        .number("saw a paywall"), .number("see one now"),
      ],
      rows: moves.placements.map { placement in
        .init(
          [
            cell(placement.name, section(placement.place)),
            .bar(
              ReportTable.Part.stacked(
                Self.effects.map { (placement.effects[$0.effect.rawValue], $0.tone) }, of: longest)),
            .number(placement.users), .share(ReportNumber.share(placement.users, of: moves.users)),
            .share(ReportNumber.share(placement.seeing.old, of: moves.users)),
            .share(ReportNumber.share(placement.seeing.new, of: moves.users)),
          ], placement: placement.name)
      },
      legend: Self.effects.filter { effect, _, _ in
        moves.placements.contains { $0.effects[effect.rawValue] > 0 }
      }.map { ($0.tone, $0.name) },
      note: "The longest bar is \(counted(longest, "user")).")
    return ReportSection(
      id: "moves", title: "Who moves",
      about: "Users that get another paywall, variant or result, by placement.",
      blocks: [.table(table)])
  }

  func reasons(_ moves: ComparisonMoves) -> ReportSection? {
    if moves.movedUsers == 0 { return nil }
    let all = moves.placements.reduce(0) { $0 + $1.users }
    let table = ReportTable(
      columns: [
        .text("reason"), .bar("share of moves"), .number("moves"), .number("of all"),
        .number("placements"),
      ],
      rows: moves.reasons.map { reason, users, placements in
        let share = ReportNumber.share(users, of: all)
        return .init([
          .noted(reason.rawValue, reason.words),
          .bar([.init(tone: .first, from: 0, to: share)]), .number(users), .share(share),
          .number(placements),
        ])
      }, note: "A user that moves at two placements counts as two moves.")
    return ReportSection(
      id: "reasons", title: "Why they move",
      about: "The change that moves each user.",
      blocks: [.table(table)])
  }

  // MARK: One placement

  /// The maximum number of outcomes in the matrix of a placement, and of rows shown from a long
  /// table.
  private static let mostSeen = 12

  func placement(_ placement: ComparisonMoves.Placement, _ moves: ComparisonMoves)
    -> ReportSection
  {
    let isLong = moves.moved.count > 20
    let kinds = placement.kinds.prefix(isLong ? 5 : Self.mostRows)
    var blocks: [ReportBlock] = []
    let matrix = moves.matrix(placement, most: Self.mostSeen)
    if !matrix.rows.isEmpty { blocks.append(.table(table(matrix, placement))) }
    blocks.append(.table(table(kinds, placement, moves)))
    if !redaction.hidesIDs {
      let commands = kinds.prefix(isLong ? 2 : 8).map { moved in
        ReportCommands.Command(
          purpose: "From \(comparison.from(moved.kind).shown) to "
            + comparison.to(moved.kind).shown
            + (isLong ? "" : ": \(comparison.text(moved.kind))"),
          lines: lines(.id(shown.name(moved.example), of: givenUsers), at: placement.name))
      }
      blocks.append(
        .commands(
          ReportCommands(title: "Why? Users to explain, by both configs", commands: commands)))
    }
    let share = ReportNumber.percent(placement.users, of: moves.users)
    return ReportSection(
      id: section(placement.place) ?? "", title: placement.name,
      about: "\(counted(placement.users, "user")) (\(share)) "
        + "\(placement.users == 1 ? "gets" : "get") a different outcome.",
      placement: placement.name, blocks: blocks)
  }

  private func table(
    _ matrix: ComparisonMoves.Matrix, _ placement: ComparisonMoves.Placement
  ) -> ReportTable {
    ReportTable(
      title: "From what users see (rows) to what they will see (columns)",
      columns: [.text("")] + matrix.columns.map { .number($0) },
      rows: zip(matrix.rows, matrix.users).map { from, users in
        .init(
          [.text(from)]
            + zip(matrix.columns, users).map { to, count in
              .shaded(count, from == to ? nil : ReportNumber.share(count, of: placement.users))
            })
      }, note: "Grey: users that see the same as before.", stacks: false, set: "m")
  }

  private func table(
    _ kinds: ArraySlice<ComparisonSums.Moved>, _ placement: ComparisonMoves.Placement,
    _ moves: ComparisonMoves
  ) -> ReportTable {
    ReportTable(
      title: "Ways in which they move",
      columns: [
        .text("from"), .text("to"), .text("why"), .bar("share of moves"), .number("users"),
        .number("of all"),
      ],
      rows: kinds.map { moved in
        let tone = Self.effects.first { $0.effect == moves.effect(moved.kind) }?.tone ?? .first
        return .init([
          comparison.from(moved.kind).cell, comparison.to(moved.kind).cell,
          .text(comparison.text(moved.kind)),
          .bar([
            .init(
              tone: tone, from: 0, to: ReportNumber.share(moved.users, of: placement.users))
          ]),
          .number(moved.users), .share(ReportNumber.share(moved.users, of: moves.users)),
        ])
      },
      note: kinds.count < placement.kinds.count
        ? "\(counted(placement.kinds.count - kinds.count, "more way")): --json has them all." : "")
  }
}

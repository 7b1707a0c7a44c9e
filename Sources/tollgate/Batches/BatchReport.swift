internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// The page of a run of `precompute` or `match`. All its numbers are the run's own counts.
struct BatchReport {
  let plan: BatchPlan
  let sums: BatchSums
  let rejects: RejectKinds
  let settings: RunSettings
  /// The users' files as named on the command line, for command lines to copy.
  let givenUsers: [String]
  let shown: ShownUser
  let redaction: Redaction
  let tally: Tally
  let reach: [Reach]
  let experiments: DrawChecks

  /// The maximum number of placements with their own section. The tables contain all placements.
  static let mostPlacements = 200
  /// The maximum number of rows of an unbounded table.
  static let mostRows = 40

  init(
    plan: BatchPlan, sums: BatchSums, rejects: RejectKinds, settings: RunSettings,
    givenUsers: [String], shown: ShownUser, redaction: Redaction
  ) {
    self.plan = plan
    self.sums = sums
    self.rejects = rejects
    self.settings = settings
    self.givenUsers = givenUsers
    self.shown = shown
    self.redaction = redaction
    tally = plan.tally(of: sums)
    reach = plan.reach(of: sums)
    experiments = DrawChecks(
      reach, pairs: plan.drawnPairs(of: sums), pairsLeftOut: plan.draws?.pairsLeftOut ?? 0)
  }

  var page: ReportPage {
    ReportPage(
      title: "Paywall decisions: \(settings.configName)", facts: facts,
      sections: [summary, outcomes] + experiments.sections(section)
        + [limits, errors, missing, refused]
        .compactMap { $0 }
        + tally.placements.indices.prefix(Self.mostPlacements).map(placement))
  }

  private var facts: [ReportPage.Fact] {
    settings.facts([
      .init("Users", givenUsers.joined(separator: ", ")), .init("Config", settings.configHash),
    ])
  }

  /// The anchor of a placement's section; nil if the placement has no section.
  func section(_ number: Int) -> String? { number < Self.mostPlacements ? "p\(number)" : nil }

  private func total(_ count: (Tally.Placement) -> Int) -> Int {
    tally.placements.reduce(0) { $0 + count($1) }
  }

  // MARK: Summary

  private var summary: ReportSection {
    let decisions = tally.users * tally.placements.count
    let heldBack = total(\.heldBack)
    let failed = total { $0.errors.reduce(0) { $0 + $1.users } }
    let cards = [
      ReportCard(name: "Users", value: grouped(tally.users)),
      ReportCard(
        name: "Placements", value: grouped(tally.placements.count),
        note: counted(decisions, "decision")),
      ReportCard(
        name: "Show a paywall", value: ReportNumber.percent(total(\.paywall), of: decisions),
        note: "of all decisions"),
      ReportCard(
        name: "Held back by limits", value: grouped(heldBack),
        note: "users of audiences that match"),
      ReportCard(
        name: "Failures of rules", value: grouped(failed),
        note: "counted once for each user and rule"),
      ReportCard(
        name: "Rejected lines", value: grouped(tally.rejected),
        note: "not decided, not counted here"),
    ]
    return ReportSection(
      id: "summary", title: "Summary", blocks: [.cards(cards), .findings(findings)])
  }

  private var findings: [ReportFinding] {
    var findings = experiments.findings(section)
    for (number, placement) in tally.placements.enumerated() {
      findings += self.findings(placement, number)
    }
    if tally.rejected > 0 {
      findings.append(
        ReportFinding(
          tone: .warning,
          text: "\(counted(tally.rejected, "line")) of the users files could not be read.",
          section: "refused"))
    }
    let order: [ReportTone] = [.bad, .warning, .plain, .good]
    let sorted = order.flatMap { tone in findings.filter { $0.tone == tone } }
    guard sorted.count > Self.mostRows else { return sorted }
    let more = sorted.count - Self.mostRows
    return sorted.prefix(Self.mostRows) + [
      ReportFinding(tone: .plain, text: "\(grouped(more)) more are in the sections below.")
    ]
  }

  /// The findings about one placement.
  private func findings(_ placement: Tally.Placement, _ number: Int) -> [ReportFinding] {
    var findings: [ReportFinding] = []
    func add(_ tone: ReportTone, _ text: String) {
      findings.append(
        ReportFinding(
          tone: tone, text: "\(placement.name): \(text)", section: section(number),
          placement: placement.name))
    }
    if placement.placementNotFound > 0 { add(.bad, "the config has no such placement.") }
    if placement.error > 0 {
      add(
        .bad,
        "\(counted(placement.error, "user")) of a matching audience get nothing, because no "
          + "variant with a paywall is available.")
    }
    if placement.undecidable > 0 {
      add(
        .warning,
        "\(counted(placement.undecidable, "user")) have SDKs that evaluate JavaScript, which is not "
          + "decided here.")
    }
    let failed = placement.errors.reduce(0) { $0 + $1.users }
    if let worst = placement.errors.first {
      add(
        .warning,
        "rules fail \(counted(failed, "time")), mostly in audience \(worst.error.audience): "
          + "\(worst.error.message).")
    }
    let worst = placement.audiences.flatMap(\.missing).max { $0.matched < $1.matched }
    if let worst, worst.matched > 0 {
      add(.warning, "\(counted(worst.matched, "user")) \(worst.words(matched: true)).")
    }
    for audience in placement.audiences where audience.matched == 0 {
      add(
        .plain,
        audience.reached == 0
          ? "no user reaches audience \(audience.label), because earlier audiences take every user."
          : "audience \(audience.label) matches none of the "
            + "\(counted(audience.reached, "user")) that reach it.")
    }
    return findings
  }

  // MARK: Outcomes

  private var outcomes: ReportSection {
    let table = ReportTable(
      columns: [
        .text("placement"), .bar("share of users"), .number("paywall"), .number("holdout"),
        .number("no match"), .number("nothing"),
      ],
      rows: tally.placements.enumerated().map { number, placement in
        let nothing =
          placement.placementNotFound + placement.error + placement.undecidable
        let counts = [placement.paywall, placement.holdout, placement.noAudienceMatch, nothing]
        return .init(
          [
            section(number).map { .link(placement.name, section: $0) } ?? .text(placement.name),
            .bar(stacked(counts, [.first, .second, .none, .other])),
          ] + counts.map { .share(ReportNumber.share($0, of: tally.users)) },
          placement: placement.name)
      },
      legend: [
        (.first, "sees a paywall"), (.second, "holdout: sees no paywall, for comparison"),
        (.none, "no audience matches"), (.other, "matched, but no paywall to show"),
      ])
    return ReportSection(
      id: "outcomes", title: "Outcomes by placement",
      about: "The outcomes of \(counted(tally.users, "user")), by placement.",
      blocks: [.table(table)])
  }

  /// Adjacent parts of a bar whose full length means all users.
  func stacked(_ counts: [Int], _ tones: [ReportTone]) -> [ReportTable.Part] {
    ReportTable.Part.stacked(Array(zip(counts, tones)), of: tally.users)
  }

  // MARK: Limits, errors, refused lines

  private var limits: ReportSection? {
    var rows: [(heldBack: Int, row: ReportTable.Row)] = []
    for (number, placement) in tally.placements.enumerated() {
      for audience in placement.audiences {
        guard let limit = audience.limit else { continue }
        let held = audience.heldBack
        let shares = [held, audience.taken]
          .map { ReportNumber.share($0, of: audience.matched) }
        rows.append(
          (
            held,
            .init(
              [
                section(number).map { .link(placement.name, section: $0) }
                  ?? .text(placement.name),
                .text(audience.label), .text(LimitWords.describe(limit)),
                .bar([.init(tone: .second, from: 0, to: shares[0])]),
                .number(audience.matched), .number(held), .share(shares[0]),
              ], placement: placement.name)
          ))
      }
    }
    if rows.isEmpty { return nil }
    let sorted = rows.enumerated().sorted {
      ($1.element.heldBack, $0.offset) < ($0.element.heldBack, $1.offset)
    }
    let table = ReportTable(
      columns: [
        .text("placement"), .text("audience"), .text("limit"), .bar("share held back"),
        .number("matched"), .number("held back"), .number("of those who match"),
      ], rows: sorted.prefix(Self.mostRows).map(\.element.row),
      note: sorted.count > Self.mostRows
        ? "The \(Self.mostRows) audiences whose limits exclude most users, of \(sorted.count) with a limit."
        : "")
    return ReportSection(
      id: "limits", title: "Limits",
      about: "Users that match an audience, but have used up its limit. "
        + "They continue with the next audience.", blocks: [.table(table)])
  }

  private var errors: ReportSection? {
    let all = tally.placements.enumerated().flatMap { number, placement in
      placement.errors.map { (number: number, placement: placement.name, error: $0) }
    }
    if all.isEmpty { return nil }
    let table = ReportTable(
      columns: [
        .text("placement"), .text("audience"), .text("clause"), .text("what fails"),
        .number("users"), .number("of all"),
      ],
      rows: all.prefix(Self.mostRows).map { number, placement, failed in
        .init(
          [
            section(number).map { .link(placement, section: $0) } ?? .text(placement),
            .text("\(failed.error.audience)"), .code(Self.short(failed.error.clause)),
            .text(failed.error.message), .number(failed.users),
            .share(ReportNumber.share(failed.users, of: tally.users)),
          ], placement: placement)
      },
      note: all.count > Self.mostRows
        ? "\(counted(all.count - Self.mostRows, "more kind", plural: "more kinds")) are in the "
          + "summary of the run." : "")
    return ReportSection(
      id: "errors", title: "Rules that fail",
      about: "A clause cannot be evaluated for these users, so its audience does not match.",
      blocks: [.table(table)])
  }

  private var missing: ReportSection? {
    let all = tally.placements.enumerated().flatMap { number, placement in
      placement.audiences.flatMap { audience in
        audience.missing.map { (number: number, placement: placement.name, audience, clause: $0) }
      }
    }
    if all.isEmpty { return nil }
    let sorted = all.enumerated().sorted {
      let (a, b) = ($0.element.clause, $1.element.clause)
      return (b.matched + b.unmatched, $0.offset) < (a.matched + a.unmatched, $1.offset)
    }.map(\.element)
    let table = ReportTable(
      columns: [
        .text("placement"), .text("audience"), .text("clause"), .text("missing attribute"),
        .number("matched"), .number("did not match"), .number("of all"),
      ],
      rows: sorted.prefix(Self.mostRows).map { number, placement, audience, clause in
        .init(
          [
            section(number).map { .link(placement, section: $0) } ?? .text(placement),
            .text(audience.label), .code(Self.short(clause.clause)),
            .text("\(clause.path) (\(Tally.MissingAttribute.words(clause.standIn)))"),
            .number(clause.matched), .number(clause.unmatched),
            .share(ReportNumber.share(clause.matched + clause.unmatched, of: tally.users)),
          ], placement: placement)
      },
      note: sorted.count > Self.mostRows
        ? "\(counted(sorted.count - Self.mostRows, "more clause", plural: "more clauses")) are in the "
          + "JSON of the run." : "")
    return ReportSection(
      id: "missing", title: "Missing attributes that decide",
      about:
        "These users lack an attribute, so the clause compares a default value. The opposite result of the "
        + "clause would change whether the audience matches.", blocks: [.table(table)]
    )
  }

  private var refused: ReportSection? {
    rejects.section(
      tally.rejected, files: settings.users,
      about: "Lines of the users files that are not user records. precompute --rejects stores them."
    )
  }

  /// A clause in one line, shortened for reading.
  static func short(_ text: String) -> String {
    let line = text.split { $0.isWhitespace }.joined(separator: " ")
    return line.count > 240 ? line.prefix(237) + "..." : line
  }
}

extension Tally.Placement {
  /// Users that match an audience but are held back by its limit.
  fileprivate var heldBack: Int { audiences.reduce(0) { $0 + $1.heldBack } }
}

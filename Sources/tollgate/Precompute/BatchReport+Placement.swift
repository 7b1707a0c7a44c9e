internal import Expressions
internal import RuleEngine

/// The section of one placement.
extension BatchReport {
  /// Command lines of one placement: they are the longest part of a page with many of them.
  private var mostExamples: Int { tally.placements.count > 20 ? 4 : 8 }

  func placement(_ number: Int) -> ReportSection {
    let placement = tally.placements[number]
    let paywall = ReportNumber.percent(placement.paywall, of: tally.users)
    var blocks: [ReportBlock] = []
    if !placement.audiences.isEmpty { blocks.append(.table(funnel(placement, drawn[number]))) }
    if let variants = variants(drawn[number], number) { blocks.append(.table(variants)) }
    let commands = commands(number)
    if !commands.isEmpty {
      blocks.append(
        .commands(ReportCommands(title: "Why? Users to explain", commands: commands)))
    }
    return ReportSection(
      id: "p\(number)", title: placement.name,
      about: "\(paywall) of users see a paywall; \(counted(placement.unmatched, "user")) match no "
        + "audience.", placement: placement.name, blocks: blocks)
  }

  /// How many users each audience is tried for, and how many of them stay.
  private func funnel(_ placement: Tally.Placement, _ drawn: [DrawnAudience]) -> ReportTable {
    ReportTable(
      title: "Audiences, in the order in which they are tried",
      columns: [
        .text("audience"), .bar("share of users"), .number("reached"), .number("matched"),
        .number("held back"), .number("taken"),
      ],
      rows: zip(placement.audiences, drawn).map { audience, drawn in
        func part(_ tone: ReportTone, _ from: Int, _ to: Int) -> ReportTable.Part {
          let shares = [from, to].map { ReportNumber.share($0, of: tally.users) }
          return .init(tone: tone, from: shares[0], to: shares[1])
        }
        return .init([
          .named(drawn.audience.label, code: drawn.condition.map(Self.short) ?? "everybody"),
          .bar([
            part(.narrow, 0, audience.taken), part(.second, audience.taken, audience.matched),
            part(.wide, audience.matched, audience.reached),
          ]),
          .number(audience.reached), .number(audience.matched),
          .number(audience.matched - audience.taken), .number(audience.taken),
        ])
      },
      legend: [
        (.narrow, "taken"), (.second, "matched, but held back by the limit"),
        (.wide, "reached, but not matched"),
      ])
  }

  /// What each variant was to get, and what it got.
  private func variants(_ drawn: [DrawnAudience], _ number: Int) -> ReportTable? {
    var rows: [ReportTable.Row] = []
    for audience in drawn {
      let users = audience.variants.reduce(0) { $0 + $1.users - $1.stored }
      for variant in audience.variants {
        let share = ReportNumber.share(variant.users - variant.stored, of: users)
        rows.append(
          .init([
            .text(variant.id), .text("\(audience.audience.index)"),
            .text(variant.isHoldout ? "holdout" : variant.paywallID ?? "none"),
            .bar([
              .init(tone: variant.isHoldout ? .second : .first, from: 0, to: share),
              .init(
                tone: .tick, from: max(0, variant.share - 0.004),
                to: min(1, variant.share + 0.004)),
            ]),
            .share(variant.share), .share(share), .number(variant.users - variant.stored),
            .number(variant.stored),
          ]))
      }
    }
    guard !rows.isEmpty else { return nil }
    let verdicts = experiments.balances.filter { $0.placement == number }.map {
      "Audience \($0.drawn.audience.index): \(experiments.words($0))."
    }
    return ReportTable(
      title: "Variants: what was drawn, and a mark for what the weight asks for",
      columns: [
        .text("variant"), .text("audience"), .text("paywall"), .bar("share of draws"),
        .number("by weight"), .number("drawn"), .number("users drawn"), .number("stored"),
      ], rows: rows, note: verdicts.joined(separator: " "))
  }

  // MARK: Users to explain

  /// A user for each thing that happened here, as command lines.
  private func commands(_ number: Int) -> [ReportCommands.Command] {
    guard !redaction.hidesIDs else { return [] }
    var examples: [(purpose: String, id: String)] = []
    for audience in drawn[number] {
      let label = audience.audience.label
      // One for each audience, and one who is held out of it.
      let shown = [
        audience.variants.first { $0.example != nil && !$0.isHoldout },
        audience.variants.first { $0.example != nil && $0.isHoldout },
      ]
      for variant in shown.compactMap({ $0 }) {
        guard let id = variant.example else { continue }
        let what = variant.isHoldout ? "holdout" : variant.paywallID.map { "paywall \($0)" }
        examples.append(("Audience \(label), variant \(variant.id): \(what ?? "nothing")", id))
      }
      if let id = audience.exampleWithoutVariant {
        examples.append(("Audience \(label), but no variant", id))
      }
    }
    let more = [plan.unmatchedExamples(of: sums)[number].map { ("No audience matches", $0) }]
    let failed = tally.placements[number].errors.prefix(2).map {
      ("Fails: \($0.error.message)", $0.example)
    }
    examples =
      examples.prefix(mostExamples - failed.count - 1) + more.compactMap { $0 } + failed
    return examples.map { purpose, id in
      .init(
        purpose: purpose,
        line: settings.explainLine(
          shown.name(id), at: tally.placements[number].name, users: givenUsers,
          format: plan.ruleSet.format, redaction))
    }
  }
}

extension RunSettings {
  /// The command line that explains a user as this run has decided.
  ///
  /// - Parameters:
  ///   - name: the user's ID, or what ``ShownUser`` calls it.
  ///   - placement: where the user is explained.
  ///   - givenUsers: the users' files as somebody named them.
  ///   - format: the format that the config has.
  ///   - redaction: what the explanation keeps out as well.
  func explainLine(
    _ name: String, at placement: String, users givenUsers: [String], format: Config.Format,
    _ redaction: Redaction
  ) -> String {
    var words = ["tollgate", "explain", config, "--placement", placement]
    if let given = self.format { words += ["--config-format", given] }
    if dialect != LanguageOptions.DialectName.superscript.rawValue {
      words += ["--dialect", dialect]
    }
    if platform != LanguageOptions.PlatformName.ios.rawValue { words += ["--platform", platform] }
    words += ["--users"] + givenUsers
    if let input { words += ["--users-format", input] }
    words += ["--id", name, "--now", now.text ?? "\(now.milliseconds)"]
    if assigner != Assigner.usual(for: format, salt: "").name { words += ["--assigner", assigner] }
    if assigner != Assigner.djb2.name, !seed.isEmpty { words += ["--seed", seed] }
    if timeZone != "UTC" { words += ["--time-zone", timeZone] }
    for path in redaction.paths { words += ["--redact", path.joined(separator: ".")] }
    return words.map(ShellWord.quoted).joined(separator: " ")
  }
}

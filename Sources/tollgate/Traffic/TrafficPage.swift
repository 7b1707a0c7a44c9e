internal import RuleEngine
internal import RuleInsight

/// The page of a traffic simulation: the outcomes of users over time, and the effect of limits.
struct TrafficPage {
  let plan: TrafficPlan
  let sums: TrafficSums
  let refused: RefusedLines
  /// The facts about the run other than its counts.
  let facts: [ReportPage.Fact]
  let configName: String
  /// The command line that reproduces the run.
  let line: String
  let files: [String]

  let days: TrafficDays

  /// The maximum number of placements with their own section.
  private static let mostPlacements = TrafficSums.mostByDay
  /// The maximum number of rows of an unbounded table.
  static let mostRows = 40

  init(
    _ plan: TrafficPlan, _ sums: TrafficSums, _ refused: RefusedLines, configName: String,
    facts: [ReportPage.Fact], line: String, files: [String]
  ) {
    self.plan = plan
    self.sums = sums
    self.refused = refused
    self.facts = facts
    self.configName = configName
    self.line = line
    self.files = files
    days = TrafficDays(sums)
  }

  var page: ReportPage {
    var sections = [summary, overTime, outcomes]
    if !plan.limitedRules.isEmpty { sections.append(limits) }
    if !plan.paywalls.isEmpty { sections.append(frequency) }
    if let failures { sections.append(failures) }
    if let refused = refused.kinds.section(
      refused.all, files: files,
      about: "Lines of users and of traffic that could not be used. --rejects stores them.")
    {
      sections.append(refused)
    }
    sections.append(again)
    return ReportPage(
      title: "Traffic: \(configName)", facts: facts,
      sections: sections
        + plan.placementNames.indices.prefix(Self.mostPlacements).map { placement($0) })
  }

  private func section(_ place: Int) -> ReportTable.Cell {
    let name = plan.placementNames[place]
    return place < Self.mostPlacements ? .link(name, section: "p\(place)") : .text(name)
  }

  // MARK: Summary

  private var shown: Int {
    sums.outcomes.reduce(0) { $0 + $1[EffectTable.OutcomeKind.paywall.rawValue] }
  }
  private var held: Int { plan.limitedRules.reduce(0) { $0 + sums.rules[$1].held } }

  private var summary: ReportSection {
    let perUser = sums.users > 0 ? Double(shown) / Double(sums.users) : 0
    var cards = [
      ReportCard(
        name: "Users", value: grouped(sums.users), note: counted(sums.sessions, "session")),
      ReportCard(
        name: "Requested placements", value: grouped(sums.placements),
        note: "on \(counted(sums.days.count, "day"))"),
      ReportCard(
        name: "Paywalls shown", value: grouped(shown),
        note: "\(ReportNumber.decimal(perUser, 1)) for a user on average"),
      ReportCard(
        name: "Never saw one", value: ReportNumber.percent(sums.seenAny[0], of: sums.users),
        note: "of the users"),
      ReportCard(
        name: "Held back by limits", value: grouped(held), note: "times an audience matched"),
    ]
    if plan.options.purchaseRate > 0 {
      cards.append(
        ReportCard(
          name: "Subscriptions", value: grouped(sums.purchases),
          note: "\(ReportNumber.percent(sums.purchases, of: shown)) of paywalls shown"))
    }
    return ReportSection(
      id: "summary", title: "Summary", blocks: [.cards(cards), .findings(findings)])
  }

  /// The limits that hold back most of the matching users, and the paywalls that no user sees.
  private var findings: [ReportFinding] {
    var findings: [ReportFinding] = []
    for rule in busiest.prefix(5) {
      let counts = sums.rules[rule]
      let audience = plan.ruleSet.rules[rule].audience
      let name = plan.name(ofPlacementWith: rule)
      findings.append(
        ReportFinding(
          tone: .plain,
          text: "\(name): the limit of audience \(audience.label) holds back "
            + "\(ReportNumber.percent(counts.held, of: counts.matched)) of matches; "
            + "\(ReportNumber.percent(counts.usersHeld, of: sums.users)) of the users reach the limit.",
          section: "limits", placement: name))
    }
    for (paywall, seen) in zip(plan.paywalls, sums.seen) where seen[0] == sums.users {
      findings.append(
        ReportFinding(
          tone: .warning, text: "No user sees paywall \(paywall).", section: "frequency"))
    }
    for (place, name) in plan.placementNames.enumerated()
    where sums.outcomes[place].allSatisfy({ $0 == 0 }) {
      findings.append(
        ReportFinding(
          tone: .plain, text: "\(name): no traffic.", placement: name))
    }
    return Array(findings.prefix(Self.mostRows))
  }

  /// Rules whose limits have held users back, in order of frequency.
  var busiest: [Int] {
    plan.limitedRules.filter { sums.rules[$0].held > 0 }
      .sorted { (-sums.rules[$0].held, $0) < (-sums.rules[$1].held, $1) }
  }

  // MARK: Over time

  private var overTime: ReportSection {
    let asked = days.values { $0.placements }
    let shown = days.values { $0.paywalls }
    let holdouts = days.values { $0.holdouts }
    let held = days.values { $0.held.reduce(0, +) }
    let rest = asked.indices.map { asked[$0] - shown[$0] - holdouts[$0] }
    var blocks: [ReportBlock] = [
      .chart(
        ReportChart(
          title: "Requested placements, \(days.step)",
          about: "Requested placements, \(days.step), by outcome",
          series: [
            .init("shows a paywall", .first, shown), .init("holdout", .second, holdouts),
            .init("shows nothing", .none, rest),
          ], times: days.names))
    ]
    if !plan.limitedRules.isEmpty {
      blocks.append(
        .chart(
          ReportChart(
            title: "Held back by limits, \(days.step)", about: "Held back by limits, \(days.step)",
            series: [.init("held back", .second, held)], times: days.names)))
    }
    let purchases = days.values { $0.purchases }
    let hasPurchases = plan.options.purchaseRate > 0
    if hasPurchases {
      blocks.append(
        .chart(
          ReportChart(
            title: "Subscriptions, \(days.step)", about: "Subscriptions, \(days.step)",
            series: [.init("subscriptions", .won, purchases)], times: days.names)))
    }
    blocks.append(
      .table(
        ReportTable(
          title: "The same as numbers",
          columns: [
            .text("day"), .number("asked"), .number("paywalls"), .number("holdouts"),
            .number("held back"),
          ] + (hasPurchases ? [.number("subscriptions")] : []),
          rows: days.names.indices.map { day in
            .init(
              [
                .text(days.names[day]), .number(asked[day]), .number(shown[day]),
                .number(holdouts[day]), .number(held[day]),
              ] + (hasPurchases ? [.number(purchases[day])] : []))
          }, isFolded: true)))
    return ReportSection(
      id: "days", title: "Day by day",
      about: "How often placements are requested, what users see, and how often a limit holds "
        + "a matching audience back. \(days.about)", blocks: blocks)
  }

  private var outcomes: ReportSection {
    let kinds: [EffectTable.OutcomeKind] = [.paywall, .holdout, .noAudienceMatch, .error]
    let most = sums.outcomes.map { $0.reduce(0, +) }.max() ?? 0
    let table = ReportTable(
      columns: [
        .text("placement"), .bar("how often"), .number("asked"), .number("paywall"),
        .number("holdout"), .number("no match"), .number("nothing"),
      ],
      rows: plan.placementNames.enumerated().map { place, name in
        var counts = kinds.map { sums.outcomes[place][$0.rawValue] }
        counts[3] += sums.outcomes[place][EffectTable.OutcomeKind.undecidable.rawValue]
        let asked = sums.outcomes[place].reduce(0, +)
        return .init(
          [
            section(place),
            .bar(
              ReportTable.Part.stacked(
                Array(zip(counts, [.first, .second, .none, .other])), of: most)),
            .number(asked),
          ] + counts.map { .share(ReportNumber.share($0, of: asked)) }, placement: name)
      },
      legend: [
        (.first, "shows a paywall"), (.second, "holdout"), (.none, "no audience matches"),
        (.other, "matched, but nothing to show"),
      ])
    return ReportSection(
      id: "outcomes", title: "Outcomes by placement",
      about: "How often each placement is requested, and the outcomes.",
      blocks: [.table(table)])
  }

  // MARK: Failures, and the same again

  private var failures: ReportSection? {
    let failed = sums.rules.indices.filter {
      sums.rules[$0].failed > 0 && !plan.ruleSet.rules[$0].isBroken
    }
    if failed.isEmpty { return nil }
    let table = ReportTable(
      columns: [.text("placement"), .text("audience"), .number("times"), .number("of all")],
      rows: failed.prefix(Self.mostRows).map { rule in
        let name = plan.name(ofPlacementWith: rule)
        let counts = sums.rules[rule]
        return .init(
          [
            .text(name), .text(plan.ruleSet.rules[rule].audience.label), .number(counts.failed),
            .share(ReportNumber.share(counts.failed, of: counts.reached)),
          ], placement: name)
      },
      note: "tollgate match shows which clauses fail, and for which users.")
    return ReportSection(
      id: "errors", title: "Rules that fail",
      about: "Each time, a clause could not be evaluated, so its audience did not match.",
      blocks: [.table(table)])
  }

  private var again: ReportSection {
    ReportSection(
      id: "again", title: "The same again",
      about: "The same config, users and command line reproduce the simulation.",
      blocks: [
        .commands(
          ReportCommands(
            title: "Command line", commands: [.init(purpose: "Create this page again", line: line)])
        )
      ])
  }

  // MARK: One placement

  private func placement(_ place: Int) -> ReportSection {
    let name = plan.placementNames[place]
    let counts = sums.outcomes[place]
    let asked = counts.reduce(0, +)
    let paywalls = counts[EffectTable.OutcomeKind.paywall.rawValue]
    var blocks: [ReportBlock] = []
    if asked > 0 {
      let shown = days.values { $0.shown[place] }
      let all = days.values { $0.asked[place] }
      blocks.append(
        .chart(
          ReportChart(
            title: "Requests, \(days.step)",
            about: "\(name): how often it is requested, \(days.step)",
            series: [
              .init("shows a paywall", .first, shown),
              .init("shows none", .none, zip(all, shown).map { $0 - $1 }),
            ], times: days.names)))
    }
    let rules = plan.rules(ofPlacement: place)
    if !rules.isEmpty { blocks.append(.table(funnel(rules, of: asked))) }
    return ReportSection(
      id: "p\(place)", title: name,
      about: "Requested \(counted(asked, "time")); \(ReportNumber.percent(paywalls, of: asked)) of "
        + "the requests show a paywall.", placement: name, blocks: blocks)
  }

  private func funnel(_ rules: Range<Int>, of asked: Int) -> ReportTable {
    ReportTable(
      title: "Audiences, in the order in which they are tried",
      columns: [
        .text("audience"), .bar("share of times"), .number("reached"), .number("matched"),
        .number("held back"), .number("taken"),
      ],
      rows: rules.map { rule in
        let counts = sums.rules[rule]
        let audience = plan.ruleSet.rules[rule].audience
        return .init([
          .named(
            audience.label,
            code: audience.isEverybody
              ? "every user" : audience.expression.map(BatchReport.short) ?? ""),
          .bar(
            ReportTable.Part.stacked(
              [
                (counts.taken, .narrow), (counts.held, .second),
                (counts.reached - counts.taken - counts.held, .wide),
              ], of: asked)),
          .number(counts.reached), .number(counts.matched), .number(counts.held),
          .number(counts.taken),
        ])
      },
      legend: [
        (.narrow, "taken"), (.second, "matched, but held back by the limit"),
        (.wide, "reached, but not matched"),
      ])
  }
}

extension TrafficOptions {
  /// The facts of a page about the simulation.
  func facts(_ traffic: GeneratedTraffic?, _ plan: TrafficPlan, events: String?)
    -> [ReportPage.Fact]
  {
    var facts: [ReportPage.Fact] = []
    if let traffic {
      let days = counted(traffic.days, "day")
      let rate = Self.number(traffic.rate)
      facts.append(
        .init("Traffic", "made up, \(days) from \(traffic.start.text ?? ""), \(rate) a day"))
    } else if let events {
      facts.append(.init("Traffic", events))
    }
    if purchaseRate > 0 {
      facts.append(
        .init("Subscribe", "\(ReportNumber.percent(purchaseRate)) of users that see a paywall"))
    }
    facts.append(.init("Assigner", plan.options.assigner.name))
    if let updateTo {
      let curve = (updateCurve ?? .phased).text
      facts.append(.init("Update", "to SDK \(updateTo.text), \(curve) % of the users by day"))
    }
    if !seed.isEmpty { facts.append(.init("Seed", seed)) }
    if timeZone != "UTC" { facts.append(.init("Time zone", timeZone)) }
    return facts
  }
}

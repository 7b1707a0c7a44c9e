internal import RuleEngine
internal import RuleInsight

/// The part of a page about limits over time, and how often users see a paywall because of them.
extension TrafficPage {
  var limits: ReportSection {
    let sorted = busiest + plan.limitedRules.filter { sums.rules[$0].held == 0 }
    let table = ReportTable(
      columns: [
        .text("audience"), .text("limit"), .bar("held back over time"), .number("matched"),
        .number("held back"), .number("of matches"), .number("most"), .number("users"),
      ],
      rows: sorted.prefix(Self.mostRows).map { rule in
        let counts = sums.rules[rule]
        let audience = plan.ruleSet.rules[rule].audience
        let values = values(ofLimit: rule)
        let name = plan.name(ofPlacementWith: rule)
        return .init(
          [
            .named("\(name), \(audience.label)", code: audience.occurrenceLimit?.key ?? ""),
            .text(audience.occurrenceLimit.map { LimitWords.describe($0) } ?? ""),
            .chart(
              ReportChart(
                about: "Held back, \(days.step): at most \(grouped(values.max() ?? 0))",
                series: [.init("held back", .second, values)], times: days.names)),
            .number(counts.matched), .number(counts.held),
            .share(ReportNumber.share(counts.held, of: counts.matched)),
            .number(values.max() ?? 0), .number(counts.usersHeld),
          ], placement: name)
      },
      note:
        "Each row has its own scale: its highest bar is the number under “most”, the maximum for one "
        + "\(days.unit). Users are those held back at least once."
        + (sorted.count > Self.mostRows
          ? " The \(Self.mostRows) limits that hold back most users are shown, of \(sorted.count)."
          : ""))
    return ReportSection(
      id: "limits", title: "Limits over time",
      about: "How often each limit excludes a matching user from its audience.",
      blocks: [.table(table)])
  }

  private func values(ofLimit rule: Int) -> [Int] {
    guard let place = plan.limitedRules.firstIndex(of: rule) else { return [] }
    return days.values { $0.held[place] }
  }

  // MARK: Frequency

  /// The steps of how often users see a paywall, as ranges of ``TrafficSums/seen``.
  private static let steps: [(name: String, range: Range<Int>, tone: ReportTone)] = [
    ("once", 1..<2, .step1), ("twice", 2..<3, .step2), ("three or four times", 3..<5, .step3),
    ("five to nine", 5..<10, .step4), ("ten or more", 10..<11, .step5),
  ]

  var frequency: ReportSection {
    func row(_ name: String, _ seen: [Int]) -> ReportTable.Row {
      let counts = Self.steps.map { seen[$0.range].reduce(0, +) }
      return .init(
        [
          .text(name),
          .bar(
            ReportTable.Part.stacked(Array(zip(counts, Self.steps.map(\.tone))), of: sums.users)),
          .share(ReportNumber.share(sums.users - seen[0], of: sums.users)),
        ] + counts.map { .number($0) } + [.number(seen[0])])
    }
    let all = zip(plan.paywalls, sums.seen).enumerated().sorted { a, b in
      (a.element.1[0], a.offset) < (b.element.1[0], b.offset)
    }.map(\.element)
    let table = ReportTable(
      columns: [.text("paywall"), .bar("users who see it"), .number("see it")]
        + Self.steps.map { .number($0.name) } + [.number("never")],
      rows: [row("any paywall", sums.seenAny)] + all.prefix(Self.mostRows).map(row),
      legend: Self.steps.map { ($0.tone, $0.name) },
      note: all.count > Self.mostRows
        ? "The \(Self.mostRows) that most users see are shown, of \(all.count)." : "")
    return ReportSection(
      id: "frequency", title: "How often users see a paywall",
      about:
        "The number of users by how often they see each paywall during the \(counted(sums.days.count, "day")).",
      blocks: [.table(table)])
  }
}

internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// The section of one placement.
extension BatchReport {
  /// The number of command lines per placement, which take the most space on a page with many placements.
  private var mostExamples: Int { reach.count > 20 ? 4 : 8 }

  func placement(_ number: Int) -> ReportSection {
    let placement = reach[number]
    let paywall = ReportNumber.percent(placement.counts.paywall, of: tally.users)
    var blocks: [ReportBlock] = []
    if !placement.audiences.isEmpty { blocks.append(.table(funnel(placement))) }
    if let variants = variants(placement, number) { blocks.append(.table(variants)) }
    let commands = commands(placement)
    if !commands.isEmpty {
      blocks.append(
        .commands(ReportCommands(title: "Why? Users to explain", commands: commands)))
    }
    return ReportSection(
      id: "p\(number)", title: placement.counts.name,
      about: "\(paywall) of users see a paywall; \(counted(placement.counts.unmatched, "user")) "
        + "match no audience.", placement: placement.counts.name, blocks: blocks)
  }

  /// The number of users for whom each audience is tried, and how many users remain.
  private func funnel(_ placement: Reach) -> ReportTable {
    let audiences = placement.audiences
    // Columns for rare events are omitted if they would be empty.
    let hasOwners = audiences.contains { $0.counts.owned > 0 }
    let hasFailed = audiences.contains { $0.failed > 0 }
    return ReportTable(
      title: "Audiences, in the order in which they are tried",
      columns: [.text("audience"), .bar("share of users"), .number("reached")]
        + (hasOwners ? [.number("owners")] : []) + (hasFailed ? [.number("failed")] : [])
        + [.number("matched"), .number("held back"), .number("taken")],
      rows: audiences.map { audience in
        let counts = audience.counts
        let missed = counts.reached - counts.owned - counts.matched - audience.failed
        return .init(
          [
            .named(counts.label, code: audience.condition.map(Self.short) ?? "every user"),
            .bar(
              stacked(
                [counts.taken, counts.heldBack, audience.failed, counts.owned, missed],
                [.narrow, .second, .other, .none, .wide])),
            .number(counts.reached),
          ] + (hasOwners ? [.number(counts.owned)] : [])
            + (hasFailed ? [.number(audience.failed)] : [])
            + [.number(counts.matched), .number(counts.heldBack), .number(counts.taken)])
      },
      legend: [(.narrow, "taken"), (.second, "matched, but excluded by the limit")]
        + (hasFailed ? [(.other, "its rule fails")] : [])
        + (hasOwners ? [(.none, "skipped: they own the entitlement")] : [])
        + [(.wide, "reached, but not matched")])
  }

  /// The expected and the actual users of each variant.
  private func variants(_ placement: Reach, _ number: Int) -> ReportTable? {
    var rows: [ReportTable.Row] = []
    for audience in placement.audiences {
      let users = audience.variants.reduce(0) { $0 + $1.drawn }
      for variant in audience.variants {
        let share = ReportNumber.share(variant.drawn, of: users)
        rows.append(
          .init([
            .text(variant.id), .text("\(audience.counts.index)"), .text(Self.shows(variant)),
            .bar([
              .init(tone: variant.isHoldout ? .second : .first, from: 0, to: share),
              .init(
                tone: .tick, from: max(0, variant.weight - 0.004),
                to: min(1, variant.weight + 0.004)),
            ]),
            .share(variant.weight), .share(share), .number(variant.drawn), .number(variant.stored),
          ]))
      }
    }
    guard !rows.isEmpty else { return nil }
    let verdicts = experiments.balances.filter { $0.placement == number }.map {
      "Audience \($0.audience.counts.index): \(experiments.words($0))."
    }
    return ReportTable(
      title: "Variants: the share drawn, with a mark for the share by weight",
      columns: [
        .text("variant"), .text("audience"), .text("paywall"), .bar("share of draws"),
        .number("by weight"), .number("drawn"), .number("users drawn"), .number("stored"),
      ], rows: rows, note: verdicts.joined(separator: " "))
  }

  private static func shows(_ variant: Reach.Variant) -> String {
    if variant.isHoldout { return "holdout" }
    return variant.paywall.isEmpty ? "none" : variant.paywall
  }

  // MARK: Users to explain

  /// Command lines that explain a user for each kind of event at the placement.
  private func commands(_ placement: Reach) -> [ReportCommands.Command] {
    guard !redaction.hidesIDs else { return [] }
    return examples(placement).map { purpose, id in
      .init(
        purpose: purpose,
        line: settings.explainLine(
          .id(shown.name(id), of: givenUsers), at: placement.counts.name,
          format: plan.ruleSet.format, redaction))
    }
  }

  /// Users with their kinds of events: the first user of each kind, then the second user of each kind and so on, as far
  /// as space permits.
  private func examples(_ placement: Reach) -> [(purpose: String, id: String)] {
    func each(_ example: (Reach.Audience) -> (String, String?)?) -> [(String, String)] {
      placement.audiences.compactMap { audience in
        guard let (what, id) = example(audience), let id else { return nil }
        return ("Audience \(audience.counts.label)\(what)", id)
      }
    }
    func variant(_ isHoldout: Bool) -> [(String, String)] {
      each { audience in
        audience.variants.first { $0.example != nil && $0.isHoldout == isHoldout }.map {
          let shows = Self.shows($0)
          return (", variant \($0.id): \(isHoldout ? shows : "paywall " + shows)", $0.example)
        }
      }
    }
    let kinds = [
      variant(false), each { (": held back by its limit", $0.examples.heldBack) }, variant(true),
      placement.counts.errors.map { ("Fails: \($0.error.message)", $0.example) },
      each { (": skipped, an owner of \($0.counts.entitlement ?? "")", $0.examples.owned) },
      each { (", but no variant", $0.examples.withoutVariant) },
      placement.unmatched.map { [("No audience matches", $0)] } ?? [],
    ]
    var taken = kinds.map { _ in 0 }
    var room = mostExamples
    while room > 0,
      let next = kinds.indices.filter({ taken[$0] < kinds[$0].count })
        .min(by: { taken[$0] < taken[$1] })
    {
      taken[next] += 1
      room -= 1
    }
    return zip(kinds, taken).flatMap { $0.prefix($1) }
  }
}

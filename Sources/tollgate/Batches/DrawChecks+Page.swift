internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// The part of a page about experiments.
extension DrawChecks {
  /// The maximum number of rows in the table of pairs.
  private static let mostPairs = 20
  /// The maximum number of pairs that are listed in detail.
  private static let mostTables = 3

  func findings(_ section: (Int) -> String?) -> [ReportFinding] {
    var findings: [ReportFinding] = []
    for balance in balances {
      guard case .suspicious(let p) = verdict(balance), let far = balance.farthest else { continue }
      findings.append(
        ReportFinding(
          tone: .bad,
          text:
            "\(balance.name), audience \(balance.audience.counts.label): the draws do not match "
            + "the weights. \(far.variant) was drawn by \(ReportNumber.percent(far.drawn)) of "
            + "\(counted(balance.users, "user")) in place of \(ReportNumber.percent(far.weight)) "
            + "(\(ReportNumber.probability(p))).",
          section: section(balance.placement), placement: balance.name))
    }
    for pair in pairs {
      guard case .suspicious(let p) = verdict(pair), let association = pair.association else {
        continue
      }
      findings.append(
        ReportFinding(
          tone: .bad,
          text:
            "\(pair.name): the variant drawn in one experiment predicts the variant drawn in the other, so "
            + "neither experiment can be judged alone (Cramér's V "
            + "\(ReportNumber.decimal(association.strength, 2)), \(ReportNumber.probability(p))).",
          section: "together"))
    }
    return findings + good
  }

  /// The tests that passed.
  private var good: [ReportFinding] {
    var findings: [ReportFinding] = []
    let tested = balances.filter { $0.test != nil }
    if !tested.isEmpty, tested.allSatisfy({ Self.isFine(verdict($0)) }) {
      findings.append(
        ReportFinding(
          tone: .good,
          text:
            "\(counted(tested.count, "experiment")) with enough users to decide: all are drawn as "
            + "their weights say.", section: "balance"))
    }
    let compared = pairs.filter { $0.association != nil }
    if !compared.isEmpty, compared.allSatisfy({ Self.isFine(verdict($0)) }) {
      findings.append(
        ReportFinding(
          tone: .good,
          text:
            "\(counted(compared.count, "pair")) of experiments with enough users to decide: all are "
            + "drawn independently.", section: "together"))
    }
    return findings
  }

  /// A verdict, as the end of a sentence.
  func words(_ balance: Balance) -> String {
    switch verdict(balance) {
    case .fine(let p): "drawn in proportion to the weights (\(ReportNumber.probability(p)))"
    case .suspicious(let p):
      "suspicious, not drawn in proportion to the weights (\(ReportNumber.probability(p)))"
    case .tooFew: "too few users to decide"
    }
  }

  private static func isFine(_ verdict: Verdict) -> Bool {
    if case .fine = verdict { true } else { false }
  }

  private static func mark(_ verdict: Verdict, fine: String, bad: String) -> ReportTable.Cell {
    switch verdict {
    case .fine: .mark(.good, fine)
    case .suspicious: .mark(.bad, "suspicious: \(bad)")
    case .tooFew: .mark(.plain, "too few users to decide")
    }
  }

  private static func probability(_ verdict: Verdict) -> ReportTable.Cell {
    switch verdict {
    case .fine(let p), .suspicious(let p): .count(ReportNumber.probability(p))
    case .tooFew: .count("")
    }
  }

  func sections(_ section: (Int) -> String?) -> [ReportSection] {
    var sections: [ReportSection] = []
    if !balances.isEmpty { sections.append(balance(section)) }
    if !pairs.isEmpty { sections.append(together) }
    return sections
  }

  private func balance(_ section: (Int) -> String?) -> ReportSection {
    let tested = balances.count { $0.test != nil }
    // Shows all balances in order, or only the least likely balances.
    let sorted = balances.enumerated().sorted { a, b in
      (a.element.test?.p ?? 2, a.offset) < (b.element.test?.p ?? 2, b.offset)
    }.map(\.element)
    let isShort = balances.count <= BatchReport.mostRows
    let shown = isShort ? balances : Array(sorted.prefix(BatchReport.mostRows))
    let table = ReportTable(
      columns: [
        .text("placement"), .text("audience"), .text("verdict"), .number("probability"),
        .text("farthest variant"), .number("drawn"), .number("by weight"), .number("users drawn"),
        .number("stored"),
      ],
      rows: shown.map { balance in
        let verdict = verdict(balance)
        let far = balance.farthest
        return .init(
          [
            section(balance.placement).map { .link(balance.name, section: $0) }
              ?? .text(balance.name),
            .text(balance.audience.counts.label),
            Self.mark(verdict, fine: "as the weights say", bad: "not the weights"),
            Self.probability(verdict), .text(far?.variant ?? ""),
            far.map { .share($0.drawn) } ?? .count(""),
            far.map { .share($0.weight) } ?? .count(""), .number(balance.users),
            .number(balance.stored),
          ], placement: balance.name)
      },
      note: balanceNote(tested, shown: isShort ? nil : shown.count))
    return ReportSection(
      id: "balance", title: "Experiment balance",
      about: "Are variants drawn in proportion to their weights?",
      blocks: [.table(table)])
  }

  /// - Parameter shown: the number of experiments in the table, if some are omitted.
  private func balanceNote(_ tested: Int, shown: Int?) -> String {
    let sentences = [
      "The test excludes users with a stored variant, because their variants were not drawn.",
      "A chi-squared test gives the probability that chance alone is at least this far",
      "from the weights. A result is suspicious if its probability is below 0.01 divided by",
      "\(counted(max(tested, 1), "test")). Even if nothing is wrong, one page in a hundred shows a",
      "false alarm. If fewer than \(Int(Statistics.leastExpected)) users are expected for a variant, they are",
      "too few to decide.",
      shown.map {
        "The \($0) least likely of \(counted(balances.count, "experiment")) are shown; each "
          + "placement's section shows all of its experiments."
      },
    ]
    return sentences.compactMap { $0 }.joined(separator: " ")
  }

  private var together: ReportSection {
    let sorted = pairs.filter { $0.association != nil }.enumerated().sorted { a, b in
      let (left, right) = (a.element.association?.test.p ?? 1, b.element.association?.test.p ?? 1)
      return (left, a.offset) < (right, b.offset)
    }.map(\.element)
    let compared = sorted.count
    var notes = [
      "Strength is Cramér's V: 0 if the experiments are independent, and 1 if one determines "
        + "the other. A pair is suspicious if its probability is below 0.01 divided by "
        + "\(counted(max(compared, 1), "test"))."
    ]
    if compared > Self.mostPairs {
      notes.append(
        "The \(Self.mostPairs) least likely of \(counted(compared, "pair")) are shown.")
    }
    if pairs.count > compared {
      notes.append(
        "\(counted(pairs.count - compared, "more pair", plural: "more pairs")) have too few users "
          + "in both to decide.")
    }
    if pairsLeftOut > 0 {
      notes.append("\(counted(pairsLeftOut, "pair")) more were not counted.")
    }
    let table = ReportTable(
      columns: [
        .text("experiments"), .text("verdict"), .number("strength"), .number("probability"),
        .number("users in both"),
      ],
      rows: sorted.prefix(Self.mostPairs).map { pair in
        let verdict = verdict(pair)
        return .init([
          .text(pair.name), Self.mark(verdict, fine: "independent", bad: "drawn together"),
          .count(pair.association.map { ReportNumber.decimal($0.strength, 3) } ?? ""),
          Self.probability(verdict), .number(pair.users),
        ])
      }, note: notes.joined(separator: " "))
    let suspicious = sorted.filter {
      if case .suspicious = verdict($0) { true } else { false }
    }
    return ReportSection(
      id: "together", title: "Experiments together",
      about:
        "Does the variant that a user draws in one experiment predict the one that the user draws "
        + "in another?",
      blocks: [.table(table)] + suspicious.prefix(Self.mostTables).map { .table(Self.table($0)) })
  }

  /// The number of users for each pair of variants, with the expected number.
  private static func table(_ pair: Pair) -> ReportTable {
    let (first, second) = (pair.drawn.first, pair.drawn.second)
    let expected = Statistics.expected(pair.drawn.users)
    return ReportTable(
      title: "\(first.id) (rows) and \(second.id) (columns): users, and those expected by chance",
      columns: [.text(first.id)]
        + second.variants.flatMap { [.number($0), .number("by chance")] },
      rows: first.variants.enumerated().map { row, name in
        .init(
          [.text(name)]
            + second.variants.indices.flatMap { column -> [ReportTable.Cell] in
              [
                .number(pair.drawn.users[row][column]),
                .number(Int(expected[row][column].rounded())),
              ]
            })
      }, stacks: false)
  }
}

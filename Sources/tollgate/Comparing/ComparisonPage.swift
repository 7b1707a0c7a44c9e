internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import RuleInsight

/// The page of `diff`: the changes in the terms of campaigns, and the users whose outcomes differ
/// because of them.
struct ComparisonPage {
  let report: ComparisonReport
  /// The settings with which each config decides.
  let old: RunSettings
  let new: RunSettings
  /// The users' files as named on the command line.
  let givenUsers: [String]
  let rejects: RejectKinds
  let shown: ShownUser
  let redaction: Redaction

  var comparison: RuleComparison { report.comparison }

  /// The maximum number of placements with their own section.
  private static let mostPlacements = 200
  /// The maximum number of rows of an unbounded table.
  static let mostRows = 40

  var page: ReportPage {
    var sections: [ReportSection]
    switch report.finding {
    case .users(let sums):
      let moves = ComparisonMoves(comparison, sums)
      sections = [summary(moves), changes] + [overview(moves), reasons(moves)].compactMap { $0 }
      if let refused = rejects.section(
        sums.rejected, files: new.users,
        about: "Lines of the users' files that are not user records.")
      {
        sections.append(refused)
      }
      sections += moves.moved.prefix(Self.mostPlacements).map { placement($0, moves) }
    case .everybody(let differences):
      sections = [summary(differences), changes, verdicts(differences)]
      sections += numbered(differences).prefix(Self.mostPlacements).map(placement)
    }
    return ReportPage(title: title, facts: facts, sections: sections)
  }

  private var title: String {
    let names =
      old.configName == new.configName
      ? (old.config, new.config) : (old.configName, new.configName)
    return "Users that move: \(names.0) to \(names.1)"
  }

  private var facts: [ReportPage.Fact] {
    var facts = new.facts(
      (givenUsers.isEmpty ? [] : [.init("Users", givenUsers.joined(separator: ", "))])
        + [.init("Old config", old.configHash), .init("New config", new.configHash)])
    if old.assigner != new.assigner {
      facts[1].value = "\(old.assigner) before, \(new.assigner) after"
    }
    return facts
  }

  /// The anchor of a placement's section.
  ///
  /// - Parameter place: the index among placements that have a section.
  func section(_ place: Int?) -> String? {
    place.flatMap { $0 < Self.mostPlacements ? "p\($0)" : nil }
  }

  /// The name of a placement, with a link to its section if it has one.
  func cell(_ name: String, _ section: String?) -> ReportTable.Cell {
    section.map { .link(name, section: $0) } ?? .text(name)
  }

  // MARK: Changes

  private var changes: ReportSection {
    let all = report.changes
    guard !all.isEmpty else {
      return ReportSection(
        id: "changes", title: "Changes of the config",
        about: "Both configs have the same rules.")
    }
    return ReportSection(
      id: "changes", title: "Changes of the config",
      about: "Changes that can affect users.",
      blocks: [
        .table(
          ReportTable(
            columns: [.text("placement"), .text("what"), .text("was"), .text("is")],
            rows: all.prefix(Self.mostRows).map(row),
            note: all.count > Self.mostRows
              ? "\(counted(all.count - Self.mostRows, "more change")): diff without --report has "
                + "them all." : ""))
      ])
  }

  private func row(_ change: ConfigChange) -> ReportTable.Row {
    let isCondition = !(change.clausesRemoved.isEmpty && change.clausesAdded.isEmpty)
    let gone = isCondition ? change.clausesRemoved : change.from.map { [$0] } ?? []
    let new = isCondition ? change.clausesAdded : change.to.map { [$0] } ?? []
    return .init(
      [
        .text(change.placement), .text(change.what),
        .lines(gone: gone.map(BatchReport.short), new: []),
        .lines(gone: [], new: new.map(BatchReport.short)),
      ], placement: change.placement)
  }

  // MARK: Users to explain

  /// The command lines that explain a user with both configs.
  func lines(_ user: LineUser, at placement: String) -> [String] {
    let (before, after) = (comparison.oldPlan.ruleSet, comparison.newPlan.ruleSet)
    return [(old, before), (new, after)]
      .filter { $0.1.placement(named: placement) != nil }
      .map {
        $0.0.explainLine(
          user, at: placement, format: $0.1.format, redaction)
      }
  }
}

extension ComparedOutcome {
  /// The part of the outcome that users see: `paywall annual`, `holdout`, `no match`.
  var shown: String {
    switch result {
    case "paywall": "paywall \(paywall ?? "")"
    case "noAudienceMatch": "no match"
    case "placementNotFound": "no such placement"
    case "undecidable": "undecidable"
    case "error": "nothing"
    default: result
    }
  }

  /// The origin of the outcome: `variant v1, audience 0`.
  var origin: String {
    [variant.map { "variant \($0)" }, audience.map { "audience \($0)" }].compactMap { $0 }
      .joined(separator: ", ")
  }

  var cell: ReportTable.Cell { origin.isEmpty ? .text(shown) : .noted(shown, origin) }

  var isPaywall: Bool { result == "paywall" }
}

extension MoveReason {
  /// The meaning of the reason in words.
  var words: String {
    switch self {
    case .condition: "an audience selects other users"
    case .weights: "an audience splits its users differently"
    case .limit: "a limit is reached in one config only"
    case .order: "audiences have changed places"
    case .paywall: "the variant is the same, and shows another paywall"
    case .added: "an audience or the placement is new"
    case .removed: "an audience or the placement is removed"
    }
  }
}

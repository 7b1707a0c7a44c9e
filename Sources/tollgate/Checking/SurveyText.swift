internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// The survey of users before a run, for a terminal.
struct SurveyText {
  let survey: UserSurvey
  let ruleSet: RuleSet?
  let findings: [UserSurvey.Finding]
  /// Attributes that no rule reads; nil without rules.
  let unread: [AttributePath]?

  /// The maximum number of attributes in a table, and of findings.
  private static let mostRows = 200

  init(survey: UserSurvey, ruleSet: RuleSet?, schema: ContextSchema?) {
    self.survey = survey
    self.ruleSet = ruleSet
    findings = survey.findings(ruleSet, schema)
    unread = ruleSet.map { survey.unread(by: $0) }
  }

  func render(_ style: TextStyle) -> String {
    var lines = style.wrapped(
      "\(counted(survey.users, "user")), \(counted(survey.refused, "line")) rejected")
    if survey.users > 0 {
      lines += idLines.flatMap(style.wrapped) + [""]
      lines += table(style) + [""]
      lines += zoneLines.flatMap(style.wrapped)
    }
    if let unread, !unread.isEmpty {
      let names = unread.prefix(20).map(\.description)
      let more = unread.count > 20 ? " and \(unread.count - 20) more" : ""
      lines += style.wrapped(
        DiagnosticText.visible("Not used by any rule: \(names.joined(separator: ", "))\(more)"))
    }
    lines += findings.isEmpty ? [] : [""]
    for finding in findings.prefix(Self.mostRows) { lines += style.wrapped(Self.line(finding)) }
    if findings.count > Self.mostRows {
      lines.append("and \(counted(findings.count - Self.mostRows, "more finding"))")
    }
    lines += ["", verdict]
    return lines.joined(separator: "\n")
  }

  /// A finding and its number of users: `problem: IDs appear again (3)`.
  private static func line(_ finding: UserSurvey.Finding) -> String {
    DiagnosticText.visible(
      "\(finding.isProblem ? "problem" : "note"): \(finding.text) (\(grouped(finding.users)))")
  }

  var verdict: String {
    let problems = findings.count(where: \.isProblem)
    if survey.users == 0 { return "Verdict: no user record is valid." }
    return problems == 0
      ? "Verdict: ready." : "Verdict: \(counted(problems, "problem")) to solve before a run."
  }

  var idLines: [String] {
    let ids = survey.ids
    let length =
      ids.shortest == ids.longest
      ? "\(counted(ids.longest, "byte"))" : "\(ids.shortest) to \(ids.longest) bytes"
    let shapes = ids.commonShapes.map { "\($0.shape) (\(grouped($0.users)))" }
    return [
      "IDs: \(length), \(ids.isSampled ? "in a sample " : "")"
        + "\(grouped(ids.repeated)) repeated, \(grouped(ids.untrimmed)) with white space at the beginning or end",
      DiagnosticText.visible("Shapes: \(shapes.joined(separator: ", "))"),
    ]
  }

  var zoneLines: [String] {
    let named = survey.zones.values.reduce(0, +)
    let offsets = survey.offsets.values.reduce(0, +)
    if named + offsets == 0 {
      return ["Time zones: no user has a time zone; dates use --time-zone."]
    }
    let common = survey.zones.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
      .map { "\($0.key) (\(grouped($0.value)))" }
    return [
      DiagnosticText.visible(
        "Time zones: \(grouped(named)) by name\(common.isEmpty ? "" : ": ")"
          + common.joined(separator: ", ")
          + "; \(grouped(offsets)) by offset, \(grouped(survey.withoutZone)) without")
    ]
  }

  private func table(_ style: TextStyle) -> [String] {
    let attributes = survey.attributes
    let rows = attributes.prefix(Self.mostRows).map { attribute in
      [
        attribute.path.description, attribute.kind, grouped(attribute.present),
        SummaryText.share(attribute.present, survey.users),
        TextWidth.shortened(attribute.valueText, to: 60),
      ]
    }
    var lines = TextTable(
      rows: [["attribute", "kind", "users", "", "values"]]
        + rows.map { $0.map(DiagnosticText.visible) }, left: [0, 1, 4]
    ).lines(style)
    if attributes.count > Self.mostRows {
      lines.append("and \(counted(attributes.count - Self.mostRows, "more attribute"))")
    }
    return lines
  }
}

/// The page of `users`.
struct SurveyPage {
  let text: SurveyText
  let users: [String]
  let config: String?
  let schema: String?

  private static let mostRows = 400

  var page: ReportPage {
    let survey = text.survey
    let cards = [
      ReportCard(name: "Users", value: grouped(survey.users)),
      ReportCard(name: "Rejected lines", value: grouped(survey.refused)),
      ReportCard(name: "Repeated IDs", value: grouped(survey.ids.repeated)),
      ReportCard(name: "Attributes", value: grouped(survey.attributes.count)),
      ReportCard(
        name: "Problems", value: grouped(text.findings.count(where: \.isProblem)),
        note: text.verdict),
    ]
    let findings = text.findings.prefix(Self.mostRows).map {
      ReportFinding(
        tone: $0.isProblem ? .warning : .plain, text: "\($0.text) (\(grouped($0.users)))")
    }
    var sections = [
      ReportSection(
        id: "summary", title: "Summary",
        blocks: [.cards(cards), .findings(findings)]
          + (survey.users > 0 ? (text.idLines + text.zoneLines).map { .text($0) } : [])),
      attributes,
    ]
    if let unread = text.unread, !unread.isEmpty {
      sections.append(
        ReportSection(
          id: "unread", title: "Not used by any rule",
          blocks: [.text(unread.map(\.description).joined(separator: ", "))]))
    }
    return ReportPage(
      title: "Survey of the users",
      facts: [
        .init("Users", users.joined(separator: ", ")), .init("Config", config ?? "none"),
        .init("Schema", schema ?? "none"), .init("Tollgate", SDKVersion.current),
      ], sections: sections)
  }

  private var attributes: ReportSection {
    let survey = text.survey
    let rows = survey.attributes.prefix(Self.mostRows).map { attribute in
      let share = ReportNumber.share(attribute.present, of: survey.users)
      return ReportTable.Row([
        .text(attribute.path.description), .text(attribute.kindText),
        .bar([.init(tone: .first, from: 0, to: share)]), .number(attribute.present),
        .share(share), .text(attribute.valueText),
      ])
    }
    let more = survey.attributes.count - rows.count
    return ReportSection(
      id: "attributes", title: "Attributes",
      blocks: [
        .table(
          ReportTable(
            columns: [
              .text("attribute"), .text("kinds"), .bar(""), .number("users"), .number("share"),
              .text("values"),
            ], rows: Array(rows),
            note: more > 0 ? "\(grouped(more)) more are in the command's JSON." : ""))
      ])
  }
}

internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// A report of differences between languages, in text form and as JSON.
enum DialectReportText {
  /// The findings in readable form. Findings that change decisions come first.
  static func render(_ report: DialectReport, in file: ConfigFile) -> String {
    let decisive = report.findings.filter(\.isDecisive)
    let others = report.findings.filter { !$0.isDecisive }
    // Finding places scans the whole file.
    let places = DiagnosticPlaces(report.findings.map(about), in: file.bytes)
    func text(_ finding: DialectReport.Finding, more: Int = 0) -> String {
      let position = places.place(of: about(finding))?.position
      let place = file.name + (position.map { ":\($0.line):\($0.column)" } ?? "")
      return self.text(finding, at: place, more: more)
    }
    var lines: [String] = []
    for finding in decisive { lines.append(text(finding)) }
    if !others.isEmpty {
      lines.append("No decision was found that changes because of these clauses:\n")
      for (finding, more) in alike(others) { lines.append(text(finding, more: more)) }
    }
    lines.append(summary(report))
    return lines.joined(separator: "\n")
  }

  private static func summary(_ report: DialectReport) -> String {
    func count(_ difference: DialectReport.Finding.Difference, _ decisive: Bool) -> Int {
      report.findings.filter { $0.difference == difference && $0.isDecisive == decisive }.count
    }
    let compared = """
      clauses that differ between cel and superscript: \(count(.dialects, true)) with an effect on decisions, \
      \(count(.dialects, false)) without; between ios, android and web: \
      \(count(.platforms, true)) with, \(count(.platforms, false)) without
      """
    guard report.notCompared > 0 else { return compared }
    return compared + "\n" + notCompared(report)
  }

  private static func notCompared(_ report: DialectReport) -> String {
    """
    \(grouped(report.notCompared)) of \(counted(report.expressions, "expression")) were not compared, \
    because the limit of work was reached
    """
  }

  static func notComparedJSON(_ report: DialectReport) -> Value {
    .map([
      Value.Entry(key: "notCompared", value: .int(Int64(report.notCompared))),
      Value.Entry(key: "expressions", value: .int(Int64(report.expressions))),
    ])
  }

  /// One finding of each kind, with the number of similar findings. Used for the many findings that change no decision.
  private static func alike(_ findings: [DialectReport.Finding])
    -> [(finding: DialectReport.Finding, more: Int)]
  {
    var groups: [(finding: DialectReport.Finding, more: Int)] = []
    var numbers: [String: Int] = [:]
    for finding in findings {
      let key = finding.difference.rawValue + outcomes(finding)
      if let number = numbers[key] {
        groups[number].more += 1
      } else {
        numbers[key] = groups.count
        groups.append((finding, 0))
      }
    }
    return groups
  }

  /// - Parameters:
  ///   - place: the file, with line and column where they are known.
  ///   - clauses: the number of other clauses with the same outcomes.
  private static func text(
    _ finding: DialectReport.Finding, at place: String, more clauses: Int
  ) -> String {
    let path = finding.paths.first ?? ""
    let more = finding.paths.count > 1 ? " and \(finding.paths.count - 1) more" : ""
    let others = clauses > 0 ? "\n  the same for \(counted(clauses, "other clause"))" : ""
    return """
      \(place): \(path)\(more)
        \(oneLine(finding.clause))
      \(outcomes(finding))
        with \(example(finding))\(others)

      """
  }

  private static func expressionPath(_ finding: DialectReport.Finding) -> String {
    finding.paths.first.map { "\($0).expression_cel" } ?? ""
  }

  /// The source of a finding.
  private static func about(_ finding: DialectReport.Finding) -> Diagnostic {
    Diagnostic(.dialectDifference, "", range: finding.range, path: expressionPath(finding))
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// A line for each outcome, with the languages that have it.
  private static func outcomes(_ finding: DialectReport.Finding) -> String {
    var groups: [(names: [String], outcome: String)] = []
    for (language, outcome) in finding.outcomes {
      if finding.difference == .platforms, language == .cel { continue }
      let text = describe(outcome)
      if let known = groups.firstIndex(where: { $0.outcome == text }) {
        groups[known].names.append(language.name)
      } else {
        groups.append(([language.name], text))
      }
    }
    return groups.map { "    \($0.names.joined(separator: ", ")): \($0.outcome)" }
      .joined(separator: "\n")
  }

  private static func describe(_ outcome: DialectReport.Outcome) -> String {
    switch outcome {
    case .true: "true"
    case .false: "false"
    case .value(let value): value.json
    case .error(let kind): "error \(kind.slug)"
    case .broken(let message): "does not compile: \(message)"
    }
  }

  private static func example(_ finding: DialectReport.Finding) -> String {
    let attributes = "attributes \(finding.attributes.json)"
    guard !finding.events.isEmpty else { return attributes }
    let events = finding.events.map { event in
      "\(event.name) \(event.minutesAgo.map { "\($0) minutes" }.joined(separator: ", ")) ago"
    }
    return "\(attributes) and events \(events.joined(separator: "; "))"
  }
}

extension DialectReportText {
  /// A finding as a JSON object: the members of every diagnostic, and its own.
  static func json(_ finding: DialectReport.Finding, in file: ConfigFile) -> Value {
    let diagnostic = Diagnostic(
      finding.difference == .dialects ? .dialectDifference : .platformDifference,
      "'\(oneLine(finding.clause))' does not have the same result everywhere", severity: .note,
      range: finding.range, path: expressionPath(finding))
    guard case .map(let common) = file.json(diagnostic), case .map(let own) = finding.members else {
      return .null
    }
    return .map(common + own)
  }
}

extension DialectReport.Finding {
  /// The members of a finding in addition to the members of every diagnostic.
  fileprivate var members: Value {
    .object([
      "difference": .string(difference.rawValue), "decisive": .bool(isDecisive),
      "paths": .list(paths.map { .string($0) }),
      "clause": .string(clause),
      "outcomes": .map(
        outcomes.map { Value.Entry(key: .string($0.language.name), value: $0.outcome.json) }),
      "attributes": attributes,
      "eventsMinutesAgo": .map(
        events.map { event in
          Value.Entry(
            key: .string(event.name), value: .list(event.minutesAgo.map { .int(Int64($0)) }))
        }),
    ])
  }
}

extension DialectReport.Outcome {
  fileprivate var json: Value {
    switch self {
    case .true: ["value": true]
    case .false: ["value": false]
    case .value(let value): ["value": value]
    case .error(let kind): ["error": .string(kind.slug)]
    case .broken(let message): ["broken": .string(message)]
    }
  }
}

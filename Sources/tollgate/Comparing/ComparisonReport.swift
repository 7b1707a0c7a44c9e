internal import Expressions
internal import Requests
internal import RuleEngine
internal import RuleInsight

/// The differences between two configs, for a terminal, for a pull request, or for programs.
struct ComparisonReport {
  /// The result about users with different outcomes.
  enum Finding {
    case users(ComparisonSums)
    case everybody([PlacementDifference])
  }

  let comparison: RuleComparison
  let changes: [ConfigChange]
  let finding: Finding
  private let redaction: Redaction

  /// - Parameter redaction: the attributes of users to redact.
  init(_ comparison: RuleComparison, _ finding: Finding, _ redaction: Redaction) {
    self.comparison = comparison
    self.redaction = redaction
    changes = comparison.changes
    self.finding = finding
  }

  /// Whether any user has, or may have, a different outcome.
  var hasFindings: Bool {
    switch finding {
    case .users(let sums): sums.movedUsers > 0
    case .everybody(let differences): differences.contains { $0.verdict != .same }
    }
  }

  var value: Value {
    switch finding {
    case .users(let sums): comparison.answer(sums, redaction)
    case .everybody(let differences): comparison.answer(differences, redaction)
    }
  }

  /// Rows of a table of moves.
  private func rows(_ sums: ComparisonSums) -> [[String]] {
    zip(comparison.placementNames, sums.kinds(comparison)).flatMap { name, kinds in
      kinds.enumerated().map { number, moved in
        [
          number == 0 ? name : "", comparison.from(moved.kind).text,
          comparison.to(moved.kind).text, grouped(moved.users),
          Self.share(moved.users, sums.users), comparison.text(moved.kind),
          redaction.id(moved.example),
        ]
      }
    }
  }

  private static let head = ["placement", "from", "to", "users", "share", "why", "example"]

  static func share(_ count: Int, _ all: Int) -> String {
    guard all > 0 else { return "" }
    let tenths = Int((Double(count) / Double(all) * 1_000).rounded())
    return tenths == 0 && count > 0 ? "< 0.1 %" : "\(tenths / 10).\(tenths % 10) %"
  }

  /// The result for given users: `128 of 4,000 users get a different outcome (3.2 %)`.
  func headline(_ sums: ComparisonSums) -> String {
    if sums.movedUsers == 0 {
      return "None of \(counted(sums.users, "user")) gets a different outcome"
    }
    let verb = sums.movedUsers == 1 ? "gets" : "get"
    return "\(grouped(sums.movedUsers)) of \(counted(sums.users, "user")) \(verb) a different "
      + "outcome (\(Self.share(sums.movedUsers, sums.users)))"
  }

  /// The result for all users: `1 of 6 placements differs, 1 is unknown, 4 give every user the same outcome`.
  func headline(_ differences: [PlacementDifference]) -> String {
    func count(_ verdict: PlacementDifference.Verdict) -> Int {
      differences.count { $0.verdict == verdict }
    }
    if count(.same) == differences.count {
      switch differences.count {
      case 1: return "The placement gives every user the same outcome"
      case 2: return "Both placements give every user the same outcome"
      default:
        return "All \(counted(differences.count, "placement")) give every user the same outcome"
      }
    }
    if differences.count == 1 {
      return "The placement \(count(.differs) > 0 ? "differs" : "is unknown")"
    }
    var parts: [(count: Int, text: String)] = []
    let (same, differing, unknown) = (count(.same), count(.differs), count(.unknown))
    if differing > 0 {
      parts.append((differing, differing == 1 ? "differs" : "differ"))
    }
    if unknown > 0 { parts.append((unknown, unknown == 1 ? "is unknown" : "are unknown")) }
    if same > 0 {
      parts.append((same, "\(same == 1 ? "gives" : "give") every user the same outcome"))
    }
    let all = " of \(counted(differences.count, "placement"))"
    return parts.enumerated().map { number, part in
      "\(grouped(part.count))\(number == 0 ? all : "") \(part.text)"
    }.joined(separator: ", ")
  }

  // MARK: Text

  func text(_ style: TextStyle) -> String {
    var lines: [String] = []
    if !changes.isEmpty {
      lines.append(style.head("Changes of the config"))
      for change in changes {
        lines += style.wrapped(DiagnosticText.visible("  \(change.placement): \(change.text)"))
      }
      lines.append("")
    }
    switch finding {
    case .users(let sums):
      if sums.movedUsers > 0 {
        lines += moves(sums, style) + [""]
      }
      lines += style.wrapped(headline(sums) + "; \(counted(sums.rejected, "line")) rejected.")
    case .everybody(let differences):
      for difference in differences where difference.verdict != .same {
        lines += text(difference, style) + [""]
      }
      lines += style.wrapped(headline(differences) + ".")
    }
    return lines.joined(separator: "\n")
  }

  /// The moves of users as a table, or as sentences if the table does not fit.
  private func moves(_ sums: ComparisonSums, _ style: TextStyle) -> [String] {
    let rows = rows(sums).map { $0.map(DiagnosticText.visible) }
    let table = TextTable(rows: [Self.head] + rows, left: [0, 1, 2, 5, 6])
    guard let width = style.width, table.width > width else { return table.lines(style) }
    return rows.flatMap { row in
      let share = row[3] == "1" ? "1 user (\(row[4]))" : "\(row[3]) users (\(row[4]))"
      let move = "  \(share) from \(row[1]) to \(row[2]): \(row[5]), e.g. \(row[6])"
      return (row[0].isEmpty ? [] : [style.head(row[0])]) + style.wrapped(move)
    }
  }

  private func text(_ difference: PlacementDifference, _ style: TextStyle) -> [String] {
    func lines(_ text: String) -> [String] { style.wrapped(DiagnosticText.visible(text)) }
    let verdict = difference.verdict == .differs ? "differs" : "is unknown"
    let witnesses = difference.witnesses.flatMap { witness in
      lines("  from \(witness.from.text) to \(witness.to.text): \(witness.text)")
        + style.wrappedJSON(DiagnosticText.visible("    \(redaction.record(witness.record).json)"))
    }
    return lines("\(difference.placement) \(verdict):") + witnesses
      + difference.unknown.flatMap { lines("  unknown: \($0)") }
  }

  // MARK: Markdown

  /// The report for a comment on a pull request.
  var markdown: String {
    var lines: [String] = []
    switch finding {
    case .users(let sums): lines = ["### \(headline(sums))"]
    case .everybody(let differences): lines = ["### \(headline(differences))"]
    }
    lines.append("")
    if changes.isEmpty { lines.append("The configs have the same rules.") }
    for change in changes {
      lines.append("- \(Markdown.code(change.placement)): \(Markdown.escaped(change.text))")
    }
    switch finding {
    case .users(let sums): lines += table(sums)
    case .everybody(let differences):
      for difference in differences where difference.verdict != .same {
        lines += list(difference)
      }
    }
    return lines.joined(separator: "\n")
  }

  private func table(_ sums: ComparisonSums) -> [String] {
    if sums.movedUsers == 0 { return [] }
    let rows = rows(sums).map { row in
      let cells = row.enumerated().map { column, cell in
        switch column {
        case 0 where cell.isEmpty: ""
        case 0, 1, 2, 6: Markdown.code(cell)
        default: Markdown.escaped(cell)
        }
      }
      return "| " + cells.joined(separator: " | ") + " |"
    }
    return ["", "| " + Self.head.joined(separator: " | ") + " |", "|---|---|---|--:|--:|---|---|"]
      + rows
  }

  private func list(_ difference: PlacementDifference) -> [String] {
    var lines = [
      "", "**\(Markdown.code(difference.placement))** \(difference.verdict.rawValue)", "",
    ]
    for witness in difference.witnesses {
      lines.append(
        "- from \(Markdown.code(witness.from.text)) to \(Markdown.code(witness.to.text)): "
          + "\(Markdown.escaped(witness.text)), e.g. \(Markdown.code(redaction.record(witness.record).json))"
      )
    }
    return lines + difference.unknown.map { "- unknown: \(Markdown.escaped($0))" }
  }
}

/// Escapes foreign text for Markdown.
enum Markdown {
  /// A text as code in one line, which is also valid in a table cell. Names in the text do not notify anyone.
  static func code(_ text: String) -> String {
    let text = DiagnosticText.visible(text).replacing("|", with: "\\|")
    var longest = 0
    var run = 0
    for character in text.unicodeScalars {
      run = character == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    let space = text.hasPrefix("`") || text.hasSuffix("`") || text.isEmpty ? " " : ""
    return fence + space + text + space + fence
  }

  /// A text whose markup has no effect.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in DiagnosticText.visible(text).unicodeScalars {
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "|", "#", "~":
        escaped += "\\"
        escaped.unicodeScalars.append(scalar)
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "&": escaped += "&amp;"
      case "@": escaped += "&#64;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// Functions as `tollgate functions` prints them.
enum FunctionsText {
  typealias Entry = FunctionReference.Entry

  /// A line for each function, below the name of the function's family.
  static func list(_ entries: [Entry], _ style: TextStyle) -> [String] {
    let width = entries.map(\.name.count).max() ?? 0
    var lines: [String] = []
    for family in FunctionFamily.allCases {
      let members = entries.filter { $0.page.family == family }
      guard !members.isEmpty else { continue }
      lines += (lines.isEmpty ? [] : [""]) + [style.head(family.title)]
      for entry in members {
        let name = padded(entry.name, width)
        lines += style.wrapped("  \(name)  \(padded(language(entry), 11))  \(entry.page.summary)")
      }
    }
    return lines
  }

  /// The complete page of each function.
  static func pages(_ entries: [Entry], _ style: TextStyle) -> [String] {
    var lines: [String] = []
    for entry in entries {
      let title = style.head(entry.page.names.joined(separator: ", "))
      if !lines.isEmpty { lines.append("") }
      lines.append("\(title) (\(entry.page.family.title))")
      let signatures = entry.page.signatures.map { "  \($0.text)" }
      let rest =
        [entry.page.summary, ""] + signatures
        + ["", "Example:  \(entry.page.example)", "Known in: \(languages(entry))"]
      lines += rest.flatMap { style.wrapped($0) }
    }
    return lines
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func language(_ entry: Entry) -> String {
    entry.page.dialects.count > 1 ? "both" : entry.page.dialects.first?.rawValue ?? ""
  }

  private static func languages(_ entry: Entry) -> String {
    entry.page.dialects.map { dialect in
      guard dialect == .superscript else { return dialect.rawValue }
      return "superscript (\(entry.platforms.map(\.rawValue).joined(separator: ", ")))"
    }.joined(separator: ", ")
  }
}

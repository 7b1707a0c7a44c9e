internal import Expressions

/// Findings as workflow commands of GitHub Actions, which shows the findings next to the changed lines.
enum Annotations {
  /// Whether the command runs in GitHub Actions.
  static var areWanted: Bool {
    getenv("GITHUB_ACTIONS").map { String(cString: $0) } == "true"
  }

  /// A text that quotes file contents, with workflow commands disabled. Workflow commands of an older form would work
  /// anywhere in a line.
  static func harmless(_ text: String) -> String {
    areWanted && text.contains("##[") ? text.replacing("##[", with: "# #[") : text
  }

  /// A finding: `::error file=config.json,line=3,col=5,title=duplicate-id::message`
  static func line(_ diagnostic: Diagnostic, file: String, _ position: SourcePosition?) -> String {
    let word =
      switch diagnostic.severity {
      case .error: "error"
      case .warning: "warning"
      case .note: "notice"
      }
    var properties = [property(file)]
    if let position { properties += ["line=\(position.line)", "col=\(position.column)"] }
    properties.append("title=\(diagnostic.code.rawValue)")
    let message = diagnostic.message + (diagnostic.suggestion.map { "; \($0)" } ?? "")
    return "::\(word) \(properties.joined(separator: ","))::\(escaped(message, isProperty: false))"
  }

  /// A problem with a whole file: `::error file=config.json::message`
  static func line(_ error: String, file: String) -> String {
    "::error \(property(file))::\(escaped(error, isProperty: false))"
  }

  /// A problem at a line: `::error file=users.tests.jsonl,line=3::message`
  static func line(_ error: String, file: String, line: Int) -> String {
    "::error \(property(file)),line=\(line)::\(escaped(error, isProperty: false))"
  }

  private static func property(_ file: String) -> String {
    "file=\(escaped(RepositoryPath.of(file), isProperty: true))"
  }

  private static func escaped(_ text: String, isProperty: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": result += "%25"
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      case ":" where isProperty: result += "%3A"
      case "," where isProperty: result += "%2C"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return harmless(DiagnosticText.visible(result))
  }
}

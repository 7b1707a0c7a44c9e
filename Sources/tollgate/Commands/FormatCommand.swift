internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct FormatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fmt",
    abstract: "Write expressions in one style.",
    discussion: """
      Formats an expression, or every expression of a config: one space around operators, double \
      quotes, no needless parentheses. The meaning stays the same. The rest of a config stays as \
      it is, byte for byte. An expression with an error or a comment is left alone.
      """)

  @Option(
    name: [.customShort("e"), .customLong("expression")],
    help: "An expression, instead of a config.")
  var text: String?

  @Argument(help: "The config file (JSON); - reads standard input.")
  var config: String?

  @Flag(help: "Change the config file instead of printing it.")
  var write = false

  @Flag(help: "Print nothing; the exit code is 1 when something would change.")
  var check = false

  func validate() throws {
    if (text == nil) == (config == nil) {
      throw ValidationError("give a config file, or an expression with --expression")
    }
    if write, config == nil || config == "-" {
      throw ValidationError("--write needs a config file")
    }
  }

  func run() throws {
    if let text {
      let formatted = ExpressionFormat.format(text)
      guard formatted.diagnostics.isEmpty else {
        throw CommandError(
          formatted.diagnostics.map { DiagnosticText.render($0, source: text) }
            .joined(separator: "\n"))
      }
      try finish(changed: formatted.text != text) { FileText.print(formatted.text) }
    } else if let config {
      let content = try FileContent(config)
      let formatted = try formatConfig(content.bytes, config)
      try finish(changed: formatted != content.bytes) {
        try content.replace(by: formatted, inFile: write)
      }
    }
  }

  private func finish(changed: Bool, _ print: () throws -> Void) throws {
    if check {
      if changed { throw ExitCode(1) }
    } else if changed || !write {
      try print()
    }
  }

  /// Replaces the texts of the expressions and nothing else.
  private func formatConfig(_ bytes: [UInt8], _ path: String) throws -> [UInt8] {
    let decoded = Config.decode(bytes)
    guard let audiences = decoded.output?.placements.flatMap(\.audiences) else {
      let problems = decoded.diagnostics.map { $0.message }.joined(separator: "; ")
      throw CommandError("\(path): \(problems)")
    }
    let paths = audiences.filter { $0.expression != nil }.map { $0.path + ".expression_cel" }
    let ranges = JSONLocation.ranges(of: paths, in: bytes)
    var result: [UInt8] = []
    var at = 0
    let replaced = audiences.compactMap { audience -> (Range<Int>, String)? in
      guard let text = audience.expression, let range = ranges[audience.path + ".expression_cel"]
      else { return nil }
      let formatted = ExpressionFormat.format(text)
      return formatted.diagnostics.isEmpty && formatted.text != text
        ? (range, formatted.text) : nil
    }
    for (range, text) in replaced.sorted(by: { $0.0.lowerBound < $1.0.lowerBound })
    where range.lowerBound >= at {
      result += bytes[at..<range.lowerBound]
      JSONWriter.append(quoted: text, to: &result)
      at = range.upperBound
    }
    return result + bytes[at...]
  }
}

/// One expression in the one style.
enum ExpressionFormat {
  /// The text again when it holds an error, which the diagnostics tell, or a comment, which
  /// formatting would lose.
  static func format(_ text: String) -> (text: String, diagnostics: [Diagnostic]) {
    var source = text
    let (tree, diagnostics) = source.withUTF8 { Parser.parse($0) }
    guard diagnostics.isEmpty else { return (text, diagnostics) }
    let printed = Printer.print(tree)
    guard !text.contains("//") || printed.contains("//") else { return (text, []) }
    return (printed, [])
  }
}

internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

struct FunctionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "functions",
    abstract: "List the functions that rules can call, or describe one.",
    discussion: HelpText(
      """
      Prints the functions of CEL and superscript by family, one per line. With a name, prints the \
      function's signatures, description and example, and the languages and SDKs that have it. The namespace \
      is optional: abs finds math.abs. AgentWallie's filters cannot call functions.
      """,
      examples: [
        .init("every function", "tollgate functions"),
        .init(
          "functions of Superwall's SDKs", "tollgate functions --dialect superscript"),
        .init("one function", "tollgate functions daysSince"),
      ],
      codes: [("0", "done"), ("2", "usage error, or no function of this name")]
    ).text)

  @Argument(
    help: ArgumentHelp("The function's name.", valueName: "name"),
    completion: Completions.functions)
  var name: String?

  @Option(help: OptionHelp.dialect)
  var dialect: LanguageOptions.DialectName?

  @Flag(help: OptionHelp.json())
  var json = false

  @OptionGroup var appearance: ColorOptions

  func run() throws {
    let entries = try found()
    if json { return FileText.print(Value.list(entries.map(\.json)).json) }
    let style = TextStyle.output
    let lines =
      name == nil ? FunctionsText.list(entries, style) : FunctionsText.pages(entries, style)
    FileText.print(lines.joined(separator: "\n"))
  }

  private func found() throws -> [FunctionReference.Entry] {
    func isWanted(_ entry: FunctionReference.Entry) -> Bool {
      dialect.map { entry.page.dialects.map(\.rawValue).contains($0.rawValue) } ?? true
    }
    guard let name else { return FunctionReference.entries.filter(isWanted) }
    let entries = FunctionReference.entries(named: name).filter(isWanted)
    guard entries.isEmpty else { return entries }
    let shown = DiagnosticText.visible("the function '\(name)' does not exist")
    let known = FunctionReference.entries.filter(isWanted).flatMap(\.page.names)
    let suggestion =
      FunctionPage.suggestion(for: name, among: known) ?? "'tollgate functions' lists all"
    guard let dialect else { throw CommandError("\(shown); \(suggestion)") }
    let isElsewhere = !FunctionReference.entries(named: name).isEmpty
    throw CommandError(
      "\(shown) in \(dialect.rawValue); "
        + (isElsewhere ? "the other dialect has this function" : suggestion))
  }
}

extension Completions {
  static let functions = CompletionKind.custom { _, _, _ in FunctionReference.names }
}

internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct CheckTemplateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-template",
    abstract: "Find what is wrong in a paywall's texts before anybody sees them.",
    discussion: HelpText(
      """
      Reads a template, a file of texts ({"paywalls": {"IDENTIFIER": {"NAME": "template"}}}) or a \
      native paywall's schema, and checks it against the products of a config or of a products file \
      and against declared attributes: syntax, unknown paths, wrong types, slots that no product \
      fills, products that no text mentions. What a default or a condition guards may be absent. \
      The exit code is 1 when there is an error.
      """,
      examples: [
        .init(
          "the texts of a config's paywalls",
          "tollgate check-template texts.json --config config.json"),
        .init(
          "one template, with prices",
          "tollgate check-template headline.liquid --products products.json"),
      ],
      codes: [
        ("0", "no errors"),
        ("1", "an error, or with --strict a warning"),
        ("2", "wrong use, or a file that cannot be read"),
      ]
    ).text)

  @Argument(
    help: "The template, texts or schema file; - reads standard input.", completion: .file())
  var file: String

  @Option(help: OptionHelp.config("It has the paywalls and their products."), completion: .file())
  var config: String?

  @Option(help: OptionHelp.products(), completion: .file())
  var products: String?

  @Option(
    help: ArgumentHelp(
      "The identifier of the paywall that a template belongs to; the default is any.",
      valueName: "id"))
  var paywall: String?

  @Option(help: OptionHelp.schema(), completion: .file())
  var schema: String?

  @OptionGroup var eligibility: EligibilityOptions

  @OptionGroup(title: "Template Options") var reading: TemplateOptions

  @Flag(help: OptionHelp.json("One object a line."))
  var json = false

  @Flag(help: OptionHelp.strict("The exit code is 1 when there is a warning."))
  var strict = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    try StandardInput.check([file, config, products, schema])
    if ["{{", "{%", "<<", "<%"].contains(where: file.contains), !FileText.isFile(file) {
      throw ValidationError(
        "there is no file '\(file)'; a template in place is checked by "
          + "printf %s \(ShellWord.quoted(file)) | tollgate check-template -")
    }
  }

  func run() throws {
    var check = TemplateCheck(
      config: try config.map { try ConfigFile($0).requireConfig() },
      prices: try products.map { try ProductsFile($0).list },
      declarations: try declarations(),
      eligibility: eligibility.isEligible == false ? .none : .all)
    let file = try DescribedFile(file)
    try check.read(file, reading, paywall: paywall)
    let found = check.findings.map(\.diagnostic)
    let errors = found.count { $0.severity == .error }
    let warnings = found.count { $0.severity == .warning }
    if json {
      for value in file.json(found) { FileText.print(value.json) }
    } else {
      for text in file.render(found, sources: check.sources) {
        FileText.printFindings(text + "\n")
      }
      FileText.print(
        "\(counted(check.textCount, "text")), \(counted(check.requirements.count, "path")): "
          + "\(counted(errors, "error")), \(counted(warnings, "warning"))"
      )
    }
    var totals = CheckTotals()
    totals.add(found)
    if strict, let reason = totals.strictReason { FileText.printError(reason) }
    if totals.fails(strict: strict) { throw ExitCode(Ending.findings) }
  }

  private func declarations() throws -> TextDeclarations {
    guard let schema else { return TextDeclarations() }
    let file = try DescribedFile(schema)
    let declarations = TextDeclarations(json: file.bytes)
    if declarations.diagnostics.isEmpty { return declarations }
    throw file.unusable(declarations.diagnostics)
  }
}

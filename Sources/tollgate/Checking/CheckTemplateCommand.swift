internal import ArgumentParser
internal import Expressions
internal import Pricing
internal import RuleEngine
internal import RuleInsight

struct CheckTemplateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-template",
    abstract: "Check the texts of paywalls: variables, types, and claims about prices and trials.",
    discussion: HelpText(
      """
      Reads a config (with the texts of its paywalls in --texts), a template, a file of texts ({"paywalls": \
      {"IDENTIFIER": {"NAME": "template"}}}) or a native paywall's schema. Finds syntax errors, unknown paths, \
      wrong types, slots without a product, and products that the texts never mention. With the prices of \
      --products, it also checks the claims in texts, for each product and locale, with and without eligibility \
      for offers. A claim is true, false or not checkable.
      """,
      examples: [
        .init(
          "the texts of a config's paywalls",
          "tollgate check-template texts.json --config config.json"),
        .init(
          "one template, with prices",
          "tollgate check-template headline.liquid --products products.json"),
        .init(
          "all paywalls of a config in every storefront, as CI does",
          "tollgate check-template config.json --products products.json --locale all"
        ),
      ],
      codes: [
        ("0", "no errors"),
        ("1", "an error, or with --strict a warning"),
        ("2", "usage error, or a file that cannot be read"),
      ]
    ).text)

  @Argument(
    help:
      "A config, template, texts or schema file, or the text of a template; - reads standard input.",
    completion: .file())
  var file: String

  @Option(
    help: OptionHelp.config("The config contains the paywalls and their products."),
    completion: .file())
  var config: String?

  @Option(help: OptionHelp.products(), completion: .file())
  var products: String?

  @Option(
    help: ArgumentHelp(
      "The identifier of the paywall that a template belongs to (default: any paywall).",
      valueName: "id"))
  var paywall: String?

  @Option(help: OptionHelp.schema(), completion: .file())
  var schema: String?

  @OptionGroup var eligibility: EligibilityOptions

  @Option(
    help: ArgumentHelp(
      "A folder with the texts of a config's paywalls.",
      discussion: """
        The folder contains files of texts (*.json) and templates: PAYWALL.liquid or PAYWALL/NAME.liquid.
        """, valueName: "folder"), completion: .directory)
  var texts: String?

  @OptionGroup(title: "Claim Options") var claiming: ClaimOptions

  @OptionGroup(title: "Template Options") var reading: TemplateOptions

  @Flag(help: OptionHelp.json("One object per line."))
  var json = false

  @Flag(help: "Print a SARIF 2.1.0 document, for code scanning.")
  var sarif = false

  @Flag(help: OptionHelp.strict("Exit with code 1 if there is a warning."))
  var strict = false

  @OptionGroup(title: "Report Options") var reporting: ReportOptions

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    try StandardInput.check([file, config, products, schema, claiming.claimWords])
    if json, sarif { throw ValidationError("give either --json or --sarif, not both") }
  }

  func run() throws {
    try reporting.checkWritable()
    let run = try TemplateCheckRun(self)
    var totals = CheckTotals()
    var document = SARIFReport()
    for part in run.parts {
      totals.add(part.diagnostics)
      if sarif { document.add(part.file, part.diagnostics) } else { show(part) }
    }
    if sarif {
      FileText.print(document.json)
    } else if json {
      for value in run.claims { FileText.print(value.json) }
    } else {
      FileText.print(run.summary)
    }
    try reporting.write(ClaimPage(run, settings: claiming).page, isQuiet: json || sarif)
    if strict, let reason = totals.strictReason { FileText.printError(reason) }
    if totals.fails(strict: strict) { throw ExitCode(Ending.findings) }
  }

  private func show(_ part: TemplateCheckRun.Part) {
    if json {
      for value in part.file.json(part.diagnostics) { FileText.print(value.json) }
      return
    }
    for text in part.file.render(part.diagnostics, sources: part.check.sources) {
      FileText.printFindings(text + "\n")
    }
    if Annotations.areWanted, part.file.path != "-" {
      for line in part.file.annotations(part.diagnostics) { FileText.print(line) }
    }
  }

  /// The file, or the argument itself if it is a template.
  func template() throws -> DescribedFile {
    if ["{{", "{%", "<<", "<%"].contains(where: file.contains), !FileText.isFile(file) {
      return DescribedFile(path: "template", bytes: Array(file.utf8))
    }
    return try DescribedFile(file)
  }

  func declarations() throws -> TextDeclarations {
    guard let schema else { return TextDeclarations() }
    let file = try DescribedFile(schema)
    let declarations = TextDeclarations(json: file.bytes)
    if declarations.diagnostics.isEmpty { return declarations }
    throw file.unusable(declarations.diagnostics)
  }
}

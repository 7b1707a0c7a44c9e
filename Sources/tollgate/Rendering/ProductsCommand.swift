public import ArgumentParser
internal import Expressions
public import Pricing
internal import RuleEngine

struct ProductsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "products",
    abstract: "Print the products' attributes that a paywall can show: prices, periods, trials.",
    discussion: HelpText(
      """
      Reads a products file, a StoreKit configuration file (.storekit), the backend's products response, or the \
      products of a config. Prints every attribute of every product as the chosen SDK computes it, and then what \
      the store charges and when. A star marks a misleading value, such as a price that is rounded up, one \
      period of several, or another currency's symbol. A message gives the reason. Attributes below the line \
      exist only in Tollgate. A config contains no prices, so pass them with --products. The exit code is 1 if a \
      product cannot be used.
      """,
      examples: [
        .init("every attribute of every product", "tollgate products products.json"),
        .init(
          "as Android shows them in Germany",
          "tollgate products products.json --profile android-play --locale de_DE"),
      ],
      codes: [
        ("0", "done"),
        ("1", "a product cannot be used"),
        ("2", "usage error, or a file that cannot be read"),
      ]
    ).text)

  @Argument(help: "The file with the products (JSON); - reads standard input.", completion: .file())
  var file: String

  @Option(help: OptionHelp.profile)
  var profile: PricingProfile?

  @Option(help: OptionHelp.locale("Overrides the file's locale."))
  var locale: String?

  @Option(
    help: ArgumentHelp("The locale for dates and words only.", valueName: "locale"))
  var deviceLocale: String?

  @Option(help: OptionHelp.now("A trial begins at this time."))
  var now: String?

  @Option(help: OptionHelp.timeZone("Trials begin in this time zone. The default is UTC."))
  var timeZone = "UTC"

  @Option(
    help: OptionHelp.products(
      "A file with data that the first file lacks, such as the prices of a config's products."),
    completion: .file())
  var products: String?

  @Option(
    help: ArgumentHelp(
      "How to show trials: automatic, eligible or ineligible.",
      discussion: "isFreeTrialAvailable is computed for a customer without earlier purchases.",
      valueName: "mode"))
  var trials: TrialRules.Mode?

  @Option(help: OptionHelp.pricesVersion, transform: SDKSelection.argument)
  var sdkVersion = SDKSelection.newest

  @Flag(help: OptionHelp.json())
  var json = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws { try StandardInput.check([file, products]) }

  func run() throws {
    let source = try ProductsFile(file)
    var list = source.list
    let other = try products.map { try ProductsFile($0) }
    if let other { list = list.taking(pricesFrom: other.list) }
    let sheets = try sheets(list)
    let found = source.diagnostics + sheets.flatMap(\.diagnostics)
    let diagnostics = found + (other?.diagnostics ?? [])
    if json {
      FileText.print(ProductSheet.json(sheets, diagnostics).json)
    } else {
      FileText.print(ProductsReport.text(sheets, TextStyle.output))
      let texts = source.render(found) + (other.map { $0.render($0.diagnostics) } ?? [])
      for text in texts { FileText.printError("\n" + text) }
    }
    if diagnostics.contains(where: { $0.severity == .error }) { throw ExitCode(Ending.findings) }
  }

  private func sheets(_ list: ProductList) throws -> [ProductSheet] {
    let context = try context()
    do throws(PricingError) {
      return try ProductSheet.sheets(list, profile, context)
    } catch {
      throw ValidationError(error, zone: timeZone)
    }
  }

  private func context() throws -> PricingContext {
    var context = PricingContext.offline(
      now: try Clock.time(now, in: timeZone), timeZone: timeZone, locale: locale,
      deviceLocale: deviceLocale, trialRules: trials.map { TrialRules(mode: $0) })
    context.follow(sdkVersion)
    return context
  }
}

extension TrialRules.Mode: ExpressibleByArgument {}

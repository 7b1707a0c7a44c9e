internal import ArgumentParser
internal import Expressions
internal import Pricing
internal import RuleEngine

struct ProductsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "products",
    abstract: "Print what a paywall says about its products: prices, periods, trials.",
    discussion: """
      Reads a products file, a StoreKit configuration file (.storekit), the backend's products \
      reply, or the products of a config, and prints every attribute of every product as the \
      chosen SDK computes it. A star marks a price that is shown higher than it is, because of how \
      the SDK rounds; the names below the line are Tollgate's own. A config has no prices: give \
      them with --prices. The exit code is 1 when a product cannot be used.
      """)

  @Argument(help: "The file with the products (JSON); - reads standard input.")
  var file: String

  @Option(
    help: ArgumentHelp(
      "The SDK whose names, factors and rounding to use.",
      discussion: """
        \(PricingProfile.allCases.map(\.rawValue).joined(separator: ", ")). The default follows \
        each product's store.
        """, valueName: "profile"), transform: Self.profile)
  var profile: PricingProfile?

  @Option(
    help: ArgumentHelp(
      "The locale for prices, dates and words; overrides the file.",
      valueName: "locale"))
  var locale: String?

  @Option(
    help: ArgumentHelp("The locale for dates and words only.", valueName: "locale"))
  var deviceLocale: String?

  @Option(
    help: ArgumentHelp(
      "When a trial begins, ISO 8601; without a zone, in that of --time-zone.", valueName: "iso"))
  var now: String?

  @Option(help: ArgumentHelp("The time zone in which it begins.", valueName: "zone"))
  var timeZone = "UTC"

  @Option(
    help: ArgumentHelp(
      "A second file with the products' prices, periods and trials.",
      valueName: "file"))
  var prices: String?

  @Option(
    help: ArgumentHelp(
      "How to show trials: automatic, eligible or ineligible.",
      discussion: "isFreeTrialAvailable is then that of a customer who never had anything.",
      valueName: "mode"), transform: Self.mode)
  var trials: TrialRules.Mode?

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func run() throws {
    let source = try ProductsFile(file)
    var list = source.list
    let other = try prices.map { try ProductsFile($0) }
    if let other { list = list.taking(pricesFrom: other.list) }
    let sheets = try sheets(list)
    let found = source.diagnostics + sheets.flatMap(\.diagnostics)
    let diagnostics = found + (other?.diagnostics ?? [])
    if json {
      FileText.print(ProductsReport.json(sheets, diagnostics).json)
    } else {
      FileText.print(ProductsReport.text(sheets))
      let texts = source.render(found) + (other.map { $0.render($0.diagnostics) } ?? [])
      for text in texts { FileText.printError("\n" + text) }
    }
    if diagnostics.contains(where: { $0.severity == .error }) { throw ExitCode(1) }
  }

  private func sheets(_ list: ProductList) throws -> [ProductsReport.Sheet] {
    let context = try context()
    do throws(PricingError) {
      return try ProductsReport.sheets(list, profile, context)
    } catch {
      throw ValidationError("'\(timeZone)': \(error.message)")
    }
  }

  private func context() throws -> PricingContext {
    return PricingContext(
      now: try Clock.time(now, in: timeZone), timeZone: timeZone,
      deviceLocale: deviceLocale ?? locale ?? "en_US",
      locale: locale, trialRules: trials.map { TrialRules(mode: $0) },
      history: TrialHistory(entitlements: [], storeEligibility: true))
  }
}

extension ProductsCommand {
  private static func profile(_ name: String) throws -> PricingProfile {
    try choice(name, PricingProfile.allCases.map(\.rawValue), PricingProfile.init)
  }

  private static func mode(_ name: String) throws -> TrialRules.Mode {
    try choice(name, TrialRules.Mode.allCases.map(\.rawValue), TrialRules.Mode.init)
  }

  private static func choice<Choice>(
    _ name: String, _ names: [String], _ make: (String) -> Choice?
  ) throws -> Choice {
    if let choice = make(name) { return choice }
    let close = Suggestion.closest(to: name, among: names)
    throw ValidationError(
      close.map { "there is no '\(name)'; did you mean '\($0)'?" }
        ?? "there is no '\(name)'; there is \(names.joined(separator: ", "))")
  }
}

/// A file with products, decoded.
struct ProductsFile {
  let list: ProductList
  let diagnostics: [Diagnostic]
  private let file: DescribedFile

  init(_ path: String) throws {
    file = try DescribedFile(path)
    let decoded = ProductList.decode(json: file.bytes)
    guard let list = decoded.output else { throw file.unusable(decoded.diagnostics) }
    if list.products.isEmpty, decoded.diagnostics.isEmpty {
      throw CommandError("\(file.name) has no products")
    }
    self.list = list
    diagnostics = decoded.diagnostics
  }

  /// Diagnostics with the file and the place.
  func render(_ diagnostics: [Diagnostic]) -> [String] { file.render(diagnostics) }

  /// Diagnostics as JSON objects, with the file and the place.
  func json(_ diagnostics: [Diagnostic]) -> [Value] { file.json(diagnostics) }
}

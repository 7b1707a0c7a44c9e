internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct CheckTemplateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-template",
    abstract: "Find what is wrong in a paywall's texts before anybody sees them.",
    discussion: """
      Reads a template, a file of texts ({"paywalls": {"IDENTIFIER": {"NAME": "template"}}}) or a \
      native paywall's schema, and holds it against the products of a config or of a products file \
      and against declared attributes: syntax, unknown paths, wrong types, slots that no product \
      fills, products that no text speaks of. What a default or a condition guards may be absent. \
      The exit code is 1 when there is an error.
      """)

  @Argument(help: "The file with the template, the texts or the schema; - reads standard input.")
  var file: String

  @Option(help: ArgumentHelp("The config with the paywalls and their products.", valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp("A file with products, as the command products takes it.", valueName: "file")
  )
  var products: String?

  @Option(
    help: ArgumentHelp(
      "The paywall of the config that a template is for; the default is any.", valueName: "id"))
  var paywall: String?

  @Option(
    help: ArgumentHelp(
      "What users have: {\"user\": {\"age\": \"int\"}, \"params\": {..}}.", valueName: "file"))
  var schema: String?

  @OptionGroup var reading: TemplateOptions

  @Flag(help: "Print one JSON object a line instead of text.")
  var json = false

  @Flag(help: "Count warnings as errors.")
  var strict = false

  func run() throws {
    var check = try TemplateCheck(
      config: try config.map { try readConfig($0) },
      prices: try products.map { try ProductsFile($0).list },
      declarations: try declarations())
    let bytes = try FileText.read(file)
    try check.read(bytes, reading, paywall: paywall)
    let errors = check.findings.filter { $0.diagnostic.severity == .error }.count
    let warnings = check.findings.filter { $0.diagnostic.severity == .warning }.count
    for finding in check.findings {
      FileText.print(
        json ? finding.diagnostic.json.json : finding.text(place(finding, in: bytes)) + "\n")
    }
    if !json {
      FileText.print(
        "\(counted(check.textCount, "text")), \(counted(check.requirements.count, "path")): "
          + "\(counted(errors, "error")), \(counted(warnings, "warning"))"
      )
    }
    if errors > 0 || strict && warnings > 0 { throw ExitCode(1) }
  }

  private func place(_ finding: TemplateCheck.Finding, in bytes: [UInt8]) -> String {
    let path = file == "-" ? "" : file
    guard finding.isInJSON, !finding.diagnostic.path.isEmpty,
      let line = JSONLocation.lines(of: [finding.diagnostic.path], in: bytes)[
        finding.diagnostic.path]
    else { return path }
    return "\(path):\(line)"
  }

  private func readConfig(_ path: String) throws -> Config {
    let file = try ConfigFile(path)
    guard let config = file.config else {
      throw CommandError(file.diagnostics.map { file.render($0) }.joined(separator: "\n"))
    }
    return config
  }

  private func declarations() throws -> TextDeclarations {
    guard let schema else { return TextDeclarations() }
    let declarations = TextDeclarations(json: try FileText.read(schema))
    if declarations.diagnostics.isEmpty { return declarations }
    throw CommandError(
      declarations.diagnostics.map { DiagnosticText.render($0, source: nil, place: schema) }
        .joined(separator: "\n"))
  }
}

/// Holds texts against the products and users that they are for.
struct TemplateCheck {
  /// Something to say, and about which text.
  struct Finding {
    var diagnostic: Diagnostic
    var source: String?
    /// Whether the diagnostic's path is one of the file.
    var isInJSON = false

    func text(_ place: String) -> String {
      DiagnosticText.render(diagnostic, source: source, place: place)
    }
  }

  private let config: Config?
  private let prices: ProductList?
  private let declarations: TextDeclarations
  private(set) var findings: [Finding] = []
  private(set) var textCount = 0
  private(set) var requirements: Set<String> = []

  init(config: Config?, prices: ProductList?, declarations: TextDeclarations) throws {
    self.config = config
    self.prices = prices
    self.declarations = declarations
  }

  /// Reads one of the three kinds of file.
  mutating func read(_ bytes: [UInt8], _ options: TemplateOptions, paywall: String?) throws {
    if let paywall { _ = try find(paywall) }
    if let value = try? Value.parse(json: bytes), case .map = value {
      if value["paywalls"] != nil { return try read(texts: bytes, options) }
      if value["components"] != nil { return try read(schema: bytes, options) }
    }
    let source = String(decoding: bytes, as: UTF8.self)
    let environment = options.environment()
    let products = try self.products(paywall: paywall, environment.dialect)
    let analysis = check(source, environment, products, path: "")
    if let analysis { tellUnused(products, [analysis], path: "") }
  }

  private mutating func read(texts bytes: [UInt8], _ options: TemplateOptions) throws {
    let decoded = TextFile.decode(json: bytes)
    findings += decoded.diagnostics.map { Finding(diagnostic: $0, source: nil, isInJSON: true) }
    let environment = options.environment()
    for paywall in decoded.output?.paywalls ?? [] {
      let path = "paywalls.\(paywall.identifier)"
      if let config, config.paywall(paywall.identifier) == nil {
        findings.append(
          Finding(diagnostic: unknown(paywall.identifier, in: config, path: path), isInJSON: true))
      }
      let known = config?.paywall(paywall.identifier) != nil
      let products = try self.products(
        paywall: known ? paywall.identifier : nil, environment.dialect)
      let analyses = paywall.texts.compactMap { text in
        check(
          text.template, environment, products, path: TextFile.path(paywall.identifier, text.name),
          isInJSON: true)
      }
      if known { tellUnused(products, analyses, path: path, isInJSON: true) }
    }
  }

  private mutating func read(schema bytes: [UInt8], _ options: TemplateOptions) throws {
    let decoded = PaywallSchema.decode(json: bytes)
    findings += decoded.diagnostics.map { Finding(diagnostic: $0, source: nil, isInJSON: true) }
    guard let schema = decoded.output else { return }
    let environment = options.environment(.agentwallie)
    let texts = PaywallTexts(schema, environment: environment)
    findings += texts.diagnostics.filter { $0.path.hasSuffix(".condition") }
      .map { Finding(diagnostic: $0, source: nil, isInJSON: true) }
    let listed = prices.map { schema.filled(from: $0.products) } ?? []
    let products =
      listed.isEmpty
      ? schema.slots.map { TextDeclarations.Product(slot: $0.slot, profile: .agentWallie) }
      : try described(listed, environment.dialect)
    for (path, source) in zip(texts.textPaths, texts.sources) {
      _ = check(source, environment, products, path: path, isInJSON: true)
    }
  }

  // MARK: One text

  private mutating func check(
    _ source: String, _ environment: TemplateEnvironment, _ products: [TextDeclarations.Product]?,
    path: String,
    isInJSON: Bool = false
  ) -> TemplateAnalysis? {
    textCount += 1
    let compiled = environment.compile(source)
    func add(_ diagnostics: [Diagnostic]) {
      for var diagnostic in diagnostics {
        diagnostic.path = path
        findings.append(Finding(diagnostic: diagnostic, source: source, isInJSON: isInJSON))
      }
    }
    add(compiled.diagnostics)
    if compiled.output == nil { return nil }
    let analysis = environment.analyze(source)
    requirements.formUnion(analysis.requirements)
    var declarations = declarations
    declarations.hasUserID =
      config?.format == .agentWallie || environment.dialect == .agentwallie
    add(declarations.check(analysis, products: products))
    return analysis
  }

  private mutating func tellUnused(
    _ products: [TextDeclarations.Product]?, _ texts: [TemplateAnalysis], path: String,
    isInJSON: Bool = false
  ) {
    guard let products else { return }
    for var diagnostic in TextDeclarations.unused(products.filter(\.isCertain), by: texts) {
      diagnostic.path = path
      findings.append(Finding(diagnostic: diagnostic, isInJSON: isInJSON))
    }
  }

  // MARK: Products

  /// The products that texts of a paywall may read; nil where nothing is known of products.
  private func products(paywall: String?, _ dialect: TemplateDialect) throws -> [TextDeclarations
    .Product]?
  {
    guard let config else { return try prices.map { try described($0.products, dialect) } }
    if let paywall {
      return try described(config.products(of: try find(paywall), prices: prices), dialect)
    }
    // A text that may stand on any paywall can count on the slots that all of them have.
    let all = config.paywalls.map { config.products(of: $0, prices: prices) }
    var slots: [TextDeclarations.Product] = []
    for products in all {
      for var product in try described(products, dialect)
      where !slots.contains(where: { $0.slot == product.slot }) {
        product.isCertain = all.allSatisfy { other in other.contains { $0.slot == product.slot } }
        slots.append(product)
      }
    }
    return slots
  }

  private func described(_ products: [PricedProduct], _ dialect: TemplateDialect) throws
    -> [TextDeclarations.Product]
  {
    let profile: PricingProfile? = dialect == .agentwallie ? .agentWallie : nil
    let made: TextProducts
    do throws(PricingError) {
      made = try TextProducts(
        products, profile: profile, context: PricingContext(now: Clock.milliseconds()))
    } catch {
      throw CommandError(error.message)
    }
    return zip(products, made.slotted).map { product, slotted in
      // Without a price only the names of the attributes are known.
      if case .map(let entries) = slotted.attributes, entries.isEmpty {
        return TextDeclarations.Product(
          slot: slotted.slot, profile: profile ?? PricingProfile(usualFor: product.store))
      }
      return TextDeclarations.Product(slotted)
    }
  }

  private func find(_ identifier: String) throws -> Paywall {
    guard let config else { throw ValidationError("--paywall needs --config") }
    if let paywall = config.paywall(identifier) { return paywall }
    throw CommandError(
      DiagnosticText.render(unknown(identifier, in: config, path: ""), source: nil))
  }

  private func unknown(_ identifier: String, in config: Config, path: String) -> Diagnostic {
    Diagnostic(
      .unknownPaywall, "the config has no paywall '\(identifier)'", path: path,
      suggestion: Suggestion.closest(to: identifier, among: config.paywalls.map(\.identifier))
        .map { "did you mean '\($0)'?" })
  }
}
